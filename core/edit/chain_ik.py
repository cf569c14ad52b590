"""Inverse kinematics to a target: two bones analytically, longer chains by cyclic coordinate descent or least squares.

All functions solve many poses at once. A chain is described in the world, so no bone axis is assumed; limits apply to
each joint's own angles, as in Blender (methods: Planted feet).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import ik, quat
from ..motion.quat import Array

ROUNDS = 60  # of cyclic coordinate descent, at most
NEAR = 1e-6  # of the chain's length; an end this near to the target counts as reached
AXES = "XYZ"
# Damping is proportional to the distance to the target: strong far from it, where steps would overshoot.
STEPS, DAMPING = 60, 0.05


@dataclass(frozen=True, eq=False)
class Chain:
    """A chain of K joints and an end (the end effector) in F poses.

    frames (F, K, 4) : parent frame of each joint: of the first in the world, of others relative to the previous joint
    offsets (F, K, 3) : from each joint to the next, from the last to the end, in the joint's own frame, metres
    root (F, 3) : world position of the first joint
    rotations (F, K, 4) : of the joints in their frames
    """

    frames: Array
    offsets: Array
    root: Array
    rotations: Array

    def at(self, frames: NDArray[np.int64]) -> "Chain":
        """Return the chain in some of its poses."""
        return Chain(self.frames[frames], self.offsets[frames], self.root[frames], self.rotations[frames])

    def pose(self, rotations: Array) -> tuple[Array, Array]:
        """Return world rotations (F, K, 4) of the joints, and world positions (F, K + 1, 3) of them and the end."""
        turned, places = np.empty_like(rotations), [self.root]
        for joint in range(rotations.shape[1]):
            frame = self.frames[:, joint]
            above = frame if joint == 0 else quat.mul(turned[:, joint - 1], frame)
            turned[:, joint] = quat.mul(above, rotations[:, joint])
            places.append(places[-1] + quat.rotate(turned[:, joint], self.offsets[:, joint]))
        return turned, np.stack(places, axis=1)


def two_bones(upper: Array, lower: Array, reach: Array, axis: Array) -> tuple[Array, Array]:
    """Return the world rotations that bring the end of two bones to a target: of the lower bone (F, 4), then of both.

    upper, lower (F, 3) : the bones as vectors; reach (F, 3) : from the upper bone's head to the target
    axis (F, 3) : unit hinge axis of the lower bone, across both; the lower bone keeps its bending side
    A target out of range is approached to the least distance. Law of cosines.
    """
    upper_length, lower_length, distance = (np.linalg.norm(vectors, axis=1) for vectors in (upper, lower, reach))
    cosine = (distance**2 - upper_length**2 - lower_length**2) / np.maximum(2.0 * upper_length * lower_length, 1e-300)
    sine = (np.cross(upper, lower) * axis).sum(axis=1)
    flexion = np.arctan2(sine, (upper * lower).sum(axis=1) - (upper * axis).sum(axis=1) * (lower * axis).sum(axis=1))
    wanted = np.where(flexion < 0.0, -1.0, 1.0) * np.arccos(np.clip(cosine, -1.0, 1.0))
    bend = quat.exp((wanted - flexion)[:, None] * axis)
    return bend, ik.shortest(upper + quat.rotate(bend, lower), reach)


def reach_goals(
    chain: Chain, goals: Array, limits: Sequence[tuple[Array, Array] | None] = (), rounds: int = ROUNDS
) -> tuple[Array, Array]:
    """Return rotations (F, K, 4) that bring the end of a chain to goals (F, 3), and the remaining distance (F,).

    limits : for each joint its least and largest angles (3,) or (F, 3) about its own X, Y and Z, radians
    (`quat.from_euler`), or None; every pose satisfies them. A straight chain that points at its goal stays straight.
    Cyclic coordinate descent from the current pose: Wang & Chen 1991.
    """
    free = [None] * chain.rotations.shape[1]
    bounds = [*limits, *free][: len(free)]
    rotations = np.stack([_limit_rotations(chain.rotations[:, k], bound) for k, bound in enumerate(bounds)], axis=1)
    best, least = rotations.copy(), _measure_distance(chain, rotations, goals)
    near = NEAR * np.linalg.norm(chain.offsets, axis=2).sum(axis=1)
    for _ in range(rounds):
        # With limits an iteration can increase the distance, so the best pose is kept. Converged poses are skipped.
        left = np.flatnonzero(least > near)
        if not len(left):
            break
        part = chain.at(left)
        kept = [bound if bound is None else (_of(bound[0], left), _of(bound[1], left)) for bound in bounds]
        moved = _round(part, rotations[left], goals[left], kept)
        rotations[left] = moved
        away = _measure_distance(part, moved, goals[left])
        better = away < least[left]
        best[left[better]], least[left[better]] = moved[better], away[better]
    return quat.same_side(best, chain.rotations), least


def settle_chain(chain: Chain, goals: Array) -> Array:
    """Return rotations (F, K, 4) that bring the end of a chain from near its goal (F, 3) onto it, without limits.

    Cyclic coordinate descent converges slowly for nearly straight chains. Here all joints turn at once by the least
    angles: the least squares of Whitney 1969, damped in proportion to the remaining distance.
    """
    rotations = chain.rotations.copy()
    length = np.linalg.norm(chain.offsets, axis=2).sum(axis=1)
    away = _measure_distance(chain, rotations, goals)
    for _ in range(STEPS):
        left = np.flatnonzero(away > NEAR * length)
        if not len(left):
            break
        part = chain.at(left)
        turned, places = part.pose(rotations[left])
        arms = places[:, -1:] - places[:, :-1]
        lack = goals[left] - places[:, -1]
        # J·Jᵀ of the end's Jacobian J, with each joint free about all axes: Σ over joints of |r|²·1 − r·rᵀ.
        square = (arms**2).sum(axis=(1, 2))[:, None, None] * np.eye(3) - np.einsum("fki,fkj->fij", arms, arms)
        damped = square + (away[left] * length[left])[:, None, None] * DAMPING * np.eye(3)
        force = np.linalg.solve(damped, lack[..., None])[..., 0]
        turns = quat.exp(quat.cross(arms, force[:, None]))
        # The solution holds to first order for joints that turn independently, but each also carries the next ones:
        # iterate.
        moved = rotations[left].copy()
        for joint in range(moved.shape[1]):
            own = quat.mul(quat.mul(quat.inv(turned[:, joint]), turns[:, joint]), turned[:, joint])
            moved[:, joint] = quat.normalize(quat.mul(moved[:, joint], own))
        moved_away = _measure_distance(part, moved, goals[left])
        better = moved_away < away[left]
        if not better.any():
            break
        rotations[left[better]], away[left[better]] = moved[better], moved_away[better]
    return quat.same_side(rotations, chain.rotations)


def _round(chain: Chain, rotations: Array, goals: Array, bounds: Sequence[tuple[Array, Array] | None]) -> Array:
    """Return rotations (F, K, 4) after each joint, from the last to the first, has turned the end towards its goal."""
    rotations = rotations.copy()
    for joint in range(len(bounds) - 1, -1, -1):
        turned, places = chain.pose(rotations)
        swing = ik.shortest(places[:, -1] - places[:, joint], goals - places[:, joint])
        frame = quat.mul(turned[:, joint], quat.inv(rotations[:, joint]))
        wanted = quat.mul(quat.inv(frame), quat.mul(swing, turned[:, joint]))
        rotations[:, joint] = _limit_rotations(quat.normalize(wanted), bounds[joint])
    return rotations


def _of(bound: Array, frames: NDArray[np.int64]) -> Array:
    return bound[frames] if bound.ndim == 2 else bound


def _measure_distance(chain: Chain, rotations: Array, goals: Array) -> Array:
    return np.asarray(np.linalg.norm(chain.pose(rotations)[1][:, -1] - goals, axis=1))


def _limit_rotations(rotations: Array, bound: tuple[Array, Array] | None) -> Array:
    if bound is None:
        return rotations.copy()
    return quat.from_euler(np.clip(angles(rotations), *bound), AXES)


def angles(rotations: Array) -> Array:
    """Return the angles (F, 3) of a joint about its own X, Y and Z, to compare with limits; within half a turn."""
    # `to_euler` keeps angles continuous along its first axis, but limits must not see whole turns: add an axis.
    euler = quat.to_euler(rotations[None], AXES)[0]
    return np.asarray(euler - 2.0 * np.pi * np.round(euler / (2.0 * np.pi)))
