"""Mirror a clip: left and right are exchanged (methods: Mirror, placement, root motion)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from . import joint_matching, kinematics, mirrored_channels, quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton


def mirror_clip(clip: Clip) -> Clip:
    """Return the clip reflected in the sagittal plane of the rest pose; mirroring twice restores it.

    Every joint takes its partner's rotation about the rest pose, reflected; joints without a partner are reflected
    themselves. Channels change sides as in `mirrored_channels`. Raises SkeletonError for bodies whose partners have
    different inheritance settings.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics, mirror
        >>> wave = actions.wave()  # with the right hand
        >>> image = mirror.mirror_clip(wave)
        >>> hands = [wave.skeleton.index(name) for name in ("hand.L", "hand.R")]
        >>> [kinematics.points(clip)[54, hands, 2].round(2).tolist() for clip in (wave, image)]  # heights
        [[0.86, 1.71], [1.71, 0.86]]
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
    # Roots reflect their position, all other joints their offset from the rest position.
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
        channels=mirrored_channels.exchange_channels(clip),
    )


def _turned_in_the_world(clip: Clip, partner: NDArray[np.int64], normal: Array) -> Array:
    """Return rotations (F, J, 4) that give every joint the reflected world rotation of its partner.

    The hierarchy does not matter for this.
    """
    skeleton, rest = clip.skeleton, clip.skeleton.rest[0]
    if clip.scales is None:
        world = kinematics.world(clip)[0]
    else:
        world = kinematics.forward(skeleton, clip.rotations, clip.translations)[0]
    turned = quat.mul(_reflect_rotations(quat.mul(world, quat.inv(rest))[:, partner], normal), rest)
    above = np.where(skeleton.parents[:, None] < 0, quat.IDENTITY, turned[:, skeleton.parents])
    return quat.mul(quat.inv(skeleton.orients), quat.mul(quat.inv(above), turned))


def _turned_about_rest(clip: Clip, partner: NDArray[np.int64], normal: Array) -> Array:
    """Return rotations (F, J, 4) as `_turned_in_the_world`, for the same hierarchy and settings on both sides.

    The joints' own rotations about rest are reflected, so the inheritance need not be known.
    """
    rest = clip.skeleton.rest[0]
    own = quat.mul(quat.mul(rest, clip.rotations), quat.inv(rest))
    return quat.mul(quat.mul(quat.inv(rest), _reflect_rotations(own[:, partner], normal)), rest)


def _location_axes(skeleton: Skeleton) -> Array:
    """Return the axes (J, 4) of locations at rest: of the joint itself, or of the space of the whole body."""
    rules, rest = skeleton.inheritance, skeleton.rest[0]
    assert rules is not None
    space = rest[0] if rules.moving_space else np.asarray(rules.space)
    return np.where(rules.location[:, None], rest, space)


def _refuse_unlike(clip: Clip, partner: NDArray[np.int64]) -> None:
    """Raise SkeletonError for a body whose partners have parents or inheritance settings that do not correspond."""
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


def _reflect_rotations(turns: Array, normal: Array) -> Array:
    """Return reflected rotations: their axes keep the component along the normal, the rest is reversed."""
    axis = turns[..., 1:]
    along = 2.0 * (axis @ normal)[..., None] * normal
    return np.concatenate([turns[..., :1], along - axis], axis=-1)
