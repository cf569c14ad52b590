"""Evaluate a surface frame by frame, deformed by the joints of a clip (methods: Skinning; source 002)."""

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
    """Return the matrices (B, 4, 4) of some joints in the rest pose.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.skin import playing
        >>> playing.at_rest(body.skeleton(), [0])[0, :3, 3].round(3).tolist()  # where the hips are
        [0.0, 0.0, 0.965]
    """
    rotations, places = skeleton.rest
    chosen = list(joints)
    return _matrices(rotations[chosen], places[chosen])


def in_frame(clip: Clip, frame: int, joints: Sequence[int]) -> Array:
    """Return the matrices (B, 4, 4) of some joints in one frame of a clip without scales.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.skin import playing
        >>> place = playing.in_frame(actions.walk(), 30, [0])[0, :3, 3]  # the hips, 1 s after the start
        >>> place[1:].round(1).tolist()
        [-1.3, 0.9]
    """
    return next(_in_frames(clip.cut(frame, frame + 1), joints))


def _in_frames(clip: Clip, joints: Sequence[int]) -> Iterator[Array]:
    """Yield the matrices (B, 4, 4) of some joints, frame by frame, of a clip without scales."""
    rotations, places = kinematics.world_of(clip, joints)
    chosen = list(joints)
    for turned, moved in zip(rotations[:, chosen], places[:, chosen], strict=True):
        yield _matrices(turned, moved)


def play(surface: Skin, bind: Array, clip: Clip, joints: Sequence[int], method: str) -> Iterator[tuple[Floats, Floats]]:
    """Yield vertices and normals (V, 3) of a surface for each frame of a clip, in the clip's unit.

    bind (B, 4, 4) : matrices of the surface's bones in the bind pose; joints (B,) : the corresponding joints of the
        clip
    method : LINEAR or DUAL

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.skin import playing, skin
        >>> walk = actions.walk()
        >>> point = skin.skin(np.array([[0.0, 0.0, 0.965]]), [[(0, 1.0)]], [])  # at the hips
        >>> frames = list(playing.play(point, playing.at_rest(walk.skeleton, [0]), walk, [0], playing.LINEAR))
        >>> len(frames), np.allclose(frames[30][0][0], playing.in_frame(walk, 30, [0])[0, :3, 3], atol=1e-6)
        (97, True)
    """
    for posed in _in_frames(clip, joints):
        if method == DUAL:
            yield skinning.dual_quaternions(surface, bind, posed)
        else:
            yield skinning.linear(surface, skinning.moves(bind, posed))


def _matrices(rotations: Array, places: Array) -> Array:
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, :3, :3], matrices[:, :3, 3] = quat.to_matrix(rotations), places
    return matrices
