"""Draw foot paths and contacts over the 3D view, for the action of the tab's armature, while switched on.

The data is read in a timer, not while drawing; nothing is kept or listened to while the overlay is off.
"""

from typing import TYPE_CHECKING, Any

import bpy

from ...ground import colors, jobs, memory, registrar
from ...ground.blender_types import interface_scale, present, scene_of
from ...ground.redraw import redraw_areas
from ...model import contact_rows, properties, target_armature

if TYPE_CHECKING:
    import gpu

    from ...services.preview.shapes import Trail

THIN, WIDE = 2.0, 4.0  # pixels
THROUGH = 0.6  # opacity of a thin line
PAUSE = 0.1  # s until missing paths are read

_listens = False
# GPU batches of the lines, kept because the view is redrawn far more often than the lines change.
_batches: "tuple[tuple[Trail, ...], dict[tuple[str, bool], gpu.types.GPUBatch]] | None" = None


def lines(context: bpy.types.Context) -> "tuple[Trail, ...] | None":
    """Return the lines to draw in a context; None if they are not (yet) known, or the overlay is off."""
    armature, scene = target_armature.of_tab(context), scene_of(context)
    if armature is None or not properties.settings_of(scene).show_feet:
        return None
    from ...services.preview import foot_paths  # numpy is loaded at first use, not when Blender starts

    paths = foot_paths.of(armature)
    if paths is None:
        return None
    held = contact_rows.of(scene, contact_rows.action_of(armature))
    return paths.lines([] if held is None else contact_rows.contacts_of(held))


def refresh(context: bpy.types.Context) -> None:
    """Read the lines to draw, if they are not known."""
    armature = target_armature.of_tab(context)
    if armature is None or not properties.settings_of(scene_of(context)).show_feet:
        return
    from ...services.preview import foot_paths

    global _listens
    _listens = True
    foot_paths.listen()
    foot_paths.refresh(context, armature)
    redraw_areas("VIEW_3D")


def _look() -> float | None:
    windows = list(present(bpy.context.window_manager).windows)
    if jobs.is_busy() or any(len(one.modal_operators) for one in windows):
        return PAUSE
    for window in windows[:1]:
        with bpy.context.temp_override(window=window):
            refresh(bpy.context)
    return None


def _draw() -> None:
    context = bpy.context
    armature = target_armature.of_tab(context)
    if armature is None or not properties.settings_of(scene_of(context)).show_feet:
        return
    found = lines(context)
    if found is None:
        if contact_rows.action_of(armature) is not None and not bpy.app.timers.is_registered(_look):
            bpy.app.timers.register(_look, first_interval=PAUSE)
        return
    import gpu

    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    region = present(context.region)
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", (region.width, region.height))
    for (color, wide), batch in _batches_of(found, shader).items():
        shader.uniform_float("lineWidth", (WIDE if wide else THIN) * interface_scale())
        shader.uniform_float("color", colors.of(color, 1.0 if wide else THROUGH))
        batch.draw(shader)
    gpu.state.blend_set("NONE")


def _batches_of(
    found: "tuple[Trail, ...]", shader: "gpu.types.GPUShader"
) -> "dict[tuple[str, bool], gpu.types.GPUBatch]":
    """Return one GPU batch for all lines of the same colour and width."""
    import numpy as np
    from gpu_extras.batch import batch_for_shader

    global _batches
    if _batches is None or _batches[0] is not found:
        alike: dict[tuple[str, bool], list[Any]] = {}
        for trail in found:
            ends = np.repeat(trail.points.astype("float32"), 2, axis=0)[1:-1]
            alike.setdefault((trail.color, trail.wide), []).append(ends)
        contents: dict[Any, Any] = {kind: {"pos": np.concatenate(ends)} for kind, ends in alike.items()}
        made = {kind: batch_for_shader(shader, "LINES", content) for kind, content in contents.items()}
        _batches = found, made
    return _batches[1]


def _after_switch(scene: bpy.types.Scene, context: bpy.types.Context) -> None:
    if properties.settings_of(scene).show_feet:
        refresh(context)
    else:
        _forget()
        redraw_areas("VIEW_3D")


def _forget() -> None:
    global _batches, _listens
    _batches = None
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
    if _listens:  # otherwise disabling the extension would load numpy
        from ...services.preview import foot_paths

        foot_paths.listen_no_more()
        foot_paths.forget()
    _listens = False


def register() -> None:
    registrar.at_end(_forget)
    registrar.append(properties.when_feet_changed, _after_switch)
    registrar.append(memory.when_forgotten, _forget)
    registrar.add_drawing(bpy.types.SpaceView3D, _draw, "POST_VIEW")
