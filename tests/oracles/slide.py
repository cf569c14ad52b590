"""Slide of toes, from height and speed alone: rough, but independent of the core's contacts."""

import numpy as np
from action_loom.core.motion import kinematics

HIGHEST, FASTEST = 0.05, 0.6  # m over the ground, m/s


def tread(clip):
    """Return the height (m) of the ground under a clip's toes."""
    return float(np.percentile(toes(clip)[..., 2], 5.0))


def speed(clip, floor):
    """Mean speed (cm/s) on the ground of toes that are low and slow (their roll is in it); NaN where none is."""
    places = toes(clip)
    speeds = np.linalg.norm(np.gradient(places[..., :2], axis=0), axis=2) * clip.rate
    down = (places[..., 2] - floor < HIGHEST) & (speeds < FASTEST)
    return float(100.0 * speeds[down].mean()) if down.any() else float("nan")


def toes(clip):
    roles = clip.skeleton.roles
    return kinematics.world(clip)[1][:, [roles["toe.L"], roles["toe.R"]]]
