"""Blending actions of one armature into a new one."""

import bpy

from ...core.recipes import Blend
from .. import properties
from .making import Weaving


@properties.with_options(Blend)
class ACTION_LOOM_OT_blend(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.blend"
    bl_label = "Weave"
    bl_description = "Make a new action that lies between the ticked ones"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Blend


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_blend,))
