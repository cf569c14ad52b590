"""Measurements of a motion from the positions of its joints alone, without the core's functions.

Places are (F, J, 3) in metres with Z up. Roles are joints by name, such as "foot.L". Lengths that depend on the size of
a body are given for 1.7 m and scaled with its height. The same functions serve the package's Python and Blender's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

TALL = 1.7  # m; the body to which lengths refer
LOW = 0.03  # m; a toe within this distance of its lowest place is on the ground
SWINGS = 0.6  # of a foot's usual fastest speed: a low foot that is faster swings
LEAST_STAND = 0.15  # s; shorter contacts do not count
SIDES = ("L", "R")


@dataclass(frozen=True)
class Seen:
    """A motion as it is seen: places (F, J, 3), frames a second, joints by role, height (m), tips (F, T, 3)."""

    places: Any
    rate: float
    roles: Mapping[str, int]
    height: float
    tips: Any = None

    def at(self, role: str) -> Any:
        """Return the places (F, 3) of a role; None where the body has no such joint."""
        joint = self.roles.get(role)
        return None if joint is None else self.places[:, joint]

    def of(self, length: float) -> float:
        """Scale a length for a body of 1.7 m to this body."""
        return length * self.height / TALL


def _unit(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def across(seen: Seen) -> Any:
    """Return the direction (F, 3) from the left hip to the right one; None without thighs."""
    left, right = seen.at("thigh.L"), seen.at("thigh.R")
    return None if left is None or right is None else _unit(right - left)


def knee_flexion(seen: Seen) -> dict[str, Any]:
    """Return by side how far each knee is bent (F,), degrees; below 0 it is bent backwards.

    The angle between thigh and shin; which way it is bent is seen from the hips and from where the foot points.
    """
    found, side_ways = {}, across(seen)
    for side in SIDES:
        hip, knee, ankle, toe = (seen.at(f"{part}.{side}") for part in ("thigh", "shin", "foot", "toe"))
        if hip is None or knee is None or ankle is None or side_ways is None:
            continue
        thigh, shin = _unit(knee - hip), _unit(ankle - knee)
        hinge = side_ways if toe is None else _unit(side_ways + _unit(np.cross(shin, toe - ankle)))
        sine = -(np.cross(thigh, shin) * hinge).sum(axis=1)
        cosine = (thigh * shin).sum(axis=1)
        found[side] = np.degrees(np.arctan2(sine, cosine))
    return found


def most_backwards(seen: Seen) -> float:
    """Return how far a knee is bent backwards at worst, degrees; 0 where none is."""
    return max([0.0, *(float(-bent.min()) for bent in knee_flexion(seen).values())])


def knee_acceleration(seen: Seen) -> float:
    """Return the angular acceleration of the knees that 1 % of frames exceed, degrees a second squared."""
    if len(seen.places) < 4:
        return 0.0
    each = [np.abs(np.diff(bent, n=2)) * seen.rate**2 for bent in knee_flexion(seen).values()]
    return float(np.percentile(np.concatenate(each), 99)) if each else 0.0


def shins_apart(seen: Seen) -> float:
    """Return the least distance of both shins, metres; infinite where a shin is not known."""
    ends = [[seen.at(f"{part}.{side}") for part in ("shin", "foot")] for side in SIDES]
    if any(place is None for pair in ends for place in pair):
        return float("inf")
    share = np.linspace(0.0, 1.0, 12)[:, None, None]  # 12 points along each shin, every 4 cm, are accurate enough
    left, right = (upper + share * (lower - upper) for upper, lower in ends)
    return float(np.linalg.norm(left[:, None] - right[None], axis=-1).min())


def soles(seen: Seen) -> dict[str, Any]:
    """Return by side the place of the ball of the foot (F, 3): the toe joint, or the ankle without one."""
    found = {}
    for side in SIDES:
        for part in ("toe", "foot"):
            place = seen.at(f"{part}.{side}")
            if place is not None:
                found[side] = place
                break
    return found


def lowest(seen: Seen) -> float:
    """Return the height of the lowest toe or ankle in any frame; NaN where no foot is known."""
    each = [seen.at(f"{part}.{side}") for part in ("toe", "foot") for side in SIDES]
    heights = [float(place[:, 2].min()) for place in each if place is not None]
    return min(heights) if heights else float("nan")


def stands(seen: Seen) -> dict[str, list[tuple[int, int]]]:
    """Return by side the stretches of frames (first, end) in which the ball of the foot is on the ground.

    The ball is on the ground within 3 cm of the foot's own low places (5 % of frames are lower).
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for side, ball in soles(seen).items():
        floor = float(np.percentile(ball[:, 2], 5))
        low = np.concatenate([[False], ball[:, 2] < floor + seen.of(LOW), [False]])
        edges = np.flatnonzero(low[1:] != low[:-1])
        pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        found[side] = [(first, end) for first, end in pairs if (end - first) / seen.rate >= LEAST_STAND]
    return found


def slide(seen: Seen) -> float:
    """Return how fast standing feet slide, cm/s: the mean over stands of the median speed in their middle half.

    The middle half, since feet roll while they come and go. A low foot near its usual top speed swings and does not
    stand. NaN where no foot stands.
    """
    speeds = []
    for side, spans in stands(seen).items():
        ball = soles(seen)[side]
        swing = float(np.percentile(np.linalg.norm(np.diff(ball[:, :2], axis=0), axis=1), 95)) * seen.rate
        for first, end in spans:
            quarter = (end - first) // 4
            middle = ball[first + quarter : end - quarter, :2]
            if len(middle) > 1:
                speed = float(np.median(np.linalg.norm(np.diff(middle, axis=0), axis=1))) * seen.rate
                speeds += [speed] * (speed < SWINGS * swing)
    return 100.0 * float(np.mean(speeds)) if speeds else float("nan")


def apart_on_ground(one: Any, other: Any) -> float:
    """Return how far two poses (J, 3) differ when one is turned and moved on the ground onto the other, metres."""
    a, b = one - [*one[:, :2].mean(axis=0), 0.0], other - [*other[:, :2].mean(axis=0), 0.0]
    turn = np.vdot(a[:, 0] + 1j * a[:, 1], b[:, 0] + 1j * b[:, 1])
    turn = turn / abs(turn) if abs(turn) > 1e-12 else 1.0
    flat = (a[:, 0] + 1j * a[:, 1]) * turn
    turned = np.stack([flat.real, flat.imag, a[:, 2]], axis=1)
    return float(np.linalg.norm(turned - b, axis=1).max())


def closure(seen: Seen, joints: Sequence[int]) -> float:
    """Return how far the last pose is from the first, wherever they stand and face, as a share of the height."""
    body = seen.places[:, list(joints)]
    return apart_on_ground(body[-1], body[0]) / seen.height


def swiftest(seen: Seen, joints: Sequence[int]) -> tuple[float, int]:
    """Return the speed of the joint that moves most from a frame to the next, m/s, and that frame."""
    if len(seen.places) < 2:
        return 0.0, 0
    steps = np.linalg.norm(np.diff(seen.places[:, list(joints)], axis=0), axis=2).max(axis=1)
    return float(steps.max()) * seen.rate, int(steps.argmax())


def sharpest(seen: Seen, joints: Sequence[int]) -> tuple[float, int]:
    """Return the largest change of a joint's velocity from a frame to the next, m/s, and that frame."""
    if len(seen.places) < 3:
        return 0.0, 0
    jerks = np.linalg.norm(np.diff(seen.places[:, list(joints)], n=2, axis=0), axis=2).max(axis=1)
    return float(jerks.max()) * seen.rate, int(jerks.argmax()) + 1


def facing(seen: Seen) -> Any:
    """Return which way the body faces (F,), radians without steps of a turn, by hips and shoulders; None if unknown."""
    total = np.zeros(len(seen.places), dtype=complex)
    for part in ("thigh", "upper_arm"):
        left, right = seen.at(f"{part}.L"), seen.at(f"{part}.R")
        if left is not None and right is not None:
            total += (right - left)[:, 0] + 1j * (right - left)[:, 1]
    if np.abs(total).min() < 1e-6:
        return None
    return np.unwrap(np.angle(1j * total))


def way(places: Any) -> float:
    """Return the length of the way of a point (F, 3) over the ground, metres."""
    return float(np.linalg.norm(np.diff(places[:, :2], axis=0), axis=1).sum())


def apart(one: Any, other: Any) -> float:
    """Return the largest distance between two rows of poses (F, J, 3); infinite if their shapes differ."""
    return float(np.linalg.norm(one - other, axis=-1).max()) if one.shape == other.shape else float("inf")
