"""Periodicity C and smoothness D of the joint angles of a clip (methods: Measures of quality)."""

import numpy as np

from ..motion import blocks, quat, resample, root_motion
from ..motion.quat import Array
from .world_pose import WorldPose

# A channel is flat, with no amplitudes to compare, if its range is below a tenth of the largest channel's (the limit of
# [Shibuta] for cycles) or below the noise of a static joint.
FLAT_SHARE = 0.1
FLAT = 0.02  # rad
STILL = 1e-9  # rad per frame; slower is rounding
SEED_RATE = 30.0  # frames a second in [Shibuta], whose figures are per frame
_INVERSE = np.array([[1.0], [-1.0], [-1.0], [-1.0]])


def periodicity(body: WorldPose) -> float | None:
    """Return C, the mean of the channels' `unevenness`: 0 if all swings are alike; smaller is more periodic.

    Channels are the components of the joints' rotation vectors, at 30 frames a second as for D, because noise between
    frames would add swings. Flat channels and channels with fewer than two swings are omitted; None if no channel is
    left.

    Example:
        >>> from action_loom.core.quality import angles, world_pose
        >>> from action_loom.core.demo_character import actions
        >>> [round(angles.periodicity(world_pose.pose(clip)), 2) for clip in (actions.run(), actions.turn_left())]
        [0.04, 0.7]
    """
    channels = _channels(body)
    ranges = np.ptp(channels, axis=1)
    moving = np.flatnonzero(ranges >= max(FLAT, FLAT_SHARE * float(ranges.max())))
    pieces = [unevenness(channels[moving[some]].T) for some in blocks.slices(len(moving), channels.shape[1])]
    uneven = np.concatenate([np.empty(0), *pieces])
    known = uneven[~np.isnan(uneven)]
    return float(known.mean()) if len(known) else None


def unevenness(curves: Array) -> Array:
    """Return the relative change of amplitude between swings (K,) of curves (F, K), NaN for fewer than two swings.

    Adjacent local maxima are joined by straight lines, and A_k is the vertical distance of each local minimum from its
    line: sum|A_{k+1} − A_k| / sum A_k. The extremum of a plateau is its middle.
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

    Clips of higher rates are resampled first, because their second differences are dominated by noise between frames.
    Lower rates are converted by a factor. Static channels are omitted; 0 if all are static. None for fewer than three
    frames. To measure a part of a clip, cut it first.

    Example:
        >>> from action_loom.core.quality import angles, world_pose
        >>> from action_loom.core.demo_character import actions
        >>> [round(angles.smoothness(world_pose.pose(clip)), 2) for clip in (actions.walk(), actions.run())]
        [0.58, 1.47]
    """
    rotations = _turns(body)
    if rotations.shape[2] < 3:
        return None
    return float(np.degrees(_second_differences(rotations).mean()) * (min(body.clip.rate, SEED_RATE) / SEED_RATE) ** 2)


def _at_seed_rate(rotations: Array, rate: float) -> Array:
    """Return rotations (F, B, 4) of a clip resampled from above 30 frames a second to that rate; others unchanged."""
    if rate <= SEED_RATE:
        return rotations
    count = int(np.floor((len(rotations) - 1) * SEED_RATE / rate + 1e-6)) + 1
    frames = np.arange(count, dtype=np.float64) * (rate / SEED_RATE)
    return quat.normalize(resample.curve(quat.on_one_side(rotations), frames))


def second_differences(body: WorldPose) -> Array:
    """Return the mean (F−2,) over channels of |second difference| of the angles in frames 1 … F−2, rad per frame²."""
    return _second_differences(_by_joint(body, 0.0))


def _second_differences(rotations: Array) -> Array:
    """Return the mean (F−2,) over channels of |second difference| of rotations (B, 4, F), rad per frame².

    The first differences are the rotation vectors between consecutive frames, about the joint's own axes, which are
    always small.
    """
    joints, _, frames = rotations.shape
    total, count = np.zeros(max(frames - 2, 0)), 0
    for some in blocks.slices(joints, 4 * frames):
        before, after = rotations[some, :, :-1], rotations[some, :, 1:]
        step = _product(before * _INVERSE, after)
        steps = _vectors(step * np.where(step[0] < 0.0, -1.0, 1.0))
        turning = np.abs(steps).max(axis=2, initial=0.0) > STILL
        total += np.abs(np.diff(steps[turning], axis=1)).sum(axis=0)
        count += int(np.count_nonzero(turning))
    return total / max(count, 1)


def _product(a: Array, b: Array) -> Array:
    """Return the products a·b (4, B, F) of quaternions (B, 4, F); components come first, which halves the time."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a.swapaxes(0, 1), b.swapaxes(0, 1)
    out = np.empty((4, *np.broadcast_shapes(aw.shape, bw.shape)))
    out[0] = aw * bw - ax * bx - ay * by - az * bz
    out[1] = aw * bx + ax * bw + ay * bz - az * by
    out[2] = aw * by - ax * bz + ay * bw + az * bx
    out[3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def _vectors(q: Array) -> Array:
    """Return the rotation vectors (B, 3, F) of quaternions (4, B, F), of an angle up to a whole turn."""
    sine = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    small = sine < 1e-9
    scale = np.where(small, 2.0, 2.0 * np.arctan2(sine, q[0]) / np.where(small, 1.0, sine))
    return q[1:].swapaxes(0, 1) * scale[:, None]


def _own(body: WorldPose) -> int:
    """Return the index of the travelling joint among the joints of the body."""
    skeleton = body.clip.skeleton
    return int(np.count_nonzero(skeleton.body[: root_motion.travelling_joint(skeleton)]))


def _by_joint(body: WorldPose, rate: float) -> Array:
    """Return the rotations (B, 4, F) of the joints of the body, in the world for the travelling joint.

    rate : clips above it are resampled to 30 frames a second; 0 for never
    The result therefore does not depend on whether a root bone or the hips carry the travel.
    """
    skeleton, clip = body.clip.skeleton, body.clip
    keyed = clip.rotations if skeleton.body.all() else clip.rotations[:, skeleton.body]
    travelling = body.rotations[:, [root_motion.travelling_joint(skeleton)]]
    if rate:
        keyed, travelling = _at_seed_rate(keyed, clip.rate), _at_seed_rate(travelling, clip.rate)
    rotations = np.empty((*keyed.shape[1:], len(keyed)))
    for some in blocks.slices(len(rotations), 4 * len(keyed)):
        rotations[some] = keyed[:, some].transpose(1, 2, 0)
    rotations[_own(body)] = travelling[:, 0].T
    return rotations


def _turns(body: WorldPose) -> Array:
    """Return the cached read-only result of `_by_joint` at the rate of the measures."""
    known: Array | None = vars(body).get("_turns")
    if known is None:
        known = vars(body)["_turns"] = _by_joint(body, SEED_RATE)
    return known


def _channels(body: WorldPose) -> Array:
    """Return the components (3B, F) of rotation vectors about each joint's mean, continuous up to a whole turn.

    The travelling joint is relative to the heading, so that a turning walk is as periodic as a straight one.
    """
    turns, travelling = _turns(body), root_motion.travelling_joint(body.clip.skeleton)
    facing = quat.mul(quat.about_axis("Z", -body.heading), body.rotations[:, travelling])
    facing = _at_seed_rate(facing[:, None], body.clip.rate)[:, 0].T
    joints, _, frames = turns.shape
    own, vectors = _own(body), np.empty((joints, 3, frames))
    for some in blocks.slices(joints, 4 * frames):
        rotations = turns[some]
        if some.start <= own < some.stop:
            rotations = rotations.copy()
            rotations[own - some.start] = facing
        means = np.linalg.eigh(rotations @ rotations.transpose(0, 2, 1))[1][..., -1:]  # as `quat.mean_of_frames`
        about = _product(means * _INVERSE, rotations)
        far = np.einsum("kbf,kbf->bf", about[..., 1:], about[..., :-1]) < 0.0
        if far.any():
            about[..., 1:] *= np.where(np.logical_xor.accumulate(far, axis=1), -1.0, 1.0)
        about *= np.where(about[0].mean(axis=1) < 0.0, -1.0, 1.0)[:, None]
        vectors[some] = _vectors(about)
    return vectors.reshape(3 * joints, frames)
