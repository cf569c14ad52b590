"""Add the demo figure."""

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties
from ...services.sources import body_roles, first_ticks, source_list
from . import reports


class ACTION_LOOM_OT_add_demo(bpy.types.Operator):
    bl_idname = "action_loom.add_demo"
    bl_label = "Action Loom Demo"
    bl_description = "Add a skinned figure that can walk, run, sneak, turn, wave and carry"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Change to Object Mode first")
            return False
        if not present(context.layer_collection).is_visible:
            cls.poll_message_set("The active collection is hidden: show it, or make another one active")
            return False
        return True

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.sources import demo  # numpy is loaded at first use, not when Blender starts

        armature = demo.add(context)
        present(context.view_layer).update()  # evaluate the pose, so that a later undo restores it
        rig = properties.ensure_rig(scene_of(context), armature)
        source_list.add_all(rig, armature, bpy.data.actions)
        first_ticks.tick(context, rig, armature)
        body_roles.look_up(rig)
        self.report({"INFO"}, f"{armature.name} added; its actions are listed in the tab Action Loom")
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_add_demo,))
