"""A judge of flights that shares no code with the product: own kinematics, de Leva's masses, another flight rule."""

from typing import Any

import numpy as np

# Shares of the body's mass, and of the way from the upper to the lower end of each part (de Leva 1996, men).
LIMBS = (
    ("upper_arm", "forearm", 0.0271, 0.5772),
    ("forearm", "hand", 0.0162, 0.4574),
    ("thigh", "shin", 0.1416, 0.4095),
    ("shin", "foot", 0.0433, 0.4395),
)
HEAD, TRUNK, HAND, FOOT, TRUNK_CENTRE = 0.0694, 0.4346, 0.0061, 0.0137, 0.4486
AROUND, OFF = 0.5, 0.03  # s to each side in which the floor of a foot is lowest; body heights over it in a flight
GRAVITY = 9.81
INNER = 0.2  # of a flight at each end, left out


def positions(clip: Any) -> np.ndarray:
    """Return the positions (F, J, 3) of joints, by matrices; a clip of another reader has them already."""
    if hasattr(clip, "places"):
        return clip.places
    skeleton = clip.skeleton
    turned = np.empty((len(clip), len(skeleton), 3, 3))
    places = np.empty((len(clip), len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents):
        own = _matrix(skeleton.orients[joint])
        local = np.einsum("ij,fj->fi", own, clip.translations[:, joint]) + skeleton.offsets[joint]
        turn = own @ _matrix(clip.rotations[:, joint])
        if parent < 0:
            turned[:, joint], places[:, joint] = turn, local
        else:
            turned[:, joint] = turned[:, parent] @ turn
            places[:, joint] = places[:, parent] + np.einsum("fij,fj->fi", turned[:, parent], local)
    return places


def _matrix(q: np.ndarray) -> np.ndarray:
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def centre(clip: Any, places: np.ndarray) -> np.ndarray:
    """Return the centre of mass (F, 3) of a person."""
    roles = clip.skeleton.roles
    hips = 0.5 * (places[:, roles["thigh.L"]] + places[:, roles["thigh.R"]])
    neck = places[:, roles["neck"]] if "neck" in roles else places[:, roles["head"]]
    total = HEAD * places[:, roles["head"]] + TRUNK * (neck + TRUNK_CENTRE * (hips - neck))
    for side in "LR":
        for upper, lower, mass, share in LIMBS:
            first, last = places[:, roles[f"{upper}.{side}"]], places[:, roles[f"{lower}.{side}"]]
            total = total + mass * (first + share * (last - first))
        total = total + HAND * places[:, roles[f"hand.{side}"]] + FOOT * _foot(roles, places, side)
    return total


def _foot(roles: dict[str, int], places: np.ndarray, side: str) -> np.ndarray:
    return 0.5 * (places[:, roles[f"foot.{side}"]] + places[:, roles.get(f"toe.{side}", roles[f"foot.{side}"])])


def falls(clip: Any) -> list[tuple[float, float, float]]:
    """Return start, end (s) and vertical acceleration (m/s²) of each flight of 0.15 s and more."""
    places, roles, rate = positions(clip), clip.skeleton.roles, clip.rate
    reach = max(1, round(AROUND * rate))
    off = np.ones(len(clip), dtype=bool)
    for side in "LR":
        joints = [roles[f"{part}.{side}"] for part in ("foot", "toe") if f"{part}.{side}" in roles]
        own = np.ones(len(clip), dtype=bool)
        for joint in joints:
            height = places[:, joint, 2]
            wide = np.lib.stride_tricks.sliding_window_view(np.pad(height, reach, mode="edge"), 2 * reach + 1)
            own &= height - wide.min(axis=1) > OFF * clip.skeleton.height
        off &= own
    height, found = centre(clip, places)[:, 2], []
    edges = np.flatnonzero(np.diff(np.concatenate([[False], off, [False]]).astype(int))).reshape(-1, 2)
    for first, end in edges:
        cut = round(INNER * (end - first))
        inner = np.arange(first + cut, end - cut)
        if (end - first) / rate >= 0.12 and len(inner) >= 5 and first > 0 and end < len(clip):
            curve = np.polyfit(inner / rate, height[inner], 2)
            found.append((float(first / rate), float((end - 1) / rate), float(2.0 * curve[0])))
    return found


def knee_acceleration(clip: Any) -> float:
    """Return the largest acceleration of the angle of a knee, radians/s²."""
    places, roles, worst = positions(clip), clip.skeleton.roles, 0.0
    for side in "LR":
        hip, knee, ankle = (places[:, roles[f"{part}.{side}"]] for part in ("thigh", "shin", "foot"))
        upper, lower = knee - hip, ankle - knee
        cosine = (upper * lower).sum(axis=1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(lower, axis=1)
        angle = np.arccos(np.clip(cosine, -1.0, 1.0))
        worst = max(worst, float(np.abs(np.diff(angle, n=2)).max()) * clip.rate**2)
    return worst
