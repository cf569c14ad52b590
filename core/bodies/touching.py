"""Preserve contacts of hands with the body and with each other on a body of other proportions.

Limbs with the source's directions can put hands inside another body's trunk, or off it. Therefore a palm's position
relative to the parts in contact is kept, in units of these parts, and the arm reaches for it.

Method: Body roles and retargeting.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..edit.feet import legs
from ..motion import cycles, kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import fingers, still_spans

ROUNDS = 5  # iterations; a palm is placed relative to the other arm, which moves in the same iteration
EASE = 0.08  # s; sigma for easing the arms in and out
# body heights a second along a part: below the first a palm rests, above the second it passes
RESTS, PASSES = 0.1, 0.35
# of elbows: hands of hanging arms are near the thighs without touching them
HANGS, BENT = np.radians(25.0), np.radians(45.0)
UNDER = 0.03  # body heights below the low end of a trunk: hanging hands are next to the thighs, not on the trunk
DOUBTFUL = 0.2, 0.7  # of the evidence against a contact: fully a contact below the first, none above the second
EXACT = 1e-4  # body heights by which palms may miss
PALM = 0.13  # of the arm: from the wrist to the palm
DEEP = 0.7  # of the contact distance; palms nearer than this come no nearer than in the source

# Distance of a palm from the axis of a part, body heights: contact below the first, none above the second.
NEAR = {
    "hand": (0.045, 0.085),
    "forearm": (0.05, 0.085),
    "upper_arm": (0.055, 0.09),
    "thigh": (0.065, 0.095),
    "trunk": (0.11, 0.145),
    "head": (0.1, 0.135),
}
_BONES = {"forearm": "hand", "upper_arm": "forearm", "thigh": "shin", "shin": "foot"}
ARMS = ("hand", "forearm", "upper_arm")  # parts only touched by the other hand, resting or not


@dataclass(frozen=True, eq=False)
class Touches:
    """The result for the hands: by side, number of frames with a contact, and the displacement (m) of the palm.

    before, after : error (m) of palms in these frames, 95th percentile
    turned : largest change of an arm's direction, degrees
    """

    frames: Mapping[str, int]
    moved: Mapping[str, float]
    before: float = 0.0
    after: float = 0.0
    turned: float = 0.0

    def as_report(self) -> dict[str, Any]:
        """Return the outcome as plain JSON values for a report."""
        return {
            "frames_touching": dict(self.frames),
            "moved_cm": {side: round(100.0 * most, 1) for side, most in self.moved.items()},
            "off_cm": [round(100.0 * self.before, 2), round(100.0 * self.after, 2)],
        }


NONE = Touches({}, {})


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the body in F frames: an axis from low to high (F, 3), and its sizes at both ends, metres."""

    low: Array
    high: Array
    sizes: tuple[float, float]

    def size(self, along: Array) -> Array:
        """Return the size (F,) at positions along the part, 0 to 1."""
        return self.sizes[0] + along * (self.sizes[1] - self.sizes[0])

    def at(self, along: Array) -> Array:
        return np.asarray(self.low + along[:, None] * (self.high - self.low))

    def under(self, places: Array) -> Array:
        """Return the distance (F,), metres, of positions (F, 3) beyond the part's low end."""
        line = self.high - self.low
        along = ((self.low - places) * line).sum(axis=1) / np.maximum(_length(line), 1e-9)
        return np.asarray(np.maximum(along, 0.0))

    def nearest(self, places: Array) -> Array:
        """Return the parameter (F,) of the point on the axis nearest to positions (F, 3), 0 to 1."""
        line = self.high - self.low
        square = np.maximum((line * line).sum(axis=1), 1e-12)
        return np.asarray(np.clip(((places - self.low) * line).sum(axis=1) / square, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class _Place:
    """The target of a palm relative to a part of the body, from its position relative to the source's part.

    along (F,) : parameter on the part, 0 to 1; off (F, 3) : from there to the palm, metres on the body
    holds (F,) : 1 during a contact of the palm with the part; least (F,) : metres of clearance otherwise
    share : share of the error corrected by this palm; in contacts between hands, both correct
    """

    along: Array
    off: Array
    holds: Array
    least: Array
    share: float

    def fade_contacts(self, sigma: float, *, repeats: bool) -> "_Place":
        """Return it with contacts faded in and out."""
        holds = _smooth_values(self.holds, sigma, repeats=repeats)
        return replace(self, holds=np.clip(holds, 0.0, 1.0))

    def contact_shift(self, part: Part, palm: Array) -> Array:
        """Return the displacement (F, 3) of a palm to its contact with the part, weighted by `holds`."""
        return np.asarray(self.share * self.holds[:, None] * (part.at(self.along) + self.off - palm))

    def clearance_shift(self, part: Part, palm: Array) -> Array:
        """Return the displacement (F, 3) of a palm to its clearance from the part, outside contacts."""
        deep = np.maximum(self.least - _length(palm - part.at(part.nearest(palm))), 0.0)
        out = self.off / np.maximum(_length(self.off), 1e-9)[:, None]
        return np.asarray(self.share * ((1.0 - self.holds) * deep)[:, None] * out)


def keep_touches(clip: Clip, made: Clip) -> tuple[Clip, Touches]:
    """Return a retargeted clip with contacts and clearances of the hands as in the original clip.

    made : `clip` on another body, with the same limb directions. Only arms change; hands keep their world rotations.
        Molla, Debarba, Boulic 2018; here parts are axes with a size, since a skeleton has no skin.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> touching.keep_touches(walk, walk)[1].frames
        {'L': 0, 'R': 0}
    """
    sides = [side for side in "LR" if all(find_arm(one.skeleton, side) is not None for one in (clip, made))]
    arms = {side: arm for side in sides if (arm := find_arm(made.skeleton, side)) is not None}
    theirs, ours = kinematics.pose_clip(clip), kinematics.pose_clip(made)[1]
    out = {side: palm_offset(clip, side, theirs[0]) for side in sides}
    palms = {side: theirs[1][:, clip.skeleton.roles[f"hand.{side}"]] + out[side] for side in sides}
    grown = {
        side: measure_limb(made.skeleton, "forearm", side) / measure_limb(clip.skeleton, "forearm", side)
        for side in sides
    }
    begins = {side: ours[:, arms[side].end] + grown[side] * out[side] for side in sides}
    before, after = find_parts(clip.skeleton, theirs[1], palms), find_parts(made.skeleton, ours, begins)
    places = {
        side: {name: _place(clip, (side, name), theirs, palms[side], (before[name], after[name]))
               for name in sorted(before.keys() & after.keys()) if is_other_part(name, side)}
        for side in sides
    }  # fmt: skip
    repeats = len(clip) > 1 and cycles.closes(clip)
    for side, found in places.items():
        places[side] = {name: place.fade_contacts(EASE * clip.rate, repeats=repeats) for name, place in found.items()}
    touched = {side: _holding(places[side], len(clip)).max(axis=0) > 0.5 for side in sides}
    ends = [arm.end for arm in arms.values()]
    result, now, misses, points = made, begins, [], ours
    for again in range(ROUNDS + 1):
        lacks = {side: _lacking(places[side], after, now[side]) for side in sides}
        away = np.concatenate([np.zeros(1), *(_length(lacks[side][0])[touched[side]] for side in sides)])
        misses.append(float(np.quantile(away, 0.95)))
        most = max((_length(lack).max(initial=0.0) for pair in lacks.values() for lack in pair), default=0.0)
        if most < EXACT * made.skeleton.height or again == ROUNDS:
            break
        # Relative to the current palms, so that the error of an arm that is too short does not accumulate.
        shifts = {
            arms[side].foot: now[side] - begins[side] + held + _smooth_values(off, EASE * clip.rate, repeats=repeats)
            for side, (held, off) in lacks.items()
        }
        result = legs.shifted(made, list(arms.values()), shifts)
        points = ours.copy()
        led = kinematics.world_of(result, ends)[1]
        for joint in {joint for arm in arms.values() for joint in (arm.lower, arm.end)}:
            points[:, joint] = led[:, joint]
        now = {side: points[:, arms[side].end] + grown[side] * out[side] for side in sides}
        after = find_parts(made.skeleton, points, now)
    moved = {side: float(_length(now[side] - begins[side]).max(initial=0.0)) for side in sides}
    turned = max((_measure_turn(arm, ours, points) for arm in arms.values()), default=0.0)
    return result, Touches({side: int(touched[side].sum()) for side in sides}, moved, misses[0], misses[-1], turned)


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


def _holding(places: Mapping[str, _Place], count: int) -> Array:
    """Return the weights (P + 1, F) of a palm's contact with each part, and with none."""
    return np.stack([np.zeros(count), *(place.holds for place in places.values())])


def find_arm(skeleton: Skeleton, side: str) -> Limb | None:
    """Return the joints of an arm, None if they are not known.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> body = walk.skeleton
        >>> body.names[touching.find_arm(body, "L").end]
        'hand.L'
    """
    upper, lower, end = (skeleton.roles.get(f"{role}.{side}", -1) for role in ("upper_arm", "forearm", "hand"))
    known = min(upper, lower, end) >= 0 and bool(skeleton.with_below([upper])[lower])
    lengths = [_bone(skeleton, role, side) for role in ("upper_arm", "forearm")] if known else [0.0]
    return Limb(f"front {side}", upper, lower, end) if min(lengths) > 0.0 else None


def palm_offset(clip: Clip, side: str, turned: Array) -> Array:
    """Return the vector (F, 3) from a wrist to its palm; zero if the hand's direction is unknown.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> body = walk.skeleton
        >>> from action_loom.core.motion import kinematics
        >>> touching.palm_offset(walk, "L", kinematics.world(walk)[0]).shape
        (33, 3)
    """
    skeleton, hand = clip.skeleton, clip.skeleton.roles[f"hand.{side}"]
    rotations, _ = skeleton.rest
    pointing = fingers.pointing(skeleton, side, _at_rest(skeleton))
    if pointing is None:
        return np.zeros((len(clip), 3))
    along = quat.rotate(quat.inv(rotations[hand]), PALM * measure_limb(skeleton, "forearm", side) * pointing)
    return np.asarray(quat.rotate(turned[:, hand], along))


def _at_rest(skeleton: Skeleton) -> Array:
    rotations, places = skeleton.rest
    tipped = skeleton.tipped
    return np.concatenate([places, places[tipped] + quat.rotate(rotations[tipped], skeleton.tips[tipped])])


def _bone(skeleton: Skeleton, role: str, side: str) -> float:
    """Return the length (m) of a bone at rest."""
    places, roles = skeleton.rest[1], skeleton.roles
    ends = [places[roles[f"{one}.{side}"]] for one in (role, _BONES[role])]
    return float(np.linalg.norm(ends[1] - ends[0]))


def measure_limb(skeleton: Skeleton, role: str, side: str) -> float:
    """Return the length (m) of an arm or a leg at rest: more consistent between rigs than the joint between.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> body = walk.skeleton
        >>> 0.4 < touching.measure_limb(body, "forearm", "L") < 0.7
        True
    """
    limb = ("thigh", "shin") if role == "thigh" else ("upper_arm", "forearm")
    return sum(_bone(skeleton, one, side) for one in limb if f"{_BONES[one]}.{side}" in skeleton.roles)


def find_parts(skeleton: Skeleton, points: Array, palms: Mapping[str, Array]) -> dict[str, Part]:
    """Return the parts of a body by name, with the side as a suffix.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> body = walk.skeleton
        >>> from action_loom.core.motion import kinematics
        >>> sorted(touching.find_parts(body, kinematics.points(walk), {}))
        ['head', 'trunk']
    """
    roles, found = skeleton.roles, {}
    for side in palms:
        size = measure_limb(skeleton, "forearm", side)
        found[f"hand.{side}"] = Part(palms[side], palms[side], (size, size))
        for role in ("forearm", "upper_arm", "thigh"):
            if not {f"{role}.{side}", f"{_BONES[role]}.{side}"} <= roles.keys():
                continue
            size = measure_limb(skeleton, role, side)
            ends = points[:, roles[f"{role}.{side}"]], points[:, roles[f"{_BONES[role]}.{side}"]]
            found[f"{role}.{side}"] = Part(*ends, (size, size))
    if {"thigh.L", "thigh.R", "upper_arm.L", "upper_arm.R"} <= roles.keys():
        sizes, middles = [], []
        for role in ("thigh", "upper_arm"):
            left, right = (points[:, roles[f"{role}.{side}"]] for side in "LR")
            # Measured in the clip, because collar bones can be raised at rest.
            sizes.append(float(np.median(_length(left - right))))
            middles.append(0.5 * (left + right))
        found["trunk"] = Part(middles[0], middles[1], (sizes[0], sizes[1]))
        if "head" in roles:
            found["head"] = Part(points[:, roles["head"]], points[:, roles["head"]], (sizes[1], sizes[1]))
    return {name: part for name, part in found.items() if min(part.sizes) > 0.0}


def is_other_part(name: str, side: str) -> bool:
    """Return whether a part does not belong to the arm of a side.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> body = walk.skeleton
        >>> touching.is_other_part("forearm.L", "L"), touching.is_other_part("thigh.L", "L")
        (False, True)
    """
    role, _, own = name.partition(".")
    return role not in ARMS or own != side


def _place(clip: Clip, of: tuple[str, str], pose: tuple[Array, Array], palm: Array, parts: tuple[Part, Part]) -> _Place:
    """Return the target of a palm relative to a part, given its side and the part's name, as in a clip.

    pose : world rotations (F, J, 4) and points (F, P, 3) of the clip; palm (F, 3) : of the clip
    parts : the clip's and the other body's
    """
    (side, name), (part, body), (turned, points) = of, parts, pose
    role = name.partition(".")[0]
    along = part.nearest(palm)
    off = palm - part.at(along)
    distance, height = _length(off), clip.skeleton.height
    touch, away = (height * share for share in NEAR[role])
    holds = _fading(distance, touch, away)
    if role not in ARMS:
        slides = np.gradient(along, axis=0) * _length(part.high - part.low) if len(clip) > 1 else 0.0 * along
        speed = np.hypot(slides, np.gradient(distance) if len(clip) > 1 else 0.0) * clip.rate
        holds = holds * _fading(speed, RESTS * height, PASSES * height)
        holds = holds * _fading(part.under(palm), 0.0, UNDER * height)
        holds = holds * (1.0 - _fading(measure_bend(clip.skeleton, points, side), HANGS, BENT))
        holds = holds * _rests_on(clip, name, turned, palm - part.low)
    holds = _fading(1.0 - holds, *DOUBTFUL)
    grown = body.size(along) / part.size(along)
    least = grown * np.minimum(distance, DEEP * touch)
    share = 0.5 if role == "hand" else 1.0
    return _Place(along, grown[:, None] * off, holds, least, share)


def _rests_on(clip: Clip, name: str, turned: Array, places: Array) -> Array:
    """Return 1 in frames (F,) in which a palm stays in its place on a part, 0 in others.

    turned (F, J, 4) : world rotations; places (F, 3) : of the palm, from the low end of the part. A hand that swings
    past the trunk in a walk or a run is near it, but does not rest there.
    """
    roles = clip.skeleton.roles
    joint = roles.get("chest", roles.get("hips", 0)) if name == "trunk" else roles[name]
    own = quat.rotate(quat.inv(turned[:, joint]), places)
    rests = np.zeros(len(clip))
    for first, end in still_spans.find_still_spans(own, clip.rate, clip.skeleton.height):
        rests[first:end] = 1.0
    return rests


def _fading(values: Array, first: float, last: float) -> Array:
    """Return 1 for values below the first, 0 above the last, with a smooth transition."""
    near = np.clip((last - values) / (last - first), 0.0, 1.0)
    return np.asarray(near * near * (3.0 - 2.0 * near))


def measure_bend(skeleton: Skeleton, points: Array, side: str) -> Array:
    """Return the bend (F,) of an elbow, radians.

    Example:
        >>> from action_loom.core.bodies import touching
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> body = walk.skeleton
        >>> from action_loom.core.motion import kinematics
        >>> touching.measure_bend(body, kinematics.points(walk), "L").shape
        (33,)
    """
    roles = skeleton.roles
    upper, lower, end = (points[:, roles[f"{role}.{side}"]] for role in ("upper_arm", "forearm", "hand"))
    one, other = lower - upper, end - lower
    return np.asarray(np.arctan2(_length(quat.cross(one, other)), (one * other).sum(axis=1)))


def _lacking(places: Mapping[str, _Place], parts: Mapping[str, Part], palm: Array) -> tuple[Array, Array]:
    """Return the displacement (F, 3) of a palm to its contacts, averaged over its parts, and then to its clearances."""
    count = _holding(places, len(palm)).sum(axis=0)
    held = np.sum(
        [np.zeros_like(palm), *(place.contact_shift(parts[name], palm) for name, place in places.items())], axis=0
    )
    held = held / np.maximum(count, 1.0)[:, None]
    pushed = np.zeros_like(held)
    for name, place in places.items():
        pushed = pushed + place.clearance_shift(parts[name], palm + held + pushed)
    return held, pushed


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
