"""Body roles of joints, found from names, hierarchy and rest pose (methods: Body roles and retargeting).

Roles: hips, spine (its lowest joint), chest (the arms hang on it), neck, head, and for each side (".L", ".R") clavicle,
upper_arm, forearm, hand, thigh, shin, foot, toe. Of bodies on four feet, front legs are arms and their paws are hands.

Names alone mislead: a Shoulder is a collar bone in one rig and an upper arm in the next. So a limb is the order of
roles along one chain of joints that most names agree with, and the trunk is what lies between the limbs.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from . import role_bodies, role_names, role_shapes
from .quat import Array

TRUNK = ("hips", "spine", "chest", "neck", "head")
LIMBS = tuple(role for limb in role_names.LIMBS for role in limb)
# How a role was found, the surest first: by the joint's name, by where limbs hang, or by the rest pose alone (sides
# that contradict their names, joints opposite others). HAND: the user chose another joint.
NAME, HIERARCHY, SHAPE, HAND = "name", "hierarchy", "shape", "hand"
GUESSED = 6  # roles known by shape alone, from which on it is said; fewer are single joints between known ones

# Chains of roles from the hips outwards.
_OUTWARDS = (
    ("hips", "thigh", "shin", "foot", "toe"),
    ("hips", "spine", "chest", "clavicle", "upper_arm", "forearm", "hand"),
    ("hips", "spine", "chest", "neck", "head"),
)

# Limbs by which it is seen whether names tell a body, and the share of them in which its shape must agree.
_TELLING, _AGREE = ("thigh", "shin", "foot", "upper_arm", "forearm", "hand"), 0.8

_Sources = dict[str, tuple[int, str]]  # by role: the joint, and how it was found


def find(names: Sequence[str], parents: NDArray[np.int64], places: Array | None = None) -> dict[str, int]:
    """Return the joint index of every role that names and hierarchy, parents (J,), show.

    places (J, 3) : the joints at rest, in any frame; they correct sides that names have wrong, and find the roles of
        one side that names have for the other side alone

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import roles
        >>> roles.find(["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"], np.array([-1, 0, 1, 2]))["shin.L"]
        2
    """
    return {role: joint for role, (joint, _) in _with_sources(names, parents, places).items()}


def found_by(names: Sequence[str], parents: NDArray[np.int64], places: Array | None = None) -> dict[str, str]:
    """Return how each role that `find` returns was found: by NAME, HIERARCHY or SHAPE.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.motion import roles
        >>> roles.found_by(["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"], np.array([-1, 0, 1, 2]))["shin.L"]
        'name'
    """
    return {role: how for role, (_, how) in _with_sources(names, parents, places).items()}


def _with_sources(names: Sequence[str], parents: NDArray[np.int64], places: Array | None) -> _Sources:
    """Return the joint of each role and how it was found."""
    known, above = tuple(names), tuple(int(p) for p in parents)
    deforming = [joint for joint, name in enumerate(known) if name.startswith("DEF-")]
    if len(deforming) < 10 or len(deforming) == len(known):
        found = dict(_by_names(known, above))
    else:
        # A rig that Rigify generated has every part several times; the mesh hangs on the deforming bones.
        mesh = _by_names(tuple(known[j] for j in deforming), _deform_parents(known, above, tuple(deforming)))
        found = {role: (deforming[k], how) for role, (k, how) in mesh.items()}
    found |= _hips_above_limbs(found, above)
    if places is None:
        return found
    found |= _by_shape(found, above, places)
    joints = {role: joint for role, (joint, _) in found.items()}
    found |= {role: (joint, SHAPE) for role, joint in _by_symmetry(joints, above, places).items()}
    if not role_shapes.sides_are_swapped({role: joint for role, (joint, _) in found.items()}, places):
        return found
    return {_opposite(role): (joint, SHAPE if "." in role else how) for role, (joint, how) in found.items()}


def _hips_above_limbs(found: _Sources, parents: tuple[int, ...]) -> _Sources:
    """Return the hips that the hierarchy shows where the joint with that name carries no limb, neck or head.

    Animals of some game packs have a bone "Hips" beside the legs, and both hang on the bone that carries the body.
    """
    carried = ("thigh.L", "thigh.R", "upper_arm.L", "upper_arm.R", "neck", "head")
    joints = [found[role][0] for role in carried if role in found]
    if "hips" not in found or not {"thigh.L", "thigh.R"} <= found.keys() or len(joints) < 4:
        return {}
    lines = [[joint, *ancestors(joint, parents)] for joint in joints]
    hips = found["hips"][0]
    common = next((joint for joint in lines[0] if all(joint in line for line in lines[1:])), -1)
    if any(hips in line for line in lines) or common < 0 or common not in ancestors(hips, parents):
        return {}
    return {"hips": (common, HIERARCHY)}


def exchange_sides(known: Mapping[str, int]) -> dict[str, int]:
    """Return roles with left and right exchanged.

    Example:
        >>> from action_loom.core.motion import roles
        >>> roles.exchange_sides({"hips": 0, "thigh.L": 1})
        {'hips': 0, 'thigh.R': 1}
    """
    return {_opposite(role): joint for role, joint in known.items()}


def _by_shape(found: _Sources, parents: tuple[int, ...], places: Array) -> _Sources:
    """Return the missing roles of a body whose limbs no name tells, where its shape agrees with what names tell."""
    limbs = [f"{role}.{side}" for role in _TELLING for side in "LR"]
    if sum(role in found for role in limbs) > len(limbs) // 2:
        return {}
    shape = role_bodies.find(parents, places)
    both = [role for role in limbs if role in found and role in shape]
    if sum(found[role][0] == shape.get(_opposite(role)) for role in both) > 0.5 * len(both):
        shape = {_opposite(role): joint for role, joint in shape.items()}  # mirrored: its left is its names' right
    if sum(found[role][0] == shape[role] for role in both) < _AGREE * len(both):
        return {}
    if not both:
        return {role: (joint, SHAPE) for role, joint in shape.items()}  # what is named then is no part of a limb
    taken = {joint for joint, _ in found.values()}
    return {role: (joint, SHAPE) for role, joint in shape.items() if role not in found and joint not in taken}


def _by_symmetry(known: dict[str, int], parents: tuple[int, ...], places: Array) -> dict[str, int]:
    """Return the missing roles of those known on one side alone: joints that stand opposite and hang on that limb."""
    reflection = role_shapes.across(known, places)
    added: dict[str, int] = {}
    if reflection is None:
        return added
    mirrored, near = reflection
    for role in sorted(known, key=lambda role: len(ancestors(known[role], parents))):
        other = _opposite(role)
        both = known | added
        if "." not in role or other in both:
            continue
        carrier = before(other, both)
        away = np.linalg.norm(places - mirrored[known[role]], axis=1)
        fitting = [j for j in np.flatnonzero(away <= near).tolist() if j not in both.values()]
        hanging = [j for j in fitting if carrier in ancestors(j, parents)]
        if hanging:
            added[other] = hanging[0]
    return added


def _opposite(role: str) -> str:
    """Return the role on the other side of the body; a role of the trunk itself."""
    side = {"L": "R", "R": "L"}.get(role.partition(".")[2], "")
    return f"{role[:-1]}{side}" if side else role


@lru_cache(maxsize=64)
def _deform_parents(names: tuple[str, ...], parents: tuple[int, ...], deforming: tuple[int, ...]) -> tuple[int, ...]:
    """Return the parents among the deforming joints alone, which hang on each other through their originals."""
    place = {names[joint].removeprefix("DEF-"): k for k, joint in enumerate(deforming)}
    # For each joint the two nearest different names, its own or above it, that a deforming joint has.
    nearest: list[tuple[str, ...]] = []
    for name, parent in zip(names, parents, strict=True):
        above = nearest[parent] if parent >= 0 else ()
        bare = re.sub(r"^[A-Z]{3}-", "", name)
        nearest.append((bare, *(other for other in above if other != bare))[:2] if bare in place else above)
    out = []
    for joint in deforming:
        own = names[joint].removeprefix("DEF-")
        above = nearest[parents[joint]] if parents[joint] >= 0 else ()
        out.append(next((place[name] for name in above if name != own), -1))
    reached = set(_downwards(tuple(out)))  # names can make a joint hang on itself; then it hangs on nothing
    return tuple(parent if joint in reached else -1 for joint, parent in enumerate(out))


@lru_cache(maxsize=64)
def _by_names(names: tuple[str, ...], parents: tuple[int, ...]) -> _Sources:
    """Return the roles that names and hierarchy show."""
    parts = role_names.split(names)
    found: dict[str, int] = {}
    for side in "LR":
        for limb in role_names.LIMBS:
            joints = _limb(parts, parents, side, limb)
            joints |= _loose_end(parts, parents, side, limb, joints)
            found |= {f"{role}.{side}": joint for role, joint in joints.items()}
    centre = [j for j, (side, _) in enumerate(parts) if not side]
    for role, pattern in role_names.TRUNK.items():
        fitting = [j for j in centre if re.fullmatch(pattern, parts[j][1])]
        if fitting:
            found[role] = fitting[-1 if role == "chest" else 0]
    found |= _trunk(names, parents, centre, found)
    return {
        role: (joint, NAME if role_names.says(parts[joint][1], role) else HIERARCHY)
        for role, joint in found.items()
        if joint >= 0
    }


def _limb(parts: list[tuple[str, str]], parents: tuple[int, ...], side: str, limb: dict[str, str]) -> dict[str, int]:
    """Return the roles of one limb: the chain, and the order along it, that most names agree with.

    The most roles count first, then roles nearer the trunk, then joints nearer the trunk. So for every subset of the
    roles, each role is played by the first joint down a chain that can play it, below the joint of the role before.
    """
    roles = tuple(limb)
    subsets = [subset for size in range(1, len(roles) + 1) for subset in combinations(roles, size)]
    nobody: dict[tuple[str, ...], tuple[int, ...]] = dict.fromkeys(subsets, ())
    # For each joint: the joints down to it that play the first roles of each subset.
    taken = [nobody] * len(parents)
    depths = [0] * len(parents)
    best: dict[str, int] = {}
    best_merit: tuple[object, ...] = ()
    for joint in _downwards(parents):
        parent = parents[joint]
        depths[joint] = depths[parent] + 1 if parent >= 0 else 0
        so_far = taken[parent] if parent >= 0 else nobody
        own_side, name = parts[joint]
        played = [role for role in roles if own_side == side and re.fullmatch(limb[role], name)]
        if played:
            so_far = dict(so_far)
            for subset, joints in so_far.items():
                if len(joints) == len(subset) or subset[len(joints)] not in played:
                    continue
                so_far[subset] = (*joints, joint)
                if len(joints) + 1 == len(subset):
                    match = dict(zip(subset, so_far[subset], strict=True))
                    merit = _merit(match, roles, depths)
                    if merit > best_merit:
                        best, best_merit = match, merit
        taken[joint] = so_far
    return best


def _loose_end(
    parts: list[tuple[str, str]], parents: tuple[int, ...], side: str, limb: dict[str, str], joints: dict[str, int]
) -> dict[str, int]:
    """Return the foot or hand, and its toe, of a limb that ends before it, where exactly one hangs outside the body.

    This is so where inverse kinematics was baked: feet hang on a root. A joint that hangs elsewhere on the body is no
    foot or hand of the limb.
    """
    *_, last = roles = [role for role in limb if role != "toe"]
    if last in joints or "toe" in joints or not {roles[-2], roles[-3]} <= set(joints):
        return {}
    carrier = parents[next(iter(joints.values()))]
    fitting = [
        joint
        for joint, (own_side, name) in enumerate(parts)
        if own_side == side and re.fullmatch(limb[last], name) and carrier not in (-1, *ancestors(joint, parents))
    ]
    if len(fitting) != 1:
        return {}
    toes = [j for j, part in enumerate(parts) if parents[j] == fitting[0] and part[0] == side]
    toe = next((j for j in toes if re.fullmatch(limb.get("toe", ""), parts[j][1])), None)
    return {last: fitting[0]} | ({} if toe is None else {"toe": toe})


def _merit(match: dict[str, int], roles: tuple[str, ...], depths: list[int]) -> tuple[object, ...]:
    """Return a key that is greater for a better match; between equal ones the first joints win."""
    nearness = [-depths[match[role]] for role in roles if role in match]
    return len(match), [role in match for role in roles], nearness, [-joint for joint in match.values()]


def _trunk(
    names: tuple[str, ...], parents: tuple[int, ...], centre: list[int], found: dict[str, int]
) -> dict[str, int]:
    """Return the roles of the trunk that the limbs show: they overrule names for the chest, and replace missing ones.

    −1 : nothing plays the role, whatever names there are
    """
    inferred: dict[str, int] = {}
    hips = found.get("hips", _where_both_hang("thigh", found, parents))
    if hips is None:
        hips = next((j for j in centre if re.fullmatch(r"(?i)root", names[j]) and parents[j] < 0), None)
    if hips is not None:
        inferred["hips"] = hips
    chest = _where_both_hang("clavicle", found, parents)
    chest = _where_both_hang("upper_arm", found, parents) if chest is None else chest
    if chest is not None and chest == found.get("neck"):
        chest = parents[chest]
    chest = found.get("chest") if chest is None or chest < 0 or chest == hips else chest
    above_hips = set() if hips is None else {hips, *ancestors(hips, parents)}
    if chest is None or chest == hips:
        return inferred
    if chest in above_hips:
        inferred["chest"] = -1  # a joint that the hips hang on is no chest
    else:
        inferred["chest"] = chest
        inferred["spine"] = [j for j in [chest, *ancestors(chest, parents)] if j not in above_hips][-1]
        upwards = _namesakes(chest, names, parents) or _central_chain(chest, parents, centre)
        inferred["neck"] = found.get("neck", upwards[0] if len(upwards) > 1 else -1)
        inferred["head"] = found.get("head", upwards[-1] if len(upwards) > 1 else -1)
    return inferred


def _where_both_hang(role: str, found: dict[str, int], parents: tuple[int, ...]) -> int | None:
    """Return the lowest joint that the left and the right joint of a role both hang on; None if there is none."""
    if f"{role}.L" not in found or f"{role}.R" not in found:
        return None
    right = set(ancestors(found[f"{role}.R"], parents))
    return next((j for j in ancestors(found[f"{role}.L"], parents) if j in right), None)


def _central_chain(joint: int, parents: tuple[int, ...], centre: list[int]) -> list[int]:
    """Return the longest chain of joints without a side below a joint; of several, the first."""
    central, longest = set(centre), dict[int, int]()
    length = dict.fromkeys([*centre, joint], 0)
    for child in (below for below in reversed(_downwards(parents)) if below in central):
        above = parents[child]
        if above in length and length[child] + 1 >= length[above]:
            length[above], longest[above] = length[child] + 1, child
    chain = []
    while joint in longest:
        joint = longest[joint]
        chain.append(joint)
    return chain


def _namesakes(joint: int, names: tuple[str, ...], parents: tuple[int, ...]) -> list[int]:
    """Return the chain of joints below a joint that have the same name but for numbers."""
    name = re.sub(r"\d", "", names[joint])
    alike = {parents[j]: j for j in range(len(names) - 1, -1, -1) if re.sub(r"\d", "", names[j]) == name}
    chain = []
    while joint in alike:
        joint = alike[joint]
        chain.append(joint)
    return chain


@lru_cache(maxsize=64)
def _downwards(parents: tuple[int, ...]) -> tuple[int, ...]:
    """Return the joints, each after its parent, without those that hang on themselves."""
    below: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents):
        below.setdefault(parent, []).append(joint)
    order = list(below.get(-1, ()))
    for joint in order:  # the list grows meanwhile
        order += below.get(joint, ())
    return tuple(order)


def before(role: str, known: Mapping[str, int]) -> int | None:
    """Return the joint of the nearest known role between a role and the hips, or None."""
    part, dot, side = role.partition(".")
    chain = next(chain for chain in reversed(_OUTWARDS) if part in chain)
    nearer = (known.get(inner + dot + side, known.get(inner)) for inner in reversed(chain[: chain.index(part)]))
    return next((joint for joint in nearer if joint not in (None, known.get(role))), None)


def ancestors(joint: int, parents: Sequence[int] | NDArray[np.int64]) -> list[int]:
    """Return the joints above a joint, its parent first, its root last.

    Example:
        >>> from action_loom.core.figure import body
        >>> from action_loom.core.motion import roles
        >>> figure = body.skeleton()
        >>> [figure.names[joint] for joint in roles.ancestors(figure.roles["hand.L"], figure.parents)][:3]
        ['forearm.L', 'upper_arm.L', 'clavicle.L']
    """
    above = []
    while (joint := int(parents[joint])) >= 0:
        above.append(joint)
    return above
