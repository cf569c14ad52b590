"""Cleaning the curves of the armature's action up."""

import bpy

from ...core.errors import LoomError
from .. import meant
from ..blender_types import OperatorReturn, present
from . import base


class ACTION_LOOM_OT_clean_up(bpy.types.Operator):
    bl_idname = "action_loom.clean_up"
    bl_label = "Clean Up"
    bl_description = (
        "Take jumps off the curves of the armature's action, close its cycles, drop curves that do nothing and tidy"
        " names; the pose stays as it is but where a jump was"
    )
    bl_options = {"REGISTER", "UNDO"}

    eulers: bpy.props.BoolProperty(
        name="Euler Filter",
        description=(
            "Let angles go on without jumps over whole turns and to the other triple of the same rotation, between keys"
            " up to three frames apart: those farther apart may be meant to spin"
        ),
        default=True,
    )
    signs: bpy.props.BoolProperty(
        name="Quaternion Signs",
        description="Give neighbouring quaternions the sign with which a bone does not turn the long way round",
        default=True,
    )
    cycles: bpy.props.BoolProperty(
        name="Close Cycles",
        description="Let the last key of a curve that repeats be its first, where they differ a little",
        default=True,
    )
    constant: bpy.props.BoolProperty(
        name="Constant Curves",
        description="Remove curves of bones that stay at rest, and leave one key to those that stay elsewhere",
        default=True,
    )
    names: bpy.props.BoolProperty(
        name="Names and Slots",
        description=(
            "Name groups after bones, the slot after the armature, and actions such as"
            " 'Armature|walk|Layer0' by what tells; remove groups and slots that are empty"
        ),
        default=True,
    )
    keep_copy: bpy.props.BoolProperty(
        name="Keep a Copy", description="Keep the action as it was, as another one", default=True
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not base.poll_action(cls, context):
            return False
        action = present(present(present(meant.armature(context)).animation_data).action)
        if action.library is not None or action.override_library is not None:
            cls.poll_message_set(f"{action.name} is linked: make it local first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from .. import curve_cleaning  # numpy is loaded at first use, not when Blender starts
        from ..bridge.cleaning import Steps

        armature = present(meant.armature(context))
        action = present(present(armature.animation_data).action)
        steps = Steps(self.eulers, self.signs, self.cycles, self.constant, self.names)
        try:
            done, kept = curve_cleaning.clean(armature, action, steps, keep_copy=self.keep_copy)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        base.report(self, done.notes, curve_cleaning.said(action, done, kept))
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_OT_clean_up,))
