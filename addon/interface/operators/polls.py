"""When operators can run, and the reasons that they are greyed for."""

import bpy

from ....core import verbs
from ....core.recipes.base import Recipe
from ...ground.blender_types import OperatorMixin, present, scene_of
from ...model import lists, properties, readiness, target_armature
from ...services.sources import source_list


def poll_armature(cls: type[bpy.types.Operator], context: bpy.types.Context, *, changes: bool = True) -> bool:
    """Say whether an armature is active and can be worked on (or read, if nothing `changes`), and else why not."""
    why = readiness.why_not(target_armature.armature(context), changes=changes)
    if why:
        cls.poll_message_set(why)
    return not why


def poll_sources(
    cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None
) -> bool:
    """Say whether an armature is there and, for a button, as many of its sources are ticked as it takes."""
    if not target_armature.by_button(context):
        return poll_armature(cls, context)
    return poll_ticked(cls, context, least, most)


def poll_ticked(cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None) -> bool:
    """Say whether an armature is there with so many of its sources ticked, and else why not."""
    if not poll_armature(cls, context):
        return False
    rig = properties.rig_of(scene_of(context), target_armature.armature(context))
    ticked = len(lists.ticked(rig)) if target_armature.action(context) is None else 1
    if ticked < least or (most is not None and ticked > most):
        needed = f"{least} source{'s' if least > 1 else ''}{' or more' if most is None else ''}"
        cls.poll_message_set(f"Tick {needed}; {ticked} {'is' if ticked == 1 else 'are'}")
        return False
    return True


def poll_others(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Say whether an armature is active and others, whose actions are meant, are selected, and else why not."""
    if not poll_armature(cls, context):
        return False
    if not source_list.selected_others(context, target_armature.armature(context)):
        cls.poll_message_set("Select the armature whose actions are meant, then this one, so that it is active")
        return False
    return True


def poll_action(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Say whether an armature is active that can be worked on and has an action, and else why not."""
    if not poll_armature(cls, context):
        return False
    armature = present(target_armature.armature(context))
    if armature.animation_data is None or armature.animation_data.action is None:
        cls.poll_message_set(f"{armature.name} has no action")
        return False
    return True


def poll_parts(cls: type[bpy.types.Operator], context: bpy.types.Context, recipe: type[Recipe]) -> bool:
    """Say whether the listed body roles of the armature tell of all that a recipe needs; what is not listed yet may."""
    rig = properties.rig_of(scene_of(context), target_armature.armature(context))
    if rig is None or not len(rig.roles):
        return True
    lacking = verbs.lacking({role.name for role in rig.roles if role.bone})
    missing = [part for part in verbs.VERBS[recipe.verb].needs if part in lacking]
    if missing:
        cls.poll_message_set(f"{recipe.label} needs {' and '.join(missing)}: name them in Body Roles")
    return not missing


class OnArmature(OperatorMixin):
    """An operator on the active armature, which it changes."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_armature(cls, context)


class OnShownArmature(OperatorMixin):
    """An operator on the active armature, which it only reads."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_armature(cls, context, changes=False)


class OnAction(OperatorMixin):
    """An operator on the action that the active armature plays."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_action(cls, context)
