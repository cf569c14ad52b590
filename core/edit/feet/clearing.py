"""Feet that stay clear of the ground where their clip's own feet did (methods: Style)."""

import numpy as np

from ...motion import feet, ik, kinematics, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
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
        >>> walk = actions.walk(cycles=2)
        >>> clearing.cleared(walk, clearing.lows(walk), 32.0) is walk
        True
    """
    limbs = {limb.foot: limb for limb in ik.known_legs(clip.skeleton)}
    at, shifts, reach = np.linspace(0.0, len(wanted) - 1.0, len(clip)), {}, max(1, round(AROUND * stride))
    for foot, high, own in zip(feet.balls_and_ankles(clip.skeleton), wanted.T, lows(clip).T, strict=False):
        low = np.interp(at, np.arange(len(high)), high)
        around = np.pad(low, reach, mode="edge")
        ground = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1).min(axis=1)
        deeper = ground + CLEARANCE * (low - ground) - own
        if foot in limbs and (deeper > 0.0).any():
            lift = _smooth(np.maximum(0.0, deeper), clip, stride)
            shifts[foot] = lift[:, None] * [0.0, 0.0, 1.0]
    return legs.shifted(clip, [limbs[foot] for foot in shifts], shifts) if shifts else clip


def lows(clip: Clip) -> Array:
    """Return the height (F, N) of the lowest point of each foot of a clip, in the order of `feet.balls_and_ankles`.

    Example:
        >>> from action_loom.core.edit.feet import clearing
        >>> from action_loom.core.figure import actions
        >>> clearing.lows(actions.walk(cycles=1)).min(axis=0).round(2).tolist()
        [0.02, 0.02]
    """
    heights = kinematics.points(clip)[..., 2]
    each = [heights[:, list(pair)].min(axis=1) for pair in feet.balls_and_ankles(clip.skeleton).values()]
    return np.stack(each, axis=1) if each else np.zeros((len(clip), 0))


def _smooth(lift: Array, clip: Clip, stride: float) -> Array:
    if not clip.cyclic or len(lift) < 3:
        return root_motion.smooth(lift, SMOOTH * stride)
    smooth = root_motion.smooth(np.tile(lift[:-1], 3), SMOOTH * stride)[len(lift) - 1 : 2 * (len(lift) - 1)]
    return np.append(smooth, smooth[:1])
