"""Where one clip can go over into another: frames whose poses and speeds are nearest, ranked (Kovar 2002)."""

from dataclasses import dataclass

import numpy as np

from ..motion import kinematics
from ..motion.clip import Clip
from ..motion.quat import Array
from . import joints, metrics
from .distance import clamped
from .matching import Matching


@dataclass(frozen=True)
class Transition:
    """From a frame of one clip to a frame of another: their distance (m), and what brings the other one there.

    The other clip is turned about the vertical through the origin (radians), then moved by shift (2,) metres.
    """

    from_frame: int
    to_frame: int
    distance: float
    turn: float
    shift: tuple[float, float]


def find(
    before: Clip,
    after: Clip,
    *,
    window: int,
    from_frames: tuple[int, int],
    to_frames: tuple[int, int],
    most: int = 12,
) -> list[Transition]:
    """Return the local minima of the windowed point distance, nearest first, at most so many.

    From frames of `before` and to frames of `after` in these ranges (first, last), both included.
    """
    rows, columns = slice(from_frames[0], from_frames[1] + 1), slice(to_frames[0], to_frames[1] + 1)
    bodies = [metrics.of(clip, Matching(metric="points")) for clip in (before, after)]
    distance = bodies[0].matrix(bodies[1], window)[rows, columns]
    padded = np.pad(distance, 1, constant_values=np.inf)
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).min(axis=(2, 3))
    found = np.argwhere(distance <= around)
    found = found[np.argsort(distance[found[:, 0], found[:, 1]], kind="stable")][:most]
    return [
        align(before, after, int(i) + from_frames[0], int(j) + to_frames[0], window, float(distance[i, j]))
        for i, j in found
    ]


def align(before: Clip, after: Clip, i: int, j: int, window: int, distance: float) -> Transition:
    """Return the transition from frame i to frame j with the ground motion that brings the windows together.

    With a, b the windows' points on the ground less their weighted means: θ = atan2(Σ w a×b, Σ w a·b) (methods 2).
    """
    weights = joints.point_weights(before.skeleton, "all")
    clouds = []
    for clip, frame in ((before, i), (after, j)):
        places = kinematics.points(clip.cut(max(frame - window, 0), min(frame + window + 1, len(clip))))
        around = clamped(len(clip), window)[frame] - max(frame - window, 0)
        clouds.append(places[around][..., :2] @ np.array([1.0, 1j]))
    means = [complex((cloud @ weights).mean()) for cloud in clouds]
    a, b = (cloud - mean for cloud, mean in zip(clouds, means, strict=True))
    turn = float(np.angle((np.conj(b) * a @ weights).sum()))
    shift = means[0] - np.exp(1j * turn) * means[1]
    return Transition(i, j, distance, turn, (shift.real, shift.imag))


def distance_at(before: Clip, after: Clip, i: int, j: int, window: int) -> float:
    """Return the windowed point distance (m) of two frames."""
    part = [clip.cut(max(k - window, 0), min(k + window + 1, len(clip))) for clip, k in ((before, i), (after, j))]
    bodies = [metrics.of(clip, Matching(metric="points")) for clip in part]
    at: Array = bodies[0].matrix(bodies[1], window)
    return float(at[min(i, window), min(j, window)])
