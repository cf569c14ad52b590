"""Frames of any body as numbers that can be compared: where its joints are about it, and how they move.

Joints are known by their roles, so that a captured body and a game character give the same numbers. Arms, neck and
head hang from the chest by one body's lengths: what differs between bodies there would hide what is alike in how they
move. Legs keep theirs, for the feet are to stand on the floor.

Method: Libraries of clips.
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
# How far a joint goes in this time counts like a place; methods: Libraries of clips has what others give.
SPEED_SECONDS = 0.06
FLOOR_PERCENTILE = 5  # of the lower ball of the foot over a clip: there its floor is
VERSION = 1  # of the numbers; libraries of another can't be searched with these


@dataclass(frozen=True)
class _Joint:
    """One of the joints that are compared: the one that it hangs on, and how far, in heights of the body."""

    role: str
    above: str
    bone: float


def _both(role: str, above: str, bone: float) -> list[_Joint]:
    on_side = above not in ("hips", "chest")
    return [_Joint(f"{role}.{side}", f"{above}.{side}" if on_side else above, bone) for side in "LR"]


# Mean lengths of the captured bodies of data/cmu, those that are kept aside left out.
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
WIDTH = 6 * len(JOINTS)  # numbers of a row: places (joints, 3), then speeds (joints, 3)
PARTS = {
    "whole": ROLES,
    "legs": tuple(r for r in ROLES if r.partition(".")[0] in ("hips", "thigh", "shin", "foot", "toe")),
    "arms": tuple(r for r in ROLES if r.partition(".")[0] in ("chest", "upper_arm", "forearm", "hand")),
}
_BELOW = frozenset(PARTS["legs"])
_BY_ROLE = {joint.role: joint for joint in JOINTS}


# Pairs of joints that a bone joins, by their places among ROLES.
BONES = tuple((ROLES.index(joint.above), k) for k, joint in enumerate(JOINTS) if joint.above)


def _shares() -> Array:
    """Return how much each joint counts: half the length of the bones that meet in it, all together 1."""
    meeting = [[joint.bone, *(other.bone for other in JOINTS if other.above == joint.role)] for joint in JOINTS]
    lengths = np.array([0.5 * sum(bones) for bones in meeting])
    return lengths / lengths.sum()


_SCALE = np.sqrt(_shares())


def rows(clip: Clip) -> NDArray[np.float32]:
    """Return the numbers (N, WIDTH) of a clip, 30 rows a second; NaN for joints that the body does not have.

    Raises LibraryError for a body whose hips and thighs are not known.
    """
    skeleton = clip.skeleton
    lacking = [role for role in ("hips", "thigh.L", "thigh.R") if role not in skeleton.roles]
    if lacking or skeleton.height <= 0.0:
        what = ", ".join(lacking) or "height"
        raise LibraryError(f"{clip.name}: the body has no {what}, so it can't be compared with others")
    clip = at_rate(clip)
    rotations, points = kinematics.posed(clip)
    places = _placed(skeleton, points) / skeleton.height
    facing = root_motion.raw_pelvis_heading(skeleton, rotations, points)
    facing = root_motion.smooth(facing, HEADING_SIGMA * RATE)
    return _compared(places, facing).astype(np.float32)


def at_rate(clip: Clip) -> Clip:
    """Return the clip at 30 frames a second, by leaving frames out where these are among its own."""
    every = round(clip.rate / RATE)
    plain = replace(clip, channels={})
    if every >= 1 and abs(clip.rate / every - RATE) < 1e-6 * RATE:
        return plain if every == 1 else plain.thinned(every)
    return resample.to_rate(plain, RATE)


def mirrored(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows (N, WIDTH) of the same motion seen in a mirror."""
    swapped = [ROLES.index(_opposite(role)) for role in ROLES]
    turned = numbers.reshape(len(numbers), 2, len(ROLES), 3)[:, :, swapped] * np.array([-1.0, 1.0, 1.0], np.float32)
    return np.ascontiguousarray(turned.reshape(numbers.shape))


def _opposite(role: str) -> str:
    name, _, side = role.partition(".")
    return f"{name}.{'R' if side == 'L' else 'L'}" if side else role


def places(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return where the compared joints are (N, joints, 3) in rows: in heights of the body, facing along y."""
    kept = numbers.reshape(len(numbers), 2, len(ROLES), 3)[:, 0]
    return (kept / _SCALE[:, None]).astype(np.float32)


def columns_of(part: str) -> NDArray[np.int64]:
    """Return which numbers of a row tell of a part of the body, one of PARTS."""
    joints = [ROLES.index(role) for role in PARTS[part]]
    return np.arange(WIDTH).reshape(2, len(ROLES), 3)[:, joints].ravel()


def _placed(skeleton: Skeleton, points: Array) -> Array:
    """Return the places (F, joints, 3) of the compared joints, those above the hips by one body's lengths."""
    known = _points_of(skeleton)
    places = np.full((len(points), len(JOINTS), 3), np.nan)
    seats = {role: k for k, role in enumerate(ROLES)}
    for k, joint in enumerate(JOINTS):
        if joint.role not in known:
            continue
        own = points[:, known[joint.role]]
        if joint.role in _BELOW:
            places[:, k] = own
            continue
        above, bone = _above(joint, known)
        way = own - points[:, known[above]]
        length = np.linalg.norm(way, axis=1, keepdims=True)
        way = np.divide(way, length, out=np.zeros_like(way), where=length > 0.0)
        places[:, k] = places[:, seats[above]] + bone * skeleton.height * way
    return places


def _points_of(skeleton: Skeleton) -> dict[str, int]:
    """Return which point of the body plays each compared role; the ball of the foot for toes that are not there."""
    known = {role: skeleton.roles[role] for role in ROLES if role in skeleton.roles}
    for side, (ball, ankle) in balls_and_ankles(skeleton).items():
        if side in "LR":
            known.setdefault(f"toe.{side}", ball)
            known.setdefault(f"foot.{side}", ankle)
    return known


def _above(joint: _Joint, known: dict[str, int]) -> tuple[str, float]:
    """Return the nearest joint that is there above another, and how long one body is between them."""
    above, bone = joint.above, joint.bone
    while above not in known:
        above, bone = _BY_ROLE[above].above, bone + _BY_ROLE[above].bone
    return above, bone


def _compared(places: Array, facing: Array) -> Array:
    """Return rows of places (F, joints, 3) in heights of the body, seen from where it is and faces (F,)."""
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
    """Return the height of the floor of a clip from its two balls (F, 2), of which one may not be known."""
    lowest = np.fmin(heights[:, 0], heights[:, 1])
    return 0.0 if np.isnan(lowest).all() else float(np.percentile(lowest, FLOOR_PERCENTILE))
