"""Handles in the 3D view: the target of Reach and the place of Place; start, speed and stretches of a path."""

from itertools import pairwise
from typing import Any

import bpy
from bpy_extras import view3d_utils
from mathutils import Matrix, Vector

from ...ground import colors, registrar
from ...ground.blender_types import interface_scale, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties
from ...services.preview import tool_handles
from ..pictures import flat
from . import ViewHandles

GRIP, DOT, WIDE = 12.0, 6.0, 4.0  # pixels at an interface scale of 1
RING = 0.8  # size of a dial, in Blender's units of gizmos
LEVEL = 1e-3  # sine of an angle: a flatter view direction does not meet the floor
INK = (1.0, 1.0, 1.0, 1.0)
HINT = "Drag along the curve; Esc or right-click cancels"
SPEED_HINT = "Drag to where the walk is after a second, or to the start for any speed; Esc or right-click cancels"


def on_floor(region: bpy.types.Region, pixel: tuple[float, float], height: float) -> Vector | None:
    """Return the place at a height below a pixel of a 3D view; None if there is none."""
    view: Any = region.data
    origin = view3d_utils.region_2d_to_origin_3d(region, view, pixel)
    along = view3d_utils.region_2d_to_vector_3d(region, view, pixel)
    if abs(along.z) < LEVEL:
        return None
    away = (height - origin.z) / along.z
    return origin + along * away if away > 0.0 or not view.is_perspective else None


def pixel_of(region: bpy.types.Region, place: Any) -> tuple[float, float] | None:
    view: Any = region.data
    seen = view3d_utils.location_3d_to_region_2d(region, view, Vector(place))
    return None if seen is None else (seen.x, seen.y)


def _move_handle(group: Any) -> Any:
    """Add a handle to move, as Blender draws them."""
    gizmo = group.gizmos.new("GIZMO_GT_move_3d")
    gizmo.draw_options = {"FILL_SELECT", "ALIGN_VIEW"}
    gizmo.scale_basis = 0.25
    _paint(gizmo)
    return gizmo


def _paint(gizmo: Any) -> None:
    gizmo.color, gizmo.alpha = colors.of(colors.STRETCH)[:3], 0.9
    gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 1.0), 1.0
    gizmo.use_draw_modal = True


class ACTION_LOOM_GGT_reach(ViewHandles, bpy.types.GizmoGroup):
    bl_idname = "ACTION_LOOM_GGT_reach"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return tool_handles.reach_at(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        _move_handle(self).target_set_handler("offset", get=self._place, set=self._move)

    @staticmethod
    def _place() -> Any:
        return tool_handles.reach_at(bpy.context) or Vector()

    @staticmethod
    def _move(place: Any) -> None:
        tool_handles.set_reach(bpy.context, Vector(place))


class ACTION_LOOM_GGT_place(ViewHandles, bpy.types.GizmoGroup):
    bl_idname = "ACTION_LOOM_GGT_place"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return tool_handles.place_at(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        _move_handle(self).target_set_handler("offset", get=self._place, set=self._move)
        dial: Any = self.gizmos.new("GIZMO_GT_dial_3d")
        dial.draw_options = {"ANGLE_START_Y"}
        dial.scale_basis = RING
        _paint(dial)
        dial.target_set_handler("offset", get=self._heading, set=self._turn)
        dial.line_width = 3.0

    def draw_prepare(self, context: bpy.types.Context) -> None:
        place = tool_handles.place_at(context)
        if place is not None:
            self.gizmos[1].matrix_basis = Matrix.Translation(place[:])

    @staticmethod
    def _place() -> Any:
        return tool_handles.place_at(bpy.context) or Vector()

    @staticmethod
    def _heading() -> float:
        return tool_handles.heading(bpy.context)

    @staticmethod
    def _turn(angle: float) -> None:
        tool_handles.set_heading(bpy.context, angle)

    @staticmethod
    def _move(place: Any) -> None:
        """Move on the floor: Blender's handle moves in the view plane, so its pixel is projected to the floor."""
        context = bpy.context
        region, before = present(context.region), tool_handles.place_at(context)
        seen = pixel_of(region, place)
        found = None if seen is None or before is None else on_floor(region, seen, before.z)
        if found is not None:
            tool_handles.set_place(context, found)


class ACTION_LOOM_GT_on_path(bpy.types.Gizmo):
    """An end of a stretch of the path, the start of the walk, or where the walk is a second later.

    index : of the stretch; end : "start" or "end" of it, "" for the start of the walk, "speed" for a second later
    """

    bl_idname = "ACTION_LOOM_GT_on_path"

    index: int
    end: str
    before: Any

    def _percent(self, context: bpy.types.Context) -> float | None:
        """Return its place on the curve; None if its stretch was removed."""
        stretches = properties.settings_of(scene_of(context)).stretches
        if not self.end:
            return 0.0
        if self.end == "speed":
            return tool_handles.speed_at(context)
        return float(getattr(stretches[self.index], self.end)) if self.index < len(stretches) else None

    def _seen(self, context: bpy.types.Context) -> tuple[float, float] | None:
        places, percent = tool_handles.path_shown(context), self._percent(context)
        if places is None or percent is None:
            return None
        return pixel_of(present(context.region), places[number_of(percent)])

    def draw(self, context: bpy.types.Context) -> None:
        seen, scale = self._seen(context), interface_scale()
        if self.end == "start":
            self._draw_stretch(context)
        if seen is None:
            return
        if self.end == "speed":
            self._draw_speed(context, seen)
        paint = colors.of(colors.GOOD if self.end in ("", "speed") else colors.STRETCH)
        flat.dot(*seen, (DOT + 2.0) * scale, INK if self.is_highlight else (0.0, 0.0, 0.0, 0.6))
        flat.dot(*seen, DOT * scale, paint)

    def _draw_stretch(self, context: bpy.types.Context) -> None:
        places, stretches = tool_handles.path_shown(context), properties.settings_of(scene_of(context)).stretches
        if places is None or self.index >= len(stretches):
            return
        region, one = present(context.region), stretches[self.index]
        seen = [pixel_of(region, place) for place in places[number_of(one.start) : number_of(one.end) + 1]]
        line = [place for place in seen if place is not None]
        ends = [place for pair in pairwise(line) for place in pair]
        if ends:
            flat.lines(ends, colors.of(colors.STRETCH, 0.8), WIDE, region)

    def _draw_speed(self, context: bpy.types.Context, seen: tuple[float, float]) -> None:
        """Draw the walk's first second, and its speed."""
        places, percent = tool_handles.path_shown(context), self._percent(context)
        if places is None or percent is None:
            return
        region, speed = present(context.region), properties.settings_of(scene_of(context)).follow.speed
        line = [pixel_of(region, place) for place in places[: number_of(percent) + 1]]
        ends = [place for pair in pairwise(place for place in line if place is not None) for place in pair]
        if ends:
            flat.lines(ends, colors.of(colors.GOOD, 0.8 if speed else 0.3), WIDE, region)
        text = f"{speed:.1f} m/s" if speed else "speed: any"
        flat.write(text, seen[0] + GRIP * interface_scale(), seen[1] + DOT * interface_scale())

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        seen = self._seen(context)
        if seen is None:
            return -1
        return 0 if (Vector(seen) - Vector(location[:2])).length < GRIP * interface_scale() else -1

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Any:
        settings = properties.settings_of(scene_of(context))
        self.before = settings.curve.matrix_world.copy() if not self.end else self._percent(context)
        if self.end == "speed":
            self.before = settings.follow.speed
        hint = {"": None, "speed": translate_text(SPEED_HINT)}.get(self.end, translate_text(HINT))
        present(context.workspace).status_text_set(hint)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: Any) -> Any:
        places, region = tool_handles.path_shown(context), present(context.region)
        mouse = (event.mouse_region_x, event.mouse_region_y)
        if places is not None and self.end:
            seen = [pixel_of(region, place) for place in places]
            away = [1e9 if one is None else (Vector(one) - Vector(mouse)).length for one in seen]
            percent = 100.0 * away.index(min(away)) / (len(places) - 1)
            if self.end == "speed":
                tool_handles.set_speed(context, percent)
            else:
                tool_handles.set_stretch(context, self.index, self.end, percent)
        elif places is not None:
            found = on_floor(region, mouse, float(places[0][2]))
            if found is not None:
                tool_handles.move_path(context, found)
        present(context.area).tag_redraw()
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        present(context.workspace).status_text_set(None)
        settings = properties.settings_of(scene_of(context))
        if cancel and self.end == "speed":
            settings.follow.speed = self.before
        elif cancel and self.end:
            setattr(settings.stretches[self.index], self.end, self.before)
        elif cancel:
            settings.curve.matrix_world = self.before
        else:
            scene_of(context).update_tag()  # updates the preview
            names = {"": "Start of Walk", "speed": "Speed of Walk"}
            bpy.ops.ed.undo_push(message=names.get(self.end, "Stretch"))


def number_of(percent: float) -> int:
    return round(0.01 * percent * tool_handles.SAMPLES)


class ACTION_LOOM_GGT_path(ViewHandles, bpy.types.GizmoGroup):
    bl_idname = "ACTION_LOOM_GGT_path"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return tool_handles.path_shown(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        self.refresh(context)

    def refresh(self, context: bpy.types.Context) -> None:
        """Provide two handles for each stretch, one for the start and one for the speed."""
        count = len(properties.settings_of(scene_of(context)).stretches)
        wanted = [(0, "speed"), (0, "")] + [(index, end) for index in range(count) for end in ("start", "end")]
        while len(self.gizmos) > len(wanted):
            self.gizmos.remove(self.gizmos[-1])
        while len(self.gizmos) < len(wanted):
            made: Any = self.gizmos.new(ACTION_LOOM_GT_on_path.bl_idname)
            made.use_draw_modal = True
            made.index, made.end = wanted[len(self.gizmos) - 1]

    def draw_prepare(self, context: bpy.types.Context) -> None:
        self.refresh(context)


register = registrar.registration(
    (ACTION_LOOM_GT_on_path, ACTION_LOOM_GGT_reach, ACTION_LOOM_GGT_place, ACTION_LOOM_GGT_path)
)
