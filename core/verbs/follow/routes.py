"""Store the route of a walk through a graph as rows of numbers, to rebuild it without a search."""

import numpy as np

from ...errors import wrong_rows
from ...graph.assemble import WalkPiece
from ...graph.motion_graph import MotionGraph
from . import Follow

GONE = "the route that was kept is none of these clips as they are now, so the path was walked anew"


def rows(graph: MotionGraph, walk: list[WalkPiece]) -> list[list[float]]:
    """Return a walk as rows of six numbers, one for each piece.

    The numbers are the clip (from 1, negative for its mirror image), its first and last frame, the target clip and
    frame of the transition (0 and 0 for none), and the bend in degrees per metre.
    """
    found = []
    for piece in walk:
        other, frame = 0, 0
        if piece.edge >= 0:
            end = graph.end[piece.edge]
            other, frame = _number(graph, int(graph.clip[end])), int(graph.frame[end])
        numbers = [_number(graph, piece.clip), piece.first, piece.last, other, frame]
        found.append([*numbers, round(float(np.degrees(piece.bend)), 12)])
    return found


def read(graph: MotionGraph, recipe: Follow) -> list[WalkPiece] | None:
    """Return the walk of a recipe's route, or None without a route or if the graph does not contain it.

    Raises OptionError for invalid rows.
    """
    walk: list[WalkPiece] = []
    for row in recipe.route:
        if len(row) != 6 or not row[0]:
            raise wrong_rows("route", *"123456")
        piece = _piece(graph, row)
        if piece is None or (walk and not _follows(graph, walk[-1], piece)):
            return None
        walk.append(piece)
    return walk or None


def _number(graph: MotionGraph, clip: int) -> int:
    given = graph.inputs.given
    return clip + 1 if clip < given else -(clip - given + 1)


def _piece(graph: MotionGraph, row: tuple[float, ...]) -> WalkPiece | None:
    """Return the piece described by a row, or None if the graph does not contain it."""
    clip, other = _clip(graph, int(row[0])), _clip(graph, int(row[3]))
    first, last, bend = int(row[1]), int(row[2]), float(np.radians(row[5]))
    if clip is None or not 0 <= first <= last < len(graph.clips[clip]):
        return None
    if not row[3]:
        return WalkPiece(clip, first, last, -1, bend)
    if other is None or last - first != 2 * graph.half:
        return None
    crossing = np.flatnonzero(graph.crosses)
    begin, end = graph.start[crossing], graph.end[crossing]
    these = (graph.clip[begin] == clip) & (graph.frame[begin] == first)
    these &= (graph.clip[end] == other) & (graph.frame[end] == int(row[4]))
    return WalkPiece(clip, first, last, int(crossing[these][0]), bend) if these.any() else None


def _clip(graph: MotionGraph, number: int) -> int | None:
    given, images = graph.inputs.given, len(graph.clips) - graph.inputs.given
    if number > 0:
        return number - 1 if number <= given else None
    return given - number - 1 if number and -number <= images else None


def _follows(graph: MotionGraph, one: WalkPiece, other: WalkPiece) -> bool:
    """Return whether a piece starts at the frame where the previous one ends."""
    clip, frame = one.clip, one.last
    if one.edge >= 0:
        end = graph.end[one.edge]
        clip, frame = int(graph.clip[end]), int(graph.frame[end])
    return (clip, frame) == (other.clip, other.first)
