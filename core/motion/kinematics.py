"""Forward kinematics, for all frames at once (methods 1; seed 002)."""

import numpy as np

from . import quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton


def forward(skeleton: Skeleton, rotations: Array, translations: Array) -> tuple[Array, Array]:
    """Return world rotations (F, J, 4) and positions (F, J, 3) of all joints.

    rotations (F, J, 4) and translations (F, J, 3) are about the rest pose:
    M = M_parent · T(offset) · R(orient) · T(translation) · R(rotation).
    """
    local_positions = skeleton.offsets + quat.rotate(skeleton.orients, translations)
    local_rotations = quat.mul(skeleton.orients, rotations)
    world_rotations, world_positions = np.empty_like(local_rotations), np.empty_like(local_positions)
    for joints in skeleton.levels:
        if skeleton.parents[joints[0]] < 0:
            world_rotations[:, joints] = local_rotations[:, joints]
            world_positions[:, joints] = local_positions[:, joints]
            continue
        parents = skeleton.parents[joints]
        above = world_rotations[:, parents]
        world_rotations[:, joints] = quat.mul(above, local_rotations[:, joints])
        world_positions[:, joints] = world_positions[:, parents] + quat.rotate(above, local_positions[:, joints])
    return world_rotations, world_positions


def points(clip: Clip) -> Array:
    """Return the world positions (F, P, 3) of all joints, then of the tips of the leaf bones."""
    skeleton = clip.skeleton
    rotations, positions = forward(skeleton, clip.rotations, clip.translations)
    tipped = skeleton.tipped
    tips = positions[:, tipped] + quat.rotate(rotations[:, tipped], skeleton.tips[tipped])
    return np.concatenate([positions, tips], axis=1)


def rest(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return world rotations (J, 4) and positions (J, 3) of the rest pose."""
    still = np.tile(quat.IDENTITY, (1, len(skeleton), 1))
    rotations, positions = forward(skeleton, still, np.zeros((1, len(skeleton), 3)))
    return rotations[0], positions[0]
