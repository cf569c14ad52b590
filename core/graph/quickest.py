"""The walk through a motion graph with the fewest frames (Dial 1969; methods: Following a drawn path)."""

import numpy as np

from .. import jit
from .motion_graph import Indices, MotionGraph


def find_quickest(graph: MotionGraph, start: int, end: int) -> Indices | None:
    """Return the edges of the walk with the fewest frames between two nodes, or None if there is none.

    If several walks have the same number of frames, the result arrives at each node by the edge with the lowest number,
    so that all engines return the same walk.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import quickest
        >>> graph = verbs.apply(verbs.BuildGraph(), [actions.walk()])
        >>> quickest.find_quickest(graph, 0, 0)
        array([], dtype=int64)
    """
    order, first = graph.leaving
    frames = jit.at_hand(__package__).count_frames(first, graph.end[order], graph.lengths[order], start, end)
    if frames[end] < 0:
        return None
    before = frames[graph.start]
    tight = np.flatnonzero((before >= 0) & (before + graph.lengths == frames[graph.end]))[::-1]
    by = np.empty(len(frames), dtype=np.int64)
    by[graph.end[tight]] = tight  # in descending order, so that the lowest number stays
    edges: list[int] = []
    while end != start:
        edges.append(int(by[end]))
        end = int(graph.start[edges[-1]])
    return np.array(edges[::-1], dtype=np.int64)
