"""Travel of a body whose file keeps the hips in one place, measured from its standing feet (methods: Points)."""

import numpy as np

from ..motion import root_motion
from ..motion.quat import Array
from . import body, flights, upright
from .track import Track

_LOW = 0.03  # body heights above the lowest foot that reduce a foot's weight by a factor of e
# Rounds of weighting: sigma in seconds for smoothing the travel, and the difference from it, in body heights per
# second, that reduces a foot's weight to a quarter.
_ROUNDS = ((0.3, 0.6), (0.3, 0.4), (0.2, 0.3), (0.1, 0.2), (0.06, 0.12), (0.03, 0.12), (0.03, 0.12), (0.03, 0.12))
_SIGMA = 0.03  # s; sigma for smoothing the speed and the height of the body
_THICK = 0.03  # body heights between a point of a hand, a knee or the back and the ground that it touches
_STEP = 0.3  # s; sigma for averaging the velocities of standing feet
_WINDOW = 3.5  # times _STEP: duration that counts as one independent measurement
_PASSING = 0.14  # body heights per second; standard deviation of the vertical velocity of standing feet
_PITCH, _ROLL = 0.1, 0.03  # rad; expected standard deviations of tilts forwards and sideways
_LEAN = 0.1  # rad by which a runner seems to lean, for each body height per second above _RUNS
_RUNS = 0.8  # body heights per second


def measure(track: Track) -> tuple[Array, int]:
    """Return the displacement (F, 3) of a track that keeps its standing feet in place, and the number of jumps.

    The lowest point is on the floor, except in jumps.
    """
    feet, above, weights = _find_standing(track)
    velocity = np.gradient(feet[..., :2], axis=0) * track.rate
    moving = (weights[..., None] * velocity).sum(axis=1) / weights.sum(axis=1)[:, None]
    speed = root_motion.smooth(-moving, _SIGMA * track.rate)
    lift, centre = -_find_lowest(track, feet, above), upright.centre_of_mass(track)
    heights = centre[:, 2] + lift
    spans = flights.find(heights, track.middle("hip")[:, 2] + lift - _floor(feet, above), track.rate, track.height)
    lift = root_motion.smooth(lift[:, None], _SIGMA * track.rate)[:, 0]
    lift += flights.raise_body(heights, spans, track.rate)
    swings = np.gradient(centre[:, :2], axis=0) * track.rate
    speed = flights.keep_speed(speed + swings, spans) - swings
    steps = 0.5 * (speed[1:] + speed[:-1]) / track.rate
    ground = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return np.concatenate([ground, lift[:, None]], axis=1), len(spans)


def _find_lowest(track: Track, feet: Array, above: Array) -> Array:
    """Return the height (F,) of the lowest point above the floor. Hands, knees or the back may bear the body, too."""
    others = [k for k, name in enumerate(track.names) if name.partition(".")[0] not in ("toe", "heel", "ankle")]
    others_low = track.places[:, others, 2].min(axis=1) - _floor(feet, above) - _THICK * track.height
    return np.minimum(above.min(axis=1), others_low)


def _floor(feet: Array, above: Array) -> float:
    return float((feet[..., 2] - above).min())


def _find_standing(track: Track) -> tuple[Array, Array, Array]:
    """Return places (F, K, 3) of K foot parts, their heights (F, K) above their low position, and weights (F, K).

    A part has a large weight in a frame in which it stands.
    """
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
    return feet, above, weights


def level_turn(track: Track) -> Array:
    """Return the rotation (4,) of a centred track after which its standing feet move horizontally below the body.

    This assumes that the centre of mass is equally high when a foot lands and when it leaves the ground. Feet show
    sideways tilts badly, so the result has only small ones.
    """
    feet, _, weights = _find_standing(track)
    passing = np.gradient(feet - upright.centre_of_mass(track)[:, None], axis=0) * track.rate / track.height
    reach = _STEP * track.rate
    sums = root_motion.smooth((weights[..., None] * passing).sum(axis=1), reach)
    mean = sums / root_motion.smooth(weights.sum(axis=1)[:, None], reach)
    right = (track.at("hip.R") - track.at("hip.L"))[:, :2]
    right = right / np.maximum(np.linalg.norm(right, axis=1, keepdims=True), 1e-9)
    front = np.stack([-right[:, 1], right[:, 0]], axis=1)
    known = (front.T @ front / _PITCH**2 + right.T @ right / _ROLL**2) / len(track)
    speed = float(np.linalg.norm(mean[:, :2], axis=1).mean())
    leans = -_LEAN * max(speed - _RUNS, 0.0) * front.mean(axis=0)
    seen = 1.0 / (_WINDOW * reach * _PASSING**2)
    flat = mean[:, :2]
    tilt = np.linalg.solve(seen * flat.T @ flat + known, known @ leans - seen * flat.T @ mean[:, 2])
    direction = np.array([tilt[0], tilt[1], 1.0])
    return upright.shortest_turn(direction / np.linalg.norm(direction))
