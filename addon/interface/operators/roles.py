"""Find the bones of the body roles by name, and let the artist correct them."""

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties, target_armature
from ...services.sources import body_roles, control_table, source_warnings
from . import polls, reports


class ACTION_LOOM_OT_find_roles(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.find_roles"
    bl_label = "Find Body Roles"
    bl_description = "Find hips, spine, legs and arms; bones chosen by hand are replaced"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import rig as rigs

        armature = present(target_armature.armature(context))
        rigs.set_roles(armature, {})
        found = body_roles.look_up(properties.ensure_rig(scene_of(context), armature))
        self.report({"INFO"}, f"{found} of {len(rigs.ROLES)} roles found")
        return {"FINISHED"}


class ACTION_LOOM_OT_accept_roles(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.accept_roles"
    bl_label = "These Are Right"
    bl_description = "Confirm the body roles that were guessed from the shape"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.armature(context))
        rig = properties.ensure_rig(scene_of(context), armature)
        guessed = [line for line in rig.roles if line.found_by == "SHAPE"]
        body_roles.accept(armature, {line.name: line.bone for line in guessed})
        source_warnings.roles_accepted(rig, armature, len(guessed))
        body_roles.look_up(rig)
        self.report({"INFO"}, f"{len(guessed)} roles kept")
        return {"FINISHED"}


class ACTION_LOOM_OT_set_role(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.set_role"
    bl_label = "Set Body Role"
    bl_description = "Choose the bone for this body role"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    # such as hips, spine, thigh.L, foot.R
    role: bpy.props.StringProperty(options={"HIDDEN"})
    # its name; empty if no bone plays the role
    bone: bpy.props.StringProperty(options={"HIDDEN"})

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import rig as rigs

        armature = present(target_armature.armature(context))
        chosen = rigs.chosen_roles(armature) | {self.role: self.bone}
        rigs.set_roles(armature, chosen)
        body_roles.look_up(properties.ensure_rig(scene_of(context), armature))
        return {"FINISHED"}


class ACTION_LOOM_OT_find_controls(polls.OnArmature, bpy.types.Operator):
    bl_idname = "action_loom.find_controls"
    bl_label = "Find Controls"
    bl_description = "Find the controls that move the body; controls chosen by hand are replaced"
    bl_options = {"REGISTER", "UNDO"}

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import control_body

        armature = present(target_armature.armature(context))
        control_body.forget(armature)
        count = control_table.look_up(properties.ensure_rig(scene_of(context), armature))
        words = f"{count} controls found" if count else "its bones are keyed themselves: there are no controls"
        self.report({"INFO"}, f"{armature.name}: {words}")
        return {"FINISHED"}


register = registrar.registration(
    (ACTION_LOOM_OT_find_roles, ACTION_LOOM_OT_accept_roles, ACTION_LOOM_OT_set_role, ACTION_LOOM_OT_find_controls)
)
