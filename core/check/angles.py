"""Periodicity C and smoothness D of the joint angles of a clip (methods: Measures of quality)."""

from weakref import WeakKeyDictionary

import numpy as np

from ..motion import quat, resample, root_motion
from ..motion.quat import Array
from .world_pose import WorldPose

# A channel is flat, without amplitudes to compare, if its range is under a tenth of the largest channel's (the limit of
# [Shibuta] for cycles) or under the noise of a joint held still.
FLAT_SHARE = 0.1
FLAT = 0.02  # rad
STILL = 1e-9  # rad per frame; slower is rounding
SEED_RATE = 30.0  # frames a second in [Shibuta], whose figures are per frame

_SEEDS: WeakKeyDictionary[WorldPose, Array] = WeakKeyDictionary()


def periodicity(body: WorldPose) -> float | None:
    """Return C, the mean of the channels' `unevenness`: 0 if all swings are alike; smaller is more periodic.

    Channels are the components of the joints' rotation vectors, at 30 frames a second as D's: noise between frames has
    swings of its own. Flat ones are left out, and those without two swings to compare; None if no channel is left.

    Example:
        >>> from action_loom.core.check import angles, world_pose
        >>> from action_loom.core.figure import actions
        >>> [round(angles.periodicity(world_pose.pose(clip)), 2) for clip in (actions.run(), actions.turn_left())]
        [0.04, 0.7]
    """
    channels = _channels(body, _of_seed(body))
    ranges = np.ptp(channels, axis=0)
    moving = ranges >= max(FLAT, FLAT_SHARE * float(ranges.max()))
    uneven = unevenness(channels[:, moving])
    known = uneven[~np.isnan(uneven)]
    return float(known.mean()) if len(known) else None


def unevenness(curves: Array) -> Array:
    """Return the relative change of amplitude between swings (K,) of curves (F, K), NaN for less than two swings.

    With neighbouring local maxima joined by straight lines and A_k the vertical distance of each local minimum from
    its line: sum|A_{k+1} − A_k| / sum A_k. The extremum of a plateau is its middle.
    """
    frames, count = curves.shape
    if frames < 5:
        return np.full(count, np.nan)
    slopes = np.diff(curves.T, axis=1)
    rising, moving = slopes > 0.0, np.abs(slopes) > STILL
    # A level stretch counts as the last slope before it; `last` is the index of that slope, −1 if there is none.
    last = np.maximum.accumulate(np.where(moving, np.arange(frames - 1), -1), axis=1)
    was_rising = np.take_along_axis(rising, np.maximum(last[:, :-1], 0), axis=1)
    turning = moving[:, 1:] & (last[:, :-1] >= 0) & (was_rising != rising[:, 1:])
    curve, before = np.nonzero(turning)  # curve by curve, in time; maxima and minima alternate
    frame = (last[curve, before] + 1 + before + 1) // 2
    value = curves[frame, curve]
    # Minima with a maximum of the same curve on both sides.
    low = 1 + np.flatnonzero(was_rising[curve[:-2], before[:-2]] & (curve[:-2] == curve[2:]))
    along = (frame[low] - frame[low - 1]) / (frame[low + 1] - frame[low - 1])
    amplitude = value[low - 1] + along * (value[low + 1] - value[low - 1]) - value[low]
    owner = curve[low]
    same = owner[1:] == owner[:-1]
    change = np.bincount(owner[1:][same], np.abs(np.diff(amplitude))[same], count)
    total = np.bincount(owner, amplitude, count)
    enough = np.bincount(owner, minlength=count) >= 2
    return np.where(enough, change / np.where(enough, total, 1.0), np.nan)


def smoothness(body: WorldPose) -> float | None:
    """Return D, the mean absolute second difference of the joint angles, degrees per frame² at 30 frames a second.

    Clips of higher rates are resampled first, as second differences grow with the noise between frames and cannot be
    converted; those of lower rates are converted. Channels that never turn are left out; 0 if none turns. None for less
    than three frames. For a part of a clip, cut it.

    Example:
        >>> from action_loom.core.check import angles, world_pose
        >>> from action_loom.core.figure import actions
        >>> [round(angles.smoothness(world_pose.pose(clip)), 2) for clip in (actions.walk(), actions.run())]
        [0.58, 1.47]
    """
    rotations = _of_seed(body)
    if len(rotations) < 3:
        return None
    return float(np.degrees(_second_differences(rotations).mean()) * (min(body.clip.rate, SEED_RATE) / SEED_RATE) ** 2)


def _of_seed(body: WorldPose) -> Array:
    """Return the rotations (K, B, 4) of `_rotations`, at 30 frames a second at most; made once for a body."""
    if body not in _SEEDS:
        _SEEDS[body] = _at_seed_rate(_rotations(body), body.clip.rate)
    return _SEEDS[body]


def _at_seed_rate(rotations: Array, rate: float) -> Array:
    """Return rotations (F, B, 4) of a clip of more than 30 frames a second at that rate, others as they are."""
    if rate <= SEED_RATE:
        return rotations
    count = int(np.floor((len(rotations) - 1) * SEED_RATE / rate + 1e-6)) + 1
    frames = np.arange(count, dtype=np.float64) * (rate / SEED_RATE)
    return quat.normalize(resample.curve(quat.continuous(rotations), frames))


def second_differences(body: WorldPose) -> Array:
    """Return the mean (F−2,) over channels of |second difference| of the angles in frames 1 … F−2, rad per frame²."""
    return _second_differences(_rotations(body))


def _second_differences(rotations: Array) -> Array:
    """Return the mean (F−2,) over channels of |second difference| of rotations (F, B, 4), rad per frame².

    The first differences are the rotation vectors from each frame to the next, about the joint's own axes, so that no
    turn is too large.
    """
    steps = quat.log(quat.mul(quat.inv(rotations[:-1]), rotations[1:])).reshape(len(rotations) - 1, -1)
    turning = np.abs(steps).max(axis=0, initial=0.0) > STILL
    if not turning.any():
        return np.zeros(max(len(steps) - 1, 0))
    return np.asarray(np.abs(np.diff(steps[:, turning], axis=0)).mean(axis=1))


def _rotations(body: WorldPose) -> Array:
    """Return the rotations (F, B, 4) of the joints of the body; for the travelling joint, those in the world.

    So it makes no difference whether a root bone or the hips carry the travel.
    """
    skeleton = body.clip.skeleton
    rotations = body.clip.rotations[:, skeleton.body]
    if skeleton.body[root_motion.travelling_joint(skeleton)]:
        rotations[:, _travelling(body)] = body.rotations[:, root_motion.travelling_joint(skeleton)]
    return rotations


def _travelling(body: WorldPose) -> int:
    """Return the place of the travelling joint among those of the body."""
    skeleton = body.clip.skeleton
    return int(np.count_nonzero(skeleton.body[: root_motion.travelling_joint(skeleton)]))


def _channels(body: WorldPose, rotations: Array) -> Array:
    """Return the components (F, 3B) of rotation vectors about each joint's mean, continuous up to a whole turn.

    rotations : those of the joints, see `_rotations`, at the seed's rate
    The travelling joint is relative to the heading: a walk that turns is as periodic as a straight one.
    """
    travelling, skeleton = _travelling(body), body.clip.skeleton
    joint = int(np.flatnonzero(skeleton.body)[travelling])
    turning = body if joint == root_motion.travelling_joint(skeleton) else body.clip
    level = quat.mul(quat.about_axis("Z", -body.heading), turning.rotations[:, joint])
    rotations = rotations.copy()
    rotations[:, travelling] = _at_seed_rate(level[:, None], body.clip.rate)[:, 0]
    vectors = quat.log_about(quat.mean_of_frames(rotations), rotations)
    return np.asarray(vectors.reshape(len(vectors), -1))
