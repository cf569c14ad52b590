"""The up direction of points, and the height of their floor (methods: Points)."""

from dataclasses import dataclass

import numpy as np

from ..motion import quat
from ..motion.quat import Array
from . import body, sides
from .track import Flags, Track

AUTO, ESTIMATE = "auto", "estimate"
UPS = (AUTO, "x", "y", "z", ESTIMATE)
_STILL = 0.15  # body heights per second; a slower point of a foot stands
_STANDS = 0.1  # s; least duration of a stance
_SLOPE = 0.045  # expected standard deviation of the floor's slope
_HEIGHT = 0.01  # body heights; standard deviation of the heights of stances
_SNAPS = np.cos(np.radians(30.0))
_AXES = {"x": 0, "y": 1, "z": 2}
ANKLE_HEIGHT = 0.045  # body heights of a standing ankle, for bodies without points of the feet


@dataclass(frozen=True, eq=False)
class Upright:
    """A rotation to Z up.

    turn : quaternion (4,); axis : the axis of the file that is up, "" if the up direction is no axis
    tilt : degrees between the estimated up direction and the nearest or chosen axis
    """

    turn: Array
    axis: str
    tilt: float


def foot_parts(track: Track) -> tuple[str, ...]:
    """Return the parts of the feet that touch the ground: toes and heels if known, or ankles."""
    found = tuple(part for part in ("toe", "heel") if track.has(f"{part}.L", f"{part}.R"))
    return found or ("ankle",)


def speeds(places: Array, rate: float) -> Array:
    """Return speeds (F,) of places (F, 3), in metres per second."""
    return np.asarray(np.linalg.norm(np.gradient(places, axis=0), axis=-1) * rate)


def find(track: Track, up: str) -> Upright:
    """Return the turn of a track to Z up; up : one of UPS."""
    mean = _mean_direction(track)
    nearest = int(np.argmax(np.abs(mean)))
    if up in _AXES:
        nearest = _AXES[up]
    snapped = np.zeros(3)
    snapped[nearest] = np.sign(mean[nearest]) or 1.0
    tilt = float(np.degrees(np.arccos(np.clip(mean @ snapped, -1.0, 1.0))))
    if up in _AXES or (up == AUTO and not track.centred and mean @ snapped > _SNAPS):
        sign = "-" if snapped[nearest] < 0 else ""
        return Upright(shortest_turn(snapped), f"{sign}{'xyz'[nearest]}", tilt)
    return Upright(shortest_turn(mean), "", tilt)


def _mean_direction(track: Track, *, travels: bool = False) -> Array:
    """Return the mean direction (3,) from standing feet to the centre of mass, or along a centred body."""
    if track.centred and not travels:
        legs = track.middle("hip") - track.middle("ankle")
        trunk = track.middle("shoulder") - track.middle("hip")
        mean = (trunk + legs).mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean))
    centre = centre_of_mass(track)
    total = np.zeros(3)
    for name in (f"{part}.{side}" for part in foot_parts(track) for side in body.SIDES):
        foot = track.at(name)
        weights = np.exp(-speeds(foot, track.rate) / (_STILL * track.height))
        total += (weights[:, None] * (centre - foot)).sum(axis=0)
    return np.asarray(total / np.linalg.norm(total))


def stance_turn(track: Track) -> Array:
    """Return the rotation (4,) to Z of the mean direction from standing feet to the centre of mass.

    The track has to travel, even if its file was centred.
    """
    return shortest_turn(_mean_direction(track, travels=True))


def centre_of_mass(track: Track) -> Array:
    """Return the centre of mass (F, 3), the weighted mean of body segments."""
    centre = np.zeros((len(track), 3))
    for (one, other), share in body.MASSES:
        centre += share * 0.5 * (track.middle(one) + track.middle(other))
    return centre


def shortest_turn(direction: Array) -> Array:
    """Return the shortest rotation (4,) of a unit direction to Z."""
    w = 1.0 + direction[2]
    if w < 1e-9:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([w, direction[1], -direction[0], 0.0])
    return np.asarray(q / np.linalg.norm(q))


def turn_track(track: Track, turn: Array) -> Track:
    """Return a track turned by a quaternion (4,)."""
    return track.of(quat.rotate(turn, track.places))


def level_turn(track: Track) -> Array:
    """Return the rotation (4,) that makes the fitted plane through the stances level; the fit prefers small slopes."""
    rows, heights, kinds = [], [], []
    parts = foot_parts(track)
    for kind, part in enumerate(parts):
        for side in body.SIDES:
            place = track.at(f"{part}.{side}")
            for first, last in sides.runs(find_stances(track, f"{part}.{side}")):
                middle = place[first : last + 1].mean(axis=0)
                rows.append(middle[:2])
                heights.append(middle[2])
                kinds.append(kind)
    if len(rows) < 3:
        return quat.IDENTITY
    flat, of_kind = np.array(rows), np.eye(len(parts))[kinds]
    flat = flat - flat.mean(axis=0)
    design = np.concatenate([flat, of_kind], axis=1)
    ridge = np.diag([*[(_HEIGHT * track.height / _SLOPE) ** 2] * 2, *[1e-12] * len(parts)])
    slope = np.linalg.solve(design.T @ design + ridge, design.T @ np.array(heights))[:2]
    normal = np.array([-slope[0], -slope[1], 1.0])
    return shortest_turn(normal / np.linalg.norm(normal))


def find_stances(track: Track, name: str) -> Flags:
    """Return the frames (F,) in which a point stands, because it stays slow for long enough."""
    still = speeds(track.at(name), track.rate) < _STILL * track.height
    out = np.zeros(len(track), dtype=bool)
    for first, last in sides.runs(still):
        if last - first + 1 >= max(2.0, _STANDS * track.rate):
            out[first : last + 1] = True
    return out


def on_floor(track: Track) -> Track:
    """Return a track moved so that the lowest standing feet are on the floor, at height 0, and it begins at 0, 0."""
    parts = foot_parts(track)
    lowest = []
    for part in parts:
        names = [f"{part}.{side}" for side in body.SIDES]
        heights = [track.at(name)[find_stances(track, name), 2] for name in names]
        known = np.concatenate(heights)
        known = known if len(known) else np.concatenate([track.at(name)[:, 2] for name in names])
        lowest.append(float(np.quantile(known, 0.2)))
    floor = min(lowest) - (ANKLE_HEIGHT * track.height if parts == ("ankle",) else 0.0)
    start = track.middle("hip")[0]
    return track.of(track.places - np.array([start[0], start[1], floor]))
