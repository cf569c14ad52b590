"""Measures of a clip that tell whether an operation did it good (methods: Measures of quality)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..motion import root_motion
from ..motion.clip import Clip
from . import angles, contacts, world_pose
from .contacts import Foot
from .world_pose import WorldPose

LEAST_TRAVEL = 0.01  # body heights; a body that goes less far stays where it is


def measure(clip: Clip) -> dict[str, Any]:
    """Return the figures of one clip; those that its body or length does not allow are None.

    slide_cm_s : mean horizontal speed of the ball of a foot while it stands
    contact_share : share of frames in which a ball stands, mean of both feet (never read slide without it)
    slide_per_metre : metres that standing balls slide, both feet together, for each metre that the body travels
    acceleration_m_s2 : root mean square over points and frames, by their weight
    periodicity, smoothness : C and D (see `angles`); of both, smaller is better
    path_m, turn_degrees : ground travelled and net turn of the body; seconds
    """
    return measure_pose(world_pose.pose(clip))


def measure_pose(body: WorldPose) -> dict[str, Any]:
    """Return what `measure` gives, of a body that is posed already."""
    clip, feet = body.clip, contacts.standing_feet(body)
    slide, share = _slide_and_share(feet, clip.rate)
    path = root_motion.path_length(body.ground)
    return {
        "slide_cm_s": None if slide is None else round(100.0 * slide, 2),
        "contact_share": _rounded(share, 3),
        "slide_per_metre": _rounded(_slide_per_metre(feet, path, clip.skeleton.height), 4),
        "acceleration_m_s2": _rounded(_acceleration(body), 3),
        "periodicity": _rounded(angles.periodicity(body), 4),
        "smoothness": _rounded(angles.smoothness(body), 4),
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
    """Return metres slid for each metre of the path; None where no ball stands or nothing is travelled."""
    standing = [foot.ball_stands[1:] & foot.ball_stands[:-1] for foot in feet.values()]
    if path < LEAST_TRAVEL * height or not any(flags.any() for flags in standing):
        return None
    steps = [np.linalg.norm(np.diff(foot.ball[:, :2], axis=0), axis=1) for foot in feet.values()]
    return float(sum(step[flags].sum() for step, flags in zip(steps, standing, strict=True)) / path)


def _acceleration(body: WorldPose) -> float | None:
    if len(body.clip) < 3:
        return None
    return float(np.sqrt((body.accelerations**2).mean()))


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
