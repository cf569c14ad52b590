"""Name the posture of a body whose hips are low: crouching, sitting, kneeling or lying.

Method: A take becomes a set.
"""

import numpy as np

from ...motion import kinematics
from ...motion.clip import Clip
from .tracks import find_ankles

# Body heights above the floor, medians over a stretch.
FLOOR_PERCENTILE = 5.0  # percentile of the height of the lower foot over a take, used as the floor
ON_FLOOR = 0.13  # hips of a body that lies or sits on the floor are lower than this
HEAD_DOWN = 0.3  # the head of a body that lies is lower than this
KNEE_DOWN = 0.08  # the lower knee of a body that kneels or crawls is lower than this
SEAT, LEVEL = 0.33, 0.09  # least height of hips on a seat, and largest height of these above the higher knee
BEHIND = 0.13  # the hips of a body that sits are farther than this from the middle of the feet

CROUCH, SIT, KNEEL, LIE = "Crouch", "Sit", "Kneel", "Lie"


def name_posture(clip: Clip, first: int, end: int) -> str:
    """Return CROUCH, SIT, KNEEL or LIE for frames first … end − 1 of a take in which the hips are low.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import posture
        >>> sneak = actions.sneak()
        >>> posture.name_posture(sneak, 0, len(sneak))
        'Crouch'
    """
    points, roles, height = kinematics.points(clip), clip.skeleton.roles, clip.skeleton.height
    feet = np.moveaxis(points[:, find_ankles(clip.skeleton)], 1, 0)
    floor = float(np.percentile(feet[:, :, 2].min(axis=0), FLOOR_PERCENTILE))

    def above(*names: str, of: np.ufunc = np.minimum) -> float:
        rows = [points[first:end, roles[name], 2] for name in names if name in roles]
        return float((np.median(of.reduce(rows)) - floor) / height) if rows else np.inf

    hips = above("hips")
    off = points[first:end, roles["hips"], :2] - feet.mean(axis=0)[first:end, :2]
    if hips < ON_FLOOR:
        return LIE if above("head", "neck") < HEAD_DOWN else SIT
    if above("shin.L", "shin.R") < KNEE_DOWN:
        return KNEEL
    seated = hips >= SEAT and above("shin.L", "shin.R", of=np.maximum) >= hips - LEVEL
    return SIT if seated or np.median(np.linalg.norm(off, axis=1)) / height >= BEHIND else CROUCH
