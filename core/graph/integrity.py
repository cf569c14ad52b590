"""Validate a motion graph read from a file, before it is walked (methods: Motion graph)."""

import numpy as np

from ..errors import GraphError
from . import components
from .motion_graph import MotionGraph

LARGEST = 1e9  # m; no length in a graph is larger
_NUMBERS = ("clip", "frame", "start", "end", "component")
# Entries of a report required later, and their types.
_REPORTED = {"names": list, "dropped": list, "warnings": list, "graph": dict, "seconds_taken": float}
_FIGURES = {"frames": int, "transitions": int, "distance_median": float, "components": list, "outside": list}


def check(graph: MotionGraph) -> None:
    """Raise GraphError for shapes, positions or a report that no built graph has."""
    nodes, edges = len(graph.clip), len(graph.start)
    if not nodes > 0 or not _is_number(graph.half) or graph.half < 1:
        raise GraphError("it has no nodes, or no transitions between them")
    shapes = {"clip": nodes, "frame": nodes, "component": nodes, "start": edges, "end": edges}
    shapes |= {"distance": edges, "turn": edges, "shift": edges}
    for name, count in shapes.items():
        values = getattr(graph, name)
        if values.shape != (count,) or (name in _NUMBERS and values.dtype.kind != "i"):
            raise GraphError(f"{name} is of the wrong kind or length")
    if graph.turn.dtype.kind != "f" or graph.distance.dtype.kind != "f" or graph.shift.dtype.kind != "c":
        raise GraphError("distances, turns or shifts are no numbers")
    _check_bodies(graph)
    for ground, clip in zip(graph.inputs.grounds, graph.clips, strict=False):
        if ground.shape != (len(clip),) or ground.dtype != np.float64 or not (np.abs(ground) <= LARGEST).all():
            raise GraphError("the ground under a clip is of the wrong kind or length")
    _check_places(graph, nodes)
    _check_report(graph)


def _is_number(value: object) -> bool:
    """Return whether a value is an int but not a bool, which would index as a mask."""
    return isinstance(value, int) and not isinstance(value, bool)


def _check_bodies(graph: MotionGraph) -> None:
    """Raise GraphError for clips with values or names that no file reader produces."""
    skeleton = graph.clips[0].skeleton
    roles, count = skeleton.roles, len(skeleton)
    if not isinstance(roles, dict) or not all(_is_number(joint) and 0 <= joint < count for joint in roles.values()):
        raise GraphError("a role of the body is played by no joint")
    texts = [graph.name, *skeleton.names, *graph.inputs.labels, *(clip.name for clip in graph.clips)]
    if not all(isinstance(text, str) for text in texts):
        raise GraphError("a name is no text")
    lengths = [skeleton.offsets, skeleton.tips, *(clip.translations for clip in graph.clips)]
    turns = [skeleton.orients, *(clip.rotations for clip in graph.clips)]
    if any(values.dtype != np.float64 for values in (*lengths, *turns)):
        raise GraphError("poses are of another kind of number")
    if any(np.abs(values).max(initial=0.0) > LARGEST for values in lengths):
        raise GraphError("a joint is farther away than anything can be")
    if any(np.abs(np.linalg.norm(values, axis=-1) - 1.0).max(initial=0.0) > 1e-3 for values in turns):
        raise GraphError("a rotation is none")


def _check_places(graph: MotionGraph, nodes: int) -> None:
    """Raise GraphError for nodes outside their clips, and for edges that lead nowhere or back in time."""
    for frames in graph.inputs.frame_maps:
        whole = _is_number(frames.first) and _is_number(frames.cycle) and frames.cycle >= 0
        if not whole or not isinstance(frames.step, (int, float)) or not 0.0 < frames.step < LARGEST:
            raise GraphError("its frames are those of no clip")
    lengths = np.array([len(clip) for clip in graph.clips])
    if graph.clip.min() < 0 or graph.clip.max() >= len(lengths):
        raise GraphError("a node is of no clip")
    if graph.frame.min() < 0 or np.any(graph.frame >= lengths[graph.clip]):
        raise GraphError("a node lies outside its clip")
    here, there = (graph.clip[:-1], graph.frame[:-1]), (graph.clip[1:], graph.frame[1:])
    if np.any((here[0] > there[0]) | ((here[0] == there[0]) & (here[1] >= there[1]))):
        raise GraphError("its nodes are out of order")
    for ends in (graph.start, graph.end):
        if len(ends) and (ends.min() < 0 or ends.max() >= nodes):
            raise GraphError("an edge leads from or to no node")
    stays = graph.clip[graph.start] == graph.clip[graph.end]
    if np.any(~graph.crosses & ~stays) or np.any(graph.lengths < 1):
        raise GraphError("a stretch of a clip goes nowhere")
    before, after = graph.frame[graph.start], graph.frame[graph.end]
    leaving = before + 2 * graph.half >= lengths[graph.clip[graph.start]]
    if np.any(graph.crosses & (leaving | (after < 2 * graph.half))):
        raise GraphError("a transition lies outside its clips")
    if not (np.isfinite(graph.turn).all() and np.isfinite(graph.shift).all()):
        raise GraphError("a turn or a shift is not a number")
    if np.isinf(graph.distance).any():
        raise GraphError("a distance is not a number")
    component = components.strong(nodes, graph.start, graph.end)
    pairs = np.unique(np.column_stack([component, graph.component]), axis=0)
    if not (len(pairs) == len(np.unique(component)) == len(np.unique(graph.component))) or graph.component.min() != 0:
        raise GraphError("its components are not those of its edges")


def _check_report(graph: MotionGraph) -> None:
    """Raise GraphError for a report without the entries required later."""
    for report, kinds in ((graph.report, _REPORTED), (graph.report.get("graph", {}), _FIGURES)):
        for key, kind in kinds.items():
            if not isinstance(report.get(key), (int, float) if kind is float else kind):
                raise GraphError(f"its report has no {key}")
    for key in ("names", "warnings"):
        if not all(isinstance(text, str) for text in graph.report[key]):
            raise GraphError(f"its report has no {key}")
