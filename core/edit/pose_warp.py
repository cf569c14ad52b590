"""Poses that were corrected in some frames, spread over those around them (methods 19)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import hermite


@dataclass(frozen=True, eq=False)
class Correction:
    """What is to be turned and moved in one frame, so that the pose there is as it was made.

    joints (N,) : which; turns (N, 3) : rotation vectors, radians, in each joint's own frame; moves (N, 3) : metres
    """

    frame: int
    joints: NDArray[np.int64]
    turns: Array
    moves: Array


@dataclass(frozen=True, eq=False)
class Reach:
    """How many frames before and after a corrected one are changed with it."""

    before: float
    after: float


def correction(clip: Clip, frame: int, pose: Clip, joints: NDArray[np.int64]) -> Correction:
    """Return what turns some joints of a frame of a clip into those of a pose (a clip of one frame)."""
    turns = quat.log(quat.mul(quat.inv(clip.rotations[frame]), pose.rotations[0]))
    return Correction(frame, joints, turns[joints], (pose.translations[0] - clip.translations[frame])[joints])


def spread(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> Clip:
    """Return a clip that goes through corrected poses exactly, and is the same to the bit beyond their reach.

    Corrections are of different frames. Those of one joint that are nearer than both reaches go over into each other.
    Of a cycle they reach over its ends, and it stays closed.
    """
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for joint in sorted({int(joint) for one in corrections for joint in one.joints}):
        turn, move = added(clip, corrections, reach, joint)
        turned, moved = turn.any(axis=1), move.any(axis=1)
        rotations[turned, joint] = quat.mul(rotations[turned, joint], quat.exp(turn[turned]))
        translations[moved, joint] += move[moved]
    return replace(clip, rotations=rotations, translations=translations)


def added(clip: Clip, corrections: Sequence[Correction], reach: Reach, joint: int) -> tuple[Array, Array]:
    """Return by what a joint is turned and moved (F, 3) in every frame."""
    keyed: dict[float, Array] = {}
    last = len(clip) - 1
    for one in corrections:
        for place in np.flatnonzero(one.joints == joint):
            # The last frame of a cycle is its first again.
            frame = 0 if clip.cyclic and one.frame == last else one.frame
            keyed[float(frame)] = np.concatenate([one.turns[place], one.moves[place]])
    frames = np.array(sorted(keyed))
    values = np.array([keyed[frame] for frame in frames])
    if clip.cyclic and last > 0:
        laps = int(np.ceil(max(reach.before, reach.after) / last)) + 1
        frames = (frames + last * np.arange(-laps, laps + 1)[:, None]).ravel()
        values = np.tile(values, (2 * laps + 1, 1))
    else:
        values[:, :3] = _nearest_way(frames, values[:, :3], reach)
    times, knots = _with_rests(frames, values, reach)
    found = hermite.evaluate(times, knots, hermite.monotone_slopes(times, knots), np.arange(len(clip), dtype=float))
    if clip.cyclic:
        found[-1] = found[0]
    return found[:, :3], found[:, 3:]


def _nearest_way(frames: Array, turns: Array, reach: Reach) -> Array:
    """Rotation vectors (K, 3): of two that go over into each other, the second the short or the long way round.

    Whichever is nearer to the first. Not of cycles: all their way round it would have to be the same.
    """
    chosen = turns.copy()
    for k in range(1, len(chosen)):
        angle = np.linalg.norm(chosen[k])
        if angle > 0.0 and frames[k] - frames[k - 1] <= reach.before + reach.after:
            other = chosen[k] - 2.0 * np.pi / angle * chosen[k]
            if np.linalg.norm(other - chosen[k - 1]) < np.linalg.norm(chosen[k] - chosen[k - 1]):
                chosen[k] = other
    return chosen


def _with_rests(frames: Array, values: Array, reach: Reach) -> tuple[Array, Array]:
    """Knots of a curve: those given, and zeros where the reach of one ends before that of the next begins."""
    rest = np.zeros(values.shape[1])
    times, knots = [frames[0] - reach.before], [rest]
    for k, frame in enumerate(frames):
        times.append(frame)
        knots.append(values[k])
        let_go = frame + reach.after
        taken_up = frames[k + 1] - reach.before if k + 1 < len(frames) else np.inf
        if let_go < taken_up:
            times += [let_go, taken_up] if np.isfinite(taken_up) else [let_go]
            knots += [rest, rest] if np.isfinite(taken_up) else [rest]
    return np.array(times), np.array(knots)
