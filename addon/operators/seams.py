"""Loops and connections: one cycle of an action, and actions one after the other."""

import bpy

from ...core.recipes import Connect, Loop
from .. import properties
from .making import Weaving


@properties.with_options(Loop)
class ACTION_LOOM_OT_loop(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.loop"
    bl_label = "Loop"
    bl_description = "Make one cycle that repeats without a seam out of the ticked action"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Loop
    least = 1


@properties.with_options(Connect)
class ACTION_LOOM_OT_connect(Weaving, bpy.types.Operator):
    bl_idname = "action_loom.connect"
    bl_label = "Connect"
    bl_description = "Make an action that plays the ticked ones one after the other, in the order of the list"
    bl_options = {"REGISTER", "UNDO"}

    recipe = Connect


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_loop, ACTION_LOOM_OT_connect))
