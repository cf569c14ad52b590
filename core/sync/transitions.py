"""Where one clip can go over into another: frames whose poses and speeds are nearest, ranked (Kovar 2002)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..motion import kinematics
from ..motion.clip import Clip
from ..motion.feet import Footing
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import alignment, joint_weights, metrics
from . import distance as pose_distance
from .alignment import local_minima
from .distance import clamped


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
    window: int,
    from_frames: tuple[int, int],
    to_frames: tuple[int, int],
    most: int = 12,
    *,
    feet: Sequence[Footing] = (),
) -> list[Transition]:
    """Return the local minima of the windowed point distance, nearest first, at most so many.

    From frames of `before` and to frames of `after` in these ranges (first, last), both included; only what lies in
    them is compared, each pose turned and moved to where it is nearest. feet : of both clips (F, S); where they stand
    in both, the clip is brought to where they stay, and the distance is the one from there.
    """
    (one, i), (other, j) = _around(before, from_frames, window), _around(after, to_frames, window)
    bodies = [metrics.prepare(clip, Matching(metric="points")) for clip in (one, other)]
    columns = slice(j, j + to_frames[1] - to_frames[0] + 1)

    def distances(low: int, high: int) -> Array:
        start = max(i + low - window, 0)
        part = bodies[0].part(start, i + high - 1 + window)
        return np.asarray(part.matrix(bodies[1], window)[i + low - start :, columns][: high - low])

    found = _nearest(distances, from_frames[1] - from_frames[0] + 1, len(other), most)
    placed = [align(before, after, k + from_frames[0], m + to_frames[0], window, feet) for k, m, _ in found]
    return sorted(placed, key=lambda one: one.distance)


def find_as_made(
    before: Clip,
    after: Clip,
    window: int,
    from_frames: tuple[int, int],
    to_frames: tuple[int, int],
    most: int = 12,
    *,
    moves: bool,
    feet: Sequence[Footing] = (),
) -> list[Transition]:
    """Return what `find` does, of poses that are compared as they stand, or only moved to where they are nearest."""
    weights = joint_weights.point_weights(before.skeleton, "all")
    rows, windows = [], []
    for clip, frames in ((before, from_frames), (after, to_frames)):
        part, place = _around(clip, frames, window)
        points = kinematics.points(part)
        middle = np.einsum("p,fpi->fi", weights, points[..., :2])
        if moves:
            points[..., :2] -= middle[:, None]
        count = frames[1] - frames[0] + 1
        rows.append((np.sqrt(weights)[:, None] * points).reshape(len(part), -1))
        windows.append(clamped(len(part), window)[place : place + count])
    (one, other), (i, j) = rows, windows
    squares = (other * other).sum(axis=1)

    def distances(low: int, high: int) -> Array:
        total = np.zeros((high - low, len(j)))
        for row, column in zip(i[low:high].T, j.T, strict=True):
            total += (one[row] ** 2).sum(axis=1)[:, None] + squares[column] - 2.0 * one[row] @ other[column].T
        return np.sqrt(np.maximum(total / (2 * window + 1), 0.0))

    found = []
    for leave, enter, away in _nearest(distances, len(i), len(j), most):
        frames = leave + from_frames[0], enter + to_frames[0]
        if moves:
            found.append(align(before, after, *frames, window, feet, turning=False))
        else:
            found.append(Transition(*frames, away, 0.0, (0.0, 0.0)))
    return sorted(found, key=lambda one: one.distance)


def _nearest(
    distances: Callable[[int, int], Array], count: int, columns: int, most: int
) -> list[tuple[int, int, float]]:
    """The local minima of a matrix of `count` rows, nearest first, at most so many: row, column and distance.

    distances : gives some of its rows; a row of the work it takes has so many columns
    """
    at_once = max(1, pose_distance.MOST_CELLS // columns)
    cells, apart = [], []
    for first in range(0, count, at_once):
        # With a row on each side, which tells whether those at the border are minima.
        low, high = max(first - 1, 0), min(first + at_once + 1, count)
        distance = distances(low, high)
        found = local_minima(distance)
        found = found[(found[:, 0] >= first - low) & (found[:, 0] < first - low + at_once)]
        cells.append(found + np.array((low, 0)))
        apart.append(distance[found[:, 0], found[:, 1]])
    every, away = np.concatenate(cells), np.concatenate(apart)
    nearest = np.argsort(away, kind="stable")[:most]
    return [(int(every[k, 0]), int(every[k, 1]), float(away[k])) for k in nearest]


def _around(clip: Clip, frames: tuple[int, int], window: int) -> tuple[Clip, int]:
    """The part of a clip that windows round some frames need, and where the first of these is in it."""
    start = max(frames[0] - window, 0)
    return clip.cut(start, min(frames[1] + window + 1, len(clip))), frames[0] - start


def align(
    before: Clip,
    after: Clip,
    i: int,
    j: int,
    window: int,
    feet: Sequence[Footing] = (),
    *,
    turning: bool = True,
) -> Transition:
    """Return the transition from frame i to frame j with the ground motion that brings the windows together."""
    weights = joint_weights.point_weights(before.skeleton, "all")
    clouds, heights, standing = [], [], list[Footing]()
    for k, (clip, frame) in enumerate(((before, i), (after, j))):
        around = clamped(len(clip), window)[frame]
        places = kinematics.points(clip.taken(around))
        clouds.append(places[..., :2] @ np.array([1.0, 1j]))
        heights.append(places[..., 2])
        if feet:
            standing.append(feet[k].at(around))
    found = alignment.align(clouds[0], clouds[1], weights, standing, turning=turning)
    lifted = (((heights[0] - heights[1]) ** 2) @ weights).mean()
    distance = float(np.sqrt(found.residual + lifted))
    return Transition(i, j, distance, float(found.turn), (float(found.shift.real), float(found.shift.imag)))
