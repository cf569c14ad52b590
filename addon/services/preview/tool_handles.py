"""Places of the handles of tools and of the path in the 3D view, and the panel values changed by dragging them.

Places are in the scene's units, the panel's in metres.
"""

import math
from time import perf_counter
from typing import TYPE_CHECKING, Any

import bpy
from mathutils import Vector

from ....core.cache import Cache
from ....core.errors import LoomError
from ....core.options import declared_options
from ....core.verbs import Follow, Place, Reach
from ...ground import jobs, memory, registrar
from ...ground.blender_types import present, scene_of
from ...model import properties, target_armature
from . import previews
from .ghost_follow import PAUSE, QUICK

if TYPE_CHECKING:
    from ....core.motion.quat import Array

SAMPLES = 400  # places along a curve
LEAST = 1.0  # % of the curve, smallest length of a stretch
ANY = 1.3  # m/s, place of the speed handle while the speed is unset
SLOWEST = 0.2  # m/s; a handle dragged nearer to the start unsets the speed
DIGITS = 4  # of metres and degrees

# Metres of a scene unit by an armature's session id, bones and size; 0 for an unreadable rig.
_metres: "Cache[tuple[Any, ...], float]" = memory.cache(8)
# A curve's shape and its places (K, 3) by its session id; None for a curve that can't be a path.
_curves: "Cache[int, tuple[Any, Array | None]]" = memory.cache(4)
# The open tool and its options at the last drawing, by the armature's session id.
_seen: "Cache[int, tuple[Any, ...]]" = memory.cache(8)
_name = ""  # name of the undo step at the end of a drag, "" without a drag
_took = 0.0  # duration of the last preview of a tool, s


def metres_of(armature: bpy.types.Object) -> float | None:
    """Return the metres of a scene unit for a body; None for an unreadable rig."""
    size = tuple(round(value, 6) for value in armature.matrix_world.to_scale()[:])
    key = armature.session_uid, len(present(armature.pose).bones), size
    known = _metres.get(key)
    if known is None:
        from ...bridge import rig

        try:
            known = _metres.keep(key, rig.read(armature).world_metres)
        except LoomError:
            known = _metres.keep(key, 0.0)
    return known or None


def shown_tool(context: bpy.types.Context) -> str:
    """Return the verb of the open tool, "" for none."""
    settings = properties.settings_of(scene_of(context))
    return str(settings.edit) if settings.tool_open else ""


def reach_at(context: bpy.types.Context) -> Vector | None:
    """Return the target of Reach: its object, its place or the 3D cursor; None while the tool is closed.

    It is also None for a moving target, which is a table.
    """
    armature = target_armature.of_tab(context)
    if shown_tool(context) != Reach.verb or armature is None:
        return None
    settings = properties.settings_of(scene_of(context))
    try:
        rows = declared_options(Reach)["target"].checked(settings.reach.target)
    except LoomError:
        return None
    if rows:
        metres = metres_of(armature)
        return None if metres is None or len(rows) > 1 or len(rows[0]) != 3 else Vector(rows[0]) / metres
    chosen = settings.reach_object
    return Vector((scene_of(context).cursor.location if chosen is None else chosen.matrix_world.translation)[:])


def set_reach(context: bpy.types.Context, place: Vector) -> None:
    """Move the target of Reach: its object, or the place in metres, which then replaces the 3D cursor."""
    settings, armature = properties.settings_of(scene_of(context)), present(target_armature.of_tab(context))
    chosen = settings.reach_object
    if chosen is not None and not settings.reach.target.strip():
        matrix = chosen.matrix_world.copy()
        matrix.translation = place
        chosen.matrix_world = matrix
    else:
        metres = metres_of(armature) or 1.0
        row = tuple(round(metres * value, DIGITS) for value in place[:])
        settings.reach.target = declared_options(Reach)["target"].as_text((row,))
    follow_soon("Reach Target")


def place_at(context: bpy.types.Context) -> Vector | None:
    """Return where Place puts the figure, on the floor; None while no place is set."""
    armature = target_armature.of_tab(context)
    metres = None if armature is None or shown_tool(context) != Place.verb else metres_of(armature)
    chosen = properties.settings_of(scene_of(context)).place
    if armature is None or metres is None or chosen.where == "own" or chosen.where == "after":
        return None
    return Vector((chosen.x / metres, chosen.y / metres, armature.matrix_world.translation.z))


def set_place(context: bpy.types.Context, place: Vector) -> None:
    """Put the figure at a place on the floor."""
    metres = metres_of(present(target_armature.of_tab(context))) or 1.0
    chosen = properties.settings_of(scene_of(context)).place
    chosen.x, chosen.y = (round(metres * value, DIGITS) for value in place[:2])
    follow_soon("Place")


def heading(context: bpy.types.Context) -> float:
    """Return the heading of the figure in Place, radians from +y to the left."""
    return math.radians(properties.settings_of(scene_of(context)).place.facing)


def set_heading(context: bpy.types.Context, angle: float) -> None:
    """Set the heading of the figure."""
    chosen = properties.settings_of(scene_of(context)).place
    turned = math.degrees(angle)
    chosen.face, chosen.facing = "way", round((turned + 180.0) % 360.0 - 180.0, 2)
    follow_soon("Facing")


def path_shown(context: bpy.types.Context) -> "Array | None":
    """Return evenly spaced places (K, 3) of the panel's curve, on the floor; None if it is not shown."""
    settings = properties.settings_of(scene_of(context))
    curve = settings.curve
    if settings.mode != Follow.verb or settings.tool_open or curve is None or target_armature.of_tab(context) is None:
        return None
    from ...bridge import curve_path

    drawn, known = curve_path.curve_state(curve), _curves.get(curve.session_uid)
    if known is None or known[0] != drawn:
        known = drawn, _places_along(curve)
        _curves.keep(curve.session_uid, known)
    return known[1]


def _places_along(curve: bpy.types.Object) -> "Array | None":
    import numpy as np

    from ...bridge import curve_path

    try:
        points, closed = curve_path.path(curve, 1.0)
    except LoomError:  # the panel shows the reason
        return None
    points = np.concatenate([points, points[:1]]) if closed else points
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points[:, :2], axis=0), axis=1))])
    even = np.linspace(0.0, gone[-1], SAMPLES + 1)
    found: Array = np.stack([np.interp(even, gone, side) for side in points.T], axis=1)
    return found


def set_stretch(context: bpy.types.Context, index: int, end: str, percent: float) -> None:
    """Move an end of a stretch along the curve, up to its other end."""
    one = properties.settings_of(scene_of(context)).stretches[index]
    if end == "start":
        one.start = min(max(percent, 0.0), one.end - LEAST)
    else:
        one.end = max(min(percent, 100.0), one.start + LEAST)


def speed_at(context: bpy.types.Context) -> float | None:
    """Return the place of the walk one second after its start, % of the curve; None without a curve."""
    long = _length(context)
    wanted = properties.settings_of(scene_of(context)).follow.speed or ANY
    return None if not long else min(100.0 * wanted / long, 100.0)


def set_speed(context: bpy.types.Context, percent: float) -> None:
    """Set the speed that moves the walk to a place on the curve in one second."""
    speed = 0.01 * percent * (_length(context) or 0.0)
    properties.settings_of(scene_of(context)).follow.speed = round(speed, 2) if speed >= SLOWEST else 0.0


def _length(context: bpy.types.Context) -> float | None:
    """Return the length of the panel's curve in metres; None if it can't be a path."""
    places, armature = path_shown(context), target_armature.of_tab(context)
    metres = None if places is None or armature is None else metres_of(armature)
    if places is None or metres is None:
        return None
    ahead = places[1:, :2] - places[:-1, :2]
    return metres * math.fsum((ahead**2).sum(axis=1) ** 0.5)


def move_path(context: bpy.types.Context, start: Vector) -> None:
    """Move the curve so that the walk begins at another place on its floor."""
    curve, places = properties.settings_of(scene_of(context)).curve, path_shown(context)
    if curve is None or places is None:
        return
    matrix = curve.matrix_world.copy()
    matrix.translation += Vector((start.x - places[0][0], start.y - places[0][1], 0.0))
    curve.matrix_world = matrix


# --- the ghost ------------------------------------------------------------------------------------------------------


def follow_soon(name: str) -> None:
    """Update the ghost of the open tool during a drag, and make the drag an undo step at its end."""
    global _name
    _name = name
    if not bpy.app.background and not bpy.app.timers.is_registered(_follow):
        bpy.app.timers.register(_follow, first_interval=PAUSE)


def look_soon(context: bpy.types.Context) -> None:
    """Update the ghost of the open tool after a change of its options; cheap enough for drawing."""
    from . import panel_state

    armature, scene, tool = target_armature.of_tab(context), scene_of(context), shown_tool(context)
    ghost = None if armature is None else previews.of(armature.session_uid)
    if armature is None or ghost is None or ghost.recipe is None or ghost.recipe.verb != tool:
        return
    state = tool, panel_state.asked_state(scene, properties.rig_of(scene, armature), tool)
    before = _seen.get(armature.session_uid)
    _seen.keep(armature.session_uid, state)
    if before is not None and before[0] == tool and before != state:
        follow_soon(_name)


def _follow() -> float | None:
    """Preview the open tool; returns the delay of the next check during a drag."""
    global _name
    windows = list(present(bpy.context.window_manager).windows)
    dragging = any(len(one.modal_operators) for one in windows)
    if jobs.is_busy() or not windows or (dragging and _took > QUICK):
        return PAUSE if windows else None
    with bpy.context.temp_override(window=windows[0]):
        preview_tool(bpy.context)
        if not dragging and _name:
            bpy.ops.ed.undo_push(message=_name)
            _name = ""
    return PAUSE if _name else None


def preview_tool(context: bpy.types.Context) -> None:
    """Preview the open tool with its panel's settings, if previews are live or one is displayed."""
    global _took
    armature, tool = target_armature.of_tab(context), shown_tool(context)
    if armature is None or not tool:
        return
    shown = previews.of(armature.session_uid)
    if shown is None and not properties.settings_of(scene_of(context)).live:
        return
    began = perf_counter()
    ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
    try:
        with target_armature.as_from_panel(context, armature):
            getattr(ours, tool)("EXEC_DEFAULT", preview=True, unasked=True)
    except RuntimeError:  # it can't run at present; the panel shows the reason
        pass
    _took = perf_counter() - began


def register() -> None:
    registrar.stop_timer(_follow)
