"""Scrub two matched clips at once, by dragging the scene's frame in the picture of their registration."""

from typing import TYPE_CHECKING

import bpy

from ...ground import registrar
from ...ground.blender_types import OperatorReturn, as_pair, present, scene_of
from ...model import target_armature
from ...services.matching import analysis
from ..pictures import image_overlay
from . import polls

if TYPE_CHECKING:
    from ...services.matching.analysis import Analysis, Pair

# The Sample tool's keymap is included because it would take the left button first.
KEYMAPS = ("Image", "Image Editor Tool: Sample")


def _shown_pair(context: bpy.types.Context) -> "tuple[Analysis, Pair] | None":
    """Return the pair that an Image Editor shows, or elsewhere the panel's."""
    if isinstance(context.space_data, bpy.types.SpaceImageEditor):
        return image_overlay.pair_in(context.space_data) if context.space_data.mode == "VIEW" else None
    armature = target_armature.armature(context)
    known = None if armature is None else analysis.analysis_of(armature)
    return None if known is None else (known, analysis.shown_pair(scene_of(context), known))


class ACTION_LOOM_OT_move_playhead(bpy.types.Operator):
    bl_idname = "action_loom.move_playhead"
    bl_label = "Move Playhead"
    bl_description = "Go to this frame of the scene"
    bl_options = {"UNDO_GROUPED", "BLOCKING", "INTERNAL"}
    bl_undo_group = "Move Playhead"

    # of the reference, as the scene counts
    frame: bpy.props.FloatProperty(default=1.0, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if isinstance(context.space_data, bpy.types.SpaceImageEditor):
            return _shown_pair(context) is not None
        return polls.poll_armature(cls, context, changes=False) and polls.poll_unless(
            cls, _shown_pair(context) is None, "Analyse the sources first"
        )

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ..pictures import playhead

        known, pair = present(_shown_pair(context))
        match = image_overlay.stage(known, pair.which).match
        frames = playhead.at_frame(match, self.frame).frames
        scene_of(context).frame_set(round(frames[image_overlay.side_shown(known, pair)]))
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        from ..pictures import playhead

        known, pair = present(_shown_pair(context))
        on_stage = image_overlay.stage(known, pair.which)
        if not playhead.in_plot(on_stage.layout, on_stage.match, *_pixel(context, event)):
            return {"PASS_THROUGH"}
        self._before = scene_of(context).frame_current
        self._go(context, event)
        present(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if _shown_pair(context) is None:  # another file or picture was opened
            return {"CANCELLED"}
        if event.type in {"ESC", "RIGHTMOUSE"}:
            scene_of(context).frame_set(self._before)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            return {"FINISHED"}
        if event.type == "MOUSEMOVE":
            self._go(context, event)
        return {"RUNNING_MODAL"}

    def _go(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Go to the frame below the mouse."""
        from ..pictures import playhead

        known, pair = present(_shown_pair(context))
        on_stage = image_overlay.stage(known, pair.which)
        self.frame = playhead.at_pixel(on_stage.match, on_stage.layout, _pixel(context, event)[0]).frames[0]
        self.execute(context)


def _pixel(context: bpy.types.Context, event: bpy.types.Event) -> tuple[float, float]:
    """Return the picture's pixel below the mouse."""
    region, space = present(context.region), context.space_data
    assert isinstance(space, bpy.types.SpaceImageEditor)
    x, y = as_pair(region.view2d.region_to_view(event.mouse_region_x, event.mouse_region_y))
    wide, high = as_pair(present(space.image).size)
    return x * wide, y * high


_CLASSES = (ACTION_LOOM_OT_move_playhead,)


def register() -> None:
    registrar.add_classes(_CLASSES)
    for name in KEYMAPS:
        registrar.add_key(name, "action_loom.move_playhead", "LEFTMOUSE", "IMAGE_EDITOR")
