"""Clips that repeat: whether they do, and what comes before and after their one cycle."""

from dataclasses import replace

import numpy as np

from . import kinematics, limits, quat, resample, root_motion
from .clip import Clip, joined
from .quat import Array

CLOSED = 1e-3  # of the body's height; poses nearer than that are the same
MOVES = 10.0  # times as far the poses in between go: a clip that stands still is no cycle


def gap(clip: Clip) -> float:
    """Return how far (m) the farthest point of the last pose is from the first, wherever each stands and faces."""
    return float(_from_first(clip)[-1])


def closes(clip: Clip) -> bool:
    """Say whether a clip's last pose is its first again, with motion in between."""
    away, near = _from_first(clip), CLOSED * clip.skeleton.height
    return bool(away[-1] <= near and away.max() > MOVES * near)


def repeats(clip: Clip) -> int:
    """Return how many times a clip that closes goes through the same poses: its number of equal cycles."""
    local, near = in_ground_frames(clip), CLOSED * clip.skeleton.height
    last = len(clip) - 1
    for count in range(last // 4, 1, -1):
        period = last // count
        if last % count == 0 and _apart(local[period:], local[:-period]).max() <= near:
            return count
    return 1


def first_of(clip: Clip) -> Clip:
    """Return the first of the equal cycles of a clip that closes; the clip itself where it has only one."""
    count = repeats(clip)
    return clip if count == 1 else replace(clip.cut(0, (len(clip) - 1) // count + 1), cyclic=True)


def _from_first(clip: Clip) -> Array:
    local = in_ground_frames(clip)
    return _apart(local, local[:1])


def _apart(one: Array, other: Array) -> Array:
    """Distance (F,) of the farthest points of poses."""
    return np.asarray(np.linalg.norm(one - other, axis=2).max(axis=1))


def in_ground_frames(clip: Clip) -> Array:
    """Return places (F, P, 3) of the points of the body, each pose in its own ground frame."""
    ground, facing = root_motion.ground_frames(clip)
    places = kinematics.points(clip)
    places[..., :2] -= ground[:, None]
    local = quat.rotate(quat.about_axis("Z", -facing)[:, None], places)
    return local[:, clip.skeleton.point_weights > 0.0]


def unrolled(clip: Clip, before: int, after: int) -> Clip:
    """Return a cycle of L + 1 frames with more cycles before and after it: (before + 1 + after)·L + 1 frames.

    Each goes on from where the last one ended, on the ground; frame before·L is the clip's own first. Raises
    SkeletonError for bodies that travel and whose joints do not all turn with their parents.
    """
    limits.check_size(clip.name, (before + 1 + after) * (len(clip) - 1) + 1, len(clip.skeleton))
    ground, facing = root_motion.ground_frames(clip)
    turn = float(facing[-1] - facing[0])
    shift = _complex(ground[-1]) - np.exp(1j * turn) * _complex(ground[0])
    laps = [_moved(clip, turn, shift, lap).cut(0, len(clip) - 1) for lap in range(-before, after + 1)]
    laps.append(_moved(clip, turn, shift, after).cut(len(clip) - 1, len(clip)))
    return joined(laps)


def _moved(clip: Clip, turn: float, shift: complex, laps: int) -> Clip:
    """The clip some cycles later: turned and shifted on the ground that many times."""
    total = 0j
    for _ in range(abs(laps)):
        total = np.exp(1j * turn) * total + shift if laps > 0 else np.exp(-1j * turn) * (total - shift)
    # What stays in place is not touched: bodies that can't be placed can still repeat there.
    if abs(total) < 1e-6 and abs(np.exp(1j * turn * laps) - 1.0) < 1e-6:
        return clip
    return root_motion.placed(clip, turn * laps, np.array([total.real, total.imag]))


def _complex(point: Array) -> complex:
    return complex(point[0], point[1])


def sample(clip: Clip, frames: Array) -> Clip:
    """Return a cycle at fractional frames (K,), which may lie in any cycle before or after its own."""
    one = len(clip) - 1
    before = max(0, int(np.ceil(-frames.min() / one))) + 1
    after = max(0, int(np.ceil(frames.max() / one)) - 1) + 1
    return resample.sample(unrolled(clip, before, after), frames + before * one)


def to_rate(clip: Clip, rate: float) -> Clip:
    """Return a cycle at another frame rate, its length rounded to whole frames so that it still closes."""
    if rate == clip.rate:
        return clip
    count = max(1, round(clip.seconds * rate))
    limits.check_rate(clip.name, count, len(clip.skeleton), len(clip), clip.rate)
    return replace(sample(clip, np.linspace(0.0, len(clip) - 1.0, count + 1)), rate=rate, cyclic=True)
