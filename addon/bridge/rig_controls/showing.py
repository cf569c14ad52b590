"""Evaluate a rig's bones with given keys of its controls, on copies of the rig."""

from collections.abc import Collection, Mapping, Sequence

import bpy
import numpy as np

from ....core.motion.quat import Array
from ...ground import steps
from . import graph
from .playing import Stand, playing

_SOME = 96  # frames evaluated in one step


def shown_in_steps(
    armature: bpy.types.Object,
    basis: Mapping[str, Array],
    bones: Sequence[str],
    settings: Mapping[str, float],
    idle: Collection[str] = (),
) -> steps.Steps[Array]:
    """Return bones (F, B, 4, 4) in the armature's space for given transforms (F, 4, 4) of controls in their own axes.

    settings : temporary values of properties, by path; idle : other controls at rest
    The rig itself is not changed; nothing remains in Blender between steps.
    """
    count = len(next(iter(basis.values())))
    depends = graph.read(armature)
    stand = Stand(frozenset({*basis, *idle}), settings, tuple(bones))
    pieces = []
    for first in range(0, count, _SOME):
        yield first / count, f"Looking at frame {first:,} of {count:,}"
        last = min(first + _SOME, count)
        with playing(armature, depends, stand, last - first) as player:
            here = {name: one[first:last] for name, one in basis.items()}
            pieces.append(player.show(here, np.arange(last - first)))
    return np.concatenate(pieces)
