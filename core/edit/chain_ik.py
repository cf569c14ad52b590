"""Chains of joints led so that their end is at a place: two bones in one step, any chain by cyclic coordinate descent.

For one pose or many at once. A chain is given in the world, so that no axis of a bone is assumed; limits are those of
each joint's own axes, as Blender has them (methods: Planted feet).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import ik, quat
from ..motion.quat import Array

ROUNDS = 60
NEAR = 1e-6  # of the chain's length
AXES = "XYZ"
STEPS, DAMPING = 60, 0.05


@dataclass(frozen=True, eq=False)
class Chain:
    """K joints that hang on each other, and an end, of F poses.

    frames (F, K, 4) : in which each joint turns: for the first in the world, for others from the joint above it
    offsets (F, K, 3) : where the next joint is, the end for the last, in the joint's own frame, metres
    root (F, 3) : place of the first joint in the world
    rotations (F, K, 4) : of the joints in their frames
    """

    frames: Array
    offsets: Array
    root: Array
    rotations: Array

    def at(self, frames: NDArray[np.int64]) -> "Chain":
        """Return some of the poses."""
        return Chain(self.frames[frames], self.offsets[frames], self.root[frames], self.rotations[frames])

    def posed(self, rotations: Array) -> tuple[Array, Array]:
        """Return how joints (F, K, 4) are turned in the world, and where they and the end are (F, K + 1, 3)."""
        turned, places = np.empty_like(rotations), [self.root]
        for joint in range(rotations.shape[1]):
            frame = self.frames[:, joint]
            above = frame if joint == 0 else quat.mul(turned[:, joint - 1], frame)
            turned[:, joint] = quat.mul(above, rotations[:, joint])
            places.append(places[-1] + quat.rotate(turned[:, joint], self.offsets[:, joint]))
        return turned, np.stack(places, axis=1)


def two_bones(upper: Array, lower: Array, reach: Array, axis: Array) -> tuple[Array, Array]:
    """Return by how much two bones are turned in the world so that their end is `reach` from their beginning.

    upper, lower (F, 3) : the bones now; reach (F, 3) : from the first one's beginning to where the end is to be
    axis (F, 3) : about which the lower one bends, of length 1, across both; it keeps to the side to which it is bent
    Returns the turns of the lower bone alone (F, 4), then of both (F, 4). What is too far or too near is reached as
    nearly as it can be. Law of cosines.
    """
    one, other, far = (np.linalg.norm(vectors, axis=1) for vectors in (upper, lower, reach))
    cosine = (far**2 - one**2 - other**2) / np.maximum(2.0 * one * other, 1e-300)
    sine = (np.cross(upper, lower) * axis).sum(axis=1)
    now = np.arctan2(sine, (upper * lower).sum(axis=1) - (upper * axis).sum(axis=1) * (lower * axis).sum(axis=1))
    wanted = np.where(now < 0.0, -1.0, 1.0) * np.arccos(np.clip(cosine, -1.0, 1.0))
    bend = quat.exp((wanted - now)[:, None] * axis)
    return bend, ik.shortest(upper + quat.rotate(bend, lower), reach)


def reached(
    chain: Chain, goals: Array, limits: Sequence[tuple[Array, Array] | None] = (), rounds: int = ROUNDS
) -> tuple[Array, Array]:
    """Return rotations (F, K, 4) that bring the end of a chain to goals (F, 3), and how far (F,) it is from there.

    limits : for each joint its least and largest angles (3,), or (F, 3), about its own X, Y and Z, radians
    (`quat.from_euler`), or None; every pose keeps to them. A chain that is straight towards its goal stays so. Cyclic
    coordinate descent from the pose that there is: Wang & Chen 1991.
    """
    free = [None] * chain.rotations.shape[1]
    bounds = [*limits, *free][: len(free)]
    rotations = np.stack([_limited(chain.rotations[:, k], bound) for k, bound in enumerate(bounds)], axis=1)
    best, least = rotations.copy(), _away(chain, rotations, goals)
    near = NEAR * np.linalg.norm(chain.offsets, axis=2).sum(axis=1)
    for _ in range(rounds):
        # With limits a round can lead away again: the nearest pose counts. What has arrived waits for the others.
        left = np.flatnonzero(least > near)
        if not len(left):
            break
        part = chain.at(left)
        kept = [bound if bound is None else (_of(bound[0], left), _of(bound[1], left)) for bound in bounds]
        moved = _round(part, rotations[left], goals[left], kept)
        rotations[left] = moved
        away = _away(part, moved, goals[left])
        better = away < least[left]
        best[left[better]], least[left[better]] = moved[better], away[better]
    return quat.same_side(best, chain.rotations), least


def settled(chain: Chain, goals: Array, steps: int = STEPS) -> Array:
    """Return rotations (F, K, 4) that bring the end of a chain from near its goal (F, 3) onto it, without limits.

    Joint by joint it comes ever slower where the chain is nearly straight. Here all joints turn at once, and as little
    as does it: the least squares of Whitney 1969, damped by how far it is.
    """
    rotations = chain.rotations.copy()
    length = np.linalg.norm(chain.offsets, axis=2).sum(axis=1)
    away = _away(chain, rotations, goals)
    for _ in range(steps):
        left = np.flatnonzero(away > NEAR * length)
        if not len(left):
            break
        part = chain.at(left)
        turned, places = part.posed(rotations[left])
        arms = places[:, -1:] - places[:, :-1]
        lack = goals[left] - places[:, -1]
        # Σ over joints of [r]ₓᵀ[r]ₓ = |r|²·1 − r·rᵀ: what turns about all axes would move the end by.
        square = (arms**2).sum(axis=(1, 2))[:, None, None] * np.eye(3) - np.einsum("fki,fkj->fij", arms, arms)
        damped = square + (away[left] * length[left])[:, None, None] * DAMPING * np.eye(3)
        force = np.linalg.solve(damped, lack[..., None])[..., 0]
        turns = quat.exp(quat.cross(arms, force[:, None]))
        # Turns about the joints as they stand: each is carried by those above it, so they do not add up quite.
        moved = rotations[left].copy()
        for joint in range(moved.shape[1]):
            own = quat.mul(quat.mul(quat.inv(turned[:, joint]), turns[:, joint]), turned[:, joint])
            moved[:, joint] = quat.normalize(quat.mul(moved[:, joint], own))
        found = _away(part, moved, goals[left])
        better = found < away[left]
        if not better.any():
            break
        rotations[left[better]], away[left[better]] = moved[better], found[better]
    return quat.same_side(rotations, chain.rotations)


def _round(chain: Chain, rotations: Array, goals: Array, bounds: Sequence[tuple[Array, Array] | None]) -> Array:
    """Rotations (F, K, 4) after each joint in turn, from the last to the first, has pointed the end at its goal."""
    rotations = rotations.copy()
    for joint in range(len(bounds) - 1, -1, -1):
        turned, places = chain.posed(rotations)
        swing = ik.shortest(places[:, -1] - places[:, joint], goals - places[:, joint])
        frame = quat.mul(turned[:, joint], quat.inv(rotations[:, joint]))
        wanted = quat.mul(quat.inv(frame), quat.mul(swing, turned[:, joint]))
        rotations[:, joint] = _limited(quat.normalize(wanted), bounds[joint])
    return rotations


def _of(bound: Array, frames: NDArray[np.int64]) -> Array:
    return bound[frames] if bound.ndim == 2 else bound


def _away(chain: Chain, rotations: Array, goals: Array) -> Array:
    return np.asarray(np.linalg.norm(chain.posed(rotations)[1][:, -1] - goals, axis=1))


def _limited(rotations: Array, bound: tuple[Array, Array] | None) -> Array:
    if bound is None:
        return rotations.copy()
    return quat.from_euler(np.clip(angles(rotations), *bound), AXES)


def angles(rotations: Array) -> Array:
    """Return the angles (F, 3) of a joint about its own X, Y and Z that limits are about, within half a turn."""
    # Each pose for itself: `to_euler` follows what comes before along the first axis.
    found = quat.to_euler(rotations[None], AXES)[0]
    return np.asarray(found - 2.0 * np.pi * np.round(found / (2.0 * np.pi)))
