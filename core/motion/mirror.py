"""Mirror a clip: left and right are exchanged (methods: Mirror, placement, root motion)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError
from . import joint_matching, kinematics, mirrored_channels, quat
from .clip import Clip, FreeHand
from .quat import Array
from .skeleton import Skeleton

_OTHER_SIDE = {".L": ".R", ".R": ".L"}
_EXCHANGED = str.maketrans("LR", "RL")


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
    alike = skeleton.parents[partner] == np.where(skeleton.parents < 0, -1, partner[skeleton.parents])
    if skeleton.inheritance is not None:
        _refuse_unlike(clip, partner, alike)
        moving = _location_axes(skeleton)
    else:
        moving = rest
    if alike.all():
        rotations = _apply_maps(clip.rotations[:, partner], _turned_about_rest(skeleton, partner, normal))
    else:
        rotations = _turned_in_the_world(clip, partner, normal)
    # Roots reflect their position, all other joints their offset from the rest position.
    through = skeleton.roles.get("hips", 0)
    shifts = np.where(skeleton.parents[:, None] < 0, places, 0.0)
    shifts = _reflect(shifts[partner], normal) - shifts
    shifts[skeleton.parents < 0] += 2.0 * (places[through] @ normal) * normal
    axes = quat.rotate(moving[partner][:, None], np.eye(3))  # the images of the three unit vectors
    turned = quat.rotate(quat.inv(moving)[:, None], _reflect(axes, normal))
    return replace(
        clip,
        name=f"{clip.name} mirrored",
        rotations=rotations,
        translations=_apply_maps(clip.translations[:, partner], turned) + quat.rotate(quat.inv(moving), shifts),
        scales=None if clip.scales is None else clip.scales[:, partner],
        channels=mirrored_channels.exchange_channels(clip),
        free_hands=tuple(_exchange_sides(one, skeleton, partner) for one in clip.free_hands),
    )


def _exchange_sides(one: FreeHand, skeleton: Skeleton, partner: NDArray[np.int64]) -> FreeHand:
    """Return a free hand of the other side; its part is one of the body, such as thigh.L, or a joint."""
    part = one.part
    if part in skeleton.names:
        part = skeleton.names[partner[skeleton.index(part)]]
    elif part[-2:] in _OTHER_SIDE:
        part = part[:-2] + _OTHER_SIDE[part[-2:]]
    sides = one.sides.translate(_EXCHANGED)
    if sides == "RL" and one.kind not in ("meet", "hold"):  # both hands; otherwise one of each figure
        sides = one.sides
    return one._replace(sides=sides, part=part)


def _apply_maps(rows: Array, maps: Array) -> Array:
    """Return the rows (F, J, n) of each joint under its linear map (J, n, n), the images of the unit vectors."""
    return np.ascontiguousarray((rows.swapaxes(0, 1) @ maps).swapaxes(0, 1))


def _reflect(vectors: Array, normal: Array) -> Array:
    return vectors - 2.0 * (vectors @ normal)[..., None] * normal


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


def _turned_about_rest(skeleton: Skeleton, partner: NDArray[np.int64], normal: Array) -> Array:
    """Return maps (J, 4, 4) to the rotations of `_turned_in_the_world`, if the parents of partners are partners.

    A joint's own rotation about rest is reflected, so the inheritance need not be known. The map is linear in the
    partner's quaternion, so it is given by the images of the four unit quaternions.
    """
    rest, units = skeleton.rest[0][:, None], np.eye(4)
    own = quat.mul(quat.mul(rest[partner], units), quat.inv(rest[partner]))
    return quat.mul(quat.mul(quat.inv(rest), _reflect_rotations(own, normal)), rest)


def _location_axes(skeleton: Skeleton) -> Array:
    """Return the axes (J, 4) of locations at rest: of the joint itself, or of the space of the whole body."""
    rules, rest = skeleton.inheritance, skeleton.rest[0]
    assert rules is not None
    space = rest[0] if rules.moving_space else np.asarray(rules.space)
    return np.where(rules.location[:, None], rest, space)


def _refuse_unlike(clip: Clip, partner: NDArray[np.int64], alike: NDArray[np.bool_]) -> None:
    """Raise SkeletonError for a body whose partners have parents or inheritance settings that do not correspond."""
    skeleton, rules = clip.skeleton, clip.skeleton.inheritance
    assert rules is not None
    scales = np.array(rules.scale)
    alike = alike & (rules.rotation == rules.rotation[partner]) & (rules.location == rules.location[partner])
    alike &= scales == scales[partner]
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
