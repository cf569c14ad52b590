"""Find fingers by joint names below a hand: direction and roll of the hand.

Method: Body roles and retargeting.
"""

import re

import numpy as np

from .quat import Array
from .skeleton import Skeleton

_NAMES = {
    "thumb": re.compile(r"(?i)thumb|親指"),
    "index": re.compile(r"(?i)index|人指|人差"),
    "middle": re.compile(r"(?i)mid|中指"),
    "ring": re.compile(r"(?i)ring|薬指"),
    "little": re.compile(r"(?i)pinky|pinkie|little|小指"),
}
_PALM = re.compile(r"(?i)carpal|palm")  # bones of the palm, whose names often include fingers, too
_APART = 0.05  # of the forearm: a point nearer to the wrist gives no direction


def is_palm(name: str) -> bool:
    """Return whether a joint is a bone of the palm by its name.

    Example:
        >>> from action_loom.core.motion import fingers
        >>> fingers.is_palm("LeftHandMetacarpal1")
        True
    """
    return _PALM.search(name) is not None


def chains(skeleton: Skeleton, side: str) -> dict[str, tuple[int, ...]]:
    """Return the joints of each finger of a side ("L" or "R"), from its root; {} without finger names.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import fingers
        >>> walk = actions.walk(cycles=1)
        >>> fingers.chains(walk.skeleton, "L")
        {}
    """
    hand = skeleton.roles.get(f"hand.{side}")
    found: dict[str, tuple[int, ...]] = {}
    if hand is None:
        return found
    below = skeleton.with_below([hand])
    for joint, name in enumerate(skeleton.names):  # parents come first
        if not below[joint] or joint == hand or _PALM.search(name):
            continue
        finger = next((finger for finger, pattern in _NAMES.items() if pattern.search(name)), None)
        if finger is None:
            continue
        known = found.get(finger, ())
        if not known or skeleton.parents[joint] == known[-1]:
            found[finger] = (*known, joint)
    return found


def pointing(skeleton: Skeleton, side: str, points: Array) -> Array | None:
    """Return the unit vector (3,) from a hand to the mean root of its fingers, without the thumb.

    points (P, 3) : joints, then tips. Without finger names, the children of the hand are used, or its tip. None if the
        hand has neither.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import fingers, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> fingers.pointing(walk.skeleton, "L", kinematics.points(walk)[0]).shape
        (3,)
    """
    hand, known = skeleton.roles[f"hand.{side}"], chains(skeleton, side)
    roots = [joints[0] for finger, joints in known.items() if finger != "thumb"]
    wrist, near = points[hand], _APART * _forearm(skeleton, side, points)
    if not roots:
        hanging = [int(j) for j in np.flatnonzero(skeleton.parents == hand) if not _is_thumb(skeleton, int(j))]
        roots = [one for joint in hanging for one in _first_apart(skeleton, joint, wrist, near, points)]
    if not roots and hand in skeleton.tipped:
        roots = [_tip(skeleton, hand)]
    if not roots:
        return None
    reach = points[roots].mean(axis=0) - wrist
    length = float(np.linalg.norm(reach))
    return reach / length if length > near else None


def fan(skeleton: Skeleton, side: str, points: Array) -> Array | None:
    """Return the vector (3,) from the root of the little (or ring) finger to the index finger's; None if unknown.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import fingers, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> fingers.fan(walk.skeleton, "L", kinematics.points(walk)[0]) is None
        True
    """
    known = chains(skeleton, side)
    last = known.get("little", known.get("ring"))
    if last is None or "index" not in known:
        return None
    across = points[known["index"][0]] - points[last[0]]
    return np.asarray(across) if np.linalg.norm(across) > 1e-6 else None


def _first_apart(skeleton: Skeleton, joint: int, wrist: Array, near: float, points: Array) -> list[int]:
    """Return the first point at or below a joint that is away from the wrist; [] for none."""
    while np.linalg.norm(points[joint] - wrist) <= near:
        children = np.flatnonzero(skeleton.parents == joint)
        if not len(children):
            return [_tip(skeleton, joint)] if joint in skeleton.tipped else []
        joint = int(children[0])
    return [joint]


def _tip(skeleton: Skeleton, joint: int) -> int:
    return len(skeleton) + int(np.searchsorted(skeleton.tipped, joint))


def _is_thumb(skeleton: Skeleton, joint: int) -> bool:
    return _NAMES["thumb"].search(skeleton.names[joint]) is not None


def _forearm(skeleton: Skeleton, side: str, points: Array) -> float:
    above = skeleton.roles.get(f"forearm.{side}")
    hand = skeleton.roles[f"hand.{side}"]
    return 0.0 if above is None else float(np.linalg.norm(points[hand] - points[above]))
