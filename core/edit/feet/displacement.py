"""Compute the ground displacement of a foot that keeps it still during contacts (methods: Planted feet).

It is one least-squares problem over the whole clip, instead of a faded correction per contact: the curve is smooth
across short swings, and yields where a foot arrives or leaves fast.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...motion import root_motion
from ...motion.quat import Array
from .. import banded
from .spans import BALL, Contact

HELD = 1e5  # weight of a fully held frame: much larger than the weight of smoothness, so that the foot does not move
EASE = 0.12  # s at each end of a contact, inside it, over which the hold fades
BRIEF = 0.6  # of a contact: upper limit of each fade, so that brief contacts are still held in their middle
# A pivot with an acceleration of more than TREMBLES, in body heights / s², trembles, as toes of noisy captures do. Its
# path is blended with a Gaussian mean, of sigma CALM_SECONDS. The weight of the mean is the smoothed density of
# trembling frames times NEARBY, at most 1.
TREMBLES, CALM_SECONDS, NEARBY = 200.0, 1.0 / 120.0, 4.0
STIFF, REACH = 0.02, 0.08  # s; time scales of the curve's smoothness, and of its decay after a contact

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Pivots:
    """The pivots of a foot in contact, ball and heel, on the ground (F,) as x + iy."""

    ball: Complex
    heel: Complex

    def path(self, contact: Contact) -> Complex:
        """Return the path of the pivot in a contact: of the ball, extended by the heel's steps before it.

        Steps are differences of frames, because integrated velocities drift.
        """
        steps = np.empty(contact.end - contact.first, dtype=np.complex128)
        for span in contact.spans:
            pivot = self.ball if span.part == BALL else self.heel
            # A step belongs to the part in contact in its second frame.
            before = max(span.first - 1, contact.first)
            steps[span.first - contact.first : span.end - contact.first] = np.diff(
                pivot[before : span.end], prepend=pivot[before : before + 1] if before == span.first else []
            )
        path: Complex = np.cumsum(steps)
        anchor = contact.standing[0]
        pivot = self.ball if anchor.part == BALL else self.heel
        at = anchor.first - contact.first
        return path - path[at] + pivot[anchor.first]


def _standing(contact: Contact, path: Complex) -> Complex:
    """Return the positions of the ball during its contact, or of the heel without one."""
    return np.concatenate([path[span.first - contact.first : span.end - contact.first] for span in contact.standing])


def _place(contact: Contact, path: Complex, fixed: Sequence[int]) -> Complex:
    """Return the target of a foot in a contact: its own position in fixed frames, linear between them."""
    known = [frame for frame in fixed if contact.first <= frame < contact.end]
    if not known:
        return np.full(len(path), _standing(contact, path).mean())
    at, here = np.arange(contact.first, contact.end), path[np.array(known) - contact.first]
    place: Complex = np.interp(at, known, here.real) + 1j * np.interp(at, known, here.imag)
    return place


def extent(contact: Contact, pivots: Pivots) -> float:
    """Return the slide (m) of the ball, or of the heel, in a contact: twice the largest distance from its mean."""
    places = _standing(contact, pivots.path(contact))
    return 2.0 * float(np.abs(places - places.mean()).max())


def holds(contacts: Sequence[Contact], frames: int, rate: float) -> Array:
    """Return the strength (F,) of a foot's hold, 0 to 1; it fades smoothly, except at the clip's ends."""
    held = np.zeros(frames)
    for contact in contacts:
        at = np.arange(contact.first, contact.end) + 0.5
        inside = np.minimum(
            np.inf if contact.first == 0 else at - contact.first,
            np.inf if contact.end == frames else contact.end - at,
        )
        ease = min(EASE * rate, BRIEF * len(at))
        share = np.clip(inside / ease, 0.0, 1.0)
        held[contact.first : contact.end] = (share * share * (3.0 - 2.0 * share)) ** 3
    return held


def _without_tremor(path: Complex, rate: float, height: float) -> Complex:
    """Return the path of a pivot in a contact, smoothed around the frames in which it trembles."""
    trembles = np.zeros(len(path))
    trembles[1:-1] = np.abs(np.diff(path, 2)) * rate**2 > TREMBLES * height
    if not trembles.any():
        return path
    sigma = CALM_SECONDS * rate
    share = np.minimum(1.0, NEARBY * root_motion.smooth(trembles, sigma))
    smooth = root_motion.smooth(np.column_stack([path.real, path.imag]), sigma)
    return np.asarray(path + share * (smooth[:, 0] + 1j * smooth[:, 1] - path))


def of_foot(
    contacts: Sequence[Contact],
    pivots: Pivots,
    rate: float,
    height: float,
    still: Sequence[Contact] = (),
    fixed: Sequence[int] = (),
    *,
    calm: bool = False,
) -> tuple[Complex, Array]:
    """Return the displacement (F,) of a foot, metres on the ground as x + iy, and the strength (F,) of its hold.

    height : of the body, metres
    still : contacts without slide, which are held without displacement
    fixed : sorted frames without displacement; a contact that includes one is held at its position there, and between
        several of them on a line
    calm : whether the tremor of a foot in a contact stays, so that its leg does not tremble
    """
    frames = len(pivots.ball)
    goals, held = np.zeros(frames, dtype=np.complex128), holds([*contacts, *still], frames, rate)
    for contact in contacts:
        path = pivots.path(contact)
        if calm:
            path = _without_tremor(path, rate, height)
        # The target is the mean of the path, not an unknown, because it would drift.
        goals[contact.first : contact.end] = _place(contact, path, fixed) - path
    if not contacts:
        return goals, held
    held[list(fixed)] = 1.0
    sides = np.column_stack([goals.real, goals.imag])
    curve = banded.smooth_curve(HELD * held, sides, (STIFF * rate) ** 4, (STIFF / REACH) ** 4)
    return curve[:, 0] + 1j * curve[:, 1], held
