"""How clips climb: the height of the ground that a body treads, taken off clips and put on walks again.

A walk up stairs less its ground is a walk with high knees, which is compared with any other; how far each frame climbs
is kept beside it.

Method: Motion graph.
"""

import numpy as np

from ..check import contacts, world_pose
from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

SIGMA = 0.15  # s over which the ground rises from step to step
SWAY = 1.0  # s; of a body whose feet are not known only what is slower counts


def ground(clip: Clip) -> Array:
    """Return how high (F,) the ground is under a body, metres: from each stance evenly to the next one."""
    body = world_pose.pose(clip)
    stances = sorted(
        (0.5 * (start + end - 1), float(np.median(foot.ball[start:end, 2])))
        for foot in contacts.standing_feet(body).values()
        for start, end in contacts.runs(foot.ball_stands)
    )
    if not stances:
        hips = body.points[:, root_motion.travelling_joint(clip.skeleton), 2]
        return root_motion.smooth((hips - np.median(hips))[:, None], SWAY * clip.rate)[:, 0]
    frames, heights = (np.array(each) for each in zip(*stances, strict=True))
    return root_motion.smooth(np.interp(np.arange(len(clip)), frames, heights)[:, None], SIGMA * clip.rate)[:, 0]


def lifted(clip: Clip, heights: Array) -> Clip:
    """Return a clip with each of its frames lifted by (F,) metres."""
    return root_motion.placed(clip, 0.0, np.stack([0.0 * heights, 0.0 * heights, heights], axis=1))
