"""How often a foot steps: what tells that a clip is played at another rate than it was made at."""

import numpy as np

from ..motion import kinematics, root_motion
from ..motion.clip import Clip

SLOWEST, USUAL, FASTEST = 0.25, 0.95, 2.5  # steps of one foot a second, of people who go somewhere
SIDE_BY_SIDE = 0.04  # body heights
IRREGULAR = 0.35  # spread of the times between steps over their mean; what is less even is no walk
TRAVELS = 1.0  # body heights; who goes less far does not walk
RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)


def steps_a_second(clip: Clip) -> float | None:
    """Return how often one foot passes the other in a second, forward; None for who does not walk, or has no feet.

    Contacts won't do: whether a foot stands is a matter of its speed, which is wrong where the rate is.
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
    # Which foot is ahead, by more than feet do that stand side by side.
    leads = np.sign(ahead[np.abs(ahead) > SIDE_BY_SIDE * clip.skeleton.height])
    frames = np.flatnonzero(np.abs(ahead) > SIDE_BY_SIDE * clip.skeleton.height)
    passes = frames[1:][np.diff(leads) != 0.0]
    times = np.diff(passes) / clip.rate
    if len(times) < 2 or times.std() > IRREGULAR * times.mean():
        return None
    return float(0.5 / times.mean())


def doubt(clip: Clip) -> str | None:
    """Return a sentence where the steps of a clip are too slow or too fast for its rate, with one that would fit."""
    cadence = steps_a_second(clip)
    if cadence is None or SLOWEST <= cadence <= FASTEST:
        return None
    likely = min(RATES, key=lambda rate: abs(np.log(cadence * rate / clip.rate / USUAL)))
    return f"{cadence:.2g} steps a second at {clip.rate:g} frames: was it made at {likely:g}?"
