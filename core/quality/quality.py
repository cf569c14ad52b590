"""Quality measures of a clip, to compare before and after an operation (methods: Measures of quality)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..motion import root_motion
from ..motion.clip import Clip
from . import angles, contacts, world_pose
from .contacts import Foot
from .world_pose import WorldPose

LEAST_TRAVEL = 0.01  # body heights; a body that travels less counts as stationary


def measure(clip: Clip) -> dict[str, Any]:
    """Return the measures of one clip; None for measures that its body or length does not allow.

    slide_cm_s : mean horizontal speed of the ball of a foot during contacts
    contact_share : share of frames with a ball in contact, mean over the feet (never read the slide without it)
    slide_per_metre : metres that balls in contact slide, summed over the feet, per metre of the body's travel
    acceleration_m_s2 : weighted root mean square over points and frames
    periodicity, smoothness : C and D (see `angles`); smaller is better
    path_m, turn_degrees, seconds : ground distance, net turn of the body, duration

    Example:
        >>> from action_loom.core.quality import quality
        >>> from action_loom.core.demo_character import actions
        >>> measures = quality.measure(actions.walk())
        >>> [round(measures[key], 1) for key in ("slide_cm_s", "contact_share", "path_m", "seconds")]
        [0.0, 0.6, 4.2, 3.2]
    """
    return measure_pose(world_pose.pose(clip))


def measure_pose(body: WorldPose) -> dict[str, Any]:
    """Return the result of `measure` for a body with a known world pose.

    Example:
        >>> from action_loom.core.quality import quality, world_pose
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> quality.measure_pose(world_pose.pose(walk)) == quality.measure(walk)
        True
    """
    clip, feet = body.clip, contacts.standing_feet(body)
    slide, share = _slide_and_share(feet, clip.rate)
    path = root_motion.path_length(body.ground)
    return {
        "slide_cm_s": None if slide is None else round(100.0 * slide, 2),
        "contact_share": _round_value(share, 3),
        "slide_per_metre": _round_value(_slide_per_metre(feet, path, clip.skeleton.height), 4),
        "acceleration_m_s2": _round_value(_acceleration(body), 3),
        "periodicity": _round_value(angles.periodicity(body), 4),
        "smoothness": _round_value(angles.smoothness(body), 4),
        "path_m": round(path, 4),
        "turn_degrees": round(float(np.degrees(body.heading[-1] - body.heading[0])), 2),
        "seconds": round(clip.seconds, 4),
    }


def _slide_and_share(feet: Mapping[str, Foot], rate: float) -> tuple[float | None, float | None]:
    if not feet or any(len(foot.ball) < 3 for foot in feet.values()):
        return None, None
    speeds = np.concatenate([foot.ball_speed(rate)[foot.ball_stands] for foot in feet.values()])
    share = float(np.mean([foot.ball_stands.mean() for foot in feet.values()]))
    return (float(speeds.mean()) if len(speeds) else None), share


def _slide_per_metre(feet: Mapping[str, Foot], path: float, height: float) -> float | None:
    """Return metres slid per metre of the path; None without contacts or travel."""
    standing = [foot.ball_stands[1:] & foot.ball_stands[:-1] for foot in feet.values()]
    if path < LEAST_TRAVEL * height or not any(flags.any() for flags in standing):
        return None
    steps = [np.linalg.norm(np.diff(foot.ball[:, :2], axis=0), axis=1) for foot in feet.values()]
    return float(sum(step[flags].sum() for step, flags in zip(steps, standing, strict=True)) / path)


def _acceleration(body: WorldPose) -> float | None:
    if len(body.clip) < 3:
        return None
    return float(np.sqrt((body.accelerations**2).mean()))


def _round_value(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
