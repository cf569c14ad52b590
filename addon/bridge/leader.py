"""Read an animated object's position over time, for a character that follows it."""

import bpy
import numpy as np

from ...core.errors import LoomError
from ...core.motion.quat import Array
from ..ground.blender_types import present
from ..ground.handlers import unheard
from . import curve_path
from .rates import of_scene
from .stage import each_frame

EVERY = 0.1  # s between two places
MOVES = 0.05  # m; an object with a smaller movement counts as not animated


def places(scene: bpy.types.Scene, leader: bpy.types.Object, metres: float) -> tuple[tuple[float, ...], ...]:
    """Return rows of x, y (m) and time (s) of an object over the scene's frames, in a temporary scene.

    A curve whose evaluation time is animated leads along itself. Raises LoomError for an object that stays in place.
    """
    first, last = scene.frame_start, scene.frame_end
    if scene.use_preview_range:
        first, last = scene.frame_preview_start, scene.frame_preview_end
    times = np.arange(0.0, (last - first) / of_scene(scene) + 1e-6, EVERY)
    line = _line(leader, float(first))
    with unheard("frame_change_pre", "frame_change_post"):
        stage, copy = bpy.data.scenes.new("Action Loom"), present(leader.copy())
        try:
            stage.render.fps, stage.render.fps_base = scene.render.fps, scene.render.fps_base
            copy.hide_viewport = False  # Blender does not evaluate disabled objects
            stage.collection.objects.link(copy)
            at = np.array([_place(stage, copy, line, first + time * of_scene(scene)) for time in times]) * metres
        finally:
            bpy.data.objects.remove(copy)
            bpy.data.scenes.remove(stage)
    if len(at) < 2 or np.linalg.norm(at - at[0], axis=1).max() < MOVES:
        raise LoomError(f"{leader.name} stays in place in the scene's frames: animate it first")
    return tuple(tuple(row) for row in np.column_stack([at, times]).round(4).tolist())


def _line(leader: bpy.types.Object, frame: float) -> Array | None:
    """Return the points (K, 3), in object space, of a curve whose evaluation time is animated; else None."""
    data = leader.data
    if not isinstance(data, bpy.types.Curve) or data.animation_data is None or not data.use_path:
        return None
    return curve_path.line(leader, frame)[0]


def _place(stage: bpy.types.Scene, leader: bpy.types.Object, line: Array | None, frame: float) -> tuple[float, float]:
    (now,) = each_frame(stage, [frame])
    seen = leader.evaluated_get(now)
    if line is None:
        return seen.matrix_world.translation.x, seen.matrix_world.translation.y
    data = seen.data
    assert isinstance(data, bpy.types.Curve)
    world = np.array(seen.matrix_world)
    there = line @ world[:3, :3].T + world[:3, 3]
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(there, axis=0), axis=1))])
    along = gone[-1] * min(max(data.eval_time / max(data.path_duration, 1), 0.0), 1.0)
    return float(np.interp(along, gone, there[:, 0])), float(np.interp(along, gone, there[:, 1]))
