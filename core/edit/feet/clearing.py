"""Feet that stay clear of the ground where their clip's own feet did (methods: Style)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...motion import feet, ik, kinematics, root_motion
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from .. import cyclic_padding
from . import legs

CLEARANCE = 0.4  # of how high a foot was over its ground
AROUND = 0.5  # strides; a foot's ground is its least height within so much
SMOOTH = 0.03  # strides; the standard deviation by which lifts are smoothed


def cleared(clip: Clip, wanted: Array, stride: float) -> Clip:
    """Return the clip with feet lifted where they are lower than 0.4 of how high they should be over their ground.

    wanted (F, N) : the height of the lowest point of each foot as it should be, metres, at even times from the first
        frame to the last; stride : frames of the clip. Nothing else changes; bodies without known legs stay as they
        are.

    Example:
        >>> from action_loom.core.edit.feet import clearing
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.motion import feet, kinematics
        >>> walk = actions.walk(cycles=2)
        >>> clearing.cleared(walk, feet.lows(walk.skeleton, kinematics.points(walk)), 32.0) is walk
        True
    """
    limbs = {limb.foot: limb for limb in ik.known_legs(clip.skeleton)}
    closes = clip.cyclic and len(clip) > 2  # then the last frame is the first
    at, shifts, reach = np.linspace(0.0, len(wanted) - 1.0, len(clip)), {}, max(1, round(AROUND * stride))
    now = feet.lows(clip.skeleton, kinematics.points(clip))
    for foot, high, own in zip(feet.balls_and_ankles(clip.skeleton), wanted.T, now.T, strict=True):
        low = np.interp(at, np.arange(len(high)), high)
        around = np.pad(low, reach, mode="edge")
        ground = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1).min(axis=1)
        deeper = ground + CLEARANCE * (low - ground) - own
        if foot in limbs and (deeper > 0.0).any():
            lift = root_motion.smooth(np.maximum(0.0, deeper)[: len(clip) - closes], SMOOTH * stride, repeats=closes)
            shifts[foot] = np.resize(lift, len(clip))[:, None] * [0.0, 0.0, 1.0]
    return _shifted(clip, [limbs[foot] for foot in shifts], shifts, closes) if shifts else clip


def _shifted(clip: Clip, limbs: Sequence[Limb], shifts: Mapping[str, Array], closes: bool) -> Clip:
    """Return a clip with feet shifted (F, 3); of a cycle as one of many, one after the other.

    A stretch in which a knee is bent backwards is led as one, and may go across the cycle's ends.
    """
    if not closes:
        return legs.shifted(clip, limbs, shifts)
    padded = cyclic_padding.around(clip, len(clip) - 1, repeats=True)
    frames = np.arange(len(padded.clip)) % padded.period
    made = legs.shifted(padded.clip, limbs, {foot: shift[frames] for foot, shift in shifts.items()})
    # Legs have the same local rotations in every cycle, wherever the cycle is on the ground.
    led = np.flatnonzero(clip.skeleton.with_below([limb.upper for limb in limbs]))
    rotations = clip.rotations.copy()
    rotations[:, led] = made.rotations[padded.own][:, led]
    return replace(clip, rotations=rotations)
