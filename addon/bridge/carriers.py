"""Find how the parents and constraints of an armature object move it, because results belong to one of its places.

A result belongs to the place in its first frame, and parents carry it from there. A walk along a path keeps to its
path: the keys undo the movement by parents and constraints, and add the movement of the curve.
"""

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...core.motion import kinematics, quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from . import rig
from .rig import Rig, place_at
from .stage import each_frame, on_stage

SAMPLE = 5  # frames
MOVES, TURNS = 1e-4, 1e-3  # metres and radians; smaller movements are rounding
SCALES = 1e-5  # factor; a smaller change is rounding


def is_carried(one: bpy.types.Object) -> bool:
    """Return whether an object has a parent or an active constraint."""
    return one.parent is not None or any(each.enabled for each in one.constraints)


def can_move(one: bpy.types.Object) -> bool:
    """Return whether something may move an object while the scene plays."""
    return is_carried(one) or one.animation_data is not None


def find_carrier(armature: bpy.types.Object) -> str:
    """Return the name of the parent of an armature object, else of its first active constraint; "" for neither."""
    if armature.parent is not None:
        return str(armature.parent.name)
    return next((one.name for one in armature.constraints if one.enabled), "")


def stand_at(scene: bpy.types.Scene, armature: bpy.types.Object, body: Rig, span: tuple[float, float]) -> Rig:
    """Return a body as placed by its parents and constraints in the first scene frame, with a note if they move.

    span : first and last scene frame. The place at the current frame does not matter.
    """
    if not is_carried(armature) or not np.isfinite(span).all():
        return body
    span_frames = np.linspace(span[0], span[1], SAMPLE)
    (places,) = _places(scene, armature, span_frames)
    if body.controls is not None:
        body = place_at(body, places[0] @ np.linalg.inv(np.array(armature.matrix_world)))
    else:  # the same to the bit, whatever the current frame is
        still, moving = body.still, body.moving_object
        (above,) = _places(scene, armature, span_frames[:1], own=False, constraints=False) if moving else (places,)
        read = rig.read(armature, moving_object=moving, still=lambda _: still, world=above[0])
        body = replace(read, note=body.note)
    (moves,) = _places(scene, armature, span_frames, own=False)
    moves[:, :3, 3] *= body.world_metres
    # The third axis follows from two.
    body = replace(body, carrier_path=tuple(moves[:, :3, [0, 1, 3]].ravel().tolist()))
    turns = quat.from_matrix(_axes(places))
    turned = float(np.linalg.norm(quat.log(quat.mul(quat.inv(turns[:1]), turns)), axis=1).max())
    moved = body.world_metres * float(np.linalg.norm(places[:, :3, 3] - places[0, :3, 3], axis=1).max())
    if moved < MOVES and turned < TURNS:
        return body
    return replace(body, carried=_note(armature, moved, float(np.degrees(turned)), round(span[0])))


def hold(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clip: Clip,
    body: Rig,
    frames: Array,
    curve: bpy.types.Object | None,
    begins: float,
) -> tuple[Clip, Clip]:
    """Return a walk along a path as it is to be keyed, and as it is then seen in the world.

    frames (F,) : of the scene, in which it plays; begins : the scene frame in which its path is where it was read
    curve : the object that it walks along, None for points in the world
    """
    moving = [one for one in (curve,) if one is not None and can_move(one)]
    if not moving and not is_carried(armature):
        return clip, clip
    armature_at, *curve_at = _places(scene, armature, np.append(frames, begins), moving)
    way = curve_at[0][:-1] @ np.linalg.inv(curve_at[0][-1]) if curve_at else np.tile(np.eye(4), (len(frames), 1, 1))
    own = np.array(armature.matrix_basis) if body.moving_object else np.eye(4)
    back = body.space @ own @ np.linalg.inv(armature_at[:-1])
    return _move(clip, back @ way, body), _move(clip, way, body)


def _move(clip: Clip, moves: Array, body: Rig) -> Clip:
    """Return a clip whose frames are each moved by a matrix (F, 4, 4), in units of the scene."""
    if np.abs(moves - np.eye(4)).max() < SCALES:
        return clip
    linear, places = kinematics.matrices(clip)
    linear = moves[:, None, :3, :3] @ linear
    places = np.einsum("fij,fbj->fbi", moves[:, :3, :3], places) + body.world_metres * moves[:, None, :3, 3]
    _, _, scales = kinematics.local(clip.skeleton, linear, places)
    there = kinematics.standing_at(replace(clip, cyclic=False), linear, places)
    sized = clip.scales is not None or np.abs(scales - 1.0).max() > SCALES
    return replace(there, scales=scales) if sized else there


def _places(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    frames: Array,
    others: Sequence[bpy.types.Object] = (),
    *,
    own: bool = True,
    constraints: bool = True,
) -> list[Array]:
    """Return the matrices (F, 4, 4) of the object with its own transform as it is now, and of other objects.

    own, constraints : whether the object's own transform and its constraints count
    """
    found = np.empty((1 + len(others), len(frames), 4, 4))
    with on_stage(scene, armature, None, None, None, others) as (stage, copies):
        if not own:
            copies[armature].matrix_basis.identity()
        for constraint in () if constraints else copies[armature].constraints:
            constraint.enabled = False
        for k, now in enumerate(each_frame(stage, frames)):
            found[:, k] = [np.array(copies[one].evaluated_get(now).matrix_world) for one in (armature, *others)]
    return list(found)


def _axes(places: Array) -> Array:
    axes = places[:, :3, :3]
    return np.asarray(axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-12))


def _note(armature: bpy.types.Object, moved: float, turned: float, frame: int) -> str:
    owner = find_carrier(armature)
    return (
        f"{armature.name} follows {owner}, which moves it by {moved:.2f} m and {turned:.0f}°: results are made where it"
        f" stands at frame {frame}"
    )
