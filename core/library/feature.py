"""Frames of any body as rows of numbers: positions and velocities of joints (methods: Libraries of clips).

Joints are identified by role, so that a captured body and a game character are comparable. From the hips upwards they
get the bone lengths of a mean body, because these lengths vary more between bodies than motions do. Legs keep their
own lengths, so that the feet stand on the floor.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import LibraryError
from ..motion import kinematics, resample, root_motion
from ..motion.clip import Clip
from ..motion.feet import balls_and_ankles
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

RATE = 30.0  # rows a second
HEADING_SIGMA = 0.25  # s
SPEED_SIGMA = 0.025  # s
SPEED_SECONDS = 0.06  # s; velocities times this are compared like positions
FLOOR_PERCENTILE = 5  # of the height of the lower ball of the foot over a clip: its floor
VERSION = 1  # of the row format; libraries with another version can't be searched


@dataclass(frozen=True)
class _Joint:
    """A compared joint, its parent, and the distance between them, in body heights."""

    role: str
    above: str
    bone: float


def _both(role: str, above: str, bone: float) -> list[_Joint]:
    """Return the joints of both sides."""
    on_side = above not in ("hips", "chest")
    return [_Joint(f"{role}.{side}", f"{above}.{side}" if on_side else above, bone) for side in "LR"]


# Mean lengths of the captured bodies of data/cmu, except the held-out ones.
JOINTS = (
    _Joint("hips", "", 0.0),
    _Joint("chest", "hips", 0.154),
    _Joint("neck", "chest", 0.054),
    _Joint("head", "neck", 0.090),
    *_both("upper_arm", "chest", 0.126),
    *_both("forearm", "upper_arm", 0.170),
    *_both("hand", "forearm", 0.121),
    *_both("thigh", "hips", 0.075),
    *_both("shin", "thigh", 0.232),
    *_both("foot", "shin", 0.258),
    *_both("toe", "foot", 0.073),
)
ROLES = tuple(joint.role for joint in JOINTS)
WIDTH = 6 * len(JOINTS)  # numbers per row: positions (joints, 3), then velocities (joints, 3)
PARTS = {
    "whole": ROLES,
    "legs": tuple(r for r in ROLES if r.partition(".")[0] in ("hips", "thigh", "shin", "foot", "toe")),
    "arms": tuple(r for r in ROLES if r.partition(".")[0] in ("chest", "upper_arm", "forearm", "hand")),
}
_BELOW = frozenset(PARTS["legs"])
_BY_ROLE = {joint.role: joint for joint in JOINTS}


# The two ends of each bone, as indices into ROLES.
BONES = tuple((ROLES.index(joint.above), k) for k, joint in enumerate(JOINTS) if joint.above)


def _shares() -> Array:
    """Return the weight of each joint, sum 1: half the length of its adjacent bones."""
    meeting = [[joint.bone, *(other.bone for other in JOINTS if other.above == joint.role)] for joint in JOINTS]
    lengths = np.array([0.5 * sum(bones) for bones in meeting])
    return lengths / lengths.sum()


_SCALE = np.sqrt(_shares())
# Columns of a row with the heights of the balls of both feet above the floor, and their factor.
BALLS = [3 * ROLES.index(f"toe.{side}") + 2 for side in "LR"]
BALL_SCALE = float(_SCALE[ROLES.index("toe.L")])


def rows(clip: Clip) -> NDArray[np.float32]:
    """Return the numbers (N, WIDTH) of a clip, 30 rows a second; NaN for joints that the body lacks.

    Raises LibraryError for a body whose hips and thighs are not known.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import feature
        >>> walk = actions.walk(rate=120.0)
        >>> rows = feature.rows(walk)
        >>> rows.shape[1] == feature.WIDTH, round(len(walk) / len(rows))
        (True, 4)
    """
    skeleton = clip.skeleton
    lacking = [role for role in ("hips", "thigh.L", "thigh.R") if role not in skeleton.roles]
    if lacking or skeleton.height <= 0.0:
        what = ", ".join(lacking) or "height"
        raise LibraryError(f"{clip.name}: the body has no {what}, so it can't be compared with others")
    clip = at_rate(clip)
    rotations, points = kinematics.pose_clip(clip)
    places = _place_joints(skeleton, points) / skeleton.height
    facing = root_motion.raw_pelvis_heading(skeleton, rotations, points)
    facing = root_motion.smooth(facing, HEADING_SIGMA * RATE)
    return _compose_rows(places, facing).astype(np.float32)


def at_rate(clip: Clip) -> Clip:
    """Return the clip at 30 frames a second, without channels; multiples of this rate are decimated.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import feature
        >>> feature.at_rate(actions.walk()).rate
        30.0
    """
    every = round(clip.rate / RATE)
    plain = replace(clip, channels={})
    if every >= 1 and abs(clip.rate / every - RATE) < 1e-6 * RATE:
        return plain if every == 1 else plain.decimate(every)
    return resample.to_rate(plain, RATE)


def mirror_rows(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows (N, WIDTH) of the mirror image of a motion.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import feature
        >>> from action_loom.core.motion import mirror
        >>> walk = actions.walk()
        >>> mirrored = feature.mirror_rows(feature.rows(walk))
        >>> bool(abs(mirrored - feature.rows(mirror.mirror_clip(walk))).max() < 1e-3)
        True
    """
    swapped = [ROLES.index(_opposite(role)) for role in ROLES]
    turned = numbers.reshape(len(numbers), 2, len(ROLES), 3)[:, :, swapped] * np.array([-1.0, 1.0, 1.0], np.float32)
    return np.ascontiguousarray(turned.reshape(numbers.shape))


def _opposite(role: str) -> str:
    """Return the role on the other side."""
    name, _, side = role.partition(".")
    return f"{name}.{'R' if side == 'L' else 'L'}" if side else role


def places(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the positions (N, joints, 3) of the compared joints in rows, in body heights, facing along y.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import feature
        >>> places = feature.places(feature.rows(actions.walk()))
        >>> bool(places[:, feature.ROLES.index("head"), 2].min() > 0.8)  # heads are near the top
        True
    """
    kept = numbers.reshape(len(numbers), 2, len(ROLES), 3)[:, 0]
    return (kept / _SCALE[:, None]).astype(np.float32)


def columns_of(part: str) -> NDArray[np.int64]:
    """Return the columns of a row that belong to a part of the body, one of PARTS."""
    joints = [ROLES.index(role) for role in PARTS[part]]
    return np.arange(WIDTH).reshape(2, len(ROLES), 3)[:, joints].ravel()


def _place_joints(skeleton: Skeleton, points: Array) -> Array:
    """Return the positions (F, joints, 3) of the compared joints, with the mean body's lengths from the hips up."""
    known = _points_of(skeleton)
    places = np.full((len(points), len(JOINTS), 3), np.nan)
    number_of = {role: k for k, role in enumerate(ROLES)}
    for k, joint in enumerate(JOINTS):
        if joint.role not in known:
            continue
        own = points[:, known[joint.role]]
        if joint.role in _BELOW:
            places[:, k] = own
            continue
        above, bone = _known_ancestor(joint, known)
        direction = own - points[:, known[above]]
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        direction = np.divide(direction, length, out=np.zeros_like(direction), where=length > 0.0)
        places[:, k] = places[:, number_of[above]] + bone * skeleton.height * direction
    return places


def _points_of(skeleton: Skeleton) -> dict[str, int]:
    """Return the body point for each compared role; without toe joints the balls of the feet are used."""
    known = {role: skeleton.roles[role] for role in ROLES if role in skeleton.roles}
    for side, (ball, ankle) in balls_and_ankles(skeleton).items():
        if side in "LR":
            known.setdefault(f"toe.{side}", ball)
            known.setdefault(f"foot.{side}", ankle)
    return known


def _known_ancestor(joint: _Joint, known: dict[str, int]) -> tuple[str, float]:
    """Return the nearest known ancestor of a joint, and the mean body's length between them."""
    above, bone = joint.above, joint.bone
    while above not in known:
        above, bone = _BY_ROLE[above].above, bone + _BY_ROLE[above].bone
    return above, bone


def _compose_rows(places: Array, facing: Array) -> Array:
    """Return rows from positions (F, joints, 3): body heights, relative to the hips' ground point and facing (F,)."""
    hips, toes = ROLES.index("hips"), [ROLES.index("toe.L"), ROLES.index("toe.R")]
    speeds = root_motion.smooth(places, SPEED_SIGMA * RATE)
    speeds = np.gradient(speeds, 1.0 / RATE, axis=0) if len(places) > 1 else np.zeros_like(places)
    about = places.copy()
    about[:, :, :2] -= places[:, hips, None, :2]
    about[:, :, 2] -= _floor(places[:, toes, 2])
    out = np.stack([about, SPEED_SECONDS * speeds], axis=1)
    c, s = np.cos(facing)[:, None, None], np.sin(facing)[:, None, None]
    x, y = out[..., 0].copy(), out[..., 1].copy()
    out[..., 0], out[..., 1] = c * x + s * y, c * y - s * x
    out *= _SCALE[None, None, :, None]
    return out.reshape(len(places), WIDTH)


def _floor(heights: Array) -> float:
    """Return the height of a clip's floor from the heights (F, 2) of both balls, of which one may be NaN."""
    lowest = np.fmin(heights[:, 0], heights[:, 1])
    return 0.0 if np.isnan(lowest).all() else float(np.percentile(lowest, FLOOR_PERCENTILE))
