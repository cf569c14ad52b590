"""Which joint plays which part of the body, found from the names that usual rigs give them.

Roles: hips, spine (lowest), chest (highest spine joint), neck, head, and per side (".L", ".R") clavicle,
upper_arm, forearm, hand, thigh, shin, foot, toe.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# What a name says once its side and the rig's own prefix are taken off; the joint nearest the root that fits
# plays the role.
_CENTRE = {
    "hips": r"hips?|pelvis|root",
    "spine": r"lowerback|spine|abdomen|spine0*1|chest|torso",
    "neck": r"neck|neck0*1|lowerneck",
    "head": r"head",
}
_SIDED = {
    "clavicle": r"clavicle|shoulder|collar|collarbone",
    "upper_arm": r"upperarm|arm|humerus|shldr|uparm",
    "forearm": r"forearm|lowerarm|radius|lowarm|elbow",
    "hand": r"hand|wrist",
    "thigh": r"thigh|upleg|upperleg|femur|hip",
    "shin": r"shin|leg|lowleg|lowerleg|calf|tibia|knee",
    "foot": r"foot|ankle",
    "toe": r"toes?|toebase|ball|toe0*1|toeend",
}
_CHEST = re.compile(r"spine\d*|upperback|thorax|chest\d*|abdomen|torso|lowerback")
_PREFIXES = {"def", "org", "mch", "cc", "base", "bone", "bip", "bip01", "bip001", "mixamorig", "j", "b"}
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
# In lfemur or rclavicle nothing but knowledge of the word tells the side.
_BARE_SIDE = re.compile(r"(?i)([lr])(femur|tibia|foot|toes|clavicle|humerus|radius|wrist|hand|thigh|shin|collar)")
_CHAINS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def find(names: Sequence[str], parents: NDArray[np.int64]) -> dict[str, int]:
    """Return the joint index of every role that the names tell; parents (J,) must agree with it."""
    found: dict[str, int] = {}
    for joint, name in enumerate(names):
        side, plain = _split(name)
        for role, pattern in (_SIDED if side else _CENTRE).items():
            key = f"{role}.{side}" if side else role
            if key not in found and re.fullmatch(pattern, plain):
                found[key] = joint
                break
        if not side and _CHEST.fullmatch(plain):
            found["chest"] = joint  # the last one is the highest: parents come first
    for upper, lower in _CHAINS:
        for side in "LR":
            above, below = found.get(f"{upper}.{side}"), found.get(f"{lower}.{side}")
            if above is not None and below is not None and above not in ancestors(below, parents):
                del found[f"{lower}.{side}"]
    return found


def ancestors(joint: int, parents: NDArray[np.int64]) -> list[int]:
    """Return the joints above one, its parent first, its root last."""
    above = []
    while (joint := int(parents[joint])) >= 0:
        above.append(joint)
    return above


def _split(name: str) -> tuple[str, str]:
    """Return the side ("L", "R" or "") and the rest of a name in lower case, without prefix and punctuation."""
    name = name.rsplit(":", 1)[-1]
    bare = _BARE_SIDE.fullmatch(name)
    if bare and name.islower():
        return _SIDES[bare.group(1)], bare.group(2)
    words = [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1:]
    side = next((_SIDES[w] for w in words if w in _SIDES), "")
    return side, "".join(w for w in words if w not in _SIDES)
