"""Travel of a body whose file keeps the hips in one place, measured from its standing feet (methods: Points)."""

import numpy as np

from ..motion import root_motion
from ..motion.quat import Array
from . import body, upright
from .track import Track

_LOW = 0.012  # body heights above the lowest foot at which a foot counts less, by e
_APART = 0.12  # body heights per second: the usual difference of a standing foot from the travel
_ROUNDS = 8
_SIGMA = 0.03  # s


def measure(track: Track) -> Array:
    """Return the places (F, 3) to add to a track, so that its lowest feet stand on the floor and do not move."""
    places, heights = [], []
    for part in upright.foot_parts(track):
        both = [track.at(f"{part}.{side}") for side in body.SIDES]
        lowest = float(np.quantile(np.minimum(both[0][:, 2], both[1][:, 2]), 0.1))
        places += both
        heights += [place[:, 2] - lowest for place in both]
    feet, above = np.stack(places, axis=1), np.stack(heights, axis=1)
    velocity = np.gradient(feet[..., :2], axis=0) * track.rate
    low = np.exp(-(above - above.min(axis=1, keepdims=True)) / (_LOW * track.height))
    weights = low
    for _ in range(_ROUNDS):
        moving = (weights[..., None] * velocity).sum(axis=1) / weights.sum(axis=1)[:, None]
        apart = np.linalg.norm(velocity - moving[:, None], axis=-1) / (_APART * track.height)
        weights = low / (1.0 + apart**2) ** 2
    speed = root_motion.smooth(-moving, _SIGMA * track.rate)
    steps = 0.5 * (speed[1:] + speed[:-1]) / track.rate
    ground = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    lift = root_motion.smooth(-above.min(axis=1)[:, None], _SIGMA * track.rate)
    return np.concatenate([ground, lift], axis=1)
