"""A clip on another body (methods 14): same joints by name, rest poses and proportions may differ."""

from dataclasses import replace

import numpy as np

from ..errors import SkeletonError
from . import kinematics, quat
from .clip import Clip
from .inheritance import Inheritance
from .skeleton import Skeleton


def onto(clip: Clip, skeleton: Skeleton) -> Clip:
    """Return the clip on a skeleton that has the same joints, matched by name in any order.

    World rotations relative to the rest pose are kept; travel, height and other translations are scaled by the
    ratio of the leg lengths. Raises SkeletonError naming joints that only one of the two has, and for bodies
    whose joints do not all inherit rotation, scale and location.
    """
    if clip.skeleton is skeleton:
        return clip
    source = clip.skeleton
    _check_same_joints(clip, skeleton)
    if same(source, skeleton):
        return replace(clip, skeleton=skeleton)
    if source.inheritance is not None or skeleton.inheritance is not None:
        raise SkeletonError(f"{clip.name}: joints that do not inherit all of their parents can't change bodies yet")
    order = np.array([source.index(name) for name in skeleton.names])
    source_rest, source_places = source.rest
    rest, places = skeleton.rest
    world, _ = kinematics.world(clip)
    turned = quat.mul(quat.mul(world[:, order], quat.inv(source_rest[order])), rest)
    rotations = np.empty_like(turned)
    for joint, parent in enumerate(skeleton.parents):
        local = turned[:, joint] if parent < 0 else quat.mul(quat.inv(turned[:, parent]), turned[:, joint])
        rotations[:, joint] = quat.mul(quat.inv(skeleton.orients[joint]), local)
    scale = leg_ratio(source, skeleton)
    shifts = quat.rotate(source_rest[order], clip.translations[:, order])
    # A root's place in the world is scaled, not its distance from its own rest place.
    roots = skeleton.parents < 0
    shifts[:, roots] += source_places[order][roots] - places[roots] / scale
    translations = scale * quat.rotate(quat.inv(rest), shifts)
    scales = None if clip.scales is None else clip.scales[:, order]
    return replace(clip, skeleton=skeleton, rotations=rotations, translations=translations, scales=scales)


def same(a: Skeleton, b: Skeleton) -> bool:
    """Say whether two skeletons have the same joints in the same rest pose (to a micrometre)."""
    return a is b or (
        a.names == b.names
        and np.array_equal(a.parents, b.parents)
        and np.allclose(a.offsets, b.offsets, rtol=0.0, atol=1e-6)
        and np.allclose(quat.same_side(a.orients, b.orients), b.orients, rtol=0.0, atol=1e-6)
        and _inherit_alike(a.inheritance, b.inheritance)
    )


def _inherit_alike(a: Inheritance | None, b: Inheritance | None) -> bool:
    if a is None or b is None:
        return a is b
    return (
        a.scale == b.scale
        and np.array_equal(a.rotation, b.rotation)
        and np.array_equal(a.location, b.location)
        and np.allclose(a.space, b.space, rtol=0.0, atol=1e-6)
        and a.moving_space == b.moving_space
    )


def leg_ratio(source: Skeleton, target: Skeleton) -> float:
    """Return how much longer the target's legs are; whole bodies are compared where legs are not known."""
    if source.leg_length > 0.0 and target.leg_length > 0.0:
        return target.leg_length / source.leg_length
    return target.height / source.height if source.height > 0.0 and target.height > 0.0 else 1.0


def _check_same_joints(clip: Clip, skeleton: Skeleton) -> None:
    extra = [n for n in clip.skeleton.names if n not in set(skeleton.names)]
    missing = [n for n in skeleton.names if n not in set(clip.skeleton.names)]
    if extra or missing:
        raise SkeletonError(
            f"{clip.name}: its joints differ from the reference's"
            + (f"; it has {_some(extra)}" if extra else "")
            + (f"; it lacks {_some(missing)}" if missing else "")
        )


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(n) for n in names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"
