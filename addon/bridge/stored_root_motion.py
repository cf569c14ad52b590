"""Keep removed root motion in custom properties of the armature, which the action's curves animate."""

from typing import TYPE_CHECKING

import bpy

from ..ground import kept_values
from ..ground.blender_types import has_property

if TYPE_CHECKING:
    from ...core.motion.clip import Clip


def ensure(armature: bpy.types.Object, clip: "Clip") -> None:
    """Add the properties for a clip's root trajectory to an armature; curves without them would not be read again."""
    from ...core.weave import root_trajectory

    for channel in root_trajectory.CHANNELS:
        if channel in clip.channels:
            name = channel.partition('["')[2].partition('"]')[0]
            if not has_property(armature, name):
                kept_values.keep(armature, name, 0.0)
