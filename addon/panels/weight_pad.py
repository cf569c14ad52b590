"""The pad in the 3D view: a dot between the ticked actions, dragged instead of their weights."""

import math
from itertools import pairwise
from typing import Any

import bpy

from .. import lists, meant, properties, source_list, weight_pad
from ..blender_types import interface_scale, present, scene_of

RADIUS = 70.0  # pixels at interface scale 1
MARGIN = 60.0  # from the left and the lower edge of the view
GRIP = 1.2  # of the radius: what is nearer is the pad's
DOT, CORNER = 7.0, 5.0
LEAST = 3  # sources; of two there is a slider
FIELD, EDGE, INK = (0.1, 0.1, 0.1, 0.6), (0.6, 0.6, 0.6, 1.0), (1.0, 1.0, 1.0, 1.0)
LETTERS = 14  # of a name


def lines_on(context: bpy.types.Context) -> list[Any]:
    """Return the ticked lines that the pad stands for; none where there is no pad."""
    settings = properties.settings_of(scene_of(context))
    if not settings.pad or settings.mode != "blend":
        return []
    lines = lists.ticked(properties.rig_of(scene_of(context), meant.of_tab(context)))
    return lines if len(lines) >= LEAST else []


class ACTION_LOOM_GT_pad(bpy.types.Gizmo):
    """Its modal only sets weights: Live listens to them as to the sliders."""

    bl_idname = "ACTION_LOOM_GT_pad"

    before: list[float]

    def draw(self, context: bpy.types.Context) -> None:
        import gpu
        from gpu_extras.batch import batch_for_shader

        lines = lines_on(context)
        if not lines:
            return
        (x, y), radius = _centre(context), RADIUS * interface_scale()
        at = [(x + radius * cx, y + radius * cy) for cx, cy in weight_pad.corners(len(lines))]
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        gpu.state.blend_set("ALPHA")

        def fill(around: list[tuple[float, float]], color: tuple[float, ...]) -> None:
            shader.uniform_float("color", color)
            fan = [place for one, other in pairwise(around[1:]) for place in (around[0], one, other)]
            batch_for_shader(shader, "TRIS", {"pos": fan}).draw(shader)

        fill(at, FIELD)
        shader.uniform_float("color", EDGE)
        batch_for_shader(shader, "LINE_STRIP", {"pos": [*at, at[0]]}).draw(shader)
        dot = weight_pad.place_of([line.weight for line in lines])
        here = (x + radius * dot[0], y + radius * dot[1])
        for line, corner in zip(lines, at, strict=True):
            fill(_disc(corner, CORNER * interface_scale()), (*line.color[:], 1.0))
        fill(_disc(here, DOT * interface_scale()), INK)
        gpu.state.blend_set("NONE")
        _write_names(lines, at, x)

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        x, y = _centre(context)
        near = math.hypot(location[0] - x, location[1] - y) < GRIP * RADIUS * interface_scale()
        return 0 if near and lines_on(context) else -1

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
        lines = lines_on(context)
        if not lines:
            return
        (x, y), radius = _centre(context), RADIUS * interface_scale()
        place = (event.mouse_region_x - x) / radius, (event.mouse_region_y - y) / radius
        lists.set_weights(lines, weight_pad.weights_at(place, len(lines)))
        for area in present(context.screen).areas:
            area.tag_redraw()


class ACTION_LOOM_GGT_pad(bpy.types.GizmoGroup):
    bl_idname = "ACTION_LOOM_GGT_pad"
    bl_label = "Action Loom Weights"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return bool(lines_on(context))

    def setup(self, context: bpy.types.Context) -> None:
        self.gizmos.new(ACTION_LOOM_GT_pad.bl_idname).use_draw_modal = True


def _centre(context: bpy.types.Context) -> tuple[float, float]:
    middle = (RADIUS + MARGIN) * interface_scale()
    tools = next((one for one in present(context.area).regions if one.type == "TOOLS"), None)
    return middle + (tools.width if tools is not None and tools.width > 1 else 0), middle


def _disc(at: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    turns = [2.0 * math.pi * k / 24 for k in range(24)]
    return [(at[0] + radius * math.cos(turn), at[1] + radius * math.sin(turn)) for turn in turns]


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
        if abs(x - middle) < 1.0:  # above or below its corner
            left, base = x - 0.5 * width, y + away if y > level else y - 1.8 * away
        else:
            left, base = x + away if x > middle else x - away - width, y - 0.4 * away
        blf.color(0, *INK)
        blf.position(0, max(left, 4.0), base, 0.0)
        blf.draw(0, text)


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_GT_pad, ACTION_LOOM_GGT_pad))
