"""Legs of three bones and more: all joints that bend share the change of the leg's length (methods: Planted feet)."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ...motion import quat, root_motion
from ...motion.quat import Array

HALVINGS = 40  # bisection steps, which find the change of bend to 1e-12 of a turn
FOLDED = np.radians(170.0)  # largest bend of a joint
# Largest change of the bends of all joints together. The more a leg is folded, the less its length depends on its bend.
MOST = np.radians(90.0)
STILL = 0.05  # joints share a change in proportion to the standard deviation of their bend, plus this share of its mean


class Bones(Protocol):
    """A leg as `legs.Leg`: its first bone, and two bones at each joint that bends."""

    @property
    def upper(self) -> Array: ...
    @property
    def lower(self) -> Array: ...
    @property
    def axis(self) -> Array: ...
    @property
    def flexion(self) -> Array: ...
    @property
    def knees(self) -> tuple["Bones", ...]: ...


def changes(leg: Bones, distance: Array, sigma: float) -> list[Array]:
    """Return the change (F,) of the bend of each joint of a leg, radians, after which it spans a distance (F,).

    sigma : frames; with it the changes are smoothed. Each joint takes a share in proportion to the variation of its
    bend in the clip, so that a stiff joint hardly changes. No joint is bent backwards, or further backwards than it
    was. A leg of two
    bones bends by the law of cosines.
    """
    shares = _shares(leg.knees)
    lowest, highest = np.zeros(len(distance)), np.zeros(len(distance))
    near = _span(leg, _bent(leg.knees, shares, lowest))
    longer = distance > near
    for knee, share in zip(leg.knees, shares, strict=True):
        lowest = np.where(longer, np.minimum(lowest, -np.maximum(knee.flexion, 0.0) / share), lowest)
        highest = np.where(longer, highest, np.maximum(highest, np.maximum(FOLDED - knee.flexion, 0.0) / share))
    highest = np.minimum(highest, MOST)
    for _ in range(HALVINGS):
        middle = 0.5 * (lowest + highest)
        far = _span(leg, _bent(leg.knees, shares, middle)) > distance
        lowest, highest = np.where(far, middle, lowest), np.where(far, highest, middle)
    return [root_motion.smooth(bend, sigma) for bend in _bent(leg.knees, shares, 0.5 * (lowest + highest))]


def reach(leg: Bones, bends: Sequence[Array]) -> Array:
    """Return the vector (F, 3) from hip to end of a leg whose joints are bent (F, 4), each in its pose before."""
    whole, end = bends[0], leg.upper + quat.rotate(bends[0], leg.knees[0].lower)
    for bend, knee in zip(bends[1:], leg.knees[1:], strict=True):
        whole = quat.mul(whole, bend)
        end = end + quat.rotate(whole, knee.lower)
    return end


def _shares(knees: Sequence[Bones]) -> list[float]:
    own = [float(knee.flexion.std() + STILL * np.abs(knee.flexion).mean()) + 1e-6 for knee in knees]
    return [share / sum(own) for share in own]


def _bent(knees: Sequence[Bones], shares: Sequence[float], change: Array) -> list[Array]:
    """Return the change (F,) of the bend of each joint for a change of all, limited so that none inverts or folds."""
    return [
        np.clip(change * share, -np.maximum(knee.flexion, 0.0), np.maximum(FOLDED - knee.flexion, 0.0))
        for knee, share in zip(knees, shares, strict=True)
    ]


def _span(leg: Bones, changed: Sequence[Array]) -> Array:
    turns = [quat.exp(bend[:, None] * knee.axis) for bend, knee in zip(changed, leg.knees, strict=True)]
    return np.asarray(np.linalg.norm(reach(leg, turns), axis=1))
