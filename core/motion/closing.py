"""Whether a clip as it is, from its first frame to its last, is one cycle (methods: Loops).

Captures repeat themselves and end anywhere; a game's clip is one cycle already: its last pose is its first again, or
nearly, or the key that would say so is missing.
"""

from dataclasses import dataclass

import numpy as np

from . import cycles, kinematics
from .clip import Clip
from .quat import Array

NEARLY = 3e-3  # of the body's height, of the point that is farthest from where it began
STEP_SHARE, STEP_MORE = 0.35, 2e-3  # a gap of so much of what the body moves in a frame, and of its height, is small
MISSING = (0.6, 2.4)  # frames from the last pose to the first again, as both ends move
MISSED_BY = 0.5  # of what the body moves in a frame, beside the line from the last pose to the first
SAME_WAY = 0.3  # cosine of the velocities of all points at both ends

EXACT, GAP, MISSING_KEY = "closed", "small gap", "missing key"


@dataclass(frozen=True)
class Closing:
    """How a clip's end meets its start: one of EXACT, GAP, MISSING_KEY, or "" for a clip that is no cycle as it is.

    gap : of the farthest point from last pose to first, metres; missing : frames from the last to the first again
    """

    kind: str
    gap: float
    missing: int = 0


def of(clip: Clip) -> Closing:
    """Return how a clip's end meets its start, wherever it stands and faces then.

    A clip on the spot is also compared where it stands: there nothing sways.
    """
    ways = [_of(places, clip.skeleton.height) for places in (cycles.in_ground_frames(clip), _in_place(clip))]
    return min(ways, key=lambda one: ((EXACT, GAP, MISSING_KEY, "").index(one.kind), one.gap))


def _in_place(clip: Clip) -> Array:
    return kinematics.points(clip)[:, clip.skeleton.point_weights > 0.0]


def _of(places: Array, height: float) -> Closing:
    """How places (F, P, 3) of points at the end meet those at the start."""
    away = places[0] - places[-1]
    gap = _farthest(away)
    if len(places) < 3 or _farthest(places - places[0]) <= cycles.MOVES * cycles.CLOSED * height:
        return Closing("", gap)
    if gap <= cycles.CLOSED * height:
        return Closing(EXACT, gap)
    if gap <= NEARLY * height:
        return Closing(GAP, gap)
    out, back = places[1] - places[0], places[-1] - places[-2]
    both = float(np.linalg.norm(out) * np.linalg.norm(back))
    if both == 0.0 or (out * back).sum() <= SAME_WAY * both:
        return Closing("", gap)
    moving = 0.5 * (out + back)
    step = _farthest(moving)
    if gap <= STEP_SHARE * step + STEP_MORE * height:
        return Closing(GAP, gap)
    frames = float((away * moving).sum() / (moving * moving).sum())
    if MISSING[0] < frames < MISSING[1] and _farthest(away - frames * moving) < MISSED_BY * step:
        return Closing(MISSING_KEY, gap, max(1, round(frames)))
    return Closing("", gap)


def _farthest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max())
