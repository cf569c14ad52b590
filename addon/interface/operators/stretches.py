"""Add and remove stretches of a curve on which the upper body plays another action; `panels.handles` has their ends."""

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, scene_of
from ...model import properties


class ACTION_LOOM_OT_add_stretch(bpy.types.Operator):
    bl_idname = "action_loom.add_stretch"
    bl_label = "Add Stretch"
    bl_description = "Play another action with the upper body on a part of the curve"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        properties.settings_of(scene_of(context)).stretches.add()
        return {"FINISHED"}


class ACTION_LOOM_OT_remove_stretch(bpy.types.Operator):
    bl_idname = "action_loom.remove_stretch"
    bl_label = "Remove"
    bl_description = "Remove the active row"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # its place among the stretches, from 0
    index: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        stretches = properties.settings_of(scene_of(context)).stretches
        if not 0 <= self.index < len(stretches):
            self.report({"ERROR"}, f"There is no row {self.index}; there are {len(stretches)}, from 0")
            return {"CANCELLED"}
        stretches.remove(self.index)
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_add_stretch, ACTION_LOOM_OT_remove_stretch))
