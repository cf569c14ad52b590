"""Show which way a rig's bones go with given keys of its controls, on copies of the rig."""

from collections.abc import Collection, Mapping, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ....core.motion.quat import Array
from ...ground import steps
from .probe import on_copy

_SOME = 32  # frames that are evaluated in one step


def shown_in_steps(
    armature: bpy.types.Object,
    basis: Mapping[str, Array],
    bones: Sequence[str],
    settings: Mapping[str, float],
    idle: Collection[str] = (),
) -> steps.Steps[Array]:
    """Return bones (F, B, 4, 4) in the armature's space, while controls have their own transforms (F, 4, 4).

    settings : values that properties have meanwhile, by path; idle : other controls that are at rest
    The rig itself is not changed; between steps nothing is left in Blender.
    """
    count = len(next(iter(basis.values())))
    pieces = []
    for first in range(0, count, _SOME):
        yield first / count, f"Looking at {first:,} of {count:,} frames"
        with on_copy(armature, {*basis, *idle}) as probe:
            probe.switch(settings)
            order = [probe.index[name] for name in bones]
            for frame in range(first, min(first + _SOME, count)):
                for name, one in basis.items():
                    probe.bones[name].matrix_basis = Matrix(one[frame].tolist())
                pieces.append(probe.pose({})[order])
    return np.stack(pieces)
