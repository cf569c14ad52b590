"""Add, remove and drag stretches of a curve on which the upper body plays another action."""

from typing import Any

import bpy

from ....core.errors import LoomError
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import properties
from ..pictures import stretch_handles


class ACTION_LOOM_OT_add_stretch(bpy.types.Operator):
    bl_idname = "action_loom.add_stretch"
    bl_label = "Add Stretch"
    bl_description = "Play another action with the upper body on a part of the curve"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        properties.settings_of(scene_of(context)).stretches.add()
        return {"FINISHED"}


class ACTION_LOOM_OT_remove_stretch(bpy.types.Operator):
    bl_idname = "action_loom.remove_stretch"
    bl_label = "Remove Stretch"
    bl_description = "Remove this stretch"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    index: bpy.props.IntProperty(
        name="Stretch", description="Its place among the stretches, from 0", options={"SKIP_SAVE"}
    )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        stretches = properties.settings_of(scene_of(context)).stretches
        if not 0 <= self.index < len(stretches):
            self.report({"ERROR"}, f"There is no stretch {self.index}; there are {len(stretches)}, from 0")
            return {"CANCELLED"}
        stretches.remove(self.index)
        return {"FINISHED"}


class ACTION_LOOM_OT_drag_stretches(bpy.types.Operator):
    bl_idname = "action_loom.drag_stretches"
    bl_label = "Drag on Curve"
    bl_description = "Show the stretches on the curve and drag their ends; right-click cancels"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty(
        name="Stretch", description="For scripts: its place among the stretches, from 0", options={"SKIP_SAVE"}
    )
    start: bpy.props.FloatProperty(
        name="From", description="For scripts: where on the curve it is to begin", default=40.0, min=0.0, max=100.0
    )
    end: bpy.props.FloatProperty(
        name="To", description="For scripts: where on the curve it is to end", default=70.0, min=0.0, max=100.0
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = properties.settings_of(scene_of(context))
        why = "" if settings.curve is not None else "Choose a curve to walk along"
        why = why or ("" if len(settings.stretches) else "Add a stretch first")
        if why:
            cls.poll_message_set(why)
        return not why

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        stretches = properties.settings_of(scene_of(context)).stretches
        if not 0 <= self.index < len(stretches):
            self.report({"ERROR"}, f"There is no stretch {self.index}; there are {len(stretches)}, from 0")
            return {"CANCELLED"}
        stretches[self.index].start, stretches[self.index].end = self.start, self.end
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> OperatorReturn:
        area = context.area
        if area is None or area.type != "VIEW_3D":
            self.report({"ERROR"}, "Stretches are dragged in a 3D view: press the button in its sidebar")
            return {"CANCELLED"}
        settings = properties.settings_of(scene_of(context))
        try:
            self._path = stretch_handles.drawn_path(settings.curve)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._before = [(one.start, one.end) for one in settings.stretches]
        self._held: tuple[int, str] | None = None
        stretch_handles.show(self._path)
        present(context.window_manager).modal_handler_add(self)
        area.tag_redraw()
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        settings, area = properties.settings_of(scene_of(context)), present(context.area)
        area.tag_redraw()
        if event.type in {"ESC", "RIGHTMOUSE"}:
            for one, (start, end) in zip(settings.stretches, self._before, strict=True):
                one.start, one.end = start, end
            return self._ended({"CANCELLED"})
        region = next(one for one in area.regions if one.type == "WINDOW")
        mouse = (event.mouse_x - region.x, event.mouse_y - region.y)
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            self._held = stretch_handles.nearest(self._path, settings.stretches, region, mouse)
            return {"RUNNING_MODAL"} if self._held is not None else {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._held is not None:
            scene_of(context).update_tag()  # so that the preview follows
            return self._ended({"FINISHED"})
        if event.type == "MOUSEMOVE" and self._held is not None:
            self._drag(settings.stretches, stretch_handles.share_at(self._path, region, mouse))
            return {"RUNNING_MODAL"}
        return {"PASS_THROUGH"}

    def _drag(self, stretches: Any, share: float) -> None:
        """Move the held end to a share of the curve, but not beyond the other end."""
        assert self._held is not None
        index, end = self._held
        one, percent = stretches[index], 100.0 * share
        if end == "start":
            one.start = min(percent, one.end - stretch_handles.LEAST)
        else:
            one.end = max(percent, one.start + stretch_handles.LEAST)

    def _ended(self, how: OperatorReturn) -> OperatorReturn:
        stretch_handles.hide()
        return how

    def cancel(self, _context: bpy.types.Context) -> None:
        stretch_handles.hide()


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_OT_add_stretch, ACTION_LOOM_OT_remove_stretch, ACTION_LOOM_OT_drag_stretches)
)
