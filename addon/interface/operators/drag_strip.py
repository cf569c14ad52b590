"""Drag weight keys, seams, contacts and borders of takes in the strip."""

import json
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from ...model.spans import Handle
from ...services.preview import strips, take_strip
from ..pictures import timeline_strip
from . import polls

if TYPE_CHECKING:
    from ...services.preview.strip_edits import Edit

OFTEN = 0.1  # s between two updates of the ghost
KEYMAP, KEYMAP_OF_VIEW = "Dopesheet", "3D View"  # the first: Dope Sheet and Timeline


class ACTION_LOOM_OT_drag_strip(bpy.types.Operator):
    bl_idname = "action_loom.drag_strip"
    bl_label = "Drag in Strip"
    bl_description = (
        "Drag a weight key, a seam, the end of a contact or the border of a row in the strip at the timeline"
    )
    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}

    # for scripts: what is dragged
    kind: bpy.props.EnumProperty(
        items=[
            (strips.WEIGHT, strips.WEIGHT, ""),
            (strips.SEAM, strips.SEAM, ""),
            (strips.FADE, strips.FADE, ""),
            (strips.CONTACT, strips.CONTACT, ""),
            (strips.PIN, strips.PIN, ""),
            (take_strip.BORDER, take_strip.BORDER, ""),
        ],
        options={"HIDDEN", "SKIP_SAVE"},
    )
    # for scripts: which, from 0
    number: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    # for scripts: 0 is the first frame of a contact or row, 1 its last; of weights, below which source; of pins, 0 is a
    # pose, 1 a stretch
    part: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    # for scripts: where to, in the scene
    frame: bpy.props.FloatProperty(options={"HIDDEN"})
    # for scripts: the share of the sources before it
    level: bpy.props.FloatProperty(min=0.0, max=1.0, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.area is None:
            return polls.poll_armature(cls, context)
        return timeline_strip.has_handles(context)  # called at every mouse press there

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature, shown = target_armature.of_tab(context), strips.of(context)
        handles = () if shown is None else shown.strip.handles
        which = {strips.SEAM: (self.number,), strips.FADE: (self.number,)}.get(self.kind, (self.number, self.part))
        handle = next((one for one in handles if (one.kind, one.which) == (self.kind, which)), None)
        if armature is None or shown is None or handle is None:
            self.report({"ERROR"}, "The strip shows no such handle: assign a result, or find its contacts")
            return {"CANCELLED"}
        edit = self._begin(context, armature, shown, handle)
        edit.to(self.frame, self.level)
        return self._keep(context, edit, "EXEC_DEFAULT")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        armature = target_armature.of_tab(context)
        found = timeline_strip.find_handle(context, (event.mouse_region_x, event.mouse_region_y))
        if found is None or armature is None:
            return {"PASS_THROUGH"}
        shown, handle = found
        self._handle, self._edit = handle, self._begin(context, armature, shown, handle)
        self._moved = False
        manager = present(context.window_manager)
        self._timer = manager.event_timer_add(OFTEN, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _begin(self, context: bpy.types.Context, armature: bpy.types.Object, shown: Any, handle: Handle) -> "Edit":
        from ...services.preview import strip_edits

        return strip_edits.begin(scene_of(context), armature, shown, handle)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if event.type in {"ESC", "RIGHTMOUSE"}:
            self._edit.back()
            return self._end_drag(context, {"CANCELLED"})
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._end_drag(context, {"FINISHED"})
            return self._keep(context, self._edit, "INVOKE_DEFAULT") if self._moved else {"CANCELLED"}
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            mouse = (event.mouse_region_x, event.mouse_region_y)
            frame, level = timeline_strip.place_at(context, self._handle.row, mouse)
            timeline_strip.show_dragged(self._edit.to(frame, level))
            self._moved = True
            hint = f"Frame {round(frame)}: release to keep it; Esc or right-click cancels"
            present(context.workspace).status_text_set(translate_text(hint))
        elif event.type == "TIMER" and self._moved:
            self._let_ghost_follow(context)
        return {"RUNNING_MODAL"}

    def _let_ghost_follow(self, context: bpy.types.Context) -> None:
        """Update the ghost after drags of the panel's options; after drags of weights it updates by itself."""
        if not self._edit.shown.action and properties.settings_of(scene_of(context)).live:
            from ...services.preview import ghost_follow

            ghost_follow.preview(context, self._edit.armature)

    def _keep(self, context: bpy.types.Context, edit: "Edit", how: str) -> OperatorReturn:
        """Apply a drag: the panel already has the values, a result is woven again with them."""
        if not edit.options:
            scene_of(context).update_tag()  # updates the preview
            return {"FINISHED"}
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        try:
            # Not in the timeline, where the redo panel would cover the strip.
            with _in_view(context), target_armature.as_from_panel(context, edit.armature):
                ours.rebuild(how, options=json.dumps(edit.options))
        except RuntimeError as error:
            problem = str(error).partition(": ")[2].strip()  # without Blender's prefix "Error: "
            self.report({"ERROR"}, problem)
        return {"CANCELLED"}  # weaving again creates the undo step

    def _end_drag(self, context: bpy.types.Context, how: OperatorReturn) -> OperatorReturn:
        present(context.window_manager).event_timer_remove(self._timer)
        present(context.workspace).status_text_set(None)
        timeline_strip.show_dragged(None)
        return how

    def cancel(self, context: bpy.types.Context) -> None:
        self._edit.back()
        self._end_drag(context, {"CANCELLED"})


def _in_view(context: bpy.types.Context) -> AbstractContextManager[Any]:
    """Return a context override for the first 3D view of the window, if there is one."""
    for area in () if context.screen is None else context.screen.areas:
        region = next((one for one in area.regions if one.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            return context.temp_override(area=area, region=region)
    return nullcontext()


_CLASSES = (ACTION_LOOM_OT_drag_strip,)


def register() -> None:
    registrar.add_classes(_CLASSES)
    registrar.add_key(KEYMAP, "action_loom.drag_strip", "LEFTMOUSE", "DOPESHEET_EDITOR")
    registrar.add_key(KEYMAP_OF_VIEW, "action_loom.drag_strip", "LEFTMOUSE", "VIEW_3D")
