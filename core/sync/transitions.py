"""Where one clip can go over into another: frames whose poses and speeds are nearest, ranked (Kovar 2002)."""

from dataclasses import dataclass

import numpy as np

from ..motion import kinematics
from ..motion.clip import Clip
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

    From frames of `before` and to frames of `after` in these ranges (first, last), both included; only what lies in
    them is compared.
    """
    (one, i), (other, j) = _around(before, from_frames, window), _around(after, to_frames, window)
    bodies = [metrics.of(clip, Matching(metric="points")) for clip in (one, other)]
    rows, columns = slice(i, i + from_frames[1] - from_frames[0] + 1), slice(j, j + to_frames[1] - to_frames[0] + 1)
    distance = bodies[0].matrix(bodies[1], window)[rows, columns]
    padded = np.pad(distance, 1, constant_values=np.inf)
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).min(axis=(2, 3))
    found = np.argwhere(distance <= around)
    found = found[np.argsort(distance[found[:, 0], found[:, 1]], kind="stable")][:most]
    return [
        align(before, after, int(i) + from_frames[0], int(j) + to_frames[0], window, float(distance[i, j]))
        for i, j in found
    ]


def _around(clip: Clip, frames: tuple[int, int], window: int) -> tuple[Clip, int]:
    """The part of a clip that windows round some frames need, and where the first of these is in it."""
    start = max(frames[0] - window, 0)
    return clip.cut(start, min(frames[1] + window + 1, len(clip))), frames[0] - start


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
