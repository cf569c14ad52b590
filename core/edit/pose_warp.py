"""Motion warping: corrections of single poses, spread over nearby frames (methods: Warping in space and time)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import hermite

Flags = NDArray[np.bool_]
ROUNDING = 1e-12  # radians, metres; smaller differences are ignored


@dataclass(frozen=True, eq=False)
class Correction:
    """The change of some joints in one frame that gives a corrected pose.

    joints (N,) : their indices; turns (N, 3) : rotation vectors, radians, in each joint's own frame
    moves (N, 3) : metres, in its rest frame; scales (N, 3) : added to its scales, None: no change
    """

    frame: int
    joints: NDArray[np.int64]
    turns: Array
    moves: Array
    scales: Array | None = None


@dataclass(frozen=True, eq=False)
class Reach:
    """Numbers of frames before and after a corrected frame that change with it."""

    before: float
    after: float

    def joins(self, frame: float, following: float) -> bool:
        """Return whether corrections of two frames overlap, with no unchanged frame between them."""
        return frame + self.after > following - self.before


@dataclass(frozen=True, eq=False)
class Added:
    """Rotations, translations and scales (F, J, 3) added to each frame; see `Correction`."""

    turns: Array
    moves: Array
    scales: Array


@dataclass(frozen=True, eq=False)
class _Keys:
    """Corrections by frame (K,): known (K, J), joints with one; values (K, J, 3, 3): turns, shifts and scales."""

    frames: Array
    known: Flags
    values: Array

    def of(self, joints: NDArray[np.int64], rows: Flags) -> "_Keys":
        return _Keys(self.frames[rows], self.known[rows][:, joints], self.values[rows][:, joints])


def correction(clip: Clip, frame: int, pose: Clip, joints: NDArray[np.int64]) -> Correction:
    """Return the correction that gives some joints of one frame the values of a pose (one frame of the same body).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import pose_warp
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> arm = np.array([walk.skeleton.index("upper_arm.L")])
        >>> lowered = pose_warp.correction(walk, 20, actions.wave().cut(0, 1), arm)
        >>> lowered.frame, np.degrees(np.linalg.norm(lowered.turns, axis=1)).round(1).tolist()
        (20, [21.0])
    """
    turns = _drop_rounding(quat.log(quat.mul(quat.inv(clip.rotations[frame]), pose.rotations[0])))
    moves = _drop_rounding(pose.translations[0] - clip.translations[frame])
    scales = None
    if clip.scales is not None or pose.scales is not None:
        own, wanted = (np.ones_like(moves) if one is None else one for one in (_at(clip, frame), _at(pose, 0)))
        scales = _drop_rounding(wanted - own)[joints]
    return Correction(frame, joints, turns[joints], moves[joints], scales)


def _at(clip: Clip, frame: int) -> Array | None:
    return None if clip.scales is None else clip.scales[frame]


def _drop_rounding(vectors: Array) -> Array:
    """Return vectors (J, 3) with rounding errors set to 0, so that unposed joints stay bit-identical."""
    return np.where(np.linalg.norm(vectors, axis=1, keepdims=True) < ROUNDING, 0.0, vectors)


def spread(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> Clip:
    """Return a clip that passes exactly through corrected poses; frames beyond their reach are bit-identical.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.edit import pose_warp
        >>> walk, head = actions.walk(), np.array([actions.walk().skeleton.index("head")])
        >>> nod = pose_warp.Correction(40, head, np.array([[0.5, 0.0, 0.0]]), np.zeros((1, 3)))
        >>> len(pose_warp.spread(walk, [nod], pose_warp.Reach(10, 10)))
        97
    """
    return change_pose(clip, add_corrections(clip, corrections, reach))


def change_pose(clip: Clip, more: Added) -> Clip:
    """Return a clip with rotations, translations and scales added; joints and frames without any are unchanged.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import pose_warp
        >>> from action_loom.core.demo_character import actions
        >>> walk, head = actions.walk(), np.array([actions.walk().skeleton.index("head")])
        >>> nod = pose_warp.Correction(40, head, np.array([[0.5, 0.0, 0.0]]), np.zeros((1, 3)))
        >>> nodding = pose_warp.change_pose(walk, pose_warp.add_corrections(walk, [nod], pose_warp.Reach(10, 10)))
        >>> frames = np.flatnonzero((nodding.rotations != walk.rotations).any(axis=(1, 2)))
        >>> frames.min().item(), frames.max().item()
        (31, 49)
    """
    turned, moved = more.turns.any(axis=2), more.moves.any(axis=2)
    rotations, translations, scales = clip.rotations.copy(), clip.translations.copy(), clip.scales
    rotations[turned] = quat.mul(rotations[turned], quat.exp(more.turns[turned]))
    translations[moved] += more.moves[moved]
    if more.scales.any():
        scales = (1.0 if scales is None else scales) + more.scales
    return replace(clip, rotations=rotations, translations=translations, scales=scales)


def add_corrections(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> Added:
    """Return the sum of corrections of different frames, spread over their reach, for every frame of a clip.

    Corrections of a joint that are nearer than both reaches join. A reach is cut off at an end of the clip; in a cycle
    it continues at the other end, so that the cycle stays closed.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import pose_warp
        >>> from action_loom.core.demo_character import actions
        >>> walk, head = actions.walk(), np.array([actions.walk().skeleton.index("head")])
        >>> nod = pose_warp.Correction(40, head, np.array([[0.5, 0.0, 0.0]]), np.zeros((1, 3)))
        >>> spread = pose_warp.add_corrections(walk, [nod], pose_warp.Reach(before=10, after=20))
        >>> spread.turns[[30, 35, 40, 50, 60], head[0], 0].round(3).tolist()
        [0.0, 0.25, 0.5, 0.25, 0.0]
    """
    cycle = _Cycle.of(clip) if clip.cyclic and len(clip) > 1 else None
    every = _keys(clip, corrections) if cycle is None else cycle.fold_keys(_keys(clip, corrections))
    values = np.zeros((len(clip), len(clip.skeleton), 3, 3))
    used = np.flatnonzero(every.known.any(axis=0))
    patterns, which = np.unique(every.known[:, used].T, axis=0, return_inverse=True)
    for k, rows in enumerate(patterns):
        joints = used[which.ravel() == k]
        keys = every.of(joints, rows)
        keys.values[:, :, 0] = _nearest_turns(keys.frames, keys.values[:, :, 0], reach, cycle.frames if cycle else 0)
        if cycle is not None:
            keys = cycle.unroll_keys(keys, joints, reach)
        times, knots = _with_rests(keys, reach)
        values[:, joints] = hermite.evaluate(
            times, knots, hermite.monotone_slopes(times, knots), np.arange(len(clip), dtype=float)
        )
    if cycle is not None:
        values[-1] = cycle.later(values[:1], np.arange(len(clip.skeleton)), 1)[0]
    return Added(values[:, :, 0], values[:, :, 1], values[:, :, 2])


def _keys(clip: Clip, corrections: Sequence[Correction]) -> _Keys:
    ordered = sorted(corrections, key=lambda correction: correction.frame)
    known = np.zeros((len(ordered), len(clip.skeleton)), dtype=bool)
    values = np.zeros((len(ordered), len(clip.skeleton), 3, 3))
    for k, row in enumerate(ordered):
        known[k, row.joints] = True
        values[k, row.joints, 0], values[k, row.joints, 1] = row.turns, row.moves
        if row.scales is not None:
            values[k, row.joints, 2] = row.scales
    return _Keys(np.array([float(row.frame) for row in ordered]), known, values)


@dataclass(frozen=True, eq=False)
class _Cycle:
    """The length of a cycle in frames, and its turn on the ground, radians, applied to translations of roots."""

    frames: int
    turn: float
    skeleton: Skeleton

    @classmethod
    def of(cls, clip: Clip) -> "_Cycle":
        # A body without full inheritance is not turned as a whole.
        unturned = clip.skeleton.inheritance is not None
        facing = root_motion.ground_frames(clip)[1]
        return cls(len(clip) - 1, 0.0 if unturned else float(facing[-1] - facing[0]), clip.skeleton)

    def fold_keys(self, keys: _Keys) -> _Keys:
        """Return keys with the keys of the last frame moved to the first, which has the same pose."""
        every, at_end = np.arange(len(self.skeleton)), keys.frames == self.frames
        values = keys.values.copy()
        values[at_end] = self.later(values[at_end], every, -1)
        frames = np.where(at_end, 0.0, keys.frames)
        order = np.argsort(frames)
        return _Keys(frames[order], keys.known[order], values[order])

    def later(self, values: Array, joints: NDArray[np.int64], cycles: int) -> Array:
        """Return values (K, N, 3, 3) of some joints transferred to a cycle `cycles` later."""
        out = values.copy()
        if abs(self.turn) <= root_motion.UNTURNED:
            return out
        for k in np.flatnonzero(self.skeleton.parents[joints] < 0):
            at_rest = self.skeleton.orients[joints[k]]
            turning = quat.mul(quat.mul(quat.inv(at_rest), quat.about_axis("Z", np.array(cycles * self.turn))), at_rest)
            out[:, k, 1] = quat.rotate(turning, values[:, k, 1])
        return out

    def unroll_keys(self, keys: _Keys, joints: NDArray[np.int64], reach: Reach) -> _Keys:
        """Return keys with the keys of adjacent cycles whose reach extends into this one."""
        around = int(np.ceil(max(reach.before, reach.after) / self.frames)) + 1
        cycles = range(-around, around + 1)
        frames = np.concatenate([keys.frames + cycle * self.frames for cycle in cycles])
        values = np.concatenate([self.later(keys.values, joints, cycle) for cycle in cycles])
        return _Keys(frames, np.tile(keys.known, (len(cycles), 1)), values)


def nearer(turns: Array, before: Array) -> Array:
    """Return rotation vectors (…, 3), or the long way to the same rotation if it is nearer to `before`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit import pose_warp
        >>> turns = np.radians([[-170.0, 0.0, 0.0], [-10.0, 0.0, 0.0]])
        >>> np.degrees(pose_warp.nearer(turns, np.radians([[150.0, 0.0, 0.0]])))[:, 0].round().tolist()
        [190.0, -10.0]
    """
    angle = np.linalg.norm(turns, axis=-1, keepdims=True)
    long = turns - 2.0 * np.pi * turns / np.where(angle > 0.0, angle, 1.0)
    away = [np.linalg.norm(vectors - before, axis=-1, keepdims=True) for vectors in (turns, long)]
    return np.where((away[1] < away[0]) & (angle > 0.0), long, turns)


def _nearest_turns(frames: Array, turns: Array, reach: Reach, period: int) -> Array:
    """Return rotation vectors (K, N, 3), each continued from the previous one by the shorter way.

    The first one takes the short way; in a cycle of `period` frames this is the one after the widest gap.
    """
    first = int(np.argmax(np.diff(frames, prepend=frames[-1] - period))) if period else 0
    times = np.roll(frames, -first)
    times = np.where(times < times[0], times + period, times)
    chosen = np.roll(turns, -first, axis=0)
    for k in range(1, len(chosen)):
        if reach.joins(times[k - 1], times[k]):
            chosen[k] = nearer(chosen[k], chosen[k - 1])
    return np.roll(chosen, first, axis=0)


def _with_rests(keys: _Keys, reach: Reach) -> tuple[Array, Array]:
    """Return the knots of a curve: the keys, and 0 where the reaches of neighbouring keys do not meet."""
    rest = np.zeros_like(keys.values[0])
    times, knots = [keys.frames[0] - reach.before], [rest]
    for k, frame in enumerate(keys.frames):
        times.append(frame)
        knots.append(keys.values[k])
        following = keys.frames[k + 1] if k + 1 < len(keys.frames) else np.inf
        if not reach.joins(frame, following):
            times.append(frame + reach.after)
            knots.append(rest)
            if frame + reach.after < following - reach.before < np.inf:
                times.append(following - reach.before)
                knots.append(rest)
    return np.array(times), np.array(knots)
