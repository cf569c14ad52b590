"""Poses that were corrected in some frames, spread over those around them (methods: Warping in space and time)."""

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
ROUNDING = 1e-12  # radians, metres


@dataclass(frozen=True, eq=False)
class Correction:
    """What is to be turned and moved in one frame, so that the pose there is as it was made.

    joints (N,) : which; turns (N, 3) : rotation vectors, radians, in each joint's own frame; moves (N, 3) : metres, in
    its rest frame; scales (N, 3) : what is added to its scales, None for nothing
    """

    frame: int
    joints: NDArray[np.int64]
    turns: Array
    moves: Array
    scales: Array | None = None


@dataclass(frozen=True, eq=False)
class Reach:
    """How many frames before and after a corrected one are changed with it."""

    before: float
    after: float

    def joins(self, frame: float, following: float) -> bool:
        """Say whether corrections of two frames go over into each other."""
        return frame + self.after > following - self.before


@dataclass(frozen=True, eq=False)
class Added:
    """By what each frame is turned, moved (F, J, 3) and scaled; see `Correction`."""

    turns: Array
    moves: Array
    scales: Array


@dataclass(frozen=True, eq=False)
class _Keys:
    """Corrections by frame: frames (K,), which joints have one (K, J), and turns, moves and scales (K, J, 3, 3)."""

    frames: Array
    known: Flags
    values: Array

    def of(self, joints: NDArray[np.int64], rows: Flags) -> "_Keys":
        return _Keys(self.frames[rows], self.known[rows][:, joints], self.values[rows][:, joints])


def correction(clip: Clip, frame: int, pose: Clip, joints: NDArray[np.int64]) -> Correction:
    """Return what makes some joints of a frame of a clip those of a pose (a clip of one frame of the same body)."""
    turns = _noticed(quat.log(quat.mul(quat.inv(clip.rotations[frame]), pose.rotations[0])))
    moves = _noticed(pose.translations[0] - clip.translations[frame])
    scales = None
    if clip.scales is not None or pose.scales is not None:
        own, wanted = (np.ones_like(moves) if one is None else one for one in (_at(clip, frame), _at(pose, 0)))
        scales = _noticed(wanted - own)[joints]
    return Correction(frame, joints, turns[joints], moves[joints], scales)


def _at(clip: Clip, frame: int) -> Array | None:
    return None if clip.scales is None else clip.scales[frame]


def _noticed(vectors: Array) -> Array:
    """Vectors (J, 3), those none that are rounding: what was not posed stays as it is to the bit."""
    return np.where(np.linalg.norm(vectors, axis=1, keepdims=True) < ROUNDING, 0.0, vectors)


def spread(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> Clip:
    """Return a clip that goes through corrected poses exactly, and is the same to the bit beyond their reach."""
    return changed(clip, added(clip, corrections, reach))


def changed(clip: Clip, more: Added) -> Clip:
    """Return a clip with something added to it; joints and frames to which nothing is are the same to the bit."""
    turned, moved = more.turns.any(axis=2), more.moves.any(axis=2)
    rotations, translations, scales = clip.rotations.copy(), clip.translations.copy(), clip.scales
    rotations[turned] = quat.mul(rotations[turned], quat.exp(more.turns[turned]))
    translations[moved] += more.moves[moved]
    if more.scales.any():
        scales = (1.0 if scales is None else scales) + more.scales
    return replace(clip, rotations=rotations, translations=translations, scales=scales)


def added(clip: Clip, corrections: Sequence[Correction], reach: Reach) -> Added:
    """Return what corrections of different frames, spread as far as they reach, add to every frame of a clip.

    Those of one joint that are nearer than both reaches go over into each other. What reaches beyond an end of the clip
    is cut off there; of a cycle it comes in again at the other end, so that it stays closed.
    """
    lap = _Lap.of(clip) if clip.cyclic and len(clip) > 1 else None
    every = _keys(clip, corrections) if lap is None else lap.folded(_keys(clip, corrections))
    values = np.zeros((len(clip), len(clip.skeleton), 3, 3))
    used = np.flatnonzero(every.known.any(axis=0))
    patterns, which = np.unique(every.known[:, used].T, axis=0, return_inverse=True)
    for k, rows in enumerate(patterns):
        joints = used[which.ravel() == k]
        keys = every.of(joints, rows)
        keys.values[:, :, 0] = _nearest_ways(keys.frames, keys.values[:, :, 0], reach, lap.frames if lap else 0)
        if lap is not None:
            keys = lap.unrolled(keys, joints, reach)
        times, knots = _with_rests(keys, reach)
        values[:, joints] = hermite.evaluate(
            times, knots, hermite.monotone_slopes(times, knots), np.arange(len(clip), dtype=float)
        )
    if lap is not None:
        values[-1] = lap.later(values[:1], np.arange(len(clip.skeleton)), 1)[0]
    return Added(values[:, :, 0], values[:, :, 1], values[:, :, 2])


def _keys(clip: Clip, corrections: Sequence[Correction]) -> _Keys:
    ordered = sorted(corrections, key=lambda one: one.frame)
    known = np.zeros((len(ordered), len(clip.skeleton)), dtype=bool)
    values = np.zeros((len(ordered), len(clip.skeleton), 3, 3))
    for k, one in enumerate(ordered):
        known[k, one.joints] = True
        values[k, one.joints, 0], values[k, one.joints, 1] = one.turns, one.moves
        if one.scales is not None:
            values[k, one.joints, 2] = one.scales
    return _Keys(np.array([float(one.frame) for one in ordered]), known, values)


@dataclass(frozen=True, eq=False)
class _Lap:
    """A cycle of so many frames that turns by so much on the ground: how far a root is moved turns with it."""

    frames: int
    turn: float
    skeleton: Skeleton

    @classmethod
    def of(cls, clip: Clip) -> "_Lap":
        # Bodies that can't be turned as a whole go round no circle.
        still = clip.skeleton.inheritance is not None
        facing = root_motion.ground_frames(clip)[1]
        return cls(len(clip) - 1, 0.0 if still else float(facing[-1] - facing[0]), clip.skeleton)

    def folded(self, keys: _Keys) -> _Keys:
        """Return keys with those of the last frame on the first, which it is again."""
        every, at_end = np.arange(len(self.skeleton)), keys.frames == self.frames
        values = keys.values.copy()
        values[at_end] = self.later(values[at_end], every, -1)
        frames = np.where(at_end, 0.0, keys.frames)
        order = np.argsort(frames)
        return _Keys(frames[order], keys.known[order], values[order])

    def later(self, values: Array, joints: NDArray[np.int64], laps: int) -> Array:
        """Return values (K, N, 3, 3) of some joints as they are some laps later."""
        out = values.copy()
        if abs(self.turn) <= root_motion.UNTURNED:
            return out
        for k in np.flatnonzero(self.skeleton.parents[joints] < 0):
            at_rest = self.skeleton.orients[joints[k]]
            turning = quat.mul(quat.mul(quat.inv(at_rest), quat.about_axis("Z", np.array(laps * self.turn))), at_rest)
            out[:, k, 1] = quat.rotate(turning, values[:, k, 1])
        return out

    def unrolled(self, keys: _Keys, joints: NDArray[np.int64], reach: Reach) -> _Keys:
        """Return keys with those of all laps before and after that matter."""
        around = int(np.ceil(max(reach.before, reach.after) / self.frames)) + 1
        laps = range(-around, around + 1)
        frames = np.concatenate([keys.frames + lap * self.frames for lap in laps])
        values = np.concatenate([self.later(keys.values, joints, lap) for lap in laps])
        return _Keys(frames, np.tile(keys.known, (len(laps), 1)), values)


def nearer(turns: Array, before: Array) -> Array:
    """Return rotation vectors (…, 3), or the other way round to the same rotation where that is nearer to others."""
    angle = np.linalg.norm(turns, axis=-1, keepdims=True)
    other = turns - 2.0 * np.pi * turns / np.where(angle > 0.0, angle, 1.0)
    away = [np.linalg.norm(one - before, axis=-1, keepdims=True) for one in (turns, other)]
    return np.where((away[1] < away[0]) & (angle > 0.0), other, turns)


def _nearest_ways(frames: Array, turns: Array, reach: Reach, lap: int) -> Array:
    """Rotation vectors (K, N, 3), those that go over into each other the nearer way round.

    Of a cycle of `lap` frames the first, which goes the short way, is the one after the widest gap.
    """
    first = int(np.argmax(np.diff(frames, prepend=frames[-1] - lap))) if lap else 0
    times = np.roll(frames, -first)
    times = np.where(times < times[0], times + lap, times)
    chosen = np.roll(turns, -first, axis=0)
    for k in range(1, len(chosen)):
        if reach.joins(times[k - 1], times[k]):
            chosen[k] = nearer(chosen[k], chosen[k - 1])
    return np.roll(chosen, first, axis=0)


def _with_rests(keys: _Keys, reach: Reach) -> tuple[Array, Array]:
    """Knots of a curve: those given, and none added where the reach of one ends before that of the next begins."""
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
