"""Cadence: the step frequency of a foot, which reveals a wrong frame rate (methods: Measures of quality)."""

import numpy as np

from ..motion import kinematics, root_motion
from ..motion.clip import Clip

SLOWEST, USUAL, FASTEST = 0.25, 0.95, 2.5  # steps of one foot a second: range and usual value for walks and runs
SIDE_BY_SIDE = 0.04  # body heights; feet with a smaller forward distance are side by side, and neither leads
IRREGULAR = 0.35  # standard deviation of the times between steps over their mean; less regular steps are not a walk
TRAVELS = 1.0  # body heights; a clip with less travel does not walk
RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)


def steps_a_second(clip: Clip) -> float | None:
    """Return how many times a second one foot passes the other forwards; None without known feet or a walk.

    Contacts can't be used for this, because they depend on speeds and thus on the rate.
    """
    roles = clip.skeleton.roles
    if not {"foot.L", "foot.R"} <= set(roles):
        return None
    rotations, positions = kinematics.world(clip)
    ground = positions[:, root_motion.travelling_joint(clip.skeleton), :2]
    if root_motion.path_length(ground) < TRAVELS * clip.skeleton.height:
        return None
    facing = root_motion.raw_heading(clip.skeleton, rotations, positions)
    apart = positions[:, roles["foot.L"], :2] - positions[:, roles["foot.R"], :2]
    ahead = apart[:, 1] * np.cos(facing) - apart[:, 0] * np.sin(facing)
    # The leading foot, in frames in which the feet are not side by side.
    leads = np.sign(ahead[np.abs(ahead) > SIDE_BY_SIDE * clip.skeleton.height])
    frames = np.flatnonzero(np.abs(ahead) > SIDE_BY_SIDE * clip.skeleton.height)
    passes = frames[1:][np.diff(leads) != 0.0]
    times = np.diff(passes) / clip.rate
    if len(times) < 2 or times.std() > IRREGULAR * times.mean():
        return None
    return float(0.5 / times.mean())


def doubt(clip: Clip) -> str | None:
    """Return a warning with a likely rate if the steps of a clip are too slow or too fast; else None.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.quality import cadence
        >>> from action_loom.core.demo_character import actions
        >>> cadence.doubt(actions.walk()), cadence.doubt(replace(actions.walk(), rate=120.0))
        (None, 'was it made at 30? At 120 frames it makes 3.8 steps a second')
    """
    cadence = steps_a_second(clip)
    if cadence is None or SLOWEST <= cadence <= FASTEST:
        return None
    likely = min(RATES, key=lambda rate: abs(np.log(cadence * rate / clip.rate / USUAL)))
    return f"was it made at {likely:g}? At {clip.rate:g} frames it makes {cadence:.2g} steps a second"
