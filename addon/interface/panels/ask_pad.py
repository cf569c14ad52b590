"""Draw the pad of the mode Parametric in the 3D view: strides as dots by speed and turn, and the requested ones."""

from typing import TYPE_CHECKING, Any

import bpy

from ...ground import registrar
from ...ground.blender_types import interface_scale, present, scene_of
from ...model import lists, properties, target_armature
from ..pictures import pads
from . import ViewHandles

if TYPE_CHECKING:
    from ...services.styles.ask_field import Field

STRIDE, SHARE = (0.7, 0.7, 0.7, 1.0), (0.94, 0.63, 0.19, 0.9)
SMALL = 2.5  # pixels at interface scale 1: a stride's dot, and its growth at a share of 1
LARGER = 6.0


def field_on(context: bpy.types.Context) -> "Field | None":
    """Return the field that the pad shows; None without a pad."""
    settings, armature = properties.settings_of(scene_of(context)), target_armature.of_tab(context)
    if not settings.pad or settings.mode != "ask" or armature is None:
        return None
    from ...services.styles import ask_field

    ticked = lists.ticked_lines(properties.rig_of(scene_of(context), armature))
    return ask_field.field_of(armature.session_uid, [line.action.name for line in ticked])


class ACTION_LOOM_GT_ask_pad(bpy.types.Gizmo):
    """Set speed and turn by dragging; the preview follows them as it does the panel's fields."""

    bl_idname = "ACTION_LOOM_GT_ask_pad"

    before: tuple[float, float]

    def draw(self, context: bpy.types.Context) -> None:
        import gpu

        field = field_on(context)
        if field is None:
            return
        (x, y), radius, scale = pads.centre(context), pads.RADIUS * interface_scale(), interface_scale()
        fill, outline = pads.painter()

        def at(speed: float, turn: float) -> tuple[float, float]:
            across, up = field.place(speed, turn)
            return x + radius * across, y + radius * up

        corners = [(x + radius * a, y + radius * b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        gpu.state.blend_set("ALPHA")
        fill(corners, pads.FIELD)
        outline(corners, pads.EDGE)
        for speed, turn, share in field.strides:
            size = (SMALL + LARGER * share) * scale
            fill(pads.disc(at(speed, turn), size), SHARE if share > 0.0 else STRIDE)
        chosen = properties.settings_of(scene_of(context)).ask
        fill(pads.disc(at(chosen.speed or field.got[0], chosen.turn), pads.DOT * scale), pads.INK)
        gpu.state.blend_set("NONE")
        _write(field, chosen, (x, y - radius), scale)

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        return 0 if field_on(context) is not None and pads.is_near(context, location) else -1

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        chosen = properties.settings_of(scene_of(context)).ask
        self.before = chosen.speed, chosen.turn
        self._drag(context, event)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: Any) -> Any:
        self._drag(context, event)
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        if cancel:
            chosen = properties.settings_of(scene_of(context)).ask
            chosen.speed, chosen.turn = self.before
        else:
            bpy.ops.ed.undo_push(message="Speed and Turn")
            scene_of(context).update_tag()  # notifies listeners of the panel

    def _drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        field = field_on(context)
        if field is None:
            return
        chosen = properties.settings_of(scene_of(context)).ask
        chosen.speed, chosen.turn = field.asked(pads.on_pad(context, event))
        for area in present(context.screen).areas:
            area.tag_redraw()


class ACTION_LOOM_GGT_ask_pad(ViewHandles, bpy.types.GizmoGroup):
    bl_idname = "ACTION_LOOM_GGT_ask_pad"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return field_on(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        self.gizmos.new(ACTION_LOOM_GT_ask_pad.bl_idname).use_draw_modal = True


def _write(field: "Field", chosen: Any, below: tuple[float, float], scale: float) -> None:
    """Write the requested speed and turn below the pad."""
    import blf

    blf.size(0, 11.0 * scale)
    blf.color(0, *pads.INK)
    text = f"{chosen.speed or field.got[0]:.2f} m/s, {chosen.turn:+.0f}°/s"
    width, height = blf.dimensions(0, text)
    blf.position(0, below[0] - 0.5 * width, below[1] - 1.8 * height, 0.0)
    blf.draw(0, text)


register = registrar.registration((ACTION_LOOM_GT_ask_pad, ACTION_LOOM_GGT_ask_pad))
