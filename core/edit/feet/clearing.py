"""Keep the ground clearance that feet had in the original clip (methods: Style)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...motion import feet, ik, kinematics, root_motion
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from .. import cyclic_padding
from . import legs

CLEARANCE = 0.4  # share of the original height above ground to keep
AROUND = 0.5  # strides; the ground of a foot is its least height within this distance
SMOOTH = 0.03  # strides; sigma for smoothing lifts


def cleared(clip: Clip, wanted: Array, stride: float) -> Clip:
    """Return the clip with feet lifted to at least 0.4 of their wanted height above ground.

    wanted (F, N) : height of the lowest point of each foot, metres, at even times from the first frame to the last;
        stride
        : frames of the clip per stride. Only legs change; bodies without known legs are returned unchanged.

    Example:
        >>> from action_loom.core.edit.feet import clearing
        >>> from action_loom.core.demo_character import actions
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
    """Return a clip with feet shifted (F, 3); a cycle is treated as one of several in sequence.

    A stretch with a knee bent backwards is solved as a whole, and may extend across the cycle's ends.
    """
    if not closes:
        return legs.shifted(clip, limbs, shifts)
    padded = cyclic_padding.around(clip, len(clip) - 1, repeats=True)
    frames = np.arange(len(padded.clip)) % padded.period
    made = legs.shifted(padded.clip, limbs, {foot: shift[frames] for foot, shift in shifts.items()})
    # Legs have the same local rotations in every cycle, independent of its position on the ground.
    led = np.flatnonzero(clip.skeleton.with_below([limb.upper for limb in limbs]))
    rotations = clip.rotations.copy()
    rotations[:, led] = made.rotations[padded.own][:, led]
    return replace(clip, rotations=rotations)
