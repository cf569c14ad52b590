"""Whether feet are on the ground, from their clearance over their own stances before and after a swing.

One floor for a clip is not enough: floors of captures rise and fall by centimetres.

Method: Weight.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..motion import root_motion
from ..motion.quat import Array
from ..quality import contacts
from ..quality.contacts import Flags
from .centre import BodyTracks

# Distances are in body heights, speeds in body heights a second.
LEAVES, LEAVES_FLAT = 0.016, 0.030  # a rising foot with a larger clearance is off the ground: with toes, and without
LANDS = 0.012  # a falling foot with a larger clearance is off the ground
# A foot is on the ground, however high, if one of its points is slower than this for at least this many seconds.
STILL, STILL_SECONDS = 0.10, 0.090
# So is a foot with a point slower than this for this many seconds, and a clearance below this.
SLOW, SLOW_SECONDS, NEAR = 0.20, 0.060, 0.045
HEIGHT_SIGMA, SPEED_SIGMA = 0.008, 0.012  # s; sigmas for smoothing heights, and positions before differentiation


@dataclass(frozen=True, eq=False)
class FootAir:
    """Whether a foot is off the ground (N,), its clearance (N,), and the height (N,) of the floor below it, metres.

    speed (N,) : of its slowest point, body heights a second
    """

    off: Flags
    clearance: Array
    floor: Array
    speed: Array


def measure_clearance(tracks: BodyTracks, stands: dict[str, Flags]) -> dict[str, FootAir]:
    """Return when each foot is off the ground; stands (N,) : its contacts, in which its floor is measured.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.quality import contacts
        >>> from action_loom.core.weight import centre, clearance
        >>> walk = actions.walk(cycles=1)
        >>> tracks = centre.track_body(walk, walk.rate)
        >>> found = clearance.measure_clearance(tracks, contacts.detect(walk))
        >>> {foot: contacts.runs(air.off) for foot, air in found.items()}
        {'L': [(21, 32)], 'R': [(5, 15)]}
    """
    return {foot: _of_foot(tracks, path, stands[foot]) for foot, path in tracks.soles.items()}


def _of_foot(tracks: BodyTracks, path: Array, stands: Flags) -> FootAir:
    heights = root_motion.smooth(path[..., 2], HEIGHT_SIGMA * tracks.rate)
    rises = (LEAVES if tracks.toes else LEAVES_FLAT) * tracks.height
    off = np.zeros(len(heights), dtype=bool)
    clearance, floor = np.zeros(len(heights)), np.zeros(len(heights))
    stances = contacts.runs(stands) or [(0, len(heights))]
    lows = np.array([heights[first:end].min(axis=0) for first, end in stances])
    for (first, end), low in zip(stances, lows, strict=True):
        part = slice(first, end)
        clearance[part], floor[part] = (heights[part] - low).min(axis=1), low.min()
        off[part] = clearance[part] > rises
    for first, end in contacts.runs(~stands) if stands.any() else []:
        after = int(np.searchsorted([one[0] for one in stances], first))
        before, following = max(after - 1, 0), min(after, len(stances) - 1)
        top = first + int(heights[first:end].min(axis=1).argmax())
        halves = (slice(first, top), before, rises), (slice(top, end), following, LANDS * tracks.height)
        for part, which, limit in halves:
            clearance[part] = (heights[part] - lows[which]).min(axis=1)
            floor[part], off[part] = lows[which].min(), clearance[part] > limit
    speed = _measure_slowest(tracks, path)
    return FootAir(off & ~_touches(tracks, speed, clearance), clearance, floor, speed)


def _measure_slowest(tracks: BodyTracks, path: Array) -> Array:
    """Return the speed (N,) of the slowest point of a foot (N, S, 3), body heights a second."""
    if len(path) < 2:
        return np.zeros(len(path))
    smooth = root_motion.smooth(path, SPEED_SIGMA * tracks.rate)
    speed = np.linalg.norm(np.gradient(smooth, axis=0), axis=2).min(axis=1)
    return np.asarray(speed * tracks.rate / tracks.height)


def _touches(tracks: BodyTracks, slowest: Array, clearance: Array) -> Flags:
    """Return whether a foot (N,) is in contact, as on an obstacle, because one of its points is still."""
    if len(slowest) < 2:
        return np.ones(len(slowest), dtype=bool)
    near = (slowest < SLOW) & (clearance < NEAR * tracks.height)
    return keep_long(slowest < STILL, STILL_SECONDS * tracks.rate) | keep_long(near, SLOW_SECONDS * tracks.rate)


def keep_long(flags: Flags, shortest: float) -> Flags:
    """Return flags without runs of fewer frames than `shortest`.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import clearance
        >>> clearance.keep_long(np.array([True, False, True, True]), 2).tolist()
        [False, False, True, True]
    """
    out = flags.copy()
    for first, end in contacts.runs(flags):
        out[first:end] = end - first >= shortest
    return out


def widen(values: Array, frames: int) -> Array:
    """Return the largest of the values (N,) within some frames of each.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.weight import clearance
        >>> clearance.widen(np.array([0.0, 0.0, 1.0, 0.0]), 1).tolist()
        [0.0, 1.0, 1.0, 1.0]
    """
    return np.asarray(sliding_window_view(np.pad(values, frames, mode="edge"), 2 * frames + 1).max(axis=1))
