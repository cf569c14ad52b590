"""Filling and ordering the list of sources."""

from typing import Any

import bpy

from ...core.errors import LoomError
from .. import properties
from . import common, roles


class ACTION_LOOM_OT_add_sources(bpy.types.Operator):
    bl_idname = "action_loom.add_sources"
    bl_label = "Add All Actions"
    bl_description = "List every action that moves bones of the active armature"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        rig = properties.ensure_rig(context.scene, armature)
        for k in reversed(range(len(rig.sources))):
            if rig.sources[k].action is None:
                rig.sources.remove(k)
        listed = {source.action for source in rig.sources}
        found = [a for a in bpy.data.actions if a not in listed and moves(a, armature)]
        ticked = sum(source.use for source in rig.sources)
        for action in found:
            # Two are enough to begin with; all of an armature's actions in one blend are seldom what is wanted.
            ticked += add(rig, action, use=ticked < 2).use
        roles.look_up(rig)
        look_at(context, armature, properties.ticked(rig))
        self.report({"INFO"}, f"{len(found)} actions of {armature.name} added")
        return {"FINISHED"}


class ACTION_LOOM_OT_add_active_source(bpy.types.Operator):
    bl_idname = "action_loom.add_active_source"
    bl_label = "Add Active Action"
    bl_description = "List the action that the active armature has now"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_armature(cls, context):
            return False
        if context.object.animation_data is None or context.object.animation_data.action is None:
            cls.poll_message_set(f"{context.object.name} has no action")
            return False
        return True

    def execute(self, context: Any) -> set[str]:
        armature = context.object
        action = armature.animation_data.action
        if not moves(action, armature):
            self.report({"ERROR"}, f"{action.name} moves no bone of {armature.name}")
            return {"CANCELLED"}
        rig = properties.ensure_rig(context.scene, armature)
        source = add(rig, action, use=True)
        slot = getattr(armature.animation_data, "action_slot", None)
        if slot is not None and len(action.slots) > 1:
            source.slot = slot.identifier
        rig.active = len(rig.sources) - 1
        roles.look_up(rig)
        look_at(context, armature, [source])
        return {"FINISHED"}


class OnList:
    """An operator on the active line of the armature's list."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls: Any, context: Any) -> bool:
        if not common.poll_armature(cls, context):
            return False
        rig = properties.rig_of(context.scene, context.object)
        if rig is None or not 0 <= rig.active < len(rig.sources):
            cls.poll_message_set("The list of sources is empty")
            return False
        return True


class ACTION_LOOM_OT_remove_source(OnList, bpy.types.Operator):
    bl_idname = "action_loom.remove_source"
    bl_label = "Remove"
    bl_description = "Take the active source off the list; the action stays"

    def execute(self, context: Any) -> set[str]:
        rig = properties.rig_of(context.scene, context.object)
        removed = rig.active
        rig.sources.remove(removed)
        if removed < rig.reference:
            rig.reference -= 1
        elif removed == rig.reference:
            rig.reference = 0
        rig.active = min(removed, len(rig.sources) - 1)
        return {"FINISHED"}


class ACTION_LOOM_OT_move_source(OnList, bpy.types.Operator):
    bl_idname = "action_loom.move_source"
    bl_label = "Move"
    bl_description = "Move the active source up or down"

    down: bpy.props.BoolProperty(name="Down", description="Move it down, not up", default=False)

    def execute(self, context: Any) -> set[str]:
        rig = properties.rig_of(context.scene, context.object)
        here, there = rig.active, rig.active + (1 if self.down else -1)
        if not 0 <= there < len(rig.sources):
            return {"CANCELLED"}
        rig.sources.move(here, there)
        rig.reference = {here: there, there: here}.get(rig.reference, rig.reference)
        rig.active = there
        return {"FINISHED"}


class ACTION_LOOM_OT_set_reference(OnList, bpy.types.Operator):
    bl_idname = "action_loom.set_reference"
    bl_label = "Reference"
    bl_description = "Take time, body and place of the result from this source"

    index: bpy.props.IntProperty(name="Source", description="Its place in the list, from 0", default=0, min=0)

    def execute(self, context: Any) -> set[str]:
        rig = properties.rig_of(context.scene, context.object)
        if self.index >= len(rig.sources):
            self.report({"ERROR"}, f"There is no source {self.index}; the list has {len(rig.sources)}")
            return {"CANCELLED"}
        rig.reference = self.index
        return {"FINISHED"}


def add(rig: Any, action: Any, *, use: bool) -> Any:
    """Add a line for an action to a list and return it, in a colour of its own."""
    taken = [tuple(round(c, 2) for c in source.color) for source in rig.sources]
    free = [color for color in properties.COLORS if color not in taken] or list(properties.COLORS)
    source = rig.sources.add()
    source.action, source.use, source.color = action, use, free[0]
    first, last = action.frame_range
    source.first, source.last = round(first), round(last)
    return source


def look_at(context: Any, armature: Any, lines: list[Any]) -> None:
    """Read the actions of some lines and put beside them what looks wrong; silent about what can't be read."""
    from .. import doubts, weaving

    for line in lines:
        request = weaving.Request((weaving.SourceRequest(line.action.name_full, line.rate, line.slot),))
        try:
            read = weaving.read(context, armature, request)
        except LoomError:
            continue  # weaving will say why
        doubts.note(context, armature, request, read)


def moves(action: Any, armature: Any) -> bool:
    """Say whether an action has curves for bones of an armature."""
    from ..bridge import curves  # numpy is loaded at first use, not when Blender starts

    slots = curves.suitable_slots(action) if hasattr(action, "slots") else [None]
    bones = armature.data.bones
    return any(target.bone in bones for slot in slots for target in curves.transforms(curves.of(action, slot)))


register, unregister = bpy.utils.register_classes_factory(
    (
        ACTION_LOOM_OT_add_sources,
        ACTION_LOOM_OT_add_active_source,
        ACTION_LOOM_OT_remove_source,
        ACTION_LOOM_OT_move_source,
        ACTION_LOOM_OT_set_reference,
    )
)
