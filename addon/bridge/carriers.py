"""Find how the parents and constraints of an armature object move it, because results belong to one of its places."""

import bpy
import numpy as np

from ...core.motion import quat
from ...core.motion.quat import Array
from .rig import Rig, place_at
from .stage import each_frame, on_stage

SAMPLE = 5  # frames
MOVES, TURNS = 1e-4, 1e-3  # metres and radians; smaller movements are rounding


def is_carried(armature: bpy.types.Object) -> bool:
    """Return whether an armature object has a parent or an active constraint."""
    return armature.parent is not None or any(one.enabled for one in armature.constraints)


def stand_at(scene: bpy.types.Scene, armature: bpy.types.Object, body: Rig, span: tuple[float, float]) -> Rig:
    """Return a body as placed by its parents and constraints in the first scene frame, with a note if they move.

    span : first and last scene frame. The place at the current frame does not matter.
    """
    if not is_carried(armature) or not np.isfinite(span).all():
        return body
    places = _places(scene, armature, np.linspace(span[0], span[1], SAMPLE))
    now = np.array(armature.matrix_world)
    body = place_at(body, places[0] @ np.linalg.inv(now))
    turns = quat.from_matrix(_axes(places))
    turned = float(np.linalg.norm(quat.log(quat.mul(quat.inv(turns[:1]), turns)), axis=1).max())
    moved = body.world_metres * float(np.linalg.norm(places[:, :3, 3] - places[0, :3, 3], axis=1).max())
    if moved < MOVES and turned < TURNS:
        return body
    return place_at(body, np.eye(4), _note(armature, moved, float(np.degrees(turned)), round(span[0])))


def _places(scene: bpy.types.Scene, armature: bpy.types.Object, frames: Array) -> Array:
    """Return the matrices (F, 4, 4) of the object with its own transform as it is now."""
    with on_stage(scene, armature, None, None, None) as (stage, copies):
        each = (copies[armature].evaluated_get(now) for now in each_frame(stage, frames))
        return np.array([np.array(seen.matrix_world) for seen in each])


def _axes(places: Array) -> Array:
    axes = places[:, :3, :3]
    return np.asarray(axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-12))


def _note(armature: bpy.types.Object, moved: float, turned: float, frame: int) -> str:
    owner = armature.parent.name if armature.parent else next(one.name for one in armature.constraints if one.enabled)
    return (
        f"{armature.name} follows {owner}, which moves it by {moved:.2f} m and {turned:.0f}°: results are made where it"
        f" stands at frame {frame}"
    )
