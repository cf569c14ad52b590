"""Analyse the rest pose: wrongly named sides, mirrored joints, and four-footed bodies.

(methods: Body roles and retargeting)
"""

from collections.abc import Mapping

import numpy as np

from .quat import Array

_TOES_TELL = 0.1  # cosine between toes and front; below it toes do not show the facing
# of leg length: least bend of a knee that shows the front; T-poses of captured bodies have straight knees
_KNEES_TELL = 0.005
_ALONG = 0.7  # cosine: trunk and legs of a two-legged body are within 45° of a line
_BIRDS_KNEES = 0.08  # of leg length: knees bent backwards by more belong to birds
_NEAR = 0.03  # of the extent of a body: largest distance of a joint's partner from its mirrored position
# Four-footed bodies: heights above the lowest foot, as shares of the hips' height.
_HANDS_BELOW = 0.35
_SHOULDERS_BELOW = 1.5
_UPRIGHT = 0.5  # cosine between legs and the vertical; legs that carry a body are within 60°


def sides_are_swapped(roles: Mapping[str, int], places: Array) -> bool:
    """Return whether names call the body's right side left; places (J, 3) of joints at rest.

    With correct names, thighs and legs define the front; toes must point there, or without toes knees must bend there.
    The up axis does not matter, because the legs define it, too. The rest pose only overrules names for bodies on two
    straight legs, not for legs of animals and impossible rest poses.
    """
    legs = [[roles.get(f"{role}.{side}") for role in ("thigh", "shin", "foot", "toe")] for side in "LR"]
    (left, _, *_), (right, _, *_) = legs
    if left is None or right is None:
        return False
    if not _stands_on_two(roles, places):
        return False
    toes, knees = [], []
    for thigh, shin, foot, toe in legs:
        if thigh is None or shin is None or foot is None:
            return False
        down = places[foot] - places[thigh]
        length = float(np.linalg.norm(down))
        front = np.cross(places[right] - places[left], down)
        if length == 0.0 or not np.any(front):
            return False
        front /= np.linalg.norm(front)
        knees.append((places[shin] - places[thigh]) @ front / length)
        if toe is not None and np.any(places[toe] != places[foot]):
            ahead = places[toe] - places[foot]
            toes.append(ahead @ front / np.linalg.norm(ahead))
    if toes and abs(np.mean(toes)) > _TOES_TELL:
        return bool(np.mean(toes) < 0.0)
    return bool(-_BIRDS_KNEES < np.mean(knees) < -_KNEES_TELL)


def _stands_on_two(roles: Mapping[str, int], places: Array) -> bool:
    """Return whether trunk and legs of a body are nearly in line; true without a known joint of the trunk."""
    top = next((roles[role] for role in ("head", "neck", "chest") if role in roles), None)
    if top is None:
        return True
    hips = 0.5 * (places[roles["thigh.L"]] + places[roles["thigh.R"]])
    trunk = places[top] - hips
    for side in "LR":
        foot = roles.get(f"foot.{side}")
        if foot is None:
            return False
        leg = hips - places[foot]
        if trunk @ leg < _ALONG * np.linalg.norm(trunk) * np.linalg.norm(leg):
            return False
    return True


def across(roles: Mapping[str, int], places: Array) -> tuple[Array, float] | None:
    """Return the positions (J, 3) of joints mirrored between left and right, and the tolerance for a partner (m).

    None for a body without a role known on both sides. places (J, 3) : at rest
    """
    lefts = [role for role in roles if role.endswith(".L") and f"{role[:-1]}R" in roles]
    left = places[[roles[role] for role in lefts]]
    right = places[[roles[f"{role[:-1]}R"] for role in lefts]]
    normal = (right - left).sum(axis=0)
    if not np.any(normal):
        return None
    normal /= np.linalg.norm(normal)
    through = 0.5 * (left + right).mean(axis=0)
    extent = float(np.ptp(places[list(roles.values())], axis=0).max())
    return places - 2.0 * ((places - through) @ normal)[:, None] * normal, _NEAR * extent


def stands_on_four(roles: Mapping[str, int], places: Array) -> bool:
    """Return whether a body's hands are front feet: near the floor at rest, with positions (J, 3), Z up."""
    wanted = [f"{role}.{side}" for role in ("thigh", "foot", "upper_arm", "hand") for side in "LR"]
    if not {"hips", *wanted} <= set(roles):
        return False
    thighs, feet, shoulders, hands = (places[[roles[role] for role in wanted[k : k + 2]]] for k in (0, 2, 4, 6))
    legs = thighs - feet
    if (legs[:, 2] <= _UPRIGHT * np.linalg.norm(legs, axis=1)).any():
        return False
    floor = min(float(places[joint, 2]) for role, joint in roles.items() if role.startswith(("foot", "toe")))
    hips = float(places[roles["hips"], 2]) - floor
    return bool((hands[:, 2] - floor).max() < _HANDS_BELOW * hips) and bool(
        (shoulders[:, 2] - floor).max() < _SHOULDERS_BELOW * hips
    )
