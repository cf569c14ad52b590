"""Travel of a body whose file keeps the hips in one place, measured from its standing feet (methods: Points)."""

import numpy as np

from ..motion import root_motion
from ..motion.quat import Array
from . import body, upright
from .track import Track

_LOW = 0.03  # body heights above the lowest foot at which a foot counts less, by e
# Rounds: the seconds over which travel is steady, and body heights per second from it at which a foot counts a quarter.
_ROUNDS = ((0.3, 0.6), (0.3, 0.4), (0.2, 0.3), (0.1, 0.2), (0.06, 0.12), (0.03, 0.12), (0.03, 0.12), (0.03, 0.12))
_SIGMA = 0.03  # s


def measure(track: Track) -> Array:
    """Return the places (F, 3) to add to a track, that keep its lowest feet on the floor and in place."""
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
    for sigma, apart in _ROUNDS:
        moving = (weights[..., None] * velocity).sum(axis=1) / weights.sum(axis=1)[:, None]
        usual = root_motion.smooth(moving, sigma * track.rate)
        off = np.linalg.norm(velocity - usual[:, None], axis=-1) / (apart * track.height)
        weights = low / (1.0 + off**2) ** 2
    moving = (weights[..., None] * velocity).sum(axis=1) / weights.sum(axis=1)[:, None]
    speed = root_motion.smooth(-moving, _SIGMA * track.rate)
    steps = 0.5 * (speed[1:] + speed[:-1]) / track.rate
    ground = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    lift = root_motion.smooth(-above.min(axis=1)[:, None], _SIGMA * track.rate)
    return np.concatenate([ground, lift], axis=1)
