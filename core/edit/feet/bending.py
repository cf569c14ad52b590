"""Keep knees from locking straight (required by MMD rigs) without moving planted feet."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...motion import cycles, ik, quat, root_motion
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from . import legs
from .legs import Leg

STEEP = 2.0  # times the missing distance; limits the drop of the pelvis for nearly horizontal legs
TOLD = np.radians(0.5)  # radians; smaller corrections of a knee are not counted


@dataclass(frozen=True)
class Bent:
    """The outcome: number of frames with a more bent knee, and the largest drop of the pelvis, metres."""

    frames: int
    lower: float


def bent(clip: Clip, reach: Mapping[str, float]) -> tuple[Clip, Bent]:
    """Return a clip with legs limited in length, and the outcome; the clip itself if no leg is too long.

    reach : the longest distance from hip to ankle by the foot's name, as a share of the lengths of both bones. The
        pelvis drops so that feet keep their positions, up to millimetres for nearly horizontal legs.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import bending, legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik
        >>> walk = actions.walk(cycles=1)
        >>> clip, done = bending.bent(walk, {"L": 0.98, "R": 0.98})
        >>> _, posed = legs.posed(clip, ik.legs(walk.skeleton))
        >>> round(float(np.degrees(posed["L"].flexion.min())), 1), done.lower < 0.01
        (23.0, True)
    """
    limbs = [limb for limb in ik.known_legs(clip.skeleton) if limb.foot in reach]
    if not limbs or legs.carrier(clip, limbs) < 0:
        return clip, Bent(0, 0.0)
    turned, posed = legs.posed(clip, limbs)
    longest = {foot: reach[foot] * leg.length for foot, leg in posed.items()}
    least = {foot: _flexion(leg, longest[foot]) for foot, leg in posed.items()}
    straighter = [leg.flexion < least[foot] - legs.ROUNDING for foot, leg in posed.items()]
    if not np.any(straighter):
        return clip, Bent(0, 0.0)
    down = _down(clip, [_lack(leg, longest[foot]) for foot, leg in posed.items()])
    moved = -down[:, None] * [0.0, 0.0, 1.0]
    turns, more = dict[Limb, tuple[Array, ...]](), np.zeros(len(clip), bool)
    for limb in limbs:
        leg = posed[limb.foot]
        goal = leg.end - leg.hip - moved
        change = _flexion(leg, np.minimum(np.linalg.norm(goal, axis=1), longest[limb.foot])) - leg.flexion
        bend = quat.exp(change[:, None] * leg.axis)
        turns[limb] = ik.shortest(leg.upper + quat.rotate(bend, leg.lower), goal), bend
        more |= leg.flexion < least[limb.foot] - TOLD
    return legs.applied(clip, turned, turns, moved), Bent(int(np.count_nonzero(more)), float(down.max()))


def _flexion(leg: Leg, distance: Array) -> Array:
    """Return the flexion (F,) at which a leg spans a distance (F,)."""
    upper, lower = leg.lengths
    cosine = (distance**2 - upper**2 - lower**2) / np.maximum(2.0 * upper * lower, 1e-300)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _lack(leg: Leg, longest: Array) -> Array:
    """Return the drop (F,) of a leg's hip required to span at most a distance (F,)."""
    way = leg.hip - leg.end
    high = np.sqrt(np.maximum(longest**2 - (way[:, :2] ** 2).sum(axis=1), 0.0))
    short = leg.reach - longest
    return np.asarray(np.clip(way[:, 2] - high, 0.0, np.maximum(STEEP * short, 0.0)))


def _down(clip: Clip, lacks: list[Array]) -> Array:
    """Return the smoothed drop (F,) of the pelvis that covers the drops required by the legs."""
    closes = len(clip) > 2 and cycles.closes(clip)  # then the last frame is the first
    lack = np.max(lacks, axis=0)[: len(clip) - closes]
    wide = round(2.0 * legs.DIP * clip.rate)
    around = np.pad(lack, wide, mode="wrap" if closes else "edge")
    lowest = sliding_window_view(around, 2 * wide + 1).max(axis=1)
    return np.resize(root_motion.smooth(lowest, legs.DIP * clip.rate, repeats=closes), len(clip))
