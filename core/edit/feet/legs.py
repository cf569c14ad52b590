"""Make legs follow moved feet: first the pelvis, then the bones of each leg, as rotations of the animated pose.

No bone axis is assumed, and intermediate joints (twist bones) follow.

Method: Planted feet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...motion import ik, kinematics, quat, root_motion
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from ...motion.roles import ancestors
from ...motion.skeleton import Skeleton
from . import many_bones
from .displacement import Complex

SWAY = 0.3  # s; sigma for the pelvis following the feet on the ground
IDLE = 0.15  # weight with which the pelvis follows a foot in the air; it follows a fully held foot with 1 more
REACH = 0.99  # of leg length; beyond it the pelvis drops
DIP = 0.08  # s; sigma for this drop
LEAVES = 0.2  # s over which the pelvis starts to follow after a fixed frame
SOFT, STRAIGHTEST = 0.97, 0.9995  # of leg length: extension is compressed between these limits
SMOOTH_BEND = 0.012  # s; sigma for the change of flexion, whose acceleration otherwise peaks
STRAIGHT = np.radians(6.0)  # a knee bent backwards is handled separately until it bends forwards by this much
INEXACT = 0.003  # of leg length, an allowed error that keeps the bend of its knee
ROUND = np.radians(5.0)  # least flexion of a knee that bends forwards where it was straight, to avoid a kink
ROUNDING = 1e-9  # of a leg's length
LIGHT = 3e-4  # of the firmest hold; where the hold is larger, the leg's error is only vertical
MOST_LEVEL = 0.8  # least squared share of a foot's depth below the hip to keep if its leg spans far too little
NO_LIFTS: Mapping[str, Array] = {}
# Sines of flexion. Below the first one, the mean knee axis of the clip is used, above the second one, the current axis.
HINGE = (0.05, 0.2)


@dataclass(frozen=True, eq=False)
class Leg:
    """A limb in the world, in all frames, and its knee.

    hip, end (F, 3) : positions; upper, lower (F, 3) : the two bones as vectors; axis (F, 3) : unit hinge axis of the
        knee
    flexion (F,) : radians, negative if bent backwards
    knees : of a limb of three bones and more, a leg of two bones at each joint that bends
    """

    hip: Array
    end: Array
    upper: Array
    lower: Array
    axis: Array
    flexion: Array
    knees: tuple["Leg", ...] = ()

    @property
    def lengths(self) -> tuple[Array, Array]:
        return np.linalg.norm(self.upper, axis=1), np.linalg.norm(self.lower, axis=1)

    @property
    def length(self) -> Array:
        """Length (F,) of all bones."""
        return np.asarray(sum(np.linalg.norm(bone, axis=1) for bone in self.bones))

    @property
    def bones(self) -> tuple[Array, ...]:
        """Each bone as vectors (F, 3), from the hip."""
        return self.upper, *(knee.lower for knee in self.knees or (self,))

    @property
    def reach(self) -> Array:
        """Distance (F,) from its hip to its end."""
        return np.asarray(np.linalg.norm(self.end - self.hip, axis=1))


def carrier(clip: Clip, limbs: Sequence[Limb]) -> int:
    """Return the joint above all limbs: the hips, or else the lowest common ancestor; −1 if there is none.

    Example:
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik
        >>> walk = actions.walk(cycles=1)
        >>> walk.skeleton.names[legs.carrier(walk, ik.legs(walk.skeleton))]
        'hips'
    """
    above = [ancestors(limb.upper, clip.skeleton.parents) for limb in limbs]
    shared = [joint for joint in above[0] if all(joint in other for other in above)]
    hips = clip.skeleton.roles.get("hips", -1)
    return hips if hips in shared else next(iter(shared), -1)


def posed(clip: Clip, limbs: Sequence[Limb]) -> tuple[Array, dict[str, Leg]]:
    """Return world rotations (F, J, 4) of the legs' joints and their ancestors, and the legs by their feet's names.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik
        >>> walk = actions.walk(cycles=1)
        >>> _, posed = legs.posed(walk, ik.legs(walk.skeleton))
        >>> {foot: round(float(np.degrees(leg.flexion.max()))) for foot, leg in posed.items()}
        {'L': 79, 'R': 79}
    """
    ends = [joint for limb in limbs for joint in (limb.lower, *limb.between, end_joint(clip.skeleton, limb))]
    turned, places = kinematics.world_of(clip, ends)
    return turned, {limb.foot: leg_of(clip, limb, turned, places) for limb in limbs}


def end_joint(skeleton: Skeleton, limb: Limb) -> int:
    """Return the joint that the end of a limb turns with: itself, or the shin if the end is its tip.

    Example:
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import ik
        >>> skeleton = body.skeleton()
        >>> [skeleton.names[legs.end_joint(skeleton, limb)] for limb in ik.legs(skeleton)]
        ['foot.L', 'foot.R']
    """
    return limb.end if limb.end < len(skeleton) else (limb.lower, *limb.between)[-1]


def leg_of(clip: Clip, limb: Limb, turned: Array, places: Array, end: Array | None = None) -> Leg:
    """Return a limb in all frames from world rotations (F, J, 4) and positions (F, J, 3) of the joints.

    end (F, 3) : position of its end, by default its own

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> leg = legs.leg_of(walk, ik.legs(walk.skeleton)[0], *kinematics.world(walk))
        >>> np.degrees([leg.flexion.min(), leg.flexion.max()]).round().tolist()
        [18.0, 79.0]
    """
    hip, knee = places[:, limb.upper], places[:, limb.lower]
    if end is None:
        end = places[:, limb.end] if limb.end < len(clip.skeleton) else kinematics.points(clip)[:, limb.end]
    upper, lower = knee - hip, end - knee
    cross = quat.cross(upper, lower) / np.maximum(_norm(upper) * _norm(lower), 1e-12)
    sine = _norm(cross)
    hinge = quat.rotate(turned[:, limb.upper], _hinge(clip, limb, turned[:, limb.upper], cross))
    sign = np.where((cross * hinge).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    bent = np.clip((sine - HINGE[0]) / (HINGE[1] - HINGE[0]), 0.0, 1.0)
    own = bent * bent * (3.0 - 2.0 * bent)
    axis = (1.0 - own) * hinge + own * sign * cross / np.maximum(sine, 1e-12)
    axis /= np.maximum(_norm(axis), 1e-12)
    flexion = sign[:, 0] * np.arctan2(sine[:, 0], (upper * lower).sum(axis=1) / (_norm(upper) * _norm(lower))[:, 0])
    joints = (limb.upper, limb.lower, *limb.between, limb.end)
    knees = [Limb(limb.foot, *three) for three in zip(joints, joints[1:], joints[2:], strict=False) if limb.between]
    return Leg(hip, end, upper, lower, axis, flexion, tuple(leg_of(clip, knee, turned, places) for knee in knees))


def _hinge(clip: Clip, limb: Limb, turned: Array, cross: Array) -> Array:
    """Return the axis (3,) of a knee in the frame of its upper joint: the clip's mean, weighted by flexion."""
    mean = quat.rotate(quat.inv(turned), cross).mean(axis=0)
    size = float(np.linalg.norm(mean))
    if size > 1e-6:
        return np.asarray(mean / size)
    # A leg that is always straight bends about the line across the hips; front legs and arms in the other direction.
    rotations, places = clip.skeleton.rest
    facing = root_motion.rest_heading(clip.skeleton)
    axis = np.array([-np.cos(facing), -np.sin(facing), 0.0])
    if limb.foot.startswith("front"):
        bone, ahead = places[limb.lower] - places[limb.upper], np.array([-np.sin(facing), np.cos(facing), 0.0])
        across = np.cross(bone, ahead)  # arms of a T-pose bend forwards, too
        size = float(np.linalg.norm(across))
        axis = across / size if size > 0.1 * float(np.linalg.norm(bone)) else -axis
    return np.asarray(quat.rotate(quat.inv(rotations[limb.upper]), axis))


def _norm(vectors: Array) -> Array:
    return np.linalg.norm(vectors, axis=-1, keepdims=True)


def lacking(leg: Leg, shift: Complex) -> Array:
    """Return by how much (F,), m, a leg is too short if only its foot is shifted; 0 if it reaches."""
    needed = np.linalg.norm(leg.end + lifted(shift) - leg.hip, axis=1)
    return np.maximum(needed - np.maximum(leg.length, leg.reach), 0.0)


def lifted(shift: Complex) -> Array:
    """Return ground shifts (F,), x + iy, as vectors (F, 3)."""
    return np.stack([shift.real, shift.imag, np.zeros(len(shift))], axis=1)


def pelvis(legs: Mapping[str, Leg], shifts: Mapping[str, Array], holds: Mapping[str, Array], rate: float) -> Array:
    """Return the shift (F, 3) of the pelvis, metres: with the feet in contact, and down if a leg is too short.

    shifts (F, 3), holds (F,) : the shift of each foot, and the strength of its hold
    """
    weights = np.stack([holds[foot] + IDLE for foot in legs])[..., None]
    mean = (weights * np.stack([shifts[foot] for foot in legs])).sum(axis=0) / weights.sum(axis=0)
    moved = root_motion.smooth(mean, SWAY * rate)
    lack = np.zeros(len(moved))
    for foot, leg in legs.items():
        longest = np.maximum(REACH * leg.length, leg.reach)
        reach = leg.hip + moved - leg.end - shifts[foot]
        high = np.sqrt(np.maximum(longest**2 - (reach[:, :2] ** 2).sum(axis=1), 0.0))
        short = np.linalg.norm(reach, axis=1) > longest * (1.0 + ROUNDING)
        lack = np.maximum(lack, np.where(short, reach[:, 2] - high, 0.0))
    wide = round(2.0 * DIP * rate)
    lowest = sliding_window_view(np.pad(lack, wide, mode="edge"), 2 * wide + 1).max(axis=1)
    moved[:, 2] -= root_motion.smooth(lowest, DIP * rate)
    return moved


def pelvis_of(legs: Mapping[str, Leg], feet: Mapping[str, tuple[Complex, Array]], rate: float) -> Array:
    """Return the shift (F, 3) of the pelvis, metres, for feet shifted on the ground, as `following` takes them."""
    shifts = {foot: lifted(shift) for foot, (shift, _) in feet.items()}
    return pelvis(legs, shifts, {foot: held for foot, (_, held) in feet.items()}, rate)


def following(
    clip: Clip,
    limbs: Sequence[Limb],
    feet: Mapping[str, tuple[Complex, Array]],
    fixed: Sequence[int] = (),
    lifts: Mapping[str, Array] = NO_LIFTS,
) -> tuple[Clip, Array, dict[str, Array]]:
    """Return a clip with moved feet, the shift (F, 3) of its pelvis, and the distances (F,) of feet from their targets.

    feet : of each limb's foot, its shift (F,), metres on the ground, and the strength (F,) of its hold; lifts (F,) of
        some, metres. Feet keep world rotations, and heights within the range of their legs.
    fixed : sorted frames in which the pelvis is not moved

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik
        >>> walk = actions.walk(cycles=1)
        >>> limbs, still = ik.legs(walk.skeleton), np.zeros(len(walk), dtype=complex)
        >>> up = {limb.foot: np.full(len(walk), 0.1) for limb in limbs}
        >>> _, pelvis, _ = legs.following(walk, limbs, {foot: (still, still.real + 1.0) for foot in up}, (), up)
        >>> pelvis.round(2).max(axis=0).tolist()
        [0.0, 0.0, 0.1]
    """
    turned, legs = posed(clip, limbs)
    shifts, holds = (
        {foot: lifted(shift) for foot, (shift, _) in feet.items()},
        {foot: h for foot, (_, h) in feet.items()},
    )
    for foot, lift in lifts.items():
        if foot in shifts:
            shifts[foot][:, 2] = lift
    moved = pelvis(legs, shifts, holds, clip.rate)
    if len(fixed):
        at = np.arange(len(moved))
        places = np.searchsorted(fixed, at)
        near = [np.abs(at - np.take(fixed, np.clip(places - k, 0, len(fixed) - 1))) for k in range(2)]
        free = np.clip(np.minimum(*near) / (LEAVES * clip.rate), 0.0, 1.0)
        moved *= (free * free * (3.0 - 2.0 * free))[:, None]
    level = {foot: held / (held + LIGHT) for foot, held in holds.items()}
    result, away = _led(clip, {limb: legs[limb.foot] for limb in limbs}, turned, shifts, moved, level)
    return result, moved, away


def shifted(clip: Clip, limbs: Sequence[Limb], shifts: Mapping[str, Array]) -> Clip:
    """Return a clip with feet shifted (F, 3), metres, within the reach of their legs; the pelvis does not move.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, kinematics
        >>> walk = actions.walk(cycles=1)
        >>> leg = ik.legs(walk.skeleton)[0]
        >>> made = legs.shifted(walk, [leg], {leg.foot: np.full((len(walk), 3), [0.0, 0.0, 0.02])})
        >>> away = kinematics.points(made)[:, leg.end] - kinematics.points(walk)[:, leg.end]
        >>> abs(away.mean(axis=0)).round(2).tolist()
        [0.0, 0.0, 0.02]
    """
    return move_legs(clip, limbs, posed(clip, limbs), shifts, np.zeros((len(clip), 3)), {})


def move_legs(
    clip: Clip,
    limbs: Sequence[Limb],
    pose: tuple[Array, Mapping[str, Leg]],
    shifts: Mapping[str, Array],
    pelvis: Array,
    level: Mapping[str, Array],
    bend_seconds: float = SMOOTH_BEND,
) -> Clip:
    """Return a clip with its pelvis and feet shifted (F, 3), metres, within the reach of the legs.

    pose : as `posed` returns it; level (F,) of feet : 1 where a foot that its leg cannot reach keeps its place on the
    ground; bend_seconds : sigma for the change of flexion

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik
        >>> walk = actions.walk(cycles=1)
        >>> limbs, still = ik.legs(walk.skeleton), np.zeros((len(walk), 3))
        >>> pose, down = legs.posed(walk, limbs), np.full((len(walk), 3), [0.0, 0.0, -0.05])
        >>> low = legs.move_legs(walk, limbs, pose, {"L": still, "R": still}, down, {})
        >>> bool((legs.posed(low, limbs)[1]["L"].flexion > pose[1]["L"].flexion).all())
        True
    """
    legs = {limb: pose[1][limb.foot] for limb in limbs}
    return _led(clip, legs, pose[0], shifts, pelvis, level, bend_seconds)[0]


def _led(
    clip: Clip,
    legs: Mapping[Limb, Leg],
    turned: Array,
    shifts: Mapping[str, Array],
    moved: Array,
    level: Mapping[str, Array],
    bend_seconds: float = SMOOTH_BEND,
) -> tuple[Clip, dict[str, Array]]:
    """Return a clip with its pelvis and feet shifted (F, 3), and the distances (F,) of feet from their targets.

    level (F,) of feet : 0 to 1, the degree to which the remaining error of a leg is only vertical
    bend_seconds : sigma for the change of flexion
    """
    turns: dict[Limb, tuple[Array, ...]] = {}
    away = {}
    for limb, leg in legs.items():
        goal = leg.end + shifts[limb.foot] - leg.hip - moved
        spanned = np.linalg.norm(goal, axis=1)
        if leg.knees:
            changes = many_bones.changes(leg, _softened(leg, spanned), bend_seconds * clip.rate)
            bends = tuple(
                quat.exp(change[:, None] * knee.axis) for change, knee in zip(changes, leg.knees, strict=True)
            )
            reach = many_bones.reach(leg, bends)
        else:
            bends = (quat.exp(_change(leg, spanned, bend_seconds * clip.rate)[:, None] * leg.axis),)
            reach = leg.upper + quat.rotate(bends[0], leg.lower)
        swing = ik.shortest(reach, _aim(goal, _norm(reach)[:, 0], level[limb.foot]) if limb.foot in level else goal)
        away[limb.foot] = np.linalg.norm(quat.rotate(swing, reach) - goal, axis=1)
        turns[limb] = swing, *bends
    return applied(clip, turned, turns, moved), away


def _aim(goal: Array, spanned: Array, level: Array) -> Array:
    """Return targets for legs that span a distance (F,), near goals (F, 3) relative to their hips.

    level (F,) : 1 for a vertical error, 0 for an error along the leg, which would slide the foot of a slanted leg
    """
    square = (goal[:, :2] ** 2).sum(axis=1)
    high = np.sqrt(np.maximum(spanned**2 - square, goal[:, 2] ** 2 * MOST_LEVEL))
    aim = goal.copy()
    aim[:, 2] += level * (np.where(goal[:, 2] < 0.0, -high, high) - goal[:, 2])
    return aim


def applied(
    clip: Clip, turned: Array, turns: Mapping[Limb, tuple[Array, ...]], moved: Array, *, keep_turn: bool = True
) -> Clip:
    """Return a clip with limbs turned by swing and bends (F, 4), and the joint that carries them moved (F, 3).

    turned (F, J, 4) : world rotations before. Each bone, with all below it, is bent about the joint above it, in its
    pose before; then the whole limb swings about its root. With keep_turn its end keeps its world rotation.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import legs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import ik, kinematics, quat
        >>> walk = actions.walk(cycles=1)
        >>> leg, (turned, places) = ik.legs(walk.skeleton)[0], kinematics.world(walk)
        >>> swing, bend = (np.tile(turn, (len(walk), 1)) for turn in (quat.about_axis("X", 0.2), quat.IDENTITY))
        >>> swung = legs.applied(walk, turned, {leg: (swing, bend)}, np.zeros((len(walk), 3)))
        >>> bool(np.allclose(kinematics.world(swung)[0][:, leg.end], turned[:, leg.end]))
        True
    """
    skeleton = clip.skeleton
    plain = clip.scales is None and skeleton.inheritance is None
    if plain and all(ik.hangs_together(skeleton, limb) for limb in turns):
        return _turned(clip, turned, turns, moved, keep_turn)
    return _rebuilt(clip, turns, moved, keep_turn)


def _turned(clip: Clip, turned: Array, turns: Mapping[Limb, tuple[Array, ...]], moved: Array, keep_turn: bool) -> Clip:
    """Return the result of `applied` from local rotations of the limbs' joints."""
    rotations = clip.rotations.copy()
    for limb, parts in turns.items():
        wanted: dict[int, tuple[Array, Array | None]] = {
            joint: (quat.mul(turn, turned[:, joint]), None)
            for joint, turn in zip((limb.upper, limb.lower, *limb.between), parts, strict=False)
        }
        if keep_turn:
            wanted[limb.end] = turned[:, limb.end], reduce(quat.mul, parts)
        for joint, (turn, carried) in wanted.items():
            rotations[:, joint] = ik.local_rotation(clip, joint, turned, turn, carried)
    translations = _moved(clip, carrier(clip, list(turns)), turned, moved)
    return replace(clip, rotations=rotations, translations=translations)


def _rebuilt(clip: Clip, turns: Mapping[Limb, tuple[Array, ...]], moved: Array, keep_turn: bool) -> Clip:
    """Return the result of `applied` from world transforms, converted to local ones.

    For joints with scales or without full inheritance, and feet that are not children of the shins.
    """
    skeleton = clip.skeleton
    linear, places = kinematics.matrices(clip)
    turned, moved_places = linear.copy(), places.copy()
    moved_places[:, skeleton.with_below([carrier(clip, list(turns))])] += moved[:, None]
    for limb, parts in turns.items():
        has_foot = keep_turn and limb.end < len(skeleton)
        joints = (limb.upper, limb.lower, *limb.between)[: len(parts)]
        foot = skeleton.with_below([limb.end] if has_foot else [])
        below = [*(skeleton.with_below([joint]) for joint in joints), foot]
        pivot = places[:, limb.upper] + moved
        for k, (joint, turn) in enumerate(zip(joints, accumulate(parts, quat.mul), strict=True)):
            part = below[k] & ~below[k + 1]
            turned[:, part] = quat.to_matrix(turn)[:, None] @ linear[:, part]
            away = places - places[:, joint, None]
            moved_places[:, part] = pivot[:, None] + quat.rotate(turn[:, None], away[:, part])
            if has_foot or k + 1 < len(joints):
                pivot = pivot + quat.rotate(turn, away[:, (*joints, limb.end)[k + 1]])
        if has_foot:
            moved_places[:, foot] = places[:, foot] + (pivot - places[:, limb.end])[:, None]
    return kinematics.standing_at(clip, turned, moved_places)


def _moved(clip: Clip, joint: int, turned: Array, shift: Array) -> Array:
    """Return translations (F, J, 3) of a clip with one joint shifted (F, 3) in the world."""
    parent = int(clip.skeleton.parents[joint])
    frame = clip.skeleton.orients[joint]
    frame = quat.mul(turned[:, parent], frame) if parent >= 0 else frame
    translations = clip.translations.copy()
    translations[:, joint] += quat.rotate(quat.inv(frame), shift)
    return translations


def _softened(leg: Leg, wanted: Array) -> Array:
    """Return distances (F,) for a leg to span, compressed near its length."""
    # A leg that is straighter in its clip may stay so, because a fixed limit would bend legs that need no change.
    soft = np.maximum(SOFT * leg.length, leg.reach)
    room = np.maximum(STRAIGHTEST * leg.length - soft, 1e-9)
    return np.where(wanted > soft, soft + room * -np.expm1(-np.maximum(wanted - soft, 0.0) / room), wanted)


def _change(leg: Leg, wanted: Array, sigma: float) -> Array:
    """Return the change (F,) of a knee's flexion, radians, smoothed, after which its leg spans a distance (F,)."""
    upper, lower = leg.lengths
    distance = _softened(leg, wanted)
    cosine = (distance**2 - upper**2 - lower**2) / np.maximum(2.0 * upper * lower, 1e-300)
    bent = np.arccos(np.clip(cosine, -1.0, 1.0))
    flexion = bent.copy()
    for part in _crossings(leg.flexion):
        own, source = bent[part], leg.flexion[part]
        back = _as_before(source, own, float(leg.flexion.min()))
        apart = _span(upper[part], lower[part], back) - distance[part]
        if np.abs(apart).max() <= INEXACT * float(leg.length[part].max()):
            flexion[part] = back
        else:
            flexion[part] = np.sqrt(own**2 + ROUND**2 * _near_straight(source))
    return root_motion.smooth(flexion - leg.flexion, sigma)


def _crossings(flexion: Array) -> list[slice]:
    """Return stretches of frames with a knee bent backwards, extended until it is clearly bent forwards."""
    near = np.concatenate([[False], flexion < STRAIGHT, [False]])
    edges = np.flatnonzero(near[1:] != near[:-1]).reshape(-1, 2)
    return [slice(first, end) for first, end in edges if flexion[first:end].min() < 0.0]


def _near_straight(flexion: Array) -> Array:
    """Return the straightness (F,) of knees: 1 if straight, 0 from `STRAIGHT` on, smooth between."""
    return np.maximum(1.0 - (flexion / STRAIGHT) ** 2, 0.0) ** 2


def _as_before(flexion: Array, bent: Array, least: float) -> Array:
    """Return wanted flexions (F,) with the sign of the original ones, and zero where these are zero.

    bent (F,) : wanted flexion of either sign; least : of the clip; no knee is bent further backwards
    """
    square = flexion**2 + (bent**2 - flexion**2) * (1.0 - _near_straight(flexion))
    side = np.sign(flexion) * np.sqrt(np.maximum(square, 0.0))
    further, room = np.maximum(flexion - side, 0.0), np.maximum(flexion - least, 1e-9)
    return np.where(flexion < 0.0, flexion + np.maximum(side - flexion, 0.0) + room * np.expm1(-further / room), side)


def _span(upper: Array, lower: Array, flexion: Array) -> Array:
    """Return the distance (F,) spanned by bones of two lengths."""
    return np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(flexion))
