"""How periodic and how smooth the joints of a clip turn: the measures C and D (methods: Measures of quality)."""

import numpy as np

from ..motion import quat, resample, root_motion
from ..motion.quat import Array
from .world_pose import WorldPose

# A channel is flat, and has no amplitudes worth comparing, where its range is less than a tenth of the largest
# channel's (the limit of [Shibuta] for cycles) or less than what noise makes of a joint held still.
FLAT_SHARE = 0.1
FLAT = 0.02  # rad
STILL = 1e-9  # rad a frame; slower is rounding
SEED_RATE = 30.0  # frames a second, of [Shibuta]; its figures are per frame


def periodicity(body: WorldPose) -> float | None:
    """Return C, the mean of the channels' `unevenness`: 0 where all swings are alike, smaller is more periodic.

    Channels are the components of the joints' rotation vectors. Flat ones are left out, and those that have no two
    swings to compare; None where no channel is left.
    """
    channels = _channels(body)
    ranges = np.ptp(channels, axis=0)
    moving = ranges >= max(FLAT, FLAT_SHARE * float(ranges.max()))
    uneven = unevenness(channels[:, moving])
    known = uneven[~np.isnan(uneven)]
    return float(known.mean()) if len(known) else None


def unevenness(curves: Array) -> Array:
    """Return the change of amplitude from swing to swing (K,) of curves (F, K), NaN for less than two swings.

    With neighbouring local maxima joined by straight lines and A_k the vertical distance of each local minimum from
    its line: sum|A_{k+1} − A_k| / sum A_k. On a plateau the extremum is the middle.
    """
    frames, count = curves.shape
    if frames < 5:
        return np.full(count, np.nan)
    slopes = np.diff(curves.T, axis=1)
    rising, moving = slopes > 0.0, np.abs(slopes) > STILL
    # A level stretch goes on as the last slope before it went; `last` is where that slope is, −1 where there is none.
    last = np.maximum.accumulate(np.where(moving, np.arange(frames - 1), -1), axis=1)
    was_rising = np.take_along_axis(rising, np.maximum(last[:, :-1], 0), axis=1)
    turning = moving[:, 1:] & (last[:, :-1] >= 0) & (was_rising != rising[:, 1:])
    curve, before = np.nonzero(turning)  # curve by curve, in time; maxima and minima take turns
    frame = (last[curve, before] + 1 + before + 1) // 2
    value = curves[frame, curve]
    # Each minimum that has a maximum of the same curve on both sides.
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
    """Return D, the mean absolute second difference of the joints' angles, degrees per frame² at 30 frames a second.

    Clips of higher rates are resampled first: a second difference grows with the noise between frames, so that such a
    rate can't be converted; lower ones are. Channels that never turn are left out; 0 where none turns. None for less
    than three frames. For a part of a clip, cut it.
    """
    rotations, rate = _rotations(body), body.clip.rate
    if rate > SEED_RATE:
        count = int(np.floor((len(rotations) - 1) * SEED_RATE / rate + 1e-6)) + 1
        frames = np.arange(count, dtype=np.float64) * (rate / SEED_RATE)
        rotations, rate = quat.normalize(resample.curve(quat.continuous(rotations), frames)), SEED_RATE
    if len(rotations) < 3:
        return None
    return float(np.degrees(_second_differences(rotations).mean()) * (rate / SEED_RATE) ** 2)


def second_differences(body: WorldPose) -> Array:
    """Return for frame 1 … F−2 (F−2,) the mean over channels of |second difference| of the angles, rad per frame²."""
    return _second_differences(_rotations(body))


def _second_differences(rotations: Array) -> Array:
    """The mean (F−2,) over channels of |second difference| of rotations (F, B, 4), rad per frame².

    Angles are added up from frame to frame, about the joint's own axes, so that no turn is too large: the
    differences are those of the rotation vectors that lead from each frame to the next.
    """
    steps = quat.log(quat.mul(quat.inv(rotations[:-1]), rotations[1:])).reshape(len(rotations) - 1, -1)
    turning = np.abs(steps).max(axis=0, initial=0.0) > STILL
    if not turning.any():
        return np.zeros(max(len(steps) - 1, 0))
    return np.asarray(np.abs(np.diff(steps[:, turning], axis=0)).mean(axis=1))


def _rotations(body: WorldPose) -> Array:
    """Return the rotations (F, B, 4) of the joints of the body; of the travelling joint, that in the world.

    Whether a root bone or the hips carry the travel does not matter then.
    """
    skeleton = body.clip.skeleton
    travelling = root_motion.travelling_joint(skeleton)
    rotations = body.clip.rotations.copy()
    rotations[:, travelling] = body.rotations[:, travelling]
    return rotations[:, skeleton.body]


def _channels(body: WorldPose) -> Array:
    """Return the components (F, 3B) of rotation vectors about each joint's mean, continuous up to a whole turn.

    The travelling joint's are relative to the heading: a walk is as periodic where it turns.
    """
    rotations = _rotations(body)
    travelling = int(np.count_nonzero(body.clip.skeleton.body[: root_motion.travelling_joint(body.clip.skeleton)]))
    level = quat.about_axis("Z", -body.heading)
    rotations[:, travelling] = quat.mul(level, rotations[:, travelling])
    vectors = quat.log_about(quat.mean_of_frames(rotations), rotations)
    return np.asarray(vectors.reshape(len(vectors), -1))
