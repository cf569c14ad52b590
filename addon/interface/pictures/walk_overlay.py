"""Draw over the 3D view the root trajectory of a walk along a curve, coloured by its distance from the curve.

A ring marks the farthest place, and another the place where a walk failed. No Blender data is kept.
"""

from typing import TYPE_CHECKING, Any

import bpy

from ...ground import colors, memory, registrar, troubles
from ...ground.blender_types import interface_scale, present, scene_of
from ...model import properties, target_armature
from ...services.preview.walk_tracks import SHARES, WalkTrack, track_of
from . import flat, timeline_strip

if TYPE_CHECKING:
    import gpu


WIDTH = 3.0  # pixels
RING = 0.3  # ring radius as a share of the armature's size


_batch: "tuple[WalkTrack, gpu.types.GPUBatch] | None" = None  # of the last drawn track


def _forget_batch(*_: Any) -> None:
    global _batch
    _batch = None


def _draw() -> None:
    context = bpy.context
    active = target_armature.of_tab(context)
    if active is None:
        return
    lines = [_ring(active)]
    if properties.settings_of(scene_of(context)).show_way:
        lines += _track(active)
    if not any(lines):
        return
    import gpu

    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    gpu.state.blend_set("ALPHA")
    region = present(context.region)
    shader.uniform_float("viewportSize", (region.width, region.height))
    shader.uniform_float("lineWidth", WIDTH * interface_scale())
    for line in filter(None, lines):
        _batch_of(line, shader).draw(shader)
    gpu.state.blend_set("NONE")


def _draw_legend() -> None:
    """Draw the legend of a track's colours below the view."""
    context = bpy.context
    active = target_armature.of_tab(context)
    track = None if active is None else track_of(active)
    if track is None or not properties.settings_of(scene_of(context)).show_way:
        return
    area, region = present(context.area), present(context.region)
    legend = (
        (
            tuple(colors.between(one)[:3] for one in SHARES),
            f"on the curve … {100.0 * track.bad:.2g} cm off; ring: farthest",
        ),
    )
    (wide, high), gap = flat.legend_size(legend), flat.text_size()
    left, bottom, right, top = flat.free_box(area, region)
    bottom = max(bottom, timeline_strip.top_in_view(context))
    if right - left > wide + 2.0 * gap and top - bottom > 8.0 * high:
        box = (right - wide - gap, bottom + gap, right - gap, bottom + gap + high)
        flat.fill((box[0] - 0.5 * gap, box[1] - 0.3 * gap, box[2] + 0.5 * gap, box[3]), flat.GROUND)
        flat.legend(legend, box)


def _track(armature: bpy.types.Object) -> list[WalkTrack]:
    """Return the track displayed for an armature, and the ring around its worst place."""
    import numpy as np

    track = track_of(armature)
    if track is None or track.worst is None:
        return [] if track is None else [track]
    return [track, WalkTrack(track.worst, np.ones(len(track.worst)), 0)]


def _ring(armature: bpy.types.Object) -> WalkTrack | None:
    """Return a red ring on the ground at the place where a walk could not continue."""
    trouble = troubles.of(armature.session_uid, properties.settings_of(scene_of(bpy.context)).mode)
    if trouble is None or trouble.place is None:
        return None
    import numpy as np

    around = np.linspace(0.0, 2.0 * np.pi, 33)
    size = RING * max(armature.dimensions[:])
    places = np.column_stack([size * np.cos(around), size * np.sin(around), np.zeros(33)])
    return WalkTrack(places + np.array([*trouble.place, 0.0]), np.ones(33), 0)


def _batch_of(track: WalkTrack, shader: "gpu.types.GPUShader") -> "gpu.types.GPUBatch":
    """Return a track's GPU batch, kept because the view is redrawn far more often than walked along."""
    from gpu_extras.batch import batch_for_shader

    global _batch
    if _batch is not None and _batch[0] is track:
        return _batch[1]
    content: dict[str, Any] = {"pos": track.places.astype("float32"), "color": track.colors.astype("float32")}
    made = batch_for_shader(shader, "LINE_STRIP", content)
    if track.action:
        _batch = track, made
    return made


def register() -> None:
    registrar.at_end(_forget_batch)
    registrar.append(memory.when_forgotten, _forget_batch)
    registrar.append(colors.when_changed, _forget_batch)
    registrar.add_drawing(bpy.types.SpaceView3D, _draw, "POST_VIEW")
    registrar.add_drawing(bpy.types.SpaceView3D, _draw_legend, "POST_PIXEL")
