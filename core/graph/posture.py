"""Spread the upper body's change of posture at transitions over more time than the legs (methods: Motion graph).

Legs must blend within a step. Arms and trunk would visibly jump if they changed from one person's posture to another's
in this time.
"""

from dataclasses import replace

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from .edge_table import fade
from .motion_graph import Indices, MotionGraph

SECONDS = 1.0  # duration of the upper body's change


def ease_posture(graph: MotionGraph, clip: Clip, edge: Indices, frame: Indices) -> Clip:
    """Return a walk (F frames) with the upper body's posture changing over a second at each transition.

    edge, frame (F,) : as in `assemble.Origin`

    Only the mean difference of joint rotations within a transition is redistributed in time; their motion is kept.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import assemble, build, posture
        >>> from action_loom.core.recipes.graph import GraphOptions
        >>> graph = build.build([actions.walk()], GraphOptions(mirror=False))
        >>> walk = assemble.assemble(graph, [assemble.WalkPiece(0, 0, 64)])
        >>> posture.ease_posture(graph, walk.clip, walk.origin.edge, walk.origin.frame) is walk.clip  # no transition
        True
    """
    joints = _upper_joints(graph)
    half = max(round(0.5 * SECONDS * graph.rate), graph.half)
    again = np.concatenate([[False], (np.diff(edge) == 0) & (np.diff(frame) > 0)])
    begins = np.flatnonzero((edge >= 0) & ~again)
    if len(joints) == 0 or len(begins) == 0 or half == graph.half:
        return clip
    at, long = np.arange(-half, half + 1), fade(2 * half)
    short = np.concatenate([np.zeros(half - graph.half), fade(2 * graph.half), np.ones(half - graph.half)])
    turned = np.zeros((len(clip), len(joints), 3))
    for first in begins:
        over = int(edge[first])
        middle = first + graph.half - int(frame[first] - graph.frame[graph.start[over]])
        inside = (middle + at >= 0) & (middle + at < len(clip))
        turned[(middle + at)[inside]] += (long - short)[inside, None, None] * _difference(graph, over, joints)
    rotations = clip.rotations.copy()
    rotations[:, joints] = quat.mul(rotations[:, joints], quat.exp(turned))
    return replace(clip, rotations=rotations)


def _upper_joints(graph: MotionGraph) -> Indices:
    """Return the joints above the hips of a body on two legs; none if they are not known."""
    skeleton = graph.clips[0].skeleton
    if "spine" not in skeleton.roles or skeleton.four_footed:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(skeleton.with_below([skeleton.roles["spine"]]))


def _difference(graph: MotionGraph, edge: int, joints: Indices) -> Array:
    """Return the mean rotation vectors (U, 3) from the first clip's joints to the second's within a transition."""
    start, end, steps = graph.start[edge], graph.end[edge], np.arange(2 * graph.half + 1)
    first = graph.clips[graph.clip[start]].rotations[(graph.frame[start] + steps)[:, None], joints]
    second = graph.clips[graph.clip[end]].rotations[(graph.frame[end] - steps[::-1])[:, None], joints]
    return np.asarray(quat.log(quat.mul(quat.inv(first), second)).mean(axis=0))
