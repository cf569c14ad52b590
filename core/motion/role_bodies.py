"""Find body roles from shape alone: paired limbs of a symmetrical skeleton, and the trunk between them.

(methods: Body roles and retargeting)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .quat import Array

Flags = NDArray[np.bool_]

_FEWEST, _MOST = 8, 2000  # joints; for more, the comparison of all pairs takes too long
_NEAR = 0.03  # of the body's extent: largest distance of a joint's partner from its mirrored position
_LEAST = 0.15  # of the body's extent: a shorter pair of chains is not a limb
_ALIKE = (0.4, 2.2)  # range of the ratio of arm length to leg length
_UPRIGHT = -0.3  # cosine between trunk and legs; four-footed bodies have perpendicular legs
_FOOT = 0.8  # cosine: a leg that turns more at a joint has its ankle there
_ANKLE = 0.55  # of the leg: the ankle is beyond it
_BENT = (0.45, 1.9)  # range of the ratio of forearm to upper arm
_COLLAR = 0.8  # of the bone after it: a shorter first bone of an arm is a collar bone


class _Limb(NamedTuple):
    """A chain of joints from the trunk outwards, its mirror image, the joint that carries both, and its length."""

    one: list[int]
    other: list[int]
    carrier: int
    length: float


def find(parents: Sequence[int], places: Array) -> dict[str, int]:
    """Return the roles of a body without meaningful names; {} if its shape is not human.

    parents (J,), −1 for roots; places (J, 3) : the joints at rest, in any frame. Left and right may be swapped if the
        front is unknown.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import role_bodies
        >>> figure = body.skeleton()
        >>> found = role_bodies.find(figure.parents.tolist(), figure.rest[1])
        >>> found == {role: joint for role, joint in figure.roles.items() if role in found}, len(found)
        (True, 21)
    """
    extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    if not _FEWEST <= len(places) <= _MOST or extent <= 0.0:
        return {}
    limbs = _limbs(parents, places, extent)
    pairs = [(legs, arms) for legs in limbs for arms in limbs if _are_legs_and_arms(legs, arms, parents, places)]
    if not pairs:
        return {}
    legs, arms = max(pairs, key=lambda pair: pair[0].length + pair[1].length)
    trunk = _trunk(legs, arms, parents, places)
    leg, arm = _leg(legs.one, places), _arm(arms.one, parents, places)
    if leg is None or arm is None or not trunk:
        return {}
    found = dict(trunk)
    across = places[legs.one[0]] - places[legs.other[0]]
    to_left = across if across[np.argmax(np.abs(across))] > 0.0 else -across  # as in Blender, and in most files
    shoulder = parents[arms.one[0]], parents[arms.other[0]]
    for limb, roles in ((legs, leg), (arms, arm)):
        first_is_left = (places[limb.one[0]] - places[limb.other[0]]) @ to_left > 0.0
        chains = (limb.one, limb.other) if first_is_left else (limb.other, limb.one)
        for side, chain in zip("LR", chains, strict=True):
            found |= {f"{role}.{side}": chain[at] for role, at in roles.items()}
    if "clavicle" not in arm and shoulder[0] != shoulder[1]:  # they begin on the plane of symmetry
        ordered = shoulder if found["upper_arm.L"] == arms.one[arm["upper_arm"]] else shoulder[::-1]
        found |= dict(zip(("clavicle.L", "clavicle.R"), ordered, strict=True))
    return found


def _limbs(parents: Sequence[int], places: Array, extent: float) -> list[_Limb]:
    """Return the pairs of chains that mirror each other in the plane that mirrors most joints."""
    best: list[_Limb] = []
    most = 0
    for axis in range(3):
        opposite, central = _opposite(places, axis, extent)
        paired = int((opposite.any(axis=1) & ~central).sum())
        if paired > most:
            most, best = paired, _chains(parents, places, opposite, central, extent)
    return best


def _opposite(places: Array, axis: int, extent: float) -> tuple[Flags, Flags]:
    """Return which joints (J, J) are opposite each other, and which (J,) are on the plane of symmetry."""
    middle = float(np.median(places[:, axis]))
    mirrored = places.copy()
    mirrored[:, axis] = 2.0 * middle - places[:, axis]
    near = np.linalg.norm(mirrored[:, None] - places[None], axis=2) <= _NEAR * extent
    central = np.abs(places[:, axis] - middle) <= 0.5 * _NEAR * extent
    return near & ~central[:, None] & ~central[None], central


def _chains(parents: Sequence[int], places: Array, opposite: Flags, central: Flags, extent: float) -> list[_Limb]:
    below, following = _longest(parents, places)
    found = []
    for joint, parent in enumerate(parents):
        if central[joint] or parent < 0 or not central[parent]:
            continue
        chain = [joint]
        while following[chain[-1]] >= 0:
            chain.append(following[chain[-1]])
        length = _length(chain, places)
        for other in np.flatnonzero(opposite[joint]).tolist():
            carrier = _carrier(joint, other, parents) if joint < other else -1
            image = _mirror_chain(other, chain, below, opposite)
            if carrier >= 0 and len(chain) >= 3 and len(image) == len(chain) and length >= _LEAST * extent:
                found.append(_Limb(chain, image, carrier, length))
    return found


def _carrier(one: int, other: int, parents: Sequence[int]) -> int:
    """Return the lowest common ancestor of two joints, −1 if there is none; some rigs have joints in between."""
    above = ancestors(other, parents)
    return next((joint for joint in ancestors(one, parents) if joint in above), -1)


def _longest(parents: Sequence[int], places: Array) -> tuple[list[list[int]], list[int]]:
    """Return the children of each joint, and the child on the longest chain below it in space, −1 at ends."""
    below: list[list[int]] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(joint)
    order = [joint for joint, parent in enumerate(parents) if parent < 0]
    for joint in order:  # the list grows during the loop
        order += below[joint]
    following, length = [-1] * len(parents), np.zeros(len(parents))
    for joint in reversed(order):
        parent = int(parents[joint])
        gone = length[joint] + float(np.linalg.norm(places[joint] - places[max(parent, 0)]))
        if parent >= 0 and (following[parent] < 0 or gone > length[parent]):
            following[parent], length[parent] = joint, gone
    return below, following


def _mirror_chain(joint: int, chain: Sequence[int], below: Sequence[Sequence[int]], opposite: Flags) -> list[int]:
    """Return the mirror image of a chain, from its first joint on."""
    found = [joint]
    for wanted in chain[1:]:
        following = [child for child in below[found[-1]] if opposite[wanted, child]]
        if not following:
            return found
        found.append(following[0])
    return found


def _length(chain: Sequence[int], places: Array) -> float:
    return float(np.linalg.norm(np.diff(places[list(chain)], axis=0), axis=1).sum())


def _are_legs_and_arms(legs: _Limb, arms: _Limb, parents: Sequence[int], places: Array) -> bool:
    """Return whether the arms are higher on the trunk than the legs: their parent descends from the legs'."""
    above = ancestors(arms.carrier, parents)
    likely = _ALIKE[0] * legs.length <= arms.length <= _ALIKE[1] * legs.length
    if legs.one[0] == arms.one[0] or legs.carrier not in above or not likely:
        return False
    up = places[arms.carrier] - places[legs.carrier]
    down = places[legs.one[-1]] + places[legs.other[-1]] - places[legs.one[0]] - places[legs.other[0]]
    return float(up @ down) < _UPRIGHT * float(np.linalg.norm(up) * np.linalg.norm(down))


def _trunk(legs: _Limb, arms: _Limb, parents: Sequence[int], places: Array) -> dict[str, int]:
    """Return hips, spine, chest, neck and head: the carriers of legs and arms, and the central chain above."""
    between = [arms.carrier, *ancestors(arms.carrier, parents)]
    between = between[: between.index(legs.carrier)]
    if not between:
        return {}
    found = {"hips": legs.carrier, "spine": between[-1], "chest": between[0]}
    up = places[arms.carrier] - places[legs.carrier]
    limbs = {joint for limb in (legs, arms) for chain in (limb.one, limb.other) for joint in chain}
    limbs |= {
        joint for limb in (legs, arms) for end in (limb.one[0], limb.other[0]) for joint in ancestors(end, parents)
    }
    upwards: list[int] = []
    joint = arms.carrier
    while True:
        above = [
            child
            for child, parent in enumerate(parents)
            if parent == joint and child not in limbs and (places[child] - places[joint]) @ up > -1e-9
        ]
        if not above or (len(upwards) > 1 and list(parents).count(upwards[-1]) > 1):
            break  # eyes and a jaw are children of a head
        middle = 0.5 * (places[legs.one[0]] + places[legs.other[0]])
        across = places[legs.other[0]] - places[legs.one[0]]
        joint = min(above, key=lambda child: abs(float((places[child] - middle) @ across)))
        upwards.append(joint)
    if upwards:
        found["head"] = upwards[-1]
    if len(upwards) > 1:
        found["neck"] = upwards[0]
    return found


def _leg(chain: Sequence[int], places: Array) -> dict[str, int] | None:
    """Return thigh, shin, foot and toe of a chain: it turns at the ankle, and the knee is in its middle."""
    at = places[list(chain)]
    steps = np.diff(at, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    gone = np.concatenate([[0.0], np.cumsum(lengths)])
    turns = [
        float(steps[k] @ (at[k] - at[0])) / max(float(lengths[k] * np.linalg.norm(at[k] - at[0])), 1e-12)
        for k in range(1, len(steps))
    ]
    ankles = [k for k, cosine in enumerate(turns, 1) if cosine < _FOOT and k >= 2 and gone[k] > _ANKLE * gone[-1]]
    foot = ankles[0] if ankles else len(chain) - 1
    if foot < 2:
        return None
    thigh = (
        1 if foot >= 3 and gone[1] < _COLLAR * 0.5 * (gone[foot] - gone[1]) else 0
    )  # some have a joint in the pelvis
    middle = 0.5 * (gone[foot] + gone[thigh])
    knee = min(range(thigh + 1, foot), key=lambda k: abs(gone[k] - middle))
    roles = {"thigh": thigh, "shin": knee, "foot": foot}
    return roles | ({"toe": foot + 1} if foot + 1 < len(chain) else {})


def _arm(chain: Sequence[int], parents: Sequence[int], places: Array) -> dict[str, int] | None:
    """Return collar bone, upper arm, forearm and hand of a chain: the hand is the joint from which fingers branch."""
    at = places[list(chain)]
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(at, axis=0), axis=1))])
    branching = [k for k, joint in enumerate(chain) if k >= 2 and list(parents).count(joint) > 1]
    found = [_elbow(gone, k) for k in (*branching, min(len(chain) - 1, 3)) if k >= 2]
    halves = [roles for roles in found if _BENT[0] < _halves(gone, roles) < _BENT[1]]
    if not halves:
        return None
    return halves[0] | ({"clavicle": 0} if halves[0]["upper_arm"] else {})


def _elbow(gone: Array, hand: int) -> dict[str, int]:
    """Return upper arm and forearm of a chain with a given hand; gone (K,) : arc length at each joint."""
    collar = hand >= 3 and gone[1] < _COLLAR * (gone[2] - gone[1] if hand == 3 else 0.5 * (gone[hand] - gone[1]))
    upper = 1 if collar else 0
    middle = 0.5 * (gone[hand] + gone[upper])
    return {
        "upper_arm": upper,
        "forearm": min(range(upper + 1, hand), key=lambda k: abs(gone[k] - middle)),
        "hand": hand,
    }


def _halves(gone: Array, roles: dict[str, int]) -> float:
    """Return the ratio of forearm length to upper arm length."""
    upper, elbow, hand = (float(gone[roles[role]]) for role in ("upper_arm", "forearm", "hand"))
    return (hand - elbow) / max(elbow - upper, 1e-12)


def ancestors(joint: int, parents: Sequence[int] | NDArray[np.int64]) -> list[int]:
    """Return the ancestors of a joint, its parent first, its root last.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import roles
        >>> figure = body.skeleton()
        >>> [figure.names[joint] for joint in roles.ancestors(figure.roles["hand.L"], figure.parents)][:3]
        ['forearm.L', 'upper_arm.L', 'clavicle.L']
    """
    above = []
    while (joint := int(parents[joint])) >= 0:
        above.append(joint)
    return above
