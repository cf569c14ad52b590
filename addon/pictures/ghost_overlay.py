"""The ghost over the 3D view: what would be woven and its sources, as figures of lines at the current frame.

The handler is there only while there is a ghost; what goes wrong in it is said once, and it goes.
"""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from .. import meant, properties
from ..blender_types import interface_scale, present, scene_of
from ..session import memory, previews, troubles

if TYPE_CHECKING:
    from ..session.previews import Ghost

THIN, WIDE = 2.0, 5.0  # pixels
WAY = (0.95, 0.95, 0.95, 0.5)

_handler: Any = None


def show() -> None:
    """Draw ghosts from now on, where there are windows."""
    global _handler
    if _handler is None and not bpy.app.background:
        _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def hide() -> None:
    """Draw no ghosts any more."""
    global _handler
    if _handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None


def is_shown() -> bool:
    return _handler is not None


def _draw() -> None:
    context = bpy.context
    try:
        ghost = ghost_in(context)
        if ghost is not None:
            _draw_ghost(ghost, context)
    except Exception as error:  # whatever it is: Blender would print it at every redraw, for ever
        hide()
        armature = meant.of_tab(context)
        if armature is not None:
            mode = properties.settings_of(scene_of(context)).mode
            troubles.keep(armature.session_uid, mode, LoomError(f"The preview can't be drawn here: {error}"), 1.0)


def ghost_in(context: bpy.types.Context) -> "Ghost | None":
    """Return the ghost that is seen in a context, or None."""
    armature = meant.of_tab(context)
    ghost = None if armature is None else previews.of(armature.session_uid)
    return ghost if ghost is not None and ghost.mode == properties.settings_of(scene_of(context)).mode else None


def _draw_ghost(ghost: "Ghost", context: bpy.types.Context) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    scene = scene_of(context)
    frame = scene.frame_current_final
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    region, scale = present(context.region), interface_scale()
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", (region.width, region.height))

    def lines(kind: Any, places: Any, color: tuple[float, ...], wide: float) -> None:
        shader.uniform_float("lineWidth", wide * scale)
        shader.uniform_float("color", color)
        content: dict[str, Any] = {"pos": places.astype("float32")}
        batch_for_shader(shader, kind, content).draw(shader)

    if len(ghost.way) > 1:
        lines("LINE_STRIP", ghost.way, WAY, THIN)
    for figure in ghost.figures:
        ends = figure.at(frame)[figure.lines].reshape(-1, 3)
        lines("LINES", ends, figure.color, WIDE if figure.wide else THIN)
    gpu.state.blend_set("NONE")


def register() -> None:
    memory.when_forgotten.append(hide)


def unregister() -> None:
    memory.when_forgotten.remove(hide)
    hide()
