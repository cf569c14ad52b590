"""The climbing of clips: remove the height of the ground under the feet, and add it to walks.

A walk up stairs minus its ground is a walk with high knees, which can be compared with other walks. The height climbed
at each frame is stored separately (methods: Motion graph).
"""

import numpy as np

from ..motion import root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality import contacts, world_pose

SIGMA = 0.15  # s; smooths the ground between contacts
SWAY = 1.0  # s; without known feet, faster height changes of the hips count as steps, not ground


def ground(clip: Clip) -> Array:
    """Return the height (F,) of the ground under a body, metres: interpolated linearly between the balls of contacts.

    For a body with unknown feet, it is the smoothed height of the hips about its median.
    """
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


def lift_frames(clip: Clip, heights: Array) -> Clip:
    """Return a clip with its frames lifted by heights (F,), metres.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import climbs
        >>> walk = actions.walk()
        >>> lifted = climbs.lift_frames(walk, np.full(len(walk), 0.5))
        >>> len(lifted) == len(walk)
        True
    """
    return root_motion.place_clip(clip, 0.0, np.stack([0.0 * heights, 0.0 * heights, heights], axis=1))
