"""Keep palms as clear of the body as in the source, on a body of other proportions.

Limbs with the source's directions can put hands inside another body's trunk. Palms come no nearer to a part there than
in the source, in units of the part. Contacts are kept by `contacts.keep`.

Method: Body roles and retargeting.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..contacts import parts
from ..contacts.parts import Part
from ..edit.feet import legs
from ..motion import cycles, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array

ROUNDS = 5  # iterations; a palm is placed relative to the other arm, which moves in the same iteration
EASE = 0.08  # s; sigma for easing the arms in and out
EXACT = 1e-4  # body heights by which palms may miss
DEEP = 0.7  # of the contact distance; palms nearer than this come no nearer than in the source


@dataclass(frozen=True, eq=False)
class _Clearance:
    """The least distance (F,), metres, of a palm from a part's axis, and the direction (F, 3) away from it.

    share : share of the error corrected by this palm; between hands, both correct
    """

    least: Array
    out: Array
    share: float

    def measure_shift(self, part: Part, palm: Array) -> Array:
        """Return the displacement (F, 3) of a palm to its clearance from the part."""
        deep = np.maximum(self.least - _length(palm - part.at(part.nearest(palm))), 0.0)
        return np.asarray(self.share * deep[:, None] * self.out)


def keep_clear(clip: Clip, made: Clip) -> tuple[Clip, float]:
    """Return a retargeted clip with palms as clear of the body as in the original, and how far arms turned (degrees).

    made : `clip` on another body, with the same limb directions. Only arms change; hands keep their world rotations.
        Molla, Debarba, Boulic 2018; parts are axes with a size here, because only the skeleton is known.

    Example:
        >>> from action_loom.core.bodies import clearance
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> clearance.keep_clear(walk, walk)[1]
        0.0
    """
    sides = [side for side in "LR" if all(parts.find_limb(one.skeleton, side) is not None for one in (clip, made))]
    arms = {side: arm for side in sides if (arm := parts.find_limb(made.skeleton, side)) is not None}
    theirs, ours = kinematics.pose_clip(clip), kinematics.pose_clip(made)[1]
    out = {side: parts.palm_offset(clip, side, theirs[0]) for side in sides}
    palms = {side: theirs[1][:, clip.skeleton.roles[f"hand.{side}"]] + out[side] for side in sides}
    grown = {
        side: parts.measure_limb(made.skeleton, "forearm", side) / parts.measure_limb(clip.skeleton, "forearm", side)
        for side in sides
    }
    begins = {side: ours[:, arms[side].end] + grown[side] * out[side] for side in sides}
    before, after = parts.find_parts(clip.skeleton, theirs[1], palms), parts.find_parts(made.skeleton, ours, begins)
    clear = {
        side: {name: _clear_of(name, palms[side], before[name], after[name], clip.skeleton.height)
               for name in sorted(before.keys() & after.keys()) if parts.is_other_part(name, side)}
        for side in sides
    }  # fmt: skip
    repeats = len(clip) > 1 and cycles.closes(clip)
    ends = [arm.end for arm in arms.values()]
    result, now, points = made, begins, ours
    for _ in range(ROUNDS):
        lacks = {side: _lacking(clear[side], after, now[side]) for side in sides}
        if max((_length(lack).max(initial=0.0) for lack in lacks.values()), default=0.0) < EXACT * made.skeleton.height:
            break
        # Relative to the current palms, so that the error of an arm that is too short does not accumulate.
        shifts = {
            arms[side].foot: now[side] - begins[side] + _smooth_values(lack, EASE * clip.rate, repeats=repeats)
            for side, lack in lacks.items()
        }
        result = legs.shifted(made, list(arms.values()), shifts)
        points = ours.copy()
        led = kinematics.world_of(result, ends)[1]
        for joint in {joint for arm in arms.values() for joint in (arm.lower, arm.end)}:
            points[:, joint] = led[:, joint]
        now = {side: points[:, arms[side].end] + grown[side] * out[side] for side in sides}
        after = parts.find_parts(made.skeleton, points, now)
    return result, max((_measure_turn(arm, ours, points) for arm in arms.values()), default=0.0)


def _measure_turn(arm: Limb, before: Array, after: Array) -> float:
    """Return the largest angle (degrees) between an arm's bones in points (F, P, 3) before and after."""
    worst = 0.0
    for joint, beyond in ((arm.upper, arm.lower), (arm.lower, arm.end)):
        one, other = (points[:, beyond] - points[:, joint] for points in (before, after))
        apart = np.arctan2(_length(quat.cross(one, other)), (one * other).sum(axis=1))
        worst = max(worst, float(np.degrees(apart.max(initial=0.0))))
    return worst


def _smooth_values(values: Array, sigma: float, *, repeats: bool) -> Array:
    """Return values (F, ...) smoothed; for a clip that repeats, the last frame repeats the first."""
    smooth = root_motion.smooth(values[: len(values) - repeats], sigma, repeats=repeats)
    return np.concatenate([smooth, smooth[:1]]) if repeats else smooth


def _clear_of(name: str, palm: Array, part: Part, body: Part, height: float) -> _Clearance:
    """Return how clear a palm of a clip is of a part, for the same part of another body; height : of the clip's."""
    along = part.nearest(palm)
    off = palm - part.at(along)
    distance, role = _length(off), name.partition(".")[0]
    least = body.size(along) / part.size(along) * np.minimum(distance, DEEP * parts.NEAR[role][0] * height)
    return _Clearance(least, off / np.maximum(distance, 1e-9)[:, None], 0.5 if role == "hand" else 1.0)


def _lacking(clear: Mapping[str, _Clearance], body: Mapping[str, Part], palm: Array) -> Array:
    """Return the displacement (F, 3) of a palm to its clearances from all parts."""
    pushed = np.zeros_like(palm)
    for name, one in clear.items():
        pushed = pushed + one.measure_shift(body[name], palm + pushed)
    return pushed


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
