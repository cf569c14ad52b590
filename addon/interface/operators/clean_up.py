"""Clean up the curves of the armature's action, or of each ticked one."""

import bpy

from ....core.errors import LoomError
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import lists, properties, target_armature
from ...services.sources import source_list
from . import polls, reports


class ACTION_LOOM_OT_clean_up(bpy.types.Operator):
    bl_idname = "action_loom.clean_up"
    bl_label = "Clean Up"
    bl_description = "Remove jumps and useless curves, close cycles and tidy names; poses change only where a jump was"
    bl_options = {"REGISTER", "UNDO"}

    eulers: bpy.props.BoolProperty(
        name="Euler Filter",
        description=(
            "Remove jumps of angles between keys up to three frames apart; keys farther apart may be meant to spin"
        ),
        default=True,
    )
    signs: bpy.props.BoolProperty(
        name="Quaternion Signs",
        description="Keep quaternions from turning a bone the long way round",
        default=True,
    )
    cycles: bpy.props.BoolProperty(
        name="Close Cycles",
        description="Make the last key of a repeating curve equal to its first where they nearly match",
        default=True,
    )
    constant: bpy.props.BoolProperty(
        name="Constant Curves",
        description="Remove curves of bones at rest, and keep one key of bones that stay elsewhere",
        default=True,
    )
    names: bpy.props.BoolProperty(
        name="Names and Slots",
        description=(
            "Name groups after bones, the slot after the armature and 'Armature|walk|Layer0' just 'walk'; remove"
            " empty groups and slots"
        ),
        default=True,
    )
    keep_copy: bpy.props.BoolProperty(
        name="Keep a Copy", description="Keep a copy of the action as it was", default=True
    )

    which: bpy.props.EnumProperty(name="Actions", items=lists.OWN)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        actions = _actions(context, _which(context))
        if not actions:
            return polls.poll_action(cls, context)
        if len(actions) == 1 and (actions[0].library is not None or actions[0].override_library is not None):
            cls.poll_message_set(f"{actions[0].name} is linked: make it local first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...bridge import curve_cleaning  # numpy is loaded at first use, not when Blender starts
        from ...bridge.cleaning import Steps

        if not self.properties.is_property_set("which"):
            self.which = _which(context)
        armature = present(target_armature.armature(context))
        steps = Steps(self.eulers, self.signs, self.cycles, self.constant, self.names)
        refused, notes, summaries = [], [], []
        for action in _actions(context, self.which):
            try:
                done, kept = curve_cleaning.clean(armature, action, steps, keep_copy=self.keep_copy)
            except LoomError as error:
                refused.append(str(error))
                continue
            notes += done.notes
            summaries.append(curve_cleaning.summary(action, done, kept))
        if not summaries:
            self.report({"ERROR"}, "; ".join(refused) or f"No action of {armature.name} is ticked")
            return {"CANCELLED"}
        reports.report(self, dict.fromkeys([*refused, *notes]), *summaries)
        return {"FINISHED"}


def _which(context: bpy.types.Context) -> str:
    """Return the default choice of actions: the panel's for a button, the armature's own action for a script."""
    return (
        str(properties.settings_of(scene_of(context)).edit_which)
        if target_armature.invoked_from_panel(context)
        else lists.PLAYED
    )


def _actions(context: bpy.types.Context, which: str) -> list[bpy.types.Action]:
    return source_list.own_actions(scene_of(context), present(target_armature.armature(context)), which)


register = registrar.registration((ACTION_LOOM_OT_clean_up,))
