"""Measure the upper body's change of posture in transitions, from one person or bearing to another.

The distance of a transition hardly shows it, because legs and travel dominate over differences in the arms.

Method: Following a drawn path.
"""

import numpy as np

from ..motion import quat
from ..motion.quat import Array
from .motion_graph import Indices, MotionGraph

ROLES = ("spine", "chest", *(f"{part}.{side}" for part in ("clavicle", "upper_arm", "forearm") for side in "LR"))


def of_edges(graph: MotionGraph, edges: Indices) -> Array:
    """Return the change (E,) of the upper body's posture in some transitions of a graph, radians.

    It is the root mean square over trunk and arms of the mean rotation between the joints of the two clips, at the
    beginning, middle and end of the transition; 0 for bodies with unknown trunk and arms.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import build, posture_change
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk(), actions.sneak()], GraphOptions(mirror=False))
        >>> bool((posture_change.of_edges(graph, np.flatnonzero(graph.crosses)) >= 0.0).all())
        True
    """
    skeleton = graph.clips[0].skeleton
    joints = [skeleton.roles[role] for role in ROLES if role in skeleton.roles]
    if not joints or skeleton.four_footed or len(edges) == 0:
        return np.zeros(len(edges))
    turns = np.zeros((len(edges), len(joints), 3))
    start, end = graph.start[edges], graph.end[edges]
    steps = (0, graph.half, 2 * graph.half)
    for step in steps:
        left = _poses(graph, joints, graph.clip[start], graph.frame[start] + step)
        entered = _poses(graph, joints, graph.clip[end], graph.frame[end] - 2 * graph.half + step)
        turns += quat.log(quat.mul(quat.inv(left), entered)) / len(steps)
    return np.asarray(np.sqrt((turns**2).sum(axis=(1, 2)) / len(joints)))


def _poses(graph: MotionGraph, joints: list[int], clip: Indices, frame: Indices) -> Array:
    """Return rotations (E, U, 4) of joints at frames (E,) of clips (E,) of a graph."""
    found = np.empty((len(clip), len(joints), 4))
    for number in np.unique(clip):
        of_this = clip == number
        found[of_this] = graph.clips[number].rotations[frame[of_this]][:, joints]
    return found
