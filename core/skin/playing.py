"""A surface frame by frame, as a clip moves the joints that it hangs on (methods: Skinning; source 002)."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..motion import kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import skinning
from .normals import Floats
from .skin import Skin

LINEAR, DUAL = "linear", "dual-quaternions"


def at_rest(skeleton: Skeleton, joints: Sequence[int]) -> Array:
    """Return the matrices (B, 4, 4) of some joints in the rest pose."""
    rotations, places = skeleton.rest
    chosen = list(joints)
    return _matrices(rotations[chosen], places[chosen])


def in_frame(clip: Clip, frame: int, joints: Sequence[int]) -> Array:
    """Return the matrices (B, 4, 4) of some joints in one frame of a clip without scales."""
    return next(in_frames(clip.cut(frame, frame + 1), joints))


def in_frames(clip: Clip, joints: Sequence[int]) -> Iterator[Array]:
    """Yield the matrices (B, 4, 4) of some joints, frame by frame, of a clip without scales."""
    rotations, places = kinematics.world_of(clip, joints)
    chosen = list(joints)
    for turned, moved in zip(rotations[:, chosen], places[:, chosen], strict=True):
        yield _matrices(turned, moved)


def play(surface: Skin, bind: Array, clip: Clip, joints: Sequence[int], method: str) -> Iterator[tuple[Floats, Floats]]:
    """Yield vertices and normals (V, 3) of a surface for each frame of a clip, in the clip's unit.

    bind (B, 4, 4) : where the bones of the surface were when it was at rest; joints (B,) : of the clip, which these are
    method : LINEAR or DUAL
    """
    for posed in in_frames(clip, joints):
        if method == DUAL:
            yield skinning.dual_quaternions(surface, bind, posed)
        else:
            yield skinning.linear(surface, skinning.moves(bind, posed))


def _matrices(rotations: Array, places: Array) -> Array:
    made = np.tile(np.eye(4), (len(places), 1, 1))
    made[:, :3, :3], made[:, :3, 3] = quat.to_matrix(rotations), places
    return made
