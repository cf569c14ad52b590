"""Measures of a clip that tell whether an operation did it good (methods 12)."""

from typing import Any

import numpy as np

from ..motion import kinematics, trajectory
from ..motion.clip import Clip
from . import contacts


def measure(clip: Clip) -> dict[str, Any]:
    """Return the figures of one clip; those that its body or length does not allow are None.

    slide_cm_s : mean horizontal speed of the ball of a foot while it stands
    contact_share : share of frames in which a foot stands, mean of both feet (never read slide without it)
    acceleration_m_s2 : root mean square over points and frames, by their weight
    path_m, turn_degrees : ground travelled and net turn of the body; seconds
    """
    slide, share = foot_slide(clip)
    facing = trajectory.heading(clip)
    _, positions = kinematics.world(clip)
    ground = positions[:, trajectory.travelling_joint(clip.skeleton), :2]
    return {
        "slide_cm_s": None if slide is None else round(100.0 * slide, 2),
        "contact_share": None if share is None else round(share, 3),
        "acceleration_m_s2": _rounded(acceleration(clip), 3),
        "path_m": round(trajectory.path_length(ground), 4),
        "turn_degrees": round(float(np.degrees(facing[-1] - facing[0])), 2),
        "seconds": round(clip.seconds, 4),
    }


def foot_slide(clip: Clip) -> tuple[float | None, float | None]:
    """Return the mean horizontal speed (m/s) of standing feet and the share of time that feet stand.

    None where the feet are not known; the slide is None too where no foot ever stands.
    """
    standing = contacts.detect(clip)
    if not standing or len(clip) < 3:
        return None, None
    speeds = []
    for side, path in contacts.feet(clip).items():
        speed = np.linalg.norm(np.gradient(path[:, :2], axis=0), axis=1) * clip.rate
        speeds.append(speed[standing[side]])
    share = float(np.mean([flags.mean() for flags in standing.values()]))
    together = np.concatenate(speeds)
    return (float(together.mean()) if len(together) else None), share


def acceleration(clip: Clip) -> float | None:
    """Return the root mean square acceleration (m/s²) of the body's points, by their weight; a measure of jitter."""
    if len(clip) < 3:
        return None
    second = np.diff(kinematics.points(clip), n=2, axis=0) * clip.rate**2
    return float(np.sqrt(((second**2).sum(axis=2) * clip.skeleton.point_weights).sum(axis=1).mean()))


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
