"""A clip as seen in a mirror: left and right change places (methods: Mirror, placement, root motion)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from . import joint_matching, kinematics, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton


def mirrored(clip: Clip) -> Clip:
    """Return the clip reflected in the sagittal plane of the rest pose; twice gives the clip again.

    Every joint turns about its rest pose as its partner on the other side did, seen in the mirror; joints without a
    partner reflect in themselves. Raises SkeletonError for bodies whose partners do not inherit alike.
    """
    skeleton = clip.skeleton
    partner = joint_matching.across(skeleton)
    normal = joint_matching.sagittal(skeleton, partner)
    rest, places = skeleton.rest
    if skeleton.inheritance is None:
        rotations, moving = _turned_in_the_world(clip, partner, normal), rest
    else:
        _refuse_unlike(clip, partner)
        rotations, moving = _turned_about_rest(clip, partner, normal), _location_axes(skeleton)
    shifts = quat.rotate(moving, clip.translations)
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
        translations=quat.rotate(quat.inv(moving), shifts),
        scales=None if clip.scales is None else clip.scales[:, partner],
    )


def _turned_in_the_world(clip: Clip, partner: NDArray[np.int64], normal: Array) -> Array:
    """Rotations (F, J, 4) with which every joint stands in the world as its partner did, whatever hangs on what."""
    skeleton, rest = clip.skeleton, clip.skeleton.rest[0]
    world = kinematics.forward(skeleton, clip.rotations, clip.translations)[0]
    turned = quat.mul(_reflected(quat.mul(world, quat.inv(rest))[:, partner], normal), rest)
    above = np.where(skeleton.parents[:, None] < 0, quat.IDENTITY, turned[:, skeleton.parents])
    return quat.mul(quat.inv(skeleton.orients), quat.mul(quat.inv(above), turned))


def _turned_about_rest(clip: Clip, partner: NDArray[np.int64], normal: Array) -> Array:
    """The same where joints hang on each other, and inherit, alike on both sides: by their own turns about rest."""
    rest = clip.skeleton.rest[0]
    own = quat.mul(quat.mul(rest, clip.rotations), quat.inv(rest))
    return quat.mul(quat.mul(quat.inv(rest), _reflected(own[:, partner], normal)), rest)


def _location_axes(skeleton: Skeleton) -> Array:
    """The axes (J, 4) at rest that locations are along: a joint's own, or those of the space of the whole body."""
    rules, rest = skeleton.inheritance, skeleton.rest[0]
    assert rules is not None
    space = rest[0] if rules.moving_space else np.asarray(rules.space)
    return np.where(rules.location[:, None], rest, space)


def _refuse_unlike(clip: Clip, partner: NDArray[np.int64]) -> None:
    skeleton, rules = clip.skeleton, clip.skeleton.inheritance
    assert rules is not None
    parents = skeleton.parents
    scales = np.array(rules.scale)
    alike = (rules.rotation == rules.rotation[partner]) & (rules.location == rules.location[partner])
    alike &= (scales == scales[partner]) & (parents[partner] == np.where(parents < 0, -1, partner[parents]))
    if not alike.all():
        joint = int(np.flatnonzero(~alike)[0])
        one, other = skeleton.names[joint], skeleton.names[partner[joint]]
        raise SkeletonError(
            f"{clip.name}: {one!r} and {other!r} hang on other bones, or inherit in other ways, so they can't change"
            " places: give both bones the same parents' sides and settings"
        )


def _reflected(turns: Array, normal: Array) -> Array:
    """Return rotations seen in a mirror: the axis keeps its part along the normal, the rest of it is reversed."""
    axis = turns[..., 1:]
    along = 2.0 * (axis @ normal)[..., None] * normal
    return np.concatenate([turns[..., :1], along - axis], axis=-1)
