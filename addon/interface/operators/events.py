"""Edit the list of events to move or hold: add rows at the playhead, move them to it, remove them."""

from typing import Any

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorMixin, OperatorReturn, scene_of
from ...model import properties
from . import polls


def _rows(context: bpy.types.Context) -> Any:
    return properties.settings_of(scene_of(context)).events


class ACTION_LOOM_OT_add_event(polls.OnAction, bpy.types.Operator):
    bl_idname = "action_loom.add_event"
    bl_label = "Add Event"
    bl_description = "Add the current frame as an event to move or hold"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings, frame = properties.settings_of(scene_of(context)), scene_of(context).frame_current
        if any(row.first == frame for row in settings.events):
            self.report({"ERROR"}, f"There is an event at frame {frame} already: go to another frame")
            return {"CANCELLED"}
        row = settings.events.add()
        row.first = row.to = frame
        settings.active_event = len(settings.events) - 1
        return {"FINISHED"}


class _OnEvent(OperatorMixin):
    """An operator on the active row."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_armature(cls, context) and polls.poll_unless(
            cls,
            not 0 <= properties.settings_of(scene_of(context)).active_event < len(_rows(context)),
            "Add an event first: go to its frame and press +",
        )


class ACTION_LOOM_OT_remove_event(_OnEvent, bpy.types.Operator):
    bl_idname = "action_loom.remove_event"
    bl_label = "Remove"
    bl_description = "Remove the active row"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        settings.events.remove(settings.active_event)
        settings.active_event = max(min(settings.active_event, len(settings.events) - 1), 0)
        return {"FINISHED"}


class ACTION_LOOM_OT_event_to_here(_OnEvent, bpy.types.Operator):
    bl_idname = "action_loom.event_to_here"
    bl_label = "To Current Frame"
    bl_description = "Move the active event to the current frame"

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        settings = properties.settings_of(scene_of(context))
        settings.events[settings.active_event].to = scene_of(context).frame_current
        return {"FINISHED"}


register = registrar.registration((ACTION_LOOM_OT_add_event, ACTION_LOOM_OT_remove_event, ACTION_LOOM_OT_event_to_here))
