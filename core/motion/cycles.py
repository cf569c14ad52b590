"""Cyclic clips: whether they close, their equal cycles, and repetitions before and after a cycle."""

from dataclasses import replace
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from . import kinematics, limits, resample, root_motion
from .clip import Clip, join_clips
from .quat import Array

CLOSED = 1e-3  # body heights; poses at a smaller distance count as equal
# Joints × frames of unrolled cycles in the cache, 56 bytes each: dragging a weight requests the same ones repeatedly.
KEPT = 1_000_000
STANDS = 1e-5  # of the body's height, and of an axis: a joint stays in place if its end is no farther from its start
MOVES = 10.0  # times CLOSED that the poses must move, because a static clip is not a cycle

_kept: WeakKeyDictionary[Clip, dict[tuple[int, int], Clip]] = WeakKeyDictionary()  # in order of last use
_lock = Lock()


def gap(clip: Clip) -> float:
    """Return the distance (m) of the farthest point between the first pose and the last.

    Poses are compared in their own ground frames, so their places and headings do not matter.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> walk = actions.walk(cycles=1)
        >>> round(cycles.gap(walk), 3), round(cycles.gap(walk.cut(0, 20)), 3)
        (0.0, 0.831)
    """
    return float(_from_first(clip)[-1])


def closes(clip: Clip) -> bool:
    """Return whether the last pose of a clip equals its first one, with motion between them.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> cycles.closes(actions.walk()), cycles.closes(actions.walk().cut(0, 60))
        (True, False)
    """
    near = CLOSED * clip.skeleton.height
    # Most clips are not cyclic, which their ends already show.
    ends = _from_first(clip.take_frames(np.array([0, len(clip) - 1])))
    return bool(ends[-1] <= near) and bool(_from_first(clip).max() > MOVES * near)


def repeats(clip: Clip) -> int:
    """Return the number of equal cycles in a closed clip; their length may be fractional.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> cycles.repeats(actions.walk(cycles=3))
        3
    """
    local, near = in_ground_frames(clip), CLOSED * clip.skeleton.height
    last = len(clip) - 1
    for count in range(last // 4, 1, -1):  # a cycle has at least 4 frames
        period, share = divmod(last / count, 1.0)
        ahead, bends = local[int(period) :], 0.0
        if share:
            ahead, bends = _between(ahead, share)
        if _measure_farthest_points(ahead, local[: len(ahead)]).max() <= near + bends:
            return count
    return 1


def _between(places: Array, share: float) -> tuple[Array, float]:
    """Return positions (F − 1, P, 3) between frames by cubics, and an error bound: half that of linear ones."""
    around = np.concatenate([places[:1], places, places[-1:]])
    before, here, there, after = (around[k : len(places) - 1 + k] for k in range(4))
    bend = share * (2.0 * before - 5.0 * here + 4.0 * there - after + share * (3.0 * (here - there) + after - before))
    line = float(np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max(initial=0.0)) / 8.0
    return here + 0.5 * share * (there - before + bend), 0.5 * line


def first_of(clip: Clip) -> Clip:
    """Return the first of the equal cycles of a closed clip, in whole frames; the clip itself if it has only one.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> walk = actions.walk(cycles=3)
        >>> len(walk), len(cycles.first_of(walk))
        (97, 33)
    """
    count = repeats(clip)
    if count == 1:
        return clip
    period, part = divmod(len(clip) - 1, count)
    if not part:
        return replace(clip.cut(0, period + 1), cyclic=True)
    frames = np.linspace(0.0, (len(clip) - 1) / count, round((len(clip) - 1) / count) + 1)
    return replace(resample.sample(clip, frames), cyclic=True)


def _from_first(clip: Clip) -> Array:
    local = in_ground_frames(clip)
    return _measure_farthest_points(local, local[:1])


def _measure_farthest_points(poses: Array, others: Array) -> Array:
    """Return the distance (F,) of the farthest point between poses (F, P, 3)."""
    return np.asarray(np.linalg.norm(poses - others, axis=2).max(axis=1))


def in_ground_frames(clip: Clip) -> Array:
    """Return the positions (F, P, 3) of the points of the body, each pose in its own ground frame.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> places = cycles.in_ground_frames(actions.walk(cycles=1))
        >>> places.shape, bool(abs(places[-1] - places[0]).max() < 1e-6)
        ((33, 26, 3), True)
    """
    ground, facing = root_motion.ground_frames(clip)
    places = kinematics.get_cached_pose(clip)[1][:, clip.skeleton.point_weights > 0.0]
    x, y = np.moveaxis(places[..., :2] - ground[:, None], 2, 0)
    cosine, sine = np.cos(facing)[:, None], np.sin(facing)[:, None]
    places[..., 0] = cosine * x + sine * y
    places[..., 1] = cosine * y - sine * x
    return places


def unroll_cycle(clip: Clip, before: int, after: int) -> Clip:
    """Return a cycle of L + 1 frames with repetitions before and after it: (before + 1 + after)·L + 1 frames.

    On the ground each cycle continues at the end of the previous one; frame before·L is the first of the clip itself.
    A root or prop that ends at its start, while the body travels, stays there.
    Raises ClipError for more frames than fit in memory, and SkeletonError for bodies that travel but whose joints do
    not all turn with their parents.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> walk = actions.walk(cycles=1)
        >>> len(walk), len(cycles.unroll_cycle(walk, 1, 2))  # 4 cycles of 32 frames
        (33, 129)
    """
    limits.check_size(clip.name, (before + 1 + after) * (len(clip) - 1) + 1, len(clip.skeleton))
    ground, facing = root_motion.ground_frames(clip)
    turn = float(facing[-1] - facing[0])
    shift = _complex(ground[-1]) - np.exp(1j * turn) * _complex(ground[0])
    standing = standing_joints(clip)
    parts = [
        _move_by_cycles(clip, turn, shift, cycle, standing).cut(0, len(clip) - 1) for cycle in range(-before, after + 1)
    ]
    parts.append(_move_by_cycles(clip, turn, shift, after, standing).cut(len(clip) - 1, len(clip)))
    return join_clips(parts)


def standing_joints(clip: Clip) -> NDArray[np.int64]:
    """Return the joints that are not part of the body and end where they start, such as a root bone without keys.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> cycles.standing_joints(actions.walk()).tolist()  # all its joints are part of the body
        []
    """
    others = np.flatnonzero(~clip.skeleton.body)
    if not len(others):
        return others
    linear, places = kinematics.matrices(clip.take_frames(np.array([0, len(clip) - 1])))
    away = np.linalg.norm(np.diff(places[:, others], axis=0)[0], axis=-1) / clip.skeleton.height
    turned = np.abs(np.diff(linear[:, others], axis=0)[0]).max(axis=(1, 2))
    return others[np.maximum(away, turned) < STANDS]


def hold_joints(clip: Clip, like: Clip, joints: NDArray[np.int64]) -> Clip:
    """Return the clip with some joints at their world poses in another clip of its length; other joints do not move.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> head, before, after = walk.skeleton.index("head"), walk.cut(0, 32), walk.cut(1, 33)
        >>> held = cycles.hold_joints(after, before, np.array([head]))
        >>> [np.allclose(kinematics.points(held)[:, head], kinematics.points(c)[:, head]) for c in (before, after)]
        [True, False]
    """
    if not len(joints):
        return clip
    linear, places = kinematics.matrices(clip)
    held = kinematics.matrices(like)
    linear[:, joints], places[:, joints] = held[0][:, joints], held[1][:, joints]
    clip = kinematics.standing_at(clip, linear, places)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    # Joints whose parents are held too get the same bits, so that a joint without keys stays without keys.
    exact = joints[np.isin(clip.skeleton.parents[joints], [-1, *joints])]
    rotations[:, exact], translations[:, exact] = like.rotations[:, exact], like.translations[:, exact]
    return replace(clip, rotations=rotations, translations=translations)


def _move_by_cycles(clip: Clip, turn: float, shift: complex, cycles: int, standing: NDArray[np.int64]) -> Clip:
    """Return the clip some cycles later (earlier if negative), with the turn and shift applied that many times.

    standing : joints that stay in place
    """
    total = 0j
    for _ in range(abs(cycles)):
        total = np.exp(1j * turn) * total + shift if cycles > 0 else np.exp(-1j * turn) * (total - shift)
    # An in-place clip is returned unchanged, so that bodies that can't be placed can still be repeated.
    if abs(total) < 1e-6 and abs(np.exp(1j * turn * cycles) - 1.0) < 1e-6:
        return clip
    later = root_motion.place_clip(clip, turn * cycles, np.array([total.real, total.imag]))
    return hold_joints(later, clip, standing)


def _complex(point: Array) -> complex:
    return complex(point[0], point[1])


def sample(clip: Clip, frames: Array) -> Clip:
    """Return a cycle at fractional frames (K,), which may lie in any repetition of it.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles, root_motion
        >>> walk = actions.walk(cycles=1)  # 32 frames, 1.387 m a cycle
        >>> later = cycles.sample(walk, np.array([0.0, 16.5, 32.0, 64.0]))
        >>> abs(root_motion.ground_frames(later)[0][:, 1]).round(3).tolist()
        [0.0, 0.715, 1.387, 2.773]
    """
    return resample.sample(*around(clip, frames))


def around(clip: Clip, frames: Array) -> tuple[Clip, Array]:
    """Return a cycle unrolled to cover fractional frames (K,) of any repetition, and these frames in the result.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> wide, frames = cycles.around(actions.walk(cycles=1), np.array([-1.5]))  # 32 frames a cycle
        >>> len(wide), frames.tolist()
        (129, [62.5])
    """
    length = len(clip) - 1
    # An additional cycle on either side gives the outermost frames neighbours for interpolation.
    before = max(0, int(np.ceil(-frames.min() / length))) + 1
    after = max(0, int(np.ceil(frames.max() / length)) - 1) + 1
    return _get_unrolled(clip, before, after), frames + before * length


def _get_unrolled(clip: Clip, before: int, after: int) -> Clip:
    """Return the cached result of `unroll_cycle`, ready for sampling."""
    with _lock:
        found = _kept.pop(clip, {})
    wide = found.get((before, after)) or resample.ready(unroll_cycle(clip, before, after))
    with _lock:
        _kept[clip] = found | {(before, after): wide}
        sizes = {other: sum(one.rotations.size // 4 for one in kept.values()) for other, kept in _kept.items()}
        excess = sum(sizes.values()) - KEPT
        for other, size in sizes.items():
            if excess > 0:
                del _kept[other]
                excess -= size
    return wide


def to_rate(clip: Clip, rate: float) -> Clip:
    """Return a cycle at another frame rate, with its length rounded to whole frames so that it still closes.

    Raises ClipError for excessively many frames.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import cycles
        >>> walk = cycles.to_rate(actions.walk(cycles=1), 24.0)
        >>> len(walk), walk.rate, cycles.closes(walk)
        (27, 24.0, True)
    """
    if rate == clip.rate:
        return clip
    count = max(1, round(clip.seconds * rate))
    limits.check_rate(clip.name, count, len(clip.skeleton), len(clip), clip.rate)
    return replace(sample(clip, np.linspace(0.0, len(clip) - 1.0, count + 1)), rate=rate, cyclic=True)
