"""A small procedural human figure: its rest pose, and poses defined by bone directions.

The figure faces −Y, its left is +X.
"""

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

# Name, parent and rest position, metres. For pairs of joints, only the left one.
_JOINTS = (
    ("hips", "", (0.0, 0.0, 0.965)),
    ("spine", "hips", (0.0, 0.010, 1.055)),
    ("chest", "spine", (0.0, 0.020, 1.210)),
    ("neck", "chest", (0.0, 0.020, 1.440)),
    ("head", "neck", (0.0, 0.0, 1.525)),
    ("clavicle", "chest", (0.020, 0.0, 1.395)),
    ("upper_arm", "clavicle", (0.185, 0.015, 1.400)),
    ("forearm", "upper_arm", (0.300, 0.025, 1.140)),
    ("hand", "forearm", (0.395, -0.005, 0.915)),
    ("thigh", "hips", (0.090, 0.0, 0.925)),
    ("shin", "thigh", (0.090, -0.010, 0.505)),
    ("foot", "shin", (0.090, 0.015, 0.085)),
    ("toe", "foot", (0.090, -0.115, 0.020)),
)
_TIPS = {"head": (0.0, -0.010, 0.195), "hand": (0.065, -0.015, -0.165), "toe": (0.0, -0.065, -0.020)}
SIDES = np.array([1.0, -1.0])  # left, right
# factors that turn a position or direction on the left into left and right
MIRROR = np.array([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]])


def skeleton() -> Skeleton:
    """Return the skeleton of the figure: 21 joints, 1.72 m tall, at rest in an A-pose, soles on z = 0.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> figure = body.skeleton()
        >>> len(figure), figure.roles["hips"], round(figure.height, 2)
        (21, 0, 1.72)
    """
    paired = {name for name, _, place in _JOINTS if place[0] != 0.0}
    names, above, places, tips = [], [], [], []
    for side, sign in (("", 1.0), (".L", 1.0), (".R", -1.0)):
        for name, parent, place in _JOINTS:
            if (name in paired) == bool(side):
                names.append(name + side)
                above.append(parent + side if parent in paired else parent)
                places.append(np.array([sign, 1.0, 1.0]) * place)
                tips.append(np.array([sign, 1.0, 1.0]) * _TIPS.get(name, (0.0, 0.0, 0.0)))
    parents = np.array([names.index(parent) if parent else -1 for parent in above])
    offsets = np.where(parents[:, None] >= 0, np.array(places) - np.array(places)[parents], places)
    return Skeleton(tuple(names), parents, offsets, np.tile(quat.IDENTITY, (len(names), 1)), np.array(tips))


def make_clip(name: str, body: Skeleton, rate: float, world: dict[str, Array], hips: Array) -> Clip:
    """Return the clip of world rotations by role, (F, 4) or of pairs (F, 2, 4), and of hips positions (F, 3)."""
    turned = np.empty((len(hips), len(body), 4))
    for role, rotations in world.items():
        turned[:, body.roles[role] if rotations.ndim == 2 else pair(body, role)] = rotations
    local = np.where(body.parents[:, None] < 0, turned, quat.mul(quat.inv(turned[:, body.parents]), turned))
    translations = np.zeros((len(hips), len(body), 3))
    translations[:, 0] = hips - body.offsets[0]
    return Clip(name, body, rate, quat.continuous(local), translations)


def two_bones(hip: Array, ankle: Array, across: Array, upper: Array, lower: Array) -> tuple[Array, Array]:
    """Return the world rotations (..., 4) of thigh and shin that join hip and ankle (..., 3).

    Out of reach, the straight leg points at the ankle.

    across (..., 3) : the knee's axis, to the left; it is orthogonalized to the leg's direction
    upper, lower (3,) : the bones at rest, x = 0
    """
    a, b = np.linalg.norm(upper), np.linalg.norm(lower)
    reach = ankle - hip
    length = np.linalg.norm(reach, axis=-1, keepdims=True)
    cosine = (length[..., 0] ** 2 - a * a - b * b) / (2.0 * a * b)
    bend = np.arccos(np.clip(cosine, -1.0, 1.0)) + _slope(upper) - _slope(lower)
    knee = quat.about_axis("X", bend)
    up = -reach / length
    side = across - up * (across * up).sum(axis=-1, keepdims=True)
    side = side / np.linalg.norm(side, axis=-1, keepdims=True)
    frame = quat.from_matrix(np.stack([side, quat.cross(up, side), up], axis=-1))
    thigh = quat.mul(frame, quat.about_axis("X", -_slope(upper + quat.rotate(knee, lower))))
    return thigh, quat.mul(thigh, knee)


def _slope(down: Array) -> Array:
    """Return the angle of vectors (..., 3) about X from straight down, radians."""
    return np.arctan2(down[..., 1], -down[..., 2])


def arms(body: Skeleton, upper: Array, fore: Array) -> dict[str, Array]:
    """Return the world rotations (..., 2, 4) of arms and hands with bones along upper and fore (..., 2, 3).

    The elbow's axis determines the twist of the arm, so arms must not be straight.
    """
    rest = [body.offsets[pair(body, role)] for role in ("forearm", "hand")]
    hinge, rest_hinge = quat.cross(upper, fore), quat.cross(*rest)
    turned = [
        quat.mul(_frame(now, hinge), quat.inv(_frame(then, rest_hinge)))
        for now, then in zip((upper, fore), rest, strict=True)
    ]
    return {"upper_arm": turned[0], "forearm": turned[1], "hand": turned[1]}


def reaching(body: Skeleton, wrists: Array, elbows: Array) -> dict[str, Array]:
    """Return the rotations (2, 4) of arms with the wrists at positions (2, 3), relative to a chest at rest.

    elbows (2, 3) : directions of the elbows
    """
    shoulders = body.offsets[pair(body, "clavicle")] + body.offsets[pair(body, "upper_arm")]
    a, b = (float(np.linalg.norm(body.offsets[body.roles[role]])) for role in ("forearm.L", "hand.L"))
    reach = wrists - shoulders
    length = np.linalg.norm(reach, axis=-1, keepdims=True)
    ahead = reach / length
    beside = elbows - ahead * (elbows * ahead).sum(axis=-1, keepdims=True)
    beside /= np.linalg.norm(beside, axis=-1, keepdims=True)
    cosine = (a * a + length**2 - b * b) / (2.0 * a * length)
    upper = a * (cosine * ahead + np.sqrt(1.0 - cosine**2) * beside)
    return arms(body, upper, reach - upper)


def _frame(along: Array, hinge: Array) -> Array:
    """Return the rotation with Z along `along` and X as near to `hinge` as possible."""
    z = along / np.linalg.norm(along, axis=-1, keepdims=True)
    x = hinge - z * (hinge * z).sum(axis=-1, keepdims=True)
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return quat.from_matrix(np.stack([x, quat.cross(z, x), z], axis=-1))


def pair(body: Skeleton, role: str) -> list[int]:
    """Return the left and the right joint of a role."""
    return [body.roles[f"{role}.L"], body.roles[f"{role}.R"]]
