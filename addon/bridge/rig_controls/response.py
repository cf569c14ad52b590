"""Classify the effect of a moved control on bones, from their matrices before and after."""

import numpy as np

from ....core.motion.quat import Array

TURN = np.array([0.21, -0.16, 0.12])  # radians, arbitrary: about an axis that differs from all bone axes
STEP = np.array([0.5, 0.3, 0.7])  # of the step, also arbitrary
ALIKE = 0.03  # of the step, or radians: tolerance for rounding and solvers


def moved_by(before: Array, after: Array) -> Array:
    """Return the movement (4, 4) in the armature's space that takes a bone from one matrix to another."""
    return np.asarray(after @ np.linalg.inv(before))


def turn_between(before: Array, after: Array) -> float:
    """Return the approximate angle in radians between the axes of two matrices."""
    axes = [one[:3, :3] / np.linalg.norm(one[:3, :3], axis=0) for one in (before, after)]
    return float(np.linalg.norm(axes[0] - axes[1], axis=0).max())


def has_moved(before: Array, after: Array, step: float) -> bool:
    """Return whether a bone has moved or turned at all."""
    far = float(np.linalg.norm(after[:3, 3] - before[:3, 3]))
    return far > ALIKE * step or turn_between(before, after) > ALIKE


def has_head_moved(before: Array, after: Array, step: float) -> bool:
    """Return whether the head of a bone has moved."""
    return float(np.linalg.norm(after[:3, 3] - before[:3, 3])) > ALIKE * step


def bone_distance(bone: Array, length: float, place: Array) -> float:
    """Return the distance of a place (3,) from a bone (4, 4) of some length, as a line from head to tail."""
    way = length * bone[:3, 1] / np.linalg.norm(bone[:3, 1])
    along = np.clip((place - bone[:3, 3]) @ way / max(length**2, 1e-18), 0.0, 1.0)
    return float(np.linalg.norm(place - bone[:3, 3] - along * way))


def obeys(before: Array, after: Array) -> bool:
    """Return whether a control has rotated as requested: by TURN in its own axes."""
    trace = np.trace((before[:3, :3] / np.linalg.norm(before[:3, :3], axis=0)).T @ after[:3, :3])
    angle = np.arccos(np.clip(0.5 * (trace / np.cbrt(max(np.linalg.det(after[:3, :3]), 1e-12)) - 1.0), -1.0, 1.0))
    return bool(abs(angle - np.linalg.norm(TURN)) < ALIKE)


def rigid(move: Array, before: Array, after: Array, step: float) -> bool:
    """Return whether a bone has moved rigidly with its control."""
    expected = move @ before
    far = float(np.linalg.norm(after[:3, 3] - expected[:3, 3]))
    return far < ALIKE * step and turn_between(expected, after) < ALIKE


def taken_along(before: Array, after: Array, step: float) -> bool:
    """Return whether a bone has moved, and rigidly with its control; matrices (2, 4, 4) of control and bone."""
    gone = has_moved(before[1], after[1], step)
    return gone and rigid(moved_by(before[0], after[0]), before[1], after[1], step)


def goes_with(move: Array, before: Array, after: Array, angle: float, far: float) -> bool:
    """Return whether a bone has moved, and rigidly with its control."""
    expected = move @ before
    exact = float(np.linalg.norm(after[:3, 3] - expected[:3, 3])) < far and turn_between(expected, after) < angle
    return exact and bool(np.linalg.norm(after[:3, 3] - before[:3, 3]) > far or turn_between(before, after) > angle)


def follows(move: Array, before: Array, after: Array, step: float) -> bool:
    """Return whether a bone has moved with its control, except for a twist about itself, which rigs may leave out."""
    expected = move @ before
    far = float(np.linalg.norm(after[:3, 3] - expected[:3, 3]))
    axes = [one[:3, 1] / np.linalg.norm(one[:3, 1]) for one in (expected, after)]
    return far < ALIKE * step and float(np.linalg.norm(axes[0] - axes[1])) < ALIKE


def reaches(move: Array, before: Array, after: Array, step: float, *, stiff: bool) -> bool:
    """Return whether a limb's end has moved with a control while its upper end stayed; matrices (3, 4, 4) of the limb.

    stiff : whether the limb is rigid between its middle and its end
    """
    here, there = before[:, :3, 3], after[:, :3, 3]
    wanted = (move @ before[2])[:3, 3]
    lengths = [np.linalg.norm(np.diff(one, axis=0), axis=1) for one in (here, there)]
    return bool(
        np.linalg.norm(there[2] - wanted) < 2.0 * ALIKE * step
        and np.linalg.norm(wanted - here[2]) > 0.3 * step
        and np.linalg.norm(there[0] - here[0]) < ALIKE * step
        and (not stiff or np.abs(lengths[0] - lengths[1]).max() < 0.3 * step)  # solvers may stretch a little
    )


def swivels(before: Array, after: Array, step: float) -> bool:
    """Return whether a limb's middle has moved alone; matrices (3, 4, 4) of the limb."""
    far = np.linalg.norm(after[:, :3, 3] - before[:, :3, 3], axis=1)
    return bool(far[0] < ALIKE * step and far[2] < 2.0 * ALIKE * step and far[1] > ALIKE * step)
