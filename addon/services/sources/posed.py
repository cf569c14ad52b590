"""The action with the keyed poses for Fill: its frames, and the ticked actions that provide the motion."""

from typing import Any

import bpy

from ....core.options import declared_options
from ....core.verbs import Fill
from ...ground.blender_types import SlottedAction
from ...model import contact_rows, lists, properties


def action_of(armature: bpy.types.Object) -> bpy.types.Action | None:
    """Return the action with the poses for Fill: the one played by an armature."""
    data = armature.animation_data
    return None if data is None else data.action


def sources(rig: Any, armature: bpy.types.Object) -> list[Any]:
    """Return the ticked lines that fill gaps: all except the armature's own action, and its filled versions."""
    action = action_of(armature)
    return [line for line in lists.ticked_lines(rig) if not (line.action == action and lists.is_own(line))]


def missing(rig: Any, armature: bpy.types.Object) -> str:
    """Return the missing prerequisite as a sentence, "" if everything is there."""
    if action_of(armature) is None:
        return "Key poses in an action of the armature"
    nothing = "Tick the actions to fill from; the armature's own has the poses"
    return "" if rig is not None and sources(rig, armature) else nothing


def keys(armature: bpy.types.Object, span: tuple[int, int] | None) -> str:
    """Return the keyed frames of an armature's action, counted from 0, as the recipe's text."""
    from ...bridge import keyed_poses  # numpy is loaded at first use, not when Blender starts

    action = action_of(armature)
    if action is None:
        return ""
    first, last = contact_rows.frames_of(action, span)
    frames = [frame for frame in keyed_poses.frames_of(*_find_slotted(armature, action)) if first <= frame <= last]
    return (
        declared_options(Fill)["key_frames"].as_text((tuple(float(frame - first) for frame in frames),))
        if frames
        else ""
    )


def state(rig: Any) -> tuple[int, ...]:
    """Return values that change with the poses to fill between."""
    from ...bridge import keyed_poses

    armature = properties.armature_of(rig)
    action = None if armature is None else action_of(armature)
    return () if armature is None or action is None else keyed_poses.state(*_find_slotted(armature, action))


def _find_slotted(armature: bpy.types.Object, action: bpy.types.Action) -> SlottedAction:
    from ...bridge import curves

    return action, curves.choose_slot(action, armature)
