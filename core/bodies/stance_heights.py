"""Feet that stand on another body at the heights at which the source's stand.

Shins and thighs of other proportions, and legs that are not as long as each other, bring standing feet to other heights
in each stance, though the limbs point where the source's do.

Method: Body roles and retargeting.
"""

from collections.abc import Sequence

import numpy as np

from ..edit.feet import legs, spans
from ..edit.feet.spans import BALL, Span
from ..motion import feet, ik, kinematics, root_motion
from ..motion.clip import Clip

SMOOTH = 0.03  # s; sigma of the change of a foot's height
LEAST = 1e-3  # body heights; smaller differences stay


def kept(clip: Clip, made: Clip, scale: float, rise: float, standing: Sequence[Span]) -> Clip:
    """Return a carried clip whose balls stand at the heights at which the source's do; the pelvis follows them.

    scale : of the legs; rise : metres that the ankles of the other body are higher at rest than the source's, scaled,
    over the lowest point of the feet; standing : when feet stand. Between stances a foot's height changes evenly, but
    no ball comes lower than the source's lowest. Bodies without known legs stay as they are; ankles count where a body
    has no balls.

    Example:
        >>> from action_loom.core.bodies import stance_heights
        >>> from action_loom.core.edit.feet import spans
        >>> from action_loom.core.figure import actions
        >>> walk = actions.walk(cycles=1)
        >>> stance_heights.kept(walk, walk, 1.0, 0.0, spans.find(walk)) is walk
        True
    """
    theirs, ours = (kinematics.points(one) for one in (clip, made))
    source, body = (feet.balls_and_ankles(one.skeleton) for one in (clip, made))
    limbs = [limb for limb in ik.known_legs(made.skeleton) if limb.foot in source and limb.foot in body]
    flat = spans.flags([span for span in standing if span.part == BALL], len(made))
    lifts, shifts = {}, {}
    for foot in (limb.foot for limb in limbs if limb.foot in flat and flat[limb.foot].any()):
        (ball, ankle), (own, own_ankle) = source[foot], body[foot]
        with_balls = own != own_ankle and ball != ankle
        wanted = scale * theirs[:, ball if with_balls else ankle, 2] + (0.0 if with_balls else rise)
        higher = wanted - ours[:, own if with_balls else own_ankle, 2]
        stands = np.flatnonzero(flat[foot])
        lift = np.interp(np.arange(len(made)), stands, higher[stands])
        lift = np.maximum(lift, float(wanted.min()) - wanted + higher)
        lifts[foot] = root_motion.smooth(lift, SMOOTH * made.rate)
        shifts[foot] = np.zeros(len(made), dtype=complex), flat[foot].astype(float)
    if max((float(np.abs(lift).max()) for lift in lifts.values()), default=0.0) < LEAST * made.skeleton.height:
        return made
    led = [limb for limb in limbs if limb.foot in lifts]
    return legs.following(made, led, shifts, (), lifts)[0]
