"""Lift feet that sink into their ground, except on stairs and slopes (methods: Planted feet)."""

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...motion import feet, kinematics, root_motion
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from .spans import BALL, Contact

LEVEL_SLOPE = 0.03  # captured floors have slopes of up to 2.2 %; a steeper one is intended
LEVEL_STEP = 0.02  # body heights; largest height of a contact above an even floor; a stair has 0.08
DEEPEST = 0.06  # body heights; a larger lift indicates a long slope
SLACK = 0.002  # body heights that a ball may roll below its contact height
SMOOTH = 0.03  # s; sigma of lifts


def lifts(clip: Clip, limbs: Sequence[Limb], contacts: Sequence[Contact], own: slice) -> dict[str, Array]:
    """Return the lift (F,) of feet that are below the height of their contact.

    contacts : of the feet; on a level floor all share one height, otherwise each has its own
    own : frames of the clip itself, without its padding

    Example:
        >>> from action_loom.core.edit.feet import sinking, spans
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik
        >>> walk = actions.walk(cycles=2)
        >>> sinking.lifts(walk, ik.legs(walk.skeleton), spans.touching(spans.find(walk)), slice(0, len(walk)))
        {}
    """
    height, points = clip.skeleton.height, kinematics.points(clip)
    known, lows = feet.balls_and_ankles(clip.skeleton), feet.lows(clip.skeleton, points)
    stood = []
    for contact in (contact for contact in contacts if contact.standing[0].part == BALL):
        ball = points[:, known[contact.foot][0]]
        stood.append((contact, np.concatenate([ball[span.first : span.end] for span in contact.standing])))
    inside = [path for contact, path in stood if contact.first < own.stop and contact.end > own.start]
    floor = _level(inside, height)
    found, legs = {}, {limb.foot for limb in limbs}
    for foot, low in ((foot, low) for foot, low in zip(known, lows.T, strict=True) if foot in legs):
        mine = [(contact, float(np.median(path[:, 2]))) for contact, path in stood if contact.foot == foot]
        ground = np.full(len(clip), floor) if floor is not None else _of_each(mine, len(clip))
        deep = np.maximum(0.0, ground - SLACK * height - low)
        if deep.any():
            reach = round(2.0 * SMOOTH * clip.rate)
            highest = sliding_window_view(np.pad(deep, reach, mode="edge"), 2 * reach + 1).max(axis=1)
            found[foot] = root_motion.smooth(highest, SMOOTH * clip.rate)
    return found


def _level(stances: Sequence[Array], height: float) -> float | None:
    """Return the height of the floor under contacts, paths (F, 3) of balls; None if it is not level."""
    if not stances:
        return None
    places = np.array([np.median(path, axis=0) for path in stances])
    floor = float(np.median(np.concatenate(stances)[:, 2]))
    away = places - places.mean(axis=0)
    along = away[:, :2] @ np.linalg.svd(away[:, :2], full_matrices=False)[2][0]
    slope = float(along @ away[:, 2]) / max(float(along @ along), 1e-12)
    off = float(np.abs(away[:, 2] - slope * along).max())
    leans = abs(slope) > LEVEL_SLOPE and abs(slope) * float(np.ptp(along)) > LEVEL_STEP * height
    deepest = floor - float(places[:, 2].min())
    return None if leans or off > LEVEL_STEP * height or deepest > DEEPEST * height else floor


def _of_each(stances: Sequence[tuple[Contact, float]], frames: int) -> Array:
    """Return the height (F,) of the ground under a foot: of its contact, or the lower of two adjacent ones."""
    ground = np.full(frames, -np.inf)
    for k, (contact, level) in enumerate(stances):
        ground[contact.first : contact.end] = level
        if k:
            last, before = stances[k - 1]
            ground[last.end : contact.first] = min(before, level)
    return ground
