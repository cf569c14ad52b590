"""When a foot stands: by its height over its own floor and its speed, with hysteresis (methods 11)."""

import numpy as np
from numpy.typing import NDArray

from ..motion import kinematics, trajectory
from ..motion.clip import Clip
from ..motion.quat import Array

# Heights in body heights and speeds in body heights a second: (to enter a contact, to stay in it).
HEIGHT = (0.03, 0.05)
WALKING_SPEED = (0.25, 0.45)
RUNNING_SPEED = (0.5, 1.0)
RUNS_OVER = 1.2  # median ground speed of the body, body heights a second
SMOOTHING = 0.012  # s
SHORTEST_GAP = 0.050  # s; shorter ones are closed
SHORTEST_CONTACT = 0.080  # s; shorter ones are dropped

Flags = NDArray[np.bool_]


def feet(clip: Clip) -> dict[str, Array]:
    """Return the paths (F, 3) of the ball of each foot ("L", "R"): toe joint, else the foot's tip, else ankle.

    Empty for a body whose feet are not known.
    """
    skeleton, roles = clip.skeleton, clip.skeleton.roles
    places = kinematics.points(clip)
    tips = {int(joint): len(skeleton) + k for k, joint in enumerate(skeleton.tipped)}
    found = {}
    for side in "LR":
        if f"toe.{side}" in roles:
            found[side] = places[:, roles[f"toe.{side}"]]
        elif f"foot.{side}" in roles:
            ankle = roles[f"foot.{side}"]
            found[side] = places[:, tips.get(ankle, ankle)]
    return found


def detect(clip: Clip) -> dict[str, Flags]:
    """Return for each foot ("L", "R") in which frames (F,) its ball stands on the ground."""
    height = clip.skeleton.height
    limits = RUNNING_SPEED if _ground_speed(clip) > RUNS_OVER * height else WALKING_SPEED
    return {side: _standing(path, clip.rate, height, limits) for side, path in feet(clip).items()}


def _ground_speed(clip: Clip) -> float:
    joint = trajectory.travelling_joint(clip.skeleton)
    _, positions = kinematics.world(clip)
    if len(clip) < 2:
        return 0.0
    return float(np.median(np.linalg.norm(np.diff(positions[:, joint, :2], axis=0), axis=1)) * clip.rate)


def _standing(path: Array, rate: float, body: float, speed_limits: tuple[float, float]) -> Flags:
    if len(path) < 3:
        return np.zeros(len(path), dtype=bool)
    smooth = trajectory.smooth(path, SMOOTHING * rate)
    speed = np.linalg.norm(np.gradient(smooth, axis=0), axis=1) * rate
    slow = speed <= np.quantile(speed, 0.4)
    over_floor = smooth[:, 2] - np.quantile(smooth[slow, 2], 0.2)
    enter = (over_floor < HEIGHT[0] * body) & (speed < speed_limits[0] * body)
    stay = (over_floor < HEIGHT[1] * body) & (speed < speed_limits[1] * body)
    flags = _hysteresis(enter, stay)
    flags = ~_without_short_runs(~flags, SHORTEST_GAP * rate, inner_only=True)
    return _without_short_runs(flags, SHORTEST_CONTACT * rate)


def runs(flags: Flags) -> list[tuple[int, int]]:
    """Return the stretches (start, end) of true flags, end exclusive."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _hysteresis(enter: Flags, stay: Flags) -> Flags:
    """Keep each stretch of `stay` that has an `enter` in it."""
    out = np.zeros_like(stay)
    for start, end in runs(stay | enter):
        out[start:end] = enter[start:end].any()
    return out


def _without_short_runs(flags: Flags, shortest: float, *, inner_only: bool = False) -> Flags:
    out = flags.copy()
    for start, end in runs(flags):
        at_edge = start == 0 or end == len(flags)
        if end - start < shortest and not (inner_only and at_edge):
            out[start:end] = False
    return out
