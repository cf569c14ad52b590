"""Keep the measured points of imports, and find their places beside the bodies that play them.

Points are kept for this session; a body shows them while it plays the action that was made of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ....core.cache import Cache
from ...ground import colors, memory
from ...ground.blender_types import present, scene_of
from ...model import properties

if TYPE_CHECKING:
    from ....core.motion.quat import Array
    from ....core.points.solve import Solved

NEAR, FAR = 0.02, 0.05  # m from the solved point at which the colour changes
# Points of a body by the roles of its bones.
_JOINTS = {
    "hip": "thigh",
    "knee": "shin",
    "ankle": "foot",
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
}


@dataclass(frozen=True, eq=False)
class Measured:
    """The points of an action: measured ones and solved ones (F, P, 3) in the same place, and the solved joints.

    action : session id; start, per_frame : of the scene, the first frame, and frames of the points in each
    joints (F, 12, 3) : solved, of `roles`
    """

    action: int
    start: float
    per_frame: float
    raw: "Array"
    solved: "Array"
    joints: "Array"
    roles: tuple[str, ...]


# By the session id of the armature.
_known: Cache[int, Measured] = memory.cache(16)


def keep(scene: bpy.types.Scene, armature: bpy.types.Object, action: bpy.types.Action, made: "Solved") -> None:
    """Keep the points of an action that was made of them."""
    import numpy as np  # at first use, not when Blender starts

    named = {f"{role}.{side}": f"{point}.{side}" for point, role in _JOINTS.items() for side in "LR"}
    joints = np.stack([made.track.at(point) for point in named.values()], axis=1)
    per_frame = made.track.rate * scene.render.fps_base / scene.render.fps
    start = action.frame_range[0]
    held = Measured(action.session_uid, start, per_frame, made.raw, made.track.places, joints, tuple(named))
    _known.keep(armature.session_uid, held)


def dots(context: bpy.types.Context) -> "list[tuple[Any, str]]":
    """Return the place in the world and the colour of each measured point at the scene's frame."""
    if not len(_known):
        return []
    found = []
    for armature in scene_of(context).objects:
        held = _known.get(armature.session_uid) if armature.type == "ARMATURE" and armature.visible_get() else None
        data = armature.animation_data
        if held is not None and data is not None and data.action and data.action.session_uid == held.action:
            found += _place_dots(scene_of(context), armature, held)
    return found


def _place_dots(scene: bpy.types.Scene, armature: bpy.types.Object, held: Measured) -> "list[tuple[Any, str]]":
    """Return the points where they are beside the body as it stands: turned, moved and scaled as its joints are."""
    import numpy as np

    rig = properties.rig_of(scene, armature)
    bones = present(present(armature).pose).bones
    bone_of = {} if rig is None else {role.name: role.bone for role in rig.roles if role.bone in bones}
    frame = round((scene.frame_current_final - held.start) * held.per_frame)
    known = [k for k, role in enumerate(held.roles) if role in bone_of]
    if not 0 <= frame < len(held.raw) or len(known) < 3:
        return []
    heads = [armature.matrix_world @ bones[bone_of[held.roles[k]]].head for k in known]
    raw, off = held.raw[frame], np.linalg.norm(held.raw[frame] - held.solved[frame], axis=1)
    seen = np.isfinite(off)
    places = carry(raw[seen], held.joints[frame, known], np.array(heads))
    kinds = np.where(off[seen] <= NEAR, colors.GOOD, np.where(off[seen] <= FAR, colors.TRANSITION, colors.BAD))
    return list(zip(places, kinds.tolist(), strict=True))


def carry(points: "Array", one: "Array", other: "Array") -> "Array":
    """Return points (N, 3) turned, scaled and moved as places (K, 3) are onto others, by least squares [Horn]."""
    import numpy as np

    middle, theirs = one.mean(axis=0), other.mean(axis=0)
    u, sizes, v = np.linalg.svd((other - theirs).T @ (one - middle))
    flips = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    scale = (sizes * flips).sum() / max(np.square(one - middle).sum(), 1e-12)
    return np.asarray(scale * (points - middle) @ ((u * flips) @ v).T + theirs)


def keep_all(
    scene: bpy.types.Scene,
    moved: Sequence["Solved"],
    alone: Sequence["Solved"],
    actions: "dict[bpy.types.Object, list[bpy.types.Action]]",
    made: Sequence[bpy.types.Object],
) -> None:
    """Keep the points of an import; moved : those on a character; alone : those on new armatures, `made` of them."""
    ours = [(armature, action) for armature, all_of in actions.items() if armature not in made for action in all_of]
    theirs = [(armature, actions[armature][0]) for armature in made]
    for places, solved in ((ours, moved), (theirs, alone)):
        if len(places) == len(solved):  # otherwise some were refused
            for (armature, action), one in zip(places, solved, strict=True):
                keep(scene, armature, action, one)
