"""Adjust foot heights during contacts to match the source after retargeting.

Other proportions of shins and thighs, and legs of different lengths, change the heights of planted feet in each
contact, even though the limbs have the same directions.

Method: Body roles and retargeting.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..edit import cyclic_padding
from ..edit.feet import legs, spans
from ..edit.feet.spans import BALL, Span
from ..motion import cycles, feet, ik, kinematics, root_motion
from ..motion.clip import Clip

SMOOTH = 0.03  # s; sigma for smoothing the change of a foot's height
LEAST = 1e-3  # body heights; smaller differences are ignored
AROUND = 3.0  # s of cyclic padding, as for planting


def keep_heights(clip: Clip, made: Clip, scale: float, rises: tuple[float, float], standing: Sequence[Span]) -> Clip:
    """Return a retargeted clip with the heights of the source's balls during contacts; the pelvis follows them.

    scale : of the legs; rises : metres that the balls and the ankles of the other body are higher at rest than the
    source's, scaled, above the lowest point of the feet
    standing : contacts of the feet. Between contacts a foot's height correction is interpolated linearly, but no foot
        gets lower than the source's lowest. A closed clip stays a cycle. Bodies with unknown legs are returned
        unchanged; ankles are used for bodies without balls.

    Example:
        >>> from action_loom.core.bodies import stance_heights
        >>> from action_loom.core.edit.feet import spans
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> stance_heights.keep_heights(walk, walk, 1.0, (0.0, 0.0), spans.find(walk)) is walk
        True
    """
    repeats = len(clip) > 1 and cycles.closes(clip)
    around, whole = (cyclic_padding.around(one, AROUND * one.rate, repeats=repeats) for one in (clip, made))
    at = np.arange(len(whole.clip)) - whole.own.start
    theirs, ours = (kinematics.points(one.clip) for one in (around, whole))
    source, body = (feet.balls_and_ankles(one.skeleton) for one in (clip, made))
    soles = [feet.soles(one.skeleton) for one in (clip, made)]
    limbs = [limb for limb in ik.known_legs(made.skeleton) if limb.foot in source and limb.foot in body]
    flat = spans.flags([span for span in standing if span.part == BALL], len(made))
    lifts, shifts = {}, {}
    for foot in (limb.foot for limb in limbs if limb.foot in flat and flat[limb.foot].any()):
        (ball, ankle), (own, own_ankle) = source[foot], body[foot]
        with_balls = own != own_ankle and ball != ankle
        wanted = scale * theirs[:, ball if with_balls else ankle, 2] + rises[0 if with_balls else 1]
        higher = wanted - ours[:, own if with_balls else own_ankle, 2]
        held = flat[foot][at % whole.period if repeats else at]
        stands = np.flatnonzero(held)
        lift = np.interp(np.arange(len(held)), stands, higher[stands])
        lift = np.maximum(lift, float(wanted.min()) - wanted + higher)
        # A longer foot with the same pitch has a deeper sole, so it is raised, too.
        lift = np.maximum(
            lift, scale * float(theirs[:, soles[0][foot], 2].min()) - ours[:, soles[1][foot], 2].min(axis=1)
        )
        lifts[foot] = root_motion.smooth(lift, SMOOTH * made.rate)
        shifts[foot] = np.zeros(len(held), dtype=complex), held.astype(float)
    if max((float(np.abs(lift).max()) for lift in lifts.values()), default=0.0) < LEAST * made.skeleton.height:
        return made
    led = [limb for limb in limbs if limb.foot in lifts]
    lifted = legs.following(whole.clip, led, shifts, (), lifts)[0]
    return replace(lifted.cut(whole.own.start, whole.own.stop), cyclic=made.cyclic) if repeats else lifted
