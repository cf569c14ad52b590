"""Find and rank transitions: pairs of frames of two clips with similar poses and speeds.

Method: Connecting two clips.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..motion import kinematics
from ..motion.clip import Clip
from ..motion.feet import Footing
from ..motion.quat import Array
from ..recipes.matching import Matching
from . import alignment, exact_sums, joint_weights, metrics
from . import distance as pose_distance
from .alignment import local_minima
from .distance import clamp_windows

MOST = 12  # largest number of transitions
DIGITS = 6  # significant digits of a distance in metres for ranking transitions


@dataclass(frozen=True)
class Transition:
    """A frame of one clip and a frame of another: their distance (m), and the ground motion that aligns them.

    The other clip is turned about the vertical through the origin (radians), then shifted (2,) in metres.
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
    *,
    feet: Sequence[Footing] = (),
) -> list[Transition]:
    """Return at most MOST local minima of the windowed point distance, nearest first.

    window : frames on each side
    from_frames, to_frames : ranges (first, last) of `before` and `after` to search, both inclusive
    feet : of both clips (F, S), or none; feet in contact in both windows stay in place, and the distance is computed
        after this alignment

    Poses are compared after optimal rotation and translation.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import transitions
        >>> walk, turn = actions.walk(), actions.turn_left()
        >>> best = transitions.find(walk, turn, 1, (60, 96), (0, 40))[0]
        >>> best.from_frame, best.to_frame, round(best.distance, 3)
        (90, 10, 0.007)
    """
    (early, i), (late, j) = _around(before, from_frames, window), _around(after, to_frames, window)
    bodies = [metrics.prepare(clip, Matching(metric="points")) for clip in (early, late)]
    columns = slice(j, j + to_frames[1] - to_frames[0] + 1)

    def distances(low: int, high: int) -> Array:
        start = max(i + low - window, 0)
        part = bodies[0].part(start, i + high - 1 + window)
        return np.asarray(part.matrix(bodies[1], window)[i + low - start :, columns][: high - low])

    minima = _nearest(distances, from_frames[1] - from_frames[0] + 1, len(late))
    aligned = [align(before, after, k + from_frames[0], m + to_frames[0], window, feet) for k, m, _ in minima]
    return sorted(aligned, key=_rank)


def find_as_made(
    before: Clip,
    after: Clip,
    window: int,
    from_frames: tuple[int, int],
    to_frames: tuple[int, int],
    *,
    moves: bool,
    feet: Sequence[Footing] = (),
) -> list[Transition]:
    """Return transitions as `find` does, but compare poses in place, or only translated if `moves`; never rotated.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import transitions
        >>> wave, walk = actions.wave(), actions.walk()
        >>> as_made = transitions.find_as_made(wave, walk, 1, (90, 108), (0, 20), moves=False)
        >>> as_made[0].turn, as_made[0].shift
        (0.0, (0.0, 0.0))
    """
    weights = joint_weights.point_weights(before.skeleton, "all")
    rows, windows = [], []
    for clip, frames in ((before, from_frames), (after, to_frames)):
        part, place = _around(clip, frames, window)
        points = kinematics.points(part)
        middle = np.einsum("p,fpi->fi", weights, points[..., :2])
        if moves:
            points[..., :2] -= middle[:, None]
        count = frames[1] - frames[0] + 1
        rows.append(exact_sums.round_rows((np.sqrt(weights)[:, None] * points).reshape(len(part), -1)))
        windows.append(clamp_windows(len(part), window)[place : place + count])
    (early, late), (i, j) = rows, windows
    squares = (late * late).sum(axis=1)

    def distances(low: int, high: int) -> Array:
        total = np.zeros((high - low, len(j)))
        for row, column in zip(i[low:high].T, j.T, strict=True):
            total += (early[row] ** 2).sum(axis=1)[:, None] + squares[column] - 2.0 * early[row] @ late[column].T
        return np.sqrt(np.maximum(total / (2 * window + 1), 0.0))

    found = []
    for leave, enter, away in _nearest(distances, len(i), len(j)):
        frames = leave + from_frames[0], enter + to_frames[0]
        if moves:
            found.append(align(before, after, *frames, window, feet, turning=False))
        else:
            found.append(Transition(*frames, away, 0.0, (0.0, 0.0)))
    return sorted(found, key=_rank)


def _nearest(distances: Callable[[int, int], Array], count: int, columns: int) -> list[tuple[int, int, float]]:
    """Return at most MOST local minima of a matrix of `count` rows, nearest first: row, column and distance.

    distances(low, high) : rows of the matrix
    columns : of the arrays needed per row
    """
    at_once = max(1, pose_distance.MOST_CELLS // columns)
    cells, apart = [], []
    for first in range(0, count, at_once):
        # One more row on each side shows whether cells at the border are minima.
        low, high = max(first - 1, 0), min(first + at_once + 1, count)
        distance = distances(low, high)
        found = local_minima(distance)
        found = found[(found[:, 0] >= first - low) & (found[:, 0] < first - low + at_once)]
        cells.append(found + np.array((low, 0)))
        apart.append(distance[found[:, 0], found[:, 1]])
    every, away = np.concatenate(cells), np.concatenate(apart)
    nearest = np.lexsort((every[:, 1] - every[:, 0], np.round(away, DIGITS)))[:MOST]
    return [(int(every[k, 0]), int(every[k, 1]), float(away[k])) for k in nearest]


def _rank(transition: Transition) -> tuple[float, int]:
    """Return the sort key of a transition: its distance, then the number of omitted frames."""
    return round(transition.distance, DIGITS), transition.to_frame - transition.from_frame


def _around(clip: Clip, frames: tuple[int, int], window: int) -> tuple[Clip, int]:
    """Return the part of a clip needed for windows around frames first … last, and the index of the first one in it."""
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
    """Return the transition from frame i to frame j, with the ground motion that aligns their windows.

    window, feet : as in `find`; turning : whether `after` may be turned, or only shifted

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.sync import transitions
        >>> walk = actions.walk()  # three equal cycles of 32 frames along −y
        >>> cut = transitions.align(walk, walk, 64, 32, 1)
        >>> round(cut.distance, 3), [round(metres, 2) + 0.0 for metres in cut.shift]
        (0.0, [0.0, -1.39])
    """
    weights = joint_weights.point_weights(before.skeleton, "all")
    clouds, heights, standing = [], [], list[Footing]()
    for k, (clip, frame) in enumerate(((before, i), (after, j))):
        around = clamp_windows(len(clip), window)[frame]
        places = kinematics.points(clip.take_frames(around))
        clouds.append(places[..., :2] @ np.array([1.0, 1j]))
        heights.append(places[..., 2])
        if feet:
            standing.append(feet[k].at(around))
    found = alignment.align(clouds[0], clouds[1], weights, standing, turning=turning)
    lifted = (((heights[0] - heights[1]) ** 2) @ weights).mean()
    distance = float(np.sqrt(found.residual + lifted))
    return Transition(i, j, distance, float(found.turn), (float(found.shift.real), float(found.shift.imag)))
