"""Draw the pad in the 3D view: a dot between the ticked actions, dragged instead of their weights."""

from typing import Any

import bpy

from ...ground import registrar
from ...ground.blender_types import interface_scale, present, scene_of
from ...model import lists, properties, target_armature
from ...services.sources import source_list
from ..pictures import pads
from . import ViewHandles

LEAST = 3  # sources; two have a slider instead
LETTERS = 14  # letters shown of a name


def lines_on(context: bpy.types.Context) -> list[Any]:
    """Return the ticked lines on the pad; [] without a pad."""
    settings = properties.settings_of(scene_of(context))
    if not settings.pad or settings.mode != "blend":
        return []
    lines = lists.ticked_lines(properties.rig_of(scene_of(context), target_armature.of_tab(context)))
    return lines if len(lines) >= LEAST else []


class ACTION_LOOM_GT_pad(bpy.types.Gizmo):
    """Set weights by dragging; Live listens to them as to the sliders."""

    bl_idname = "ACTION_LOOM_GT_pad"

    before: list[float]

    def draw(self, context: bpy.types.Context) -> None:
        import gpu

        from ...services.weights import weight_pad

        lines = lines_on(context)
        if not lines:
            return
        (x, y), radius = pads.centre(context), pads.RADIUS * interface_scale()
        at = [(x + radius * cx, y + radius * cy) for cx, cy in weight_pad.corners(len(lines))]
        fill, outline = pads.painter()
        gpu.state.blend_set("ALPHA")
        fill(at, pads.FIELD)
        outline(at, pads.EDGE)
        dot = weight_pad.place_of([line.weight for line in lines])
        here = (x + radius * dot[0], y + radius * dot[1])
        for line, corner in zip(lines, at, strict=True):
            fill(pads.disc(corner, pads.CORNER * interface_scale()), (*line.color[:], 1.0))
        fill(pads.disc(here, pads.DOT * interface_scale()), pads.INK)
        gpu.state.blend_set("NONE")
        _write_names(lines, at, x)

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        return 0 if lines_on(context) and pads.is_near(context, location) else -1

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        self.before = [line.weight for line in lines_on(context)]
        self._drag(context, event)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: Any) -> Any:
        self._drag(context, event)
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        lines = lines_on(context)
        if cancel and len(lines) == len(self.before):
            lists.set_weights(lines, self.before)
        elif not cancel:
            bpy.ops.ed.undo_push(message="Weights")

    def _drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        from ...services.weights import weight_pad

        lines = lines_on(context)
        if not lines:
            return
        lists.set_weights(lines, weight_pad.weights_at(pads.on_pad(context, event), len(lines)))
        for area in present(context.screen).areas:
            area.tag_redraw()


class ACTION_LOOM_GGT_pad(ViewHandles, bpy.types.GizmoGroup):
    bl_idname = "ACTION_LOOM_GGT_pad"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return bool(lines_on(context))

    def setup(self, context: bpy.types.Context) -> None:
        self.gizmos.new(ACTION_LOOM_GT_pad.bl_idname).use_draw_modal = True


def _write_names(lines: list[Any], at: list[tuple[float, float]], middle: float) -> None:
    """Write each action's name and share outside its corner."""
    import blf

    scale = interface_scale()
    blf.size(0, 11.0 * scale)
    total = sum(line.weight for line in lines) or 1.0
    level = 0.5 * (max(y for _, y in at) + min(y for _, y in at))
    names = source_list.short_names([line.action.name for line in lines], LETTERS)
    for line, name, (x, y) in zip(lines, names, at, strict=True):
        text = f"{name} {100.0 * line.weight / total:.0f}%"
        width, _ = blf.dimensions(0, text)
        away = 10.0 * scale
        if abs(x - middle) < 1.0:  # the name stands above or below its corner
            left, base = x - 0.5 * width, y + away if y > level else y - 1.8 * away
        else:
            left, base = x + away if x > middle else x - away - width, y - 0.4 * away
        blf.color(0, *pads.INK)
        blf.position(0, max(left, 4.0), base, 0.0)
        blf.draw(0, text)


register = registrar.registration((ACTION_LOOM_GT_pad, ACTION_LOOM_GGT_pad))
