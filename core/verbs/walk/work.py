"""The walk through a motion graph from one frame to another in the least time.

Method: Following a drawn path.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...errors import GraphError, OptionError, no_frame, some
from ...graph import assemble, build, quickest, walk_result
from ...graph.assemble import WalkPiece
from ...graph.motion_graph import MotionGraph
from ...graph.walk_result import GraphResult
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...weave import planting
from . import Shortest


def shortest(
    clips: Sequence[Clip], recipe: Shortest, progress: Progress = SILENT, graph: MotionGraph | None = None
) -> GraphResult:
    """Return the fastest walk from a frame of a clip to a frame of another clip or the same one.

    Raises OptionError for frames that do not exist, and GraphError if the target can't be reached.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.Shortest(leave="walk:5", reach="walk:60")  # a transition skips a cycle of 32 frames
        >>> result = verbs.apply(recipe, [actions.walk()])
        >>> len(result.clip) - 1, result.report["shortest"]["transitions"]
        (23, 1)
    """
    for option, text in (("leave", recipe.leave), ("reach", recipe.reach)):
        if not text.rpartition(":")[0]:  # checked before the work, to report an unknown clip at once
            raise _not_a_frame(option, text, [clip.name for clip in clips])
    graph = build.of_walk(clips, recipe, progress, graph)
    began = time.perf_counter()
    clip, frame = _frame(graph, recipe.leave, "leave")
    other, last = _frame(graph, recipe.reach, "reach")
    start, end = _node_after(graph, clip, frame), _node_before(graph, other, last)
    edges = None if start is None or end is None else quickest.find_quickest(graph, start, end)
    straight = clip == other and frame <= last
    if edges is None or start is None or end is None:
        if not straight:
            raise GraphError(f"{graph.name}: no transitions lead from {recipe.leave} to {recipe.reach}")
        walk = [WalkPiece(clip, frame, last)]
    else:
        middle = assemble.pieces(graph, edges, np.zeros(len(edges)))
        lead, tail = WalkPiece(clip, frame, int(graph.frame[start])), WalkPiece(other, int(graph.frame[end]), last)
        walk = [piece for piece in (lead, *middle, tail) if piece.first < piece.last or piece.edge >= 0]
        if straight and last - frame <= sum(piece.last - piece.first for piece in walk):
            walk = [WalkPiece(clip, frame, last)]
    walk = walk or [WalkPiece(clip, frame, frame)]
    return _result(graph, recipe, walk, began)


def _not_a_frame(option: str, text: str, names: Sequence[str]) -> OptionError:
    names = names or ["CLIP"]
    return OptionError(f"{option} is {text!r}, but must be a frame of {some(names)}, such as {names[0]}:0")


def _frame(graph: MotionGraph, text: str, option: str) -> tuple[int, int]:
    """Return the clip and prepared frame named by a text such as walk:120, which counts frames as given."""
    name, _, number = text.rpartition(":")
    names = [clip.name for clip in graph.clips]
    if name not in names or not re.fullmatch(r"[0-9]{1,9}", number):
        raise _not_a_frame(option, text, names)
    clip = names.index(name)
    frame = graph.inputs.frame_maps[clip].prepared_frame(int(number))
    last = len(graph.clips[clip]) - 1
    if not 0 <= frame <= last:
        first, end = graph.given_frame(clip, 0), graph.given_frame(clip, last)
        raise no_frame(name, int(number), first, end)
    return clip, frame


def _node_after(graph: MotionGraph, clip: int, frame: int) -> int | None:
    found = np.flatnonzero((graph.clip == clip) & (graph.frame >= frame))
    return int(found[0]) if len(found) else None


def _node_before(graph: MotionGraph, clip: int, frame: int) -> int | None:
    found = np.flatnonzero((graph.clip == clip) & (graph.frame <= frame))
    return int(found[-1]) if len(found) else None


def _result(graph: MotionGraph, recipe: Shortest, walk: list[WalkPiece], began: float) -> GraphResult:
    walked = assemble.assemble(graph, walk)
    result = replace(walked.clip, name=recipe.result_name([graph.name]))
    result, planted = planting.of_result(result, recipe, one_source=assemble.of_one_clip(walked))
    walked = replace(walked, clip=result)
    report = walk_result.report(recipe.verb, graph, walked, walk, began) | planted.report
    report[recipe.verb] = {
        "transitions": sum(piece.edge >= 0 for piece in walk),
        "length": report["quality"]["after"]["path_m"],
    }
    return GraphResult(walked.clip, report, 0, graph.inputs, walked.origin, walked.places, graph)
