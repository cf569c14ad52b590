"""The displacement of a foot on the ground that keeps it still while it stands (methods: Planted feet).

One least-squares problem over the whole clip, instead of a correction per contact that fades in and out: the curve
joins short swings and gives way where a foot comes or goes fast.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...motion.quat import Array
from .. import banded
from .spans import BALL, Contact

HELD = 1e5  # weight of a frame in which a foot is held fully: far over that of smoothness, so that it stands still
EASE = 0.12  # s at each end of a contact, inside it, over which the hold grows and fades
BRIEF = 0.6  # of a contact that is shorter than that: its middle half is held all the same
STIFF, REACH = 0.02, 0.08  # s; time scales of the curve's smoothness, and of its decay beyond a contact

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Pivots:
    """The points about which a standing foot turns, on the ground (F,) as x + iy."""

    ball: Complex
    heel: Complex

    def path(self, contact: Contact) -> Complex:
        """Return the path of the standing point in a contact: the ball, extended by the steps of the heel before it.

        By differences of frames, not by speeds, whose sum drifts.
        """
        steps = np.empty(contact.end - contact.first, dtype=np.complex128)
        for span in contact.spans:
            pivot = self.ball if span.part == BALL else self.heel
            # A step belongs to the part that stands in its second frame.
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
    """Return the places of the ball while it stands, else of the heel."""
    return np.concatenate([path[span.first - contact.first : span.end - contact.first] for span in contact.standing])


def _place(contact: Contact, path: Complex, fixed: Sequence[int]) -> Complex:
    """Return where a foot is held in a contact: in fixed frames where it is, between them on a line."""
    known = [frame for frame in fixed if contact.first <= frame < contact.end]
    if not known:
        return np.full(len(path), _standing(contact, path).mean())
    at, here = np.arange(contact.first, contact.end), path[np.array(known) - contact.first]
    place: Complex = np.interp(at, known, here.real) + 1j * np.interp(at, known, here.imag)
    return place


def extent(contact: Contact, pivots: Pivots) -> float:
    """Return how far (m) the ball, else the heel, slides in a contact: twice the largest distance from its mean."""
    places = _standing(contact, pivots.path(contact))
    return 2.0 * float(np.abs(places - places.mean()).max())


def holds(contacts: Sequence[Contact], frames: int, rate: float) -> Array:
    """Return how firmly (F,) a foot is held, 0 to 1; it grows and fades smoothly, but not at the clip's ends."""
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


def of_foot(
    contacts: Sequence[Contact],
    pivots: Pivots,
    rate: float,
    still: Sequence[Contact] = (),
    fixed: Sequence[int] = (),
) -> tuple[Complex, Array]:
    """Return the displacement (F,) of a foot, metres on the ground as x + iy, and how firmly (F,) it is held.

    still : contacts in which it already stands still; there it is held, too, without displacement
    fixed : frames without displacement, in order; a contact with one is held where it is in it, with several between
    """
    frames = len(pivots.ball)
    goals, held = np.zeros(frames, dtype=np.complex128), holds([*contacts, *still], frames, rate)
    for contact in contacts:
        path = pivots.path(contact)
        # The place is the mean of the path, and not an unknown: left free, it would drift.
        goals[contact.first : contact.end] = _place(contact, path, fixed) - path
    if not contacts:
        return goals, held
    held[list(fixed)] = 1.0
    sides = np.column_stack([goals.real, goals.imag])
    curve = banded.smoothed(HELD * held, sides, (STIFF * rate) ** 4, (STIFF / REACH) ** 4)
    return curve[:, 0] + 1j * curve[:, 1], held
