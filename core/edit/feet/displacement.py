"""How far a foot is moved on the ground so that it stands still while it stands (methods: Planted feet).

One least-squares problem over the whole clip in place of a correction a contact that fades in and out: it joins short
swings, and gives way where a foot comes or goes fast.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...motion.quat import Array
from .. import banded
from .spans import BALL, Contact

HELD = 1e5  # weight of a frame in which a foot stands
EASE = 0.12  # s; over which a contact takes hold and lets go, inside its ends
STIFF, REACH = 0.02, 0.08  # s; how a correction bends, and how long it lasts beyond a contact

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Pivots:
    """The points that a foot turns about while it stands, on the ground (F,) as x + iy."""

    ball: Complex
    heel: Complex

    def path(self, contact: Contact) -> Complex:
        """The place of what stands in each frame of a contact: of the ball, else as the heel moves on from there.

        By differences of frames, not by speeds: what those sum up to drifts.
        """
        steps = np.empty(contact.end - contact.first, dtype=np.complex128)
        for span in contact.spans:
            pivot = self.ball if span.part == BALL else self.heel
            # A step belongs to the part that stands after it.
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
    """Where the ball of a contact is, else its heel, while it stands."""
    return np.concatenate([path[span.first - contact.first : span.end - contact.first] for span in contact.standing])


def extent(contact: Contact, pivots: Pivots) -> float:
    """Return how far (m) the ball of a foot, else its heel, moves about in a contact."""
    places = _standing(contact, pivots.path(contact))
    return 2.0 * float(np.abs(places - places.mean()).max())


def holds(contacts: Sequence[Contact], frames: int, rate: float) -> Array:
    """Return how firmly (F,) a foot is held, 0 to 1: it takes hold and lets go gently, but not at the clip's ends."""
    found = np.zeros(frames)
    for contact in contacts:
        at = np.arange(contact.first, contact.end) + 0.5
        inside = np.minimum(
            np.inf if contact.first == 0 else at - contact.first,
            np.inf if contact.end == frames else contact.end - at,
        )
        share = np.clip(inside / (EASE * rate), 0.0, 1.0)
        found[contact.first : contact.end] = (share * share * (3.0 - 2.0 * share)) ** 3
    return found


def of_foot(
    contacts: Sequence[Contact], pivots: Pivots, rate: float, still: Sequence[Contact] = ()
) -> tuple[Complex, Array]:
    """Return by how much (F,) a foot is moved, metres on the ground as x + iy, and how firmly (F,) it is held.

    still : contacts in which it stands already, and is not moved
    """
    frames = len(pivots.ball)
    goals, held = np.zeros(frames, dtype=np.complex128), holds([*contacts, *still], frames, rate)
    for contact in contacts:
        path = pivots.path(contact)
        # Where it stands is not left to the solution: it would drift there.
        goals[contact.first : contact.end] = _standing(contact, path).mean() - path
    if not contacts:
        return goals, held
    sides = np.column_stack([goals.real, goals.imag])
    found = banded.pulled(HELD * held, sides, (STIFF * rate) ** 4, (STIFF / REACH) ** 4)
    return found[:, 0] + 1j * found[:, 1], held
