"""Whether a clip is one cycle from its first frame to its last (methods: Loops).

A capture repeats itself and ends anywhere. A game's clip already is one cycle: its last pose is the first one again,
exactly or nearly, or the key that would repeat the first pose is missing.
"""

from dataclasses import dataclass

import numpy as np

from . import cycles, kinematics
from .clip import Clip
from .quat import Array

# A gap is the distance of the farthest point; a step is what the body moves in a frame, the mean of both ends.
NEARLY = 3e-3  # of the body's height: so small a gap is always small
STEP_SHARE, STEP_MORE = 0.35, 2e-3  # of the step, and of the height: their sum is a small gap of a fast clip
MISSING = (0.6, 2.4)  # frames from the last pose to the first at the speed of both ends; rounded, 1 or 2 are missing
MISSED_BY = 0.5  # of the step: farther beside the line on which the last pose moves, the first one does not follow it
# A larger gap is one of a ready cycle all the same where the body moves over its ends as if there were none.
WIDE, MOVED_IN, GOES_ON, AS_FAST = 0.025, 1.0 / 30.0, 0.8, 1.5  # heights; s; cosine of both velocities; times as fast
SAME_DIRECTION = 0.3  # cosine of the velocities of all points at both ends; below it they do not fit together

EXACT, GAP, MISSING_KEY = "closed", "small gap", "missing key"


@dataclass(frozen=True)
class Closing:
    """How the end of a clip meets its start.

    kind : EXACT, GAP, MISSING_KEY, or "" for a clip that is not one cycle
    gap : distance of the farthest point from the last pose to the first, metres
    missing : frames from the last pose to the first again, where the key is missing
    """

    kind: str
    gap: float
    missing: int = 0


def of(clip: Clip) -> Closing:
    """Return how the end of a clip meets its start.

    Poses are compared in their own ground frames, wherever they stand and face, and also where they stand, because in
    a clip on the spot the ground frame sways. The better answer counts.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import closing
        >>> walk = actions.walk(cycles=1)
        >>> closing.of(walk).kind, closing.of(walk.cut(0, 20)).kind
        ('closed', '')
        >>> closing.of(walk.cut(0, len(walk) - 1)).kind  # without its last frame
        'missing key'
    """
    height, rate = clip.skeleton.height, clip.rate
    closings = [_of(places, height, rate) for places in (cycles.in_ground_frames(clip), _in_place(clip))]
    return min(closings, key=lambda closing: ((EXACT, GAP, MISSING_KEY, "").index(closing.kind), closing.gap))


def _in_place(clip: Clip) -> Array:
    return kinematics.points(clip)[:, clip.skeleton.point_weights > 0.0]


def _of(places: Array, height: float, rate: float) -> Closing:
    """Return how the places (F, P, 3) of points at the end meet those at the start, at that many frames a second."""
    away = places[0] - places[-1]
    gap = _farthest(away)
    if len(places) < 3 or _farthest(places - places[0]) <= cycles.MOVES * cycles.CLOSED * height:
        return Closing("", gap)  # it hardly moves: a pose, not a cycle
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
