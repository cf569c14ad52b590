"""Detect and repair spikes: frames in which a joint jumps away and back (methods: Filtering)."""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality.contacts import runs

Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

JUMP, OFF = 4.0, 6.0  # times the running median: thresholds for a candidate and for a spike
NEARBY, EVERY = 0.5, 0.125  # s; half width of the running median, and its step
BESIDE, LEAST_BESIDE = 0.05, 3  # s, frames; half width of the median from which a candidate deviates
LASTS, LONGEST = 0.05, 3  # s, frames; largest length of a spike; longer deviations are motion
AROUND, STEPS = 3, 2.0  # frames to each side; factor by which a spike exceeds their largest step
SEEN = 0.1  # body heights that the end of a limb jumps; a smaller spike is hardly seen
PASSES = 2  # the first finds both ends of a spike of three frames, the second its middle
# Least size of a spike at 120 frames a second or more; at lower rates it grows with the frame's length.
LEAST_TURN, LEAST_MOVE, RATE = np.radians(1.5), 0.006, 120.0  # radians, body heights, 1/s
LINE, CUBIC, BEFORE, AFTER = "line", "cubic", "before", "after"  # how to estimate a frame from its neighbours


def longest(rate: float) -> int:
    """Return the default for the largest length of a spike in frames; a blow in a game's action also has three."""
    return int(np.clip(np.floor(LASTS * rate), 1, LONGEST))


class Spike(NamedTuple):
    """A joint that jumps away and back within one frame."""

    joint: str
    frame: int
    degrees: float


def find_worst(clip: Clip) -> Spike | None:
    """Return the spike of one frame that moves the end of its limb farthest, None if none is seen on the body.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.edit import spikes
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> spikes.find_worst(walk)
        >>> turned, arm = walk.rotations.copy(), walk.skeleton.roles["upper_arm.L"]
        >>> turned[12, arm] = [0.5**0.5, 0.5**0.5, 0.0, 0.0]
        >>> spike = spikes.find_worst(replace(walk, rotations=turned))
        >>> spike.joint == walk.skeleton.names[arm], spike.frame
        (True, 12)
    """
    lengths = _lengths_of_limbs(clip)
    if len(clip) <= 4 * AROUND:  # too few steps to compare a spike with
        return None
    # A single frame is at most as far from the middle of its neighbours as from the farther one.
    limbs = np.flatnonzero(_largest_steps(clip.rotations) * lengths > 0.99 * SEEN)
    if not len(limbs):
        return None
    turns = clip.rotations[:, limbs]
    usual = mended_turns(turns, find_turned(turns, clip.rate, 1))
    halves = np.arccos(np.clip(np.abs(np.sum(turns * usual, axis=-1)), 0.0, 1.0))
    moved = 2.0 * np.sin(halves) * lengths[limbs]
    frame, place = np.unravel_index(int(moved.argmax()), moved.shape)
    if moved[frame, place] <= SEEN:
        return None
    name = clip.skeleton.names[int(limbs[place])]
    return Spike(name, int(frame), float(np.degrees(2.0 * halves[frame, place])))


def _largest_steps(turns: Array) -> Array:
    """Return the largest step (J,) of rotations (F, J, 4) between two frames: that of a point 1 m away, metres."""
    cosines = np.einsum("fjk,fjk->fj", turns[1:], turns[:-1])
    return np.asarray(2.0 * np.sqrt(np.clip(1.0 - cosines**2, 0.0, 1.0).max(axis=0)))


def _lengths_of_limbs(clip: Clip) -> Array:
    """Return the distance (J,) of each joint from its farthest descendant at rest, body heights."""
    skeleton = clip.skeleton
    lengths = np.zeros(len(skeleton.parents))
    for joint in reversed(range(len(skeleton.parents))):  # parents come before their children
        parent = skeleton.parents[joint]
        if parent >= 0:
            lengths[parent] = max(lengths[parent], lengths[joint] + np.linalg.norm(skeleton.offsets[joint]))
    return lengths / max(skeleton.height, 1e-9)


def find_turned(turns: Array, rate: float, frames: int = 0) -> Flags:
    """Return flags (F, J) of rotations (F, J, 4) that jump away and back within `frames`, 0: `longest`."""
    return _spikes(quat.continuous(turns), rate, LEAST_TURN, frames or longest(rate))


def find_moved(places: Array, rate: float, height: float, frames: int = 0) -> Flags:
    """Return flags (F, J) of translations (F, J, 3) that jump away and back (see `find_turned`); height : m."""
    return _spikes(places, rate, LEAST_MOVE * height, frames or longest(rate))


def mended_turns(turns: Array, flags: Flags) -> Array:
    """Return rotations (F, J, 4) with flagged ones (F, J) interpolated from the nearest others, which are kept."""
    out = turns.copy()
    out[flags] = quat.same_side(_between(quat.continuous(turns), flags), turns[flags])
    return out


def mended_places(places: Array, flags: Flags) -> Array:
    """Return translations (F, J, 3) with flagged ones (F, J) interpolated from the nearest others, which are kept."""
    out = places.copy()
    out[flags] = _between(places, flags)
    return out


def _spikes(values: Array, rate: float, least: float, frames: int) -> Flags:
    """Return flags of spikes in rotations (F, J, 4), consecutive ones in one hemisphere, or in translations (F, J, 3).

    Candidates deviate from the middle of their neighbours and from the median of nearby frames. Then all are compared
    with the unflagged frames: a candidate near their cubic is next to a spike or part of a movement, and one that
    extrapolates the frames on one side is the start or end of a movement.
    """
    least *= max(1.0, RATE / rate)
    flags = np.zeros(values.shape[:2], dtype=bool)
    if len(values) < 5:
        return flags
    mended = values
    for _ in range(PASSES):
        more = _candidates(mended, rate, least) & ~flags
        if not more.any():
            break
        flags |= more
        mended = values.copy()
        mended[flags] = _between(values, flags)
    flags &= ~flags.all(axis=0)
    # Distance of each frame from the cubic through its four neighbours.
    curving = np.zeros(flags.shape)
    curving[2:-2] = _measure_distance(
        values[2:-2], _unit(4.0 * (values[1:-3] + values[3:-1]) - values[:-4] - values[4:], 6.0)
    )
    joints = np.flatnonzero(flags.any(axis=0))
    limits = np.full(flags.shape, least)
    limits[:, joints] = np.maximum(OFF * _usual(curving[:, joints], rate), least)
    away = [_measure_distance(values[flags], _between(values, flags, how)) for how in (CUBIC, BEFORE, AFTER)]
    flags[flags] = np.min(away, axis=0) > limits[flags]
    return _standing_out(values, flags, frames)


def _standing_out(values: Array, flags: Flags, frames: int) -> Flags:
    """Return the flags (F, J) of at most `frames` consecutive frames that exceed the joint's steps next to them."""
    spikes, lines = flags.copy(), values.copy()
    lines[flags] = _between(values, flags, CUBIC)
    away, steps = _measure_distance(values, lines), _measure_distance(values[1:], values[:-1])
    steps = np.where(flags[1:] | flags[:-1], np.nan, steps)
    for joint in np.flatnonzero(flags.any(axis=0)):
        for start, end in runs(flags[:, joint]):
            beside = [steps[max(0, start - 1 - AROUND) : start - 1, joint], steps[end : end + AROUND, joint]]
            known = all(np.isfinite(side).any() for side in beside) and end - start <= frames
            limit = STEPS * np.nanmax(np.concatenate(beside)) if known else np.inf
            spikes[start:end, joint] = away[start:end, joint] > limit
    return spikes


def _candidates(values: Array, rate: float, least: float) -> Flags:
    jumps = np.zeros(values.shape[:2])
    jumps[1:-1] = _measure_distance(values[1:-1], _unit(values[:-2] + values[2:], 2.0))
    flags = jumps > least
    joints = np.flatnonzero(flags.any(axis=0))  # medians take longest: they are computed for these joints alone
    flags[:, joints] &= jumps[:, joints] > JUMP * _usual(jumps[:, joints], rate)
    # The middles of neighbours take longest: they are computed where a candidate needs them.
    reach = max(LEAST_BESIDE, round(BESIDE * rate))
    frames, joints = np.nonzero(flags)
    away = _measure_from_middles(values, frames, joints, reach)
    high = away > least
    frames, joints, away = frames[high], joints[high], away[high]
    near = _frames_near(frames, len(values), rate)
    cells, place = np.unique(near * values.shape[1] + joints[:, None], return_inverse=True)
    amounts = _measure_from_middles(values, *np.divmod(cells, values.shape[1]), reach)
    middle = near.shape[1] // 2
    usual = np.partition(amounts[place.reshape(near.shape)], middle, axis=1)[:, middle]
    clear = away > JUMP * usual
    flags[:] = False
    flags[frames[clear], joints[clear]] = True
    return flags


def _measure_from_middles(values: Array, frames: Indices, joints: Indices, reach: int) -> Array:
    """Return the distances (K,) of samples from the medians of the frames up to `reach` away."""
    beside = np.clip(frames[:, None] + np.arange(-reach, reach + 1), 0, len(values) - 1)
    middles = np.partition(values[beside, joints[:, None]], reach, axis=1)[:, reach]
    return _measure_distance(values[frames, joints], _unit(middles, 1.0))


def _frames_near(frames: Indices, count: int, rate: float) -> Indices:
    """Return the frames (K, W) over which the running median of some frames (K,) is taken, see `_usual`."""
    reach, hop = min(round(NEARBY * rate), count - 1), max(1, round(EVERY * rate))
    centres = np.minimum((frames + hop // 2) // hop, (count - 1) // hop) * hop
    near = np.abs(centres[:, None] + np.arange(-reach, reach + 1))
    return np.asarray(count - 1 - np.abs(count - 1 - near))


def _usual(amounts: Array, rate: float) -> Array:
    """Return the running median (F, J) of amounts, which outliers do not influence."""
    reach, hop = min(round(NEARBY * rate), len(amounts) - 1), max(1, round(EVERY * rate))
    windows = sliding_window_view(np.pad(amounts, ((reach, reach), (0, 0)), mode="reflect"), 2 * reach + 1, axis=0)
    medians = np.partition(windows[::hop], reach, axis=-1)[..., reach]
    return np.asarray(medians[np.minimum((np.arange(len(amounts)) + hop // 2) // hop, len(medians) - 1)])


def _between(values: Array, flags: Flags, how: str = LINE) -> Array:
    """Return estimates of flagged samples (K, D) from the nearest unflagged ones: by a line, a cubic or one side.

    A side with fewer than two samples falls back to the line, and an end without any to the nearest sample.
    """
    estimates = np.empty_like(values)
    for joint in np.flatnonzero(flags.any(axis=0)):
        good, bad = np.flatnonzero(~flags[:, joint]), np.flatnonzero(flags[:, joint])
        if len(good) == 0:  # no samples for interpolation
            estimates[bad, joint] = values[bad, joint]
            continue
        after = np.searchsorted(good, bad)
        around = good[np.clip(after[:, None] + np.arange(-2, 2), 0, len(good) - 1)].astype(np.float64)
        enough = (after >= 2) & (after + 1 < len(good))
        weights = _on_lines(around, bad, (1, 2))
        if how == CUBIC:
            weights[enough] = _lagrange(around[enough], bad[enough])
        elif how != LINE:
            weights[enough] = _on_lines(around, bad, (0, 1) if how == BEFORE else (3, 2))[enough]
        estimates[bad, joint] = np.einsum("kn,knd->kd", weights, values[around.astype(np.int64), joint])
    return _unit(estimates[flags], 1.0)


def _on_lines(times: Array, at: NDArray[np.int64], through: tuple[int, int]) -> Array:
    """Return weights (K, 4) of samples at four times (K, 4) for the line through two of them at one time (K,)."""
    one, other = through
    gap = times[:, other] - times[:, one]
    share = np.where(gap == 0.0, 0.0, (at - times[:, one]) / np.where(gap == 0.0, 1.0, gap))
    weights = np.zeros(times.shape)
    weights[:, one], weights[:, other] = 1.0 - share, share
    return weights


def _lagrange(times: Array, at: NDArray[np.int64]) -> Array:
    """Return weights (K, 4) of samples at four times (K, 4) for the cubic through them at one time (K,)."""
    weights = np.ones(times.shape)
    for k in range(4):
        for other in (n for n in range(4) if n != k):
            weights[:, k] *= (at - times[:, other]) / (times[:, k] - times[:, other])
    return weights


def _unit(sums: Array, total: float) -> Array:
    """Return the mean of rotations (…, 4) or places from their weighted sums and the total weight."""
    return quat.normalize(sums) if sums.shape[-1] == 4 else np.asarray(sums / total)


def _measure_distance(one: Array, other: Array) -> Array:
    """Return the distance of translations, metres, or of rotations (twice the chord: nearly radians)."""
    return np.asarray(np.linalg.norm(one - other, axis=-1) * (2.0 if one.shape[-1] == 4 else 1.0))
