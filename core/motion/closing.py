"""Decide whether a clip is one cycle from its first frame to its last (methods: Loops).

A capture may repeat itself but ends anywhere. A game clip often is one cycle: its last pose equals the first one,
exactly or nearly, or the key that would repeat the first pose is missing.
"""

from dataclasses import dataclass, replace

import numpy as np

from . import blocks, cycles, feet, kinematics, quat, root_motion
from .clip import Clip
from .quat import Array

# A gap is the distance of the farthest point; a step is the motion in one frame, averaged over both ends.
NEARLY = 3e-3  # body heights; a smaller gap counts as closed
STEP_SHARE, STEP_MORE = 0.35, 2e-3  # of the step, and body heights; their sum is a small gap of a fast clip
MISSING = (0.6, 2.4)  # frames from the last pose to the first at the speed of both ends; rounded, 1 or 2 are missing
# of the step: lateral offset of the first pose from the line of motion above which it does not continue it
MISSED_BY = 0.5
# A larger gap still closes a cycle if the motion continues smoothly across the ends.
# heights; s; cosine between both velocities; speed ratio
WIDE, MOVED_IN, GOES_ON, AS_FAST = 0.025, 1.0 / 30.0, 0.8, 1.5
SAME_DIRECTION = 0.3  # cosine between the velocities of all points at both ends; below it the ends do not match

# A gesture leaves a pose and returns to it: both ends are slow, and it goes far. An idle is slow and stays near. A
# gait may have slow keys at its ends, but its feet step.
SLOW_ENDS, FAST = 0.25, 95.0  # of the fast frames' speed; percentile that defines these
GOES_FAR, STEPS = 0.2, 0.1  # body heights: largest distance of any point from the first pose, and of a foot

# A cycle that ends between two frames lacks a fraction of a frame, if adding it leaves at most this share of the gap.
EXPLAINED = 0.6
# Weights of the first three positions for the velocity a quarter of a frame inside. The velocity at the end would be
# too high, and farther inside too low: the fraction was off by 0.05 frames at most in gaits of the generated figure at
# 24 to 50 frames a second.
INSIDE = np.array([-1.25, 1.5, -0.25])

EXACT, GAP, MISSING_KEY = "closed", "small gap", "missing key"


@dataclass(frozen=True)
class Closing:
    """How the end of a clip meets its start.

    kind : EXACT, GAP, MISSING_KEY, or "" for a clip that is not one cycle
    gap : distance of the farthest point between the last pose and the first, metres
    missing : frames to add after the last pose to reach the first again
    """

    kind: str
    gap: float
    missing: int = 0


def of(clip: Clip) -> Closing:
    """Return how the end of a clip meets its start.

    Poses are compared in their own ground frames and also in the world, because the ground frame of an in-place clip
    sways. The better result counts.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing
        >>> walk = actions.walk(cycles=1)
        >>> closing.of(walk).kind, closing.of(walk.cut(0, 20)).kind
        ('closed', '')
        >>> closing.of(walk.cut(0, len(walk) - 1)).kind  # without its last frame
        'missing key'
    """
    height, rate = clip.skeleton.height, clip.rate
    # Most clips are not cyclic, which their ends already show.
    ends = clip if len(clip) < 5 else clip.take_frames(np.array([0, 1, len(clip) - 2, len(clip) - 1]))
    closings = []
    for places_of in (cycles.in_ground_frames, _in_place):
        closing = _of(places_of(ends), height, rate)
        closings.append(closing if closing.kind and _moves(places_of(clip), height) else Closing("", closing.gap))
    return min(closings, key=lambda closing: ((EXACT, GAP, MISSING_KEY, "").index(closing.kind), closing.gap))


def guess_closing(clip: Clip) -> Closing:
    """Return how the end of a clip meets its start, as `of` does, but with no kind for a single gesture.

    For verbs that do not request a cycle: matching end poses do not prove that the motion is meant to repeat. Declared
    cycles keep their kind, and so do gestures made of several equal cycles.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing
        >>> clips = actions.walk(cycles=1), actions.wave()
        >>> [(closing.of(clip).kind, closing.guess_closing(clip).kind) for clip in clips]
        [('closed', 'closed'), ('closed', '')]
    """
    ending = of(clip)
    return replace(ending, kind="", missing=0) if ending.kind and not clip.cyclic and is_gesture(clip) else ending


def overdue(clip: Clip, missing: int) -> float:
    """Return the time in frames from the last pose of a clip to its first, extrapolated from the motion at both ends.

    missing : the same in whole frames, returned unless a fraction of a frame explains the gap

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing, resample
        >>> walk = actions.walk(cycles=1)  # 32 frames at 30 a second, 25.6 at 24
        >>> closing.overdue(walk.cut(0, 32), 1)
        1.0
        >>> round(closing.overdue(resample.to_rate(walk, 24.0), 1), 1)
        0.6
    """
    last, whole = len(clip) - 1, float(missing)
    if last < 5:
        return whole
    ends = clip.take_frames(np.array([0, 1, 2, last - 2, last - 1, last]))
    found = []
    for places_of in (cycles.in_ground_frames, _in_place):
        places = places_of(ends)
        away, start, end = places[0] - places[-1], places[:3], places[:2:-1]
        moving = 0.5 * np.tensordot(INSIDE, start - end, 1)
        square = float((moving * moving).sum())
        if square > 0.0:
            frames = float((away * moving).sum()) / square
            found.append((_farthest(away - frames * moving), frames, _farthest(away - missing * moving)))
    off, frames, off_whole = min(found, default=(0.0, whole, 0.0))
    return frames if off < EXPLAINED * off_whole and abs(frames - missing) < 1.0 else whole


def is_gesture(clip: Clip) -> bool:
    """Return whether a clip with meeting ends leaves a pose and returns to it once, instead of repeating a motion.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import closing
        >>> closing.is_gesture(actions.wave()), closing.is_gesture(actions.walk(cycles=1))
        (True, False)
    """
    height = clip.skeleton.height
    places = cycles.in_ground_frames(clip)
    if len(places) < 3 or _farthest(places - places[0]) <= GOES_FAR * height or _foot_reach(clip) > STEPS * height:
        return False
    steps = np.diff(places, axis=0)
    speeds = np.linalg.norm(steps.reshape(len(steps), -1), axis=1)
    slow = max(speeds[0], speeds[-1]) <= SLOW_ENDS * np.percentile(speeds, FAST)
    return bool(slow) and cycles.repeats(clip) == 1


def _foot_reach(clip: Clip) -> float:
    """Return the largest distance of a foot from its first position, relative to the body, metres."""
    ground, facing = root_motion.ground_frames(clip)
    soles = {point for pair in feet.balls_and_ankles(clip.skeleton).values() for point in pair}
    if not soles:
        return 0.0
    places = kinematics.points(clip)[:, sorted(soles)]
    places[..., :2] -= ground[:, None]
    local = quat.rotate(quat.about_axis("Z", -facing)[:, None], places)
    return _farthest(local - local[0])


def _in_place(clip: Clip) -> Array:
    return kinematics.get_cached_pose(clip)[1][:, clip.skeleton.point_weights > 0.0]


def _moves(places: Array, height: float) -> bool:
    """Return whether points (F, P, 3) move enough for a cycle, rather than hold a pose."""
    far = cycles.MOVES * cycles.CLOSED * height
    return any(_farthest(places[some] - places[0]) > far for some in blocks.slices(len(places), places[0].size))


def _of(places: Array, height: float, rate: float) -> Closing:
    """Return how positions (F, P, 3) of points at the end meet those at the start, at `rate` frames per second.

    Only the first two and the last two frames are used.
    """
    away = places[0] - places[-1]
    gap = _farthest(away)
    if len(places) < 3:
        return Closing("", gap)
    if gap <= cycles.CLOSED * height:
        return Closing(EXACT, gap)
    if gap <= NEARLY * height:
        return Closing(GAP, gap)
    out, back = places[1] - places[0], places[-1] - places[-2]
    both = float(np.linalg.norm(out) * np.linalg.norm(back))
    if both == 0.0 or (out * back).sum() <= SAME_DIRECTION * both:
        return Closing("", gap)
    moving = 0.5 * (out + back)
    step = _farthest(moving)
    if gap <= STEP_SHARE * step + STEP_MORE * height:
        return Closing(GAP, gap)
    frames = float((away * moving).sum() / (moving * moving).sum())
    if MISSING[0] < frames < MISSING[1] and _farthest(away - frames * moving) < MISSED_BY * step:
        return Closing(MISSING_KEY, gap, max(1, round(frames)))
    fast, slow = sorted((float(np.linalg.norm(out)), float(np.linalg.norm(back))), reverse=True)
    goes_on = (out * back).sum() >= GOES_ON * both and fast <= AS_FAST * slow
    if goes_on and gap <= min(WIDE * height, step * rate * MOVED_IN):
        return Closing(GAP, gap)
    return Closing("", gap)


def _farthest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max())
