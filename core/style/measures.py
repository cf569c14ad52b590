"""Measures of a stride as named by animators, such as step length and arm swing (methods: Style)."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..motion import feet, quat
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .form import Form

# Phases in which each foot is certainly in contact: the left strikes at 0, the right half a stride later.
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
    """Return the measures of a stride that its body allows, in the UNITS of their names.

    rows (P, C) : of the form
    seconds : duration of the stride

    Lengths are in leg lengths (see `unit_of`). Stride, cadence, speed, turn and bounce are defined for any body; the
    others need feet, arms or a neck.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import material, measures
        >>> strides = material.gather([actions.walk(cycles=2)], StyleOptions(mirror=False), least=1, persons=1)
        >>> walk = measures.measure(strides.form, strides.rows[0], float(strides.seconds[0]))
        >>> round(walk["cadence"]), round(walk["speed"] * measures.unit_of(strides.form.skeleton), 1)  # and m/s
        (112, 1.3)
    """
    skeleton, unit = form.skeleton, unit_of(form.skeleton)
    _, places = form.pose_rows(rows)
    measured = of_root_trajectory(form, rows, seconds) | _of_arms(skeleton, places, unit)
    return measured | _lean(skeleton, places) | _of_feet(skeleton, places, unit)


def unit_of(skeleton: Skeleton) -> float:
    """Return the unit of lengths, metres: the length of the leg, or the height of a body without legs.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.style import measures
        >>> figure = body.skeleton()
        >>> measures.unit_of(figure) == figure.leg_length
        True
    """
    return skeleton.leg_length or skeleton.height or 1.0


def of_root_trajectory(form: Form, rows: Array, seconds: float) -> dict[str, float]:
    """Return the measures of a stride that only need its root trajectory and the height of the hips; see `measure`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import material, measures
        >>> strides = material.gather([actions.walk(cycles=2)], StyleOptions(mirror=False), least=1, persons=1)
        >>> list(measures.of_root_trajectory(strides.form, strides.rows[0], strides.seconds[0]))
        ['stride', 'cadence', 'speed', 'turn', 'bounce']
    """
    unit, steps = unit_of(form.skeleton), rows[:, form.steps]
    length = float(np.linalg.norm(steps[:, :2], axis=1).sum()) / unit
    return {
        "stride": length,
        "cadence": 120.0 / seconds,
        "speed": length / seconds,
        "turn": float(np.degrees(steps[:, 2].sum())) / seconds,
        "bounce": float(np.ptp(rows[:, form.height])) / unit,
    }


def _of_arms(skeleton: Skeleton, places: Array, unit: float) -> dict[str, float]:
    """Return the forward and backward swing of the hands relative to the shoulders, and the mean elbow bend."""
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
    """Return the forward lean of the mean trunk, from hips to neck or head."""
    hips = _place(skeleton, places, "hips")
    neck = next((p for role in ("neck", "head") if (p := _place(skeleton, places, role)) is not None), None)
    if hips is None or neck is None:
        return {}
    trunk = (neck - hips).mean(axis=0)
    return {"lean": float(np.degrees(np.arctan2(trunk[1], trunk[2])))}


def _of_feet(skeleton: Skeleton, places: Array, unit: float) -> dict[str, float]:
    """Return the lateral distance of the ankles in contact, and the height of the balls above their stance."""
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
    """Return the positions (F, 3) of the joint with a role, None if there is none."""
    joint = skeleton.roles.get(role)
    if joint is None and role.startswith("hand"):
        # An arm may end with its forearm.
        lower = skeleton.roles.get(role.replace("hand", "forearm"), -1)
        joint = len(skeleton) + int(np.searchsorted(skeleton.tipped, lower)) if lower in skeleton.tipped else None
    return None if joint is None else places[:, joint]


def _between(vectors: Array, others: Array) -> Array:
    """Return the angles (F,) between vectors (F, 3)."""
    return np.asarray(np.arctan2(np.linalg.norm(quat.cross(vectors, others), axis=1), (vectors * others).sum(axis=1)))


def common(strides: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the names of the measures common to all strides, in the order of UNITS.

    Example:
        >>> from action_loom.core.style import measures
        >>> measures.common([{"speed": 1.2, "lean": 3.0, "stride": 1.5}, {"stride": 1.4, "speed": 1.1}])
        ['stride', 'speed']
    """
    return [name for name in UNITS if all(name in measured for measured in strides)]
