"""Draw the preview over the 3D view: the result and its sources at the current frame, with their trails.

The draw handler exists only while there is a preview; an error in it is reported once, and removes it.
"""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError
from ...ground import colors, registrar, troubles
from ...ground.blender_types import interface_scale, present, scene_of
from ...ground.redraw import redraw_areas
from ...model import properties, target_armature
from ...services.preview import previews
from . import drive_overlay

if TYPE_CHECKING:
    import gpu

    from ...services.preview.shapes import Ghost, Trail

THIN, WIDE = 2.0, 4.0  # pixels
THROUGH = 0.6  # opacity of a thin line

_handler: Any = None
# GPU batches of a preview's trails, kept because the view is redrawn far more often than they change.
_trails: "tuple[Ghost, list[tuple[Trail, gpu.types.GPUBatch]]] | None" = None


def show() -> None:
    """Start drawing previews, unless in background mode."""
    global _handler
    if _handler is None and not bpy.app.background:
        _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")
    redraw_areas("VIEW_3D")


def hide() -> None:
    """Stop drawing previews."""
    global _handler, _trails
    if _handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    _trails = None
    redraw_areas("VIEW_3D")


def ghost_in(context: bpy.types.Context) -> "Ghost | None":
    """Return the preview visible in a context, or None; previews are hidden during a drive."""
    if drive_overlay.is_shown():
        return None
    armature = target_armature.of_tab(context)
    if armature is None:
        return None
    settings = properties.settings_of(scene_of(context))
    return previews.of_panel(settings, armature.session_uid, previews.SOLO, previews.FOUND)


def _draw() -> None:
    context = bpy.context
    try:
        ghost = ghost_in(context)
        if ghost is not None:
            _draw_ghost(ghost, context)
    except Exception as error:  # any error: Blender would print it at every redraw
        hide()
        armature = target_armature.of_tab(context)
        if armature is not None:
            mode = properties.settings_of(scene_of(context)).mode
            troubles.keep(armature.session_uid, mode, LoomError(f"Pictures can't be drawn here: {error}"), 1.0)


def _draw_ghost(ghost: "Ghost", context: bpy.types.Context) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    frame = scene_of(context).frame_current_final
    if ghost.body is not None:
        from . import ghost_mesh

        ghost_mesh.draw(ghost.body, frame, ghost.figures[-1].color)
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    region = present(context.region)
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", (region.width, region.height))

    def draw(batch: Any, color: tuple[float, ...], wide: bool) -> None:
        shader.uniform_float("lineWidth", (WIDE if wide else THIN) * interface_scale())
        shader.uniform_float("color", color)
        batch.draw(shader)

    for trail, batch in _batches(ghost, shader):
        draw(batch, colors.of(trail.color, 1.0 if trail.wide else THROUGH), trail.wide)
    for figure in ghost.figures if ghost.body is None else ghost.figures[:-1]:
        ends: dict[str, Any] = {"pos": figure.at(frame)[figure.lines].reshape(-1, 3).astype("float32")}
        draw(batch_for_shader(shader, "LINES", ends), figure.color, figure.wide)
    gpu.state.blend_set("NONE")


def _batches(ghost: "Ghost", shader: "gpu.types.GPUShader") -> "list[tuple[Trail, gpu.types.GPUBatch]]":
    from gpu_extras.batch import batch_for_shader

    global _trails
    if _trails is None or _trails[0] is not ghost:
        made = []
        for trail in ghost.trails:
            content: dict[str, Any] = {"pos": trail.points.astype("float32")}
            made.append((trail, batch_for_shader(shader, "LINE_STRIP", content)))
        _trails = ghost, made
    return _trails[1]


def register() -> None:
    registrar.at_end(hide)
    registrar.at_end(drive_overlay.hide)
    registrar.append(previews.when_some, show)
    registrar.append(previews.when_none, hide)
