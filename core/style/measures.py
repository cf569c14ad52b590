"""What an animator would say of a stride, as numbers: how long its steps are, how far the arms swing.

Method: Style.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..motion import feet, quat
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .form import Form

# Where in a stride each foot stands, surely: it comes down at 0, the right one half a stride later.
_STANDS = {"L": (0.08, 0.42), "R": (0.58, 0.92)}
UNITS = {
    "stride": "leg lengths",
    "cadence": "steps/min",
    "speed": "leg lengths/s",
    "turn": "°/s",
    "bounce": "leg lengths",
    "swing": "leg lengths",
    "lean": "°",
    "elbows": "°",
    "width": "leg lengths",
    "lift": "leg lengths",
}


def measure(form: Form, rows: Array, seconds: float) -> dict[str, float]:
    """Return the measures of a stride that its body allows.

    rows (P, C) : of the form; seconds : how long it takes. Lengths are in leg lengths, of the body's height where it
    has none; stride, cadence, speed, turn and bounce are known of any body, the others need its feet, arms, neck.
    """
    skeleton, unit = form.skeleton, unit_of(form.skeleton)
    found = of_way(form, rows, seconds)
    _, places = form.posed(rows)
    found |= _of_arms(skeleton, places, unit)
    found |= _lean(skeleton, places)
    return found | _of_feet(skeleton, places, unit)


def unit_of(skeleton: Skeleton) -> float:
    """Return what lengths are measured in, metres: the leg, or the body where it has none."""
    return skeleton.leg_length or skeleton.height or 1.0


def of_way(form: Form, rows: Array, seconds: float) -> dict[str, float]:
    """Return those measures of a stride that ask only where its hips go; see `measure`."""
    unit, steps = unit_of(form.skeleton), rows[:, form.steps]
    way = float(np.linalg.norm(steps[:, :2], axis=1).sum()) / unit
    return {
        "stride": way,
        "cadence": 120.0 / seconds,
        "speed": way / seconds,
        "turn": float(np.degrees(steps[:, 2].sum())) / seconds,
        "bounce": float(np.ptp(rows[:, form.height])) / unit,
    }


def _of_arms(skeleton: Skeleton, places: Array, unit: float) -> dict[str, float]:
    swings, bends = [], []
    for side in "LR":
        upper, lower, hand = (_place(skeleton, places, f"{part}.{side}") for part in ("upper_arm", "forearm", "hand"))
        if upper is None or lower is None or hand is None:
            continue
        swings.append(float(np.ptp((hand - upper)[:, 1])))
        bends.append(float(_between(lower - upper, hand - lower).mean()))
    if not swings:
        return {}
    return {"swing": float(np.mean(swings)) / unit, "elbows": float(np.degrees(np.mean(bends)))}


def _lean(skeleton: Skeleton, places: Array) -> dict[str, float]:
    hips = _place(skeleton, places, "hips")
    neck = next((p for role in ("neck", "head") if (p := _place(skeleton, places, role)) is not None), None)
    if hips is None or neck is None:
        return {}
    trunk = (neck - hips).mean(axis=0)
    return {"lean": float(np.degrees(np.arctan2(trunk[1], trunk[2])))}


def _of_feet(skeleton: Skeleton, places: Array, unit: float) -> dict[str, float]:
    points = feet.balls_and_ankles(skeleton)
    if not {"L", "R"} <= set(points):
        return {}
    phase = np.arange(len(places)) / len(places)
    aside, lifts = {}, []
    for side, (low, high) in _STANDS.items():
        ball, ankle = points[side]
        stands = (phase >= low) & (phase <= high)
        aside[side] = float(places[stands, ankle, 0].mean())
        heights = places[:, ball, 2]
        lifts.append(float(heights.max() - heights[stands].min()))
    return {"width": (aside["R"] - aside["L"]) / unit, "lift": float(np.mean(lifts)) / unit}


def _place(skeleton: Skeleton, places: Array, role: str) -> Array | None:
    joint = skeleton.roles.get(role)
    if joint is None and role.startswith("hand"):
        # An arm may end with its forearm.
        lower = skeleton.roles.get(role.replace("hand", "forearm"), -1)
        joint = len(skeleton) + int(np.searchsorted(skeleton.tipped, lower)) if lower in skeleton.tipped else None
    return None if joint is None else places[:, joint]


def _between(one: Array, other: Array) -> Array:
    """Angles (F,) between vectors (F, 3)."""
    return np.asarray(np.arctan2(np.linalg.norm(quat.cross(one, other), axis=1), (one * other).sum(axis=1)))


def common(every: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the names of the measures that all of some strides have, in order."""
    return [name for name in UNITS if all(name in one for one in every)]
