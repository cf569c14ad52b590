"""Check whether operators can run, and give the reasons for greyed-out buttons."""

from typing import Any

import bpy

from ....core import verbs
from ....core.recipes.base import Recipe
from ...ground.blender_types import OperatorMixin, present, scene_of
from ...model import lists, properties, readiness, target_armature
from ...services.sources import body_roles, source_list


def poll_unless(cls: type[bpy.types.Operator], wrong: Any, why: str) -> bool:
    """Return whether nothing is wrong; set the poll message if something is."""
    if wrong:
        cls.poll_message_set(why)
    return not wrong


def poll_armature(cls: type[bpy.types.Operator], context: bpy.types.Context, *, changes: bool = True) -> bool:
    """Return whether an armature is active and writable (readable, if nothing `changes`); set the poll message."""
    why = readiness.why_not(target_armature.armature(context), changes=changes)
    if not why and changes:
        why = readiness.busy()
    return poll_unless(cls, why, why)


def poll_sources(
    cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None
) -> bool:
    """Return whether there is an armature and, for a button, a valid number of ticked sources; set the poll message."""
    if not target_armature.invoked_from_panel(context):
        return poll_armature(cls, context)
    return poll_ticked(cls, context, least, most)


def poll_ticked(cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None) -> bool:
    """Return whether there is an armature with a valid number of ticked sources; set the poll message."""
    if not poll_armature(cls, context):
        return False
    rig = properties.rig_of(scene_of(context), target_armature.armature(context))
    one = target_armature.action(context) is not None
    # Panels call this whenever they are drawn, so all sources are counted only for the message.
    ticked = 1 if one else len(lists.first_ticked(rig, least if most is None else most + 1))
    if ticked < least or (most is not None and ticked > most):
        ticked = 1 if one else len(lists.ticked_lines(rig))
        needed = f"{least} source{'s' if least > 1 else ''}{' or more' if most is None else ''}"
        cls.poll_message_set(f"Tick {needed} ({ticked} ticked)")
        return False
    return True


def poll_others(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Return whether an armature is active and other armatures with actions are selected; set the poll message."""
    return poll_armature(cls, context) and poll_unless(
        cls,
        not source_list.selected_others(context, target_armature.armature(context)),
        "Select the other armature first, then this one with Shift",
    )


def poll_action(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Return whether an active armature can be changed and has an action; set the poll message."""
    if not poll_armature(cls, context):
        return False
    armature = present(target_armature.armature(context))
    if armature.animation_data is None or armature.animation_data.action is None:
        cls.poll_message_set(f"{armature.name} has no action: play one, or tick actions in the list")
        return False
    return True


_SHOWN_BY_MOTION = {"thighs", "feet"}  # parts in `Verb.needs`
_LEG_ROLES = {f"{part}.{side}" for part in ("thigh", "shin", "foot", "toe") for side in "LR"}


def poll_parts(cls: type[bpy.types.Operator], context: bpy.types.Context, recipe: type[Recipe]) -> bool:
    """Return whether the armature's listed body roles include the roles of a recipe; true before they are listed.

    Motion may show legs that no name tells when the button is pressed, unless the artist has removed their roles.
    """
    armature = target_armature.armature(context)
    rig = properties.rig_of(scene_of(context), armature)
    if armature is None or rig is None or not len(rig.roles):
        return True
    lacking = verbs.lacking({role.name for role in rig.roles if role.bone})
    missing = [part for part in verbs.VERBS[recipe.verb].needs if part in lacking]
    if _SHOWN_BY_MOTION.issuperset(missing) and not body_roles.list_removed_roles(armature).intersection(_LEG_ROLES):
        return True
    return poll_unless(cls, missing, f"{recipe.label} needs {' and '.join(missing)}: name them in Body Roles")


def poll_partner(cls: type[bpy.types.Operator], context: bpy.types.Context, recipe: type[Recipe]) -> bool:
    """Return whether the partner in the panel can be woven, too, for a button; set the poll message."""
    if not target_armature.invoked_from_panel(context):
        return True
    why = source_list.why_no_partner(scene_of(context), target_armature.armature(context), recipe)
    return poll_unless(cls, why, why)


class OnArmature(OperatorMixin):
    """An operator that changes the active armature."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_armature(cls, context)


class OnShownArmature(OperatorMixin):
    """An operator that only reads the active armature."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_armature(cls, context, changes=False)


class OnAction(OperatorMixin):
    """An operator on the action that the active armature plays."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_action(cls, context)


class OnRows(OperatorMixin):
    """An operator on the rows of the armature's take."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not poll_armature(cls, context):
            return False
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        return poll_unless(cls, rig is None or not len(rig.take_rows), "Cut the take into a set first")

    def rig(self, context: bpy.types.Context) -> Any:
        """Return the armature's list, which has the rows."""
        return properties.rig_of(scene_of(context), target_armature.armature(context))
