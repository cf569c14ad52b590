"""Splicing: the upper body of one action on the lower body of another."""

import bpy

from ...core.recipes import Splice
from .. import properties
from .making import Weaving


@properties.with_options(Splice)
class ACTION_LOOM_OT_splice(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.splice"
    bl_label = "Splice"
    bl_description = "Put the upper body of the other ticked action onto the lower body of the reference"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Splice
    least = most = 2
    reference_first = True


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_splice,))
