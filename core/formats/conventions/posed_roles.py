"""Find body roles in a file by names and rest pose, or by poses of the motion if the rest pose is uninformative."""

import numpy as np

from ...motion import kinematics, roles
from ...motion.clip import Clip

POSES = 24  # poses of a clip to try


def find_roles(clip: Clip) -> dict[str, int]:
    """Return the joint of each role, in the pose in which the most roles are found.

    A rest pose with all bones along one axis has no informative shape; for most files, names suffice.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats.conventions import posed_roles
        >>> walk = actions.walk(cycles=1)
        >>> posed_roles.find_roles(walk) == walk.skeleton.roles
        True
    """
    body = clip.skeleton
    best = body.roles
    if {"thigh.L", "thigh.R", "shin.L", "shin.R", "hips"} <= set(best):
        return dict(best)
    frames = np.unique(np.linspace(0, len(clip) - 1, POSES).astype(np.int64))
    for places in kinematics.world(clip.take_frames(frames))[1]:
        found = roles.find(body.names, body.parents, places)
        if len(found) > len(best):
            best = found
    return dict(best)
