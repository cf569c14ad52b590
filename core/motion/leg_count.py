"""Find the legs of a body by the poses of its own actions (methods: Body roles and retargeting)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from . import feet, kinematics
from .clip import Clip
from .quat import Array
from .roles import ancestors
from .skeleton import Skeleton

Flags = NDArray[np.bool_]

# Unit: height of the pose, from its lowest to its highest joint.
NEAR = 0.1  # distance from the lowest point of a pose within which an end stands
LONG = 0.15  # least length of a leg

# A body stands on two legs if its thighs are higher over the feet than UPRIGHT leg lengths, and both hands are higher
# over the feet than this share, HANDS, of the height of the thighs.
UPRIGHT, HANDS = 0.7, 0.4

OFTEN = 0.5  # least share of the poses in which the end of a leg stands
ALIKE = 0.75  # the shorter leg of a pair has at least this share of the length of the longer one


def count(clip: Clip) -> int:
    """Return the number of legs of a body, in pairs, that stand in most poses of a clip.

    A leg is a subtree of which all ends stand, with a partner of similar length; a tail has none. Only joints count:
    importers invent the ends of bones.

    Example:
        >>> from action_loom.core.motion import leg_count
        >>> from action_loom.core.demo_character import actions
        >>> leg_count.count(actions.walk())
        2
    """
    return len(legs(clip)) // 2 * 2


def ends(clips: Sequence[Clip]) -> list[list[int]]:
    """Return the points (as in `kinematics.points`) at the end of each leg of a body with four or more, else none.

    Names show them, or the clip of one body in which most legs stand: in a gallop none does for long.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import leg_count
        >>> leg_count.ends([actions.walk(), actions.run()])
        []
    """
    skeleton = clips[0].skeleton
    known = feet.balls_and_ankles(skeleton) if skeleton.has_many_legs else {}
    if len(known) >= 4:
        return [sorted({*pair}) for pair in known.values()]
    if stands_on_two(skeleton):
        return []
    found = max((legs(clip) for clip in clips), key=len)
    return found if len(found) >= 4 else []


def legs(clip: Clip) -> list[list[int]]:
    """Return the joints that stand at the end of each leg of a body, only for legs that form a pair."""
    skeleton = clip.skeleton
    places = kinematics.world(clip)[1]
    tall = np.ptp(places[:, :, 2], axis=1)
    near = places[:, :, 2] - places[:, :, 2].min(axis=1, keepdims=True) < NEAR * tall[:, None]
    body = skeleton.body if skeleton.leg_length > 0.0 else np.ones(len(skeleton), dtype=bool)
    ends = body.copy()
    ends[skeleton.parents[body & (skeleton.parents >= 0)]] = False
    stands = np.zeros(len(skeleton), dtype=bool)
    for end in np.flatnonzero(ends).tolist():  # with targets and toes beside the body that follow it
        stands[end] = near[:, skeleton.with_below([end])].any(axis=1).mean() >= OFTEN
    least = LONG * float(np.median(tall))
    legs = [
        leg for top in _tops(skeleton, stands, ends) for leg in _list_leg_tops(skeleton, top, stands, places, least)
    ]
    lengths = [_length(skeleton, top, stands) for top in legs]
    long = [k for k, length in enumerate(lengths) if length > least]
    pairs = [pair for pair in combinations(long, 2) if ALIKE * max(own := [lengths[k] for k in pair]) < min(own)]
    paired = sorted({leg for pair in pairs for leg in pair})
    return [np.flatnonzero(stands & skeleton.with_below([legs[k]])).tolist() for k in paired]


def of_body(clip: Clip) -> Skeleton:
    """Return the skeleton of a clip, with the number of its legs if its poses show more than two.

    A body with its hands in the air in the rest pose has two legs, even if it crawls in the clip.

    Example:
        >>> from action_loom.core.motion import leg_count
        >>> from action_loom.core.demo_character import actions
        >>> leg_count.of_body(actions.walk()).leg_count
        0
    """
    skeleton = clip.skeleton
    if skeleton.leg_count or stands_on_two(skeleton):
        return skeleton
    legs = count(clip)
    return replace(skeleton, leg_count=legs) if legs > 2 else skeleton


def stands_on_two(skeleton: Skeleton) -> bool:
    """Return whether the hands of a body that stands at rest are clearly above its feet.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import leg_count
        >>> leg_count.stands_on_two(body.skeleton())
        True
    """
    roles, heights = skeleton.roles, skeleton.rest[1][:, 2]
    wanted = [f"{role}.{side}" for role in ("thigh", "hand", "foot") for side in "LR"]
    if not set(wanted) <= set(roles):
        return False
    thighs, hands, feet = (heights[[roles[role] for role in wanted[k : k + 2]]] for k in (0, 2, 4))
    tall = float(thighs.mean() - feet.mean())
    return tall > UPRIGHT * skeleton.leg_length and bool((hands - feet.mean()).min() > HANDS * tall)


def _tops(skeleton: Skeleton, stands: Flags, ends: Flags) -> list[int]:
    """Return the highest joints of which all ends below stand."""
    astray = np.flatnonzero(ends & ~stands).tolist()
    leading = np.zeros(len(skeleton), dtype=bool)
    for joint in astray:
        leading[[joint, *ancestors(joint, skeleton.parents)]] = True
    tops = []
    for joint in np.flatnonzero(~leading).tolist():
        parent = int(skeleton.parents[joint])
        if parent >= 0 and leading[parent]:
            tops.append(joint)
    return tops


def _list_leg_tops(skeleton: Skeleton, top: int, stands: Flags, places: Array, least: float) -> list[int]:
    """Return the highest joints of the legs below a joint: itself, unless it carries several that stand apart.

    places (F, J, 3) : of the joints; least : length of a leg, and distance between the ends of two
    """
    children = [j for j in np.flatnonzero(skeleton.parents == top).tolist() if (skeleton.parents == j).any()]
    parts = [child for child in children if _length(skeleton, child, stands) > least]
    below = [leg for child in parts for leg in _list_leg_tops(skeleton, child, stands, places, least)]
    ends = [int(np.flatnonzero(stands & skeleton.with_below([leg]))[-1]) for leg in below]
    apart = [np.median(np.linalg.norm(places[:, a] - places[:, b], axis=1)) for a, b in combinations(ends, 2)]
    return below if apart and min(apart) > least else [top]


def _length(skeleton: Skeleton, top: int, stands: Flags) -> float:
    """Return the length of the longest chain from the joint above a leg down to its ends, at rest."""
    lengths = [
        float(np.linalg.norm(skeleton.offsets[chain], axis=1).sum())
        for end in np.flatnonzero(stands & skeleton.with_below([top])).tolist()
        if len(chain := _chain(skeleton, end, top))
    ]
    return max(lengths, default=0.0)


def _chain(skeleton: Skeleton, end: int, top: int) -> Sequence[int]:
    above = [end, *ancestors(end, skeleton.parents)]
    return above[: above.index(top) + 1] if top in above else []
