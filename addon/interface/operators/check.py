"""Check whether our computed rig matches Blender's evaluation."""

from typing import Any

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, armature_data, present, scene_of
from ...model import target_armature
from . import polls, reports


class ACTION_LOOM_OT_check(polls.OnAction, bpy.types.Operator):
    bl_idname = "action_loom.check"
    bl_label = "Check Rig"
    bl_description = "Check that Action Loom poses this rig exactly as Blender does; nothing is changed"
    bl_options = {"REGISTER"}

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import (
            curves,
            rig_check,  # numpy is loaded at first use, not when Blender starts
        )
        from ...services.sources import rig_checks

        armature = present(target_armature.armature(context))
        action = present(present(armature.animation_data).action)
        slot = curves.choose_slot(action, armature)
        with reports.show_progress(context) as progress:
            objects = list(scene_of(context).objects)
            checked = rig_check.check(scene_of(context), armature, action, slot, objects, progress)
        rig_checks.keep(armature.session_uid, checked)
        for note in checked.notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"} if checked.same else {"WARNING"}, checked.summary)
        return {"FINISHED"}


class ACTION_LOOM_OT_select_bone(polls.OnShownArmature, bpy.types.Operator):
    bl_idname = "action_loom.select_bone"
    bl_label = "Select Bone"
    bl_description = "Select this bone of the armature and make it the active one"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # its name
    bone: bpy.props.StringProperty(options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.armature(context))
        bones = armature_data(armature).bones
        if self.bone not in bones:
            self.report({"ERROR"}, f"{armature.name} has no bone {self.bone!r}")
            return {"CANCELLED"}
        # Since 5.0 bones are selected in the pose.
        holders: Any = present(armature.pose).bones if "select" in bpy.types.PoseBone.bl_rna.properties else bones
        for holder in holders:
            holder.select = holder.name == self.bone
        bones.active = bones[self.bone]
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_check, ACTION_LOOM_OT_select_bone))
