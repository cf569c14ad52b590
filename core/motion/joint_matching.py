"""Match joints: left and right of one body, or of two bodies with different names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from . import named_sides, role_names
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

# A normal within 3° of an axis is snapped to it: bodies face along axes, but measured bones are slightly asymmetric.
_ALONG = np.cos(np.radians(3.0))
_NEAR = 0.05  # body heights: largest rest distance of a joint's partner from its mirrored position


def across(skeleton: Skeleton) -> NDArray[np.int64]:
    """Return for each joint its partner (J,) on the other side of the body; itself for joints in the middle.

    Partners are matched by roles, then for the joints between these and the trunk, then by names (using words for sides
    in many languages, and the words found in the limbs' names), then by rest position. The mapping is an involution.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import joint_matching
        >>> figure = body.skeleton()
        >>> partner = joint_matching.across(figure)
        >>> [figure.names[partner[figure.index(name)]] for name in ("hand.L", "toe.R", "head")]
        ['hand.R', 'toe.L', 'head']
    """
    return _across(skeleton).copy()


@lru_cache(maxsize=8)  # many clips share a body
def _across(skeleton: Skeleton) -> NDArray[np.int64]:
    partner = _by_roles(skeleton)
    names = role_names.split(skeleton.names)
    for joint, (side, name) in enumerate(names):
        if side == "L" and partner[joint] < 0 and (right := _only_free(names, partner, "R", name)) is not None:
            _pair_up(skeleton, partner, joint, right)
    _pair_by_words(skeleton, partner)
    _pair_by_place(skeleton, partner)
    return np.where(partner < 0, np.arange(len(skeleton)), partner)


@lru_cache(maxsize=8)
def side_words(skeleton: Skeleton) -> tuple[named_sides.Pair, ...]:
    """Return the words for left and right in the names of a body, starting with those used by its limbs."""
    partner = _by_roles(skeleton)
    lefts = [joint for role, joint in skeleton.roles.items() if role.endswith(".L") and partner[joint] >= 0]
    own = named_sides.pairs_of((skeleton.names[joint], skeleton.names[partner[joint]]) for joint in lefts)
    return tuple(dict.fromkeys((*own, *named_sides.PAIRS)))


def sagittal(skeleton: Skeleton, partner: NDArray[np.int64]) -> Array:
    """Return the normal (3,) of the sagittal plane at rest: a horizontal unit vector from left to right.

    It is snapped to a nearby axis, and is the x axis if no pair of joints defines it. partner : see `across`
    """
    places, roles = skeleton.rest[1], skeleton.roles
    lefts = [joint for role, joint in roles.items() if role.endswith(".L") and partner[joint] != joint]
    rightwards = places[partner[lefts]] - places[lefts] if lefts else np.zeros((1, 3))
    normal = rightwards.sum(axis=0) * np.array([1.0, 1.0, 0.0])
    length = float(np.linalg.norm(normal))
    if length < 1e-6:
        return np.array([1.0, 0.0, 0.0])
    normal /= length
    return np.round(normal) if np.abs(normal).max() > _ALONG else normal


def rename_joints(clip: Clip, like: Skeleton) -> Clip:
    """Return the clip with its joints renamed to the corresponding joints of another body.

    Joints are matched by roles, then between matched joints, then below matched joints; all others keep their names.
    The clip is returned unchanged if two joints would get one name. Different bodies raise no error here, but in
    `retarget`.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions, body
        >>> from action_loom.core.motion import joint_matching
        >>> walk, figure = actions.walk(cycles=1), body.skeleton()
        >>> mixamo = replace(figure, names=tuple(f"mixamorig:{name}" for name in figure.names))
        >>> joint_matching.rename_joints(walk, mixamo).skeleton.names[:3]
        ('mixamorig:hips', 'mixamorig:spine', 'mixamorig:chest')
    """
    own = clip.skeleton
    if set(own.names) == set(like.names):
        return clip
    theirs = np.full(len(own), -1)
    for role, joint in own.roles.items():
        if role in like.roles:
            theirs[joint] = like.roles[role]
    for joint in [joint for joint in range(len(own)) if theirs[joint] >= 0]:
        _match_above(own, like, theirs, joint)
    for joint in range(len(own)):  # parents come first
        if theirs[joint] >= 0:
            _match_below(own, like, theirs, joint)
    names = tuple(like.names[k] if k >= 0 else name for name, k in zip(own.names, theirs, strict=True))
    if len(set(names)) < len(names):
        return clip
    return replace(clip, skeleton=replace(own, names=names, roles=dict(own.roles)))


def _by_roles(skeleton: Skeleton) -> NDArray[np.int64]:
    """Return the partners (J,) of limb joints and of the joints between limbs and trunk; -1 for all other joints."""
    partner, roles = np.full(len(skeleton), -1), skeleton.roles
    for role, left in roles.items():
        right = roles.get(f"{role[:-2]}.R") if role.endswith(".L") else None
        if right is not None:
            _pair_up(skeleton, partner, left, right)
    return partner


def _pair_by_words(skeleton: Skeleton, partner: NDArray[np.int64]) -> None:
    """Make partners of joints whose names differ only in the words for left and right."""
    pairs, place = side_words(skeleton), {name: joint for joint, name in enumerate(skeleton.names)}
    for joint, name in enumerate(skeleton.names):
        if partner[joint] < 0:
            others = (place.get(other, joint) for other in named_sides.other_sides(name, pairs))
            other = next((one for one in others if one != joint and partner[one] < 0), joint)
            _pair_up(skeleton, partner, joint, other)


def _pair_up(skeleton: Skeleton, partner: NDArray[np.int64], left: int, right: int) -> None:
    """Make two joints partners, and their ancestors up to the trunk or to the next joint that has a partner."""
    while min(left, right) >= 0 and left != right and partner[left] < 0 and partner[right] < 0:
        partner[left], partner[right] = right, left
        left, right = int(skeleton.parents[left]), int(skeleton.parents[right])


def _only_free(names: Sequence[tuple[str, str]], partner: NDArray[np.int64], side: str, name: str) -> int | None:
    """Return the only joint of a side and name without a partner yet; None if there are none or several."""
    fitting = [k for k, part in enumerate(names) if part == (side, name) and partner[k] < 0]
    return fitting[0] if len(fitting) == 1 else None


def _pair_by_place(skeleton: Skeleton, partner: NDArray[np.int64]) -> None:
    """Make partners of joints at each other's mirrored rest position.

    Their parents must be partners, or be one joint in the middle if their names differ in one word.
    """
    normal, places = sagittal(skeleton, partner), skeleton.rest[1]
    origin = places[skeleton.roles.get("hips", 0)]
    mirrored = places - 2.0 * ((places - origin) @ normal)[:, None] * normal
    for joint in range(len(skeleton)):
        above = int(skeleton.parents[joint])
        if partner[joint] >= 0 or above < 0:
            continue
        in_middle = partner[above] < 0
        beside = np.flatnonzero((skeleton.parents == (above if in_middle else partner[above])) & (partner < 0))
        if in_middle:
            beside = np.array([k for k in beside if _differ_in_a_word(skeleton, joint, int(k))], dtype=np.int64)
        away = np.linalg.norm(places[beside] - mirrored[joint], axis=1)
        near = min(_NEAR * skeleton.height, np.linalg.norm(places[joint] - mirrored[joint]) if in_middle else np.inf)
        if len(beside) and away.min() <= near:
            other = int(beside[np.argmin(away)])
            partner[joint], partner[other] = other, joint


def _differ_in_a_word(skeleton: Skeleton, joint: int, other: int) -> bool:
    """Return whether the names of two joints have several words and differ in exactly one."""
    ours, theirs = (named_sides.words(skeleton.names[k]) for k in (joint, other))
    return len(ours) == len(theirs) > 1 and sum(a != b for a, b in zip(ours, theirs, strict=True)) == 1


def _match_above(own: Skeleton, like: Skeleton, theirs: NDArray[np.int64], joint: int) -> None:
    """Match the joints between a matched joint and its next matched ancestor if both bodies have the same number."""
    mine, others = [], []
    above = int(own.parents[joint])
    while above >= 0 and theirs[above] < 0:
        mine.append(above)
        above = int(own.parents[above])
    if above < 0:
        return
    place = int(like.parents[theirs[joint]])
    while place >= 0 and place != theirs[above]:
        others.append(place)
        place = int(like.parents[place])
    if place >= 0 and len(mine) == len(others):
        theirs[mine] = others


def _match_below(own: Skeleton, like: Skeleton, theirs: NDArray[np.int64], joint: int) -> None:
    """Match the children of two matched joints in order, each with the next one whose subtree has the same shape."""
    free = [k for k in np.flatnonzero(like.parents == theirs[joint]) if k not in theirs]
    for child in np.flatnonzero(own.parents == joint):
        if theirs[child] >= 0:
            continue
        shape = _shape(own, int(child))
        fitting = next((k for k in free if _shape(like, int(k)) == shape), None)
        if fitting is not None:
            theirs[child] = fitting
            free.remove(fitting)


def _shape(skeleton: Skeleton, joint: int) -> tuple[object, ...]:
    """Return the shape of the tree below a joint, regardless of the order of children."""
    return tuple(sorted(_shape(skeleton, int(k)) for k in np.flatnonzero(skeleton.parents == joint)))
