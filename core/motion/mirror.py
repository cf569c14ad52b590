"""A clip as seen in a mirror: left and right change places (methods 15)."""

from dataclasses import replace

import numpy as np

from ..errors import SkeletonError
from . import joint_matching, kinematics, quat
from .clip import Clip
from .quat import Array


def mirrored(clip: Clip) -> Clip:
    """Return the clip reflected in the sagittal plane of the rest pose; twice gives the clip again.

    Every joint turns about its rest pose as its partner on the other side did, seen in the mirror; joints without a
    partner reflect in themselves. Raises SkeletonError for bodies whose joints do not all turn with their parents.
    """
    skeleton = clip.skeleton
    if skeleton.inheritance is not None:
        raise SkeletonError(f"{clip.name}: joints that do not inherit all of their parents can't be mirrored yet")
    partner = joint_matching.across(skeleton)
    normal = joint_matching.sagittal(skeleton, partner)
    rest, places = skeleton.rest
    world = kinematics.forward(skeleton, clip.rotations, clip.translations)[0]
    turned = quat.mul(_reflected(quat.mul(world, quat.inv(rest))[:, partner], normal), rest)
    above = np.where(skeleton.parents[:, None] < 0, quat.IDENTITY, turned[:, skeleton.parents])
    rotations = quat.mul(quat.inv(skeleton.orients), quat.mul(quat.inv(above), turned))
    shifts = quat.rotate(rest, clip.translations)
    # Where a root is, and how far any other joint has moved from its place at rest.
    roots = skeleton.parents < 0
    shifts[:, roots] += places[roots]
    shifts = shifts[:, partner] - 2.0 * (shifts[:, partner] @ normal)[..., None] * normal
    through = skeleton.roles.get("hips", 0)
    shifts[:, roots] += 2.0 * (places[through] @ normal) * normal - places[roots]
    return replace(
        clip,
        name=f"{clip.name} mirrored",
        rotations=rotations,
        translations=quat.rotate(quat.inv(rest), shifts),
        scales=None if clip.scales is None else clip.scales[:, partner],
    )


def _reflected(turns: Array, normal: Array) -> Array:
    """Return rotations seen in a mirror: the axis keeps its part along the normal, the rest of it is reversed."""
    axis = turns[..., 1:]
    along = 2.0 * (axis @ normal)[..., None] * normal
    return np.concatenate([turns[..., :1], along - axis], axis=-1)
