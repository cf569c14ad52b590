"""Effects of planting on a clip, measured without the planting code."""

import numpy as np
from action_loom.core.edit.feet import spans
from action_loom.core.motion import kinematics
from action_loom.core.quality import contacts


def middle_slide(clip, rows):
    """Mean speed of balls in the middle halves of spans, cm/s."""
    balls, found = contacts.feet(clip), []
    for span in rows:
        if span.part == spans.BALL:
            speed = np.linalg.norm(np.gradient(balls[span.foot][:, :2], axis=0), axis=1) * clip.rate
            found.append(100.0 * speed[span.middle.first : span.middle.end].mean())
    return float(np.mean(found))


def moved_by(made, clip):
    return np.abs(kinematics.points(made) - kinematics.points(clip)).max()
