"""Check whether our computed rig matches Blender's evaluation."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.progress import Progress
from ...ground import registrar, steps
from ...ground.blender_types import OperatorReturn, armature_data, present, scene_of
from ...model import target_armature
from . import polls
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...bridge.rig_check import Checked


class ACTION_LOOM_OT_check(polls.OnAction, BackgroundOperator, bpy.types.Operator):
    bl_idname = "action_loom.check"
    bl_label = "Check Rig"
    bl_description = "Check that Action Loom poses this rig exactly as Blender does; nothing is changed"
    bl_options = {"REGISTER"}

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Checked]":
        from ...bridge import (
            curves,
            rig_check,  # numpy is loaded at first use, not when Blender starts
        )

        armature = present(target_armature.armature(context))
        self._armature = armature.session_uid
        action = present(present(armature.animation_data).action)
        slot = curves.choose_slot(action, armature)
        objects = list(scene_of(context).objects)
        return rig_check.check_in_steps(scene_of(context), armature, action, slot, objects)

    @staticmethod
    def compute(inputs: "Checked", _progress: Progress) -> "Checked":
        return inputs

    def finish(self, context: bpy.types.Context, inputs: "Checked", made: "Checked") -> OperatorReturn:
        from ...services.sources import rig_checks

        rig_checks.keep(self._armature, made)
        for note in made.notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"} if made.same else {"WARNING"}, made.summary)
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
