"""Retarget a clip to a body with other joints, rest pose and proportions (methods: Body roles and retargeting).

`motion.retarget` handles bodies with the same joints and similar rest poses; here joints correspond by body roles.
Rotations are transferred between anatomical frames of the rest poses (see `rest_frames`), so that limbs point in the
same directions as the source's.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..motion import feet, kinematics, quat, retarget
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import carried, clearance, partners, rest_check, rest_frames, toe_flexion
from .carried import Carried
from .partners import Partners
from .rest_frames import RestPose

SAME_PLACE = 0.001  # body heights; if a joint of two skeletons differs by no more, its place is the same
SAME_SHARE = 0.9  # two skeletons are copies of one if at least this share of their joints has the same place
IN_THE_AIR = 0.03  # body heights; if the heights of the ankles at rest differ by more, one foot is in the air
HOVER = 0.01  # body heights by which a body may be raised for its deepest toe; beyond that, toes bend


def onto_body(
    clip: Clip,
    skeleton: Skeleton,
    rest: RestPose | None = None,
    body_rest: RestPose | None = None,
    *,
    hands: bool = True,
) -> tuple[Clip, Carried]:
    """Return a clip on another two-legged body, and a report on the retargeting.

    rest, body_rest : the poses relative to which rotations are measured; by default the clip's rest pose, or its most
        upright frame if nobody can stand in that pose (see `rest_check.choose`), and the skeleton's own
    hands : whether to keep hands as clear of the body as in the source (see `clearance.keep_clear`); otherwise only the
        limbs' directions are preserved. Contacts are not kept here (see `contacts.keep`)

    The result has the clip's name, rate and channels, but no scales. Raises SkeletonError, which names the body and the
    missing role, also for four-footed bodies and bodies without legs. Source: the aligned chains of Unreal's IK
    Retargeter; here parallel transport aligns them, not a user.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.bodies import carry
        >>> from action_loom.core.demo_character import actions, body
        >>> small = replace(body.skeleton(), offsets=0.5 * body.skeleton().offsets)
        >>> clip, carried = carry.onto_body(actions.walk(cycles=1), small)
        >>> round(carried.scale, 3), carried.names("rest")
        (0.5, [])
    """
    carried.refuse(clip.skeleton, clip.name)
    carried.refuse(skeleton, "the body")
    rest = rest or rest_check.choose(clip)
    body_rest = body_rest or rest_check.of_body(skeleton)
    pairs = partners.match(clip.skeleton, skeleton)
    scale = retarget.leg_ratio(clip.skeleton, skeleton)
    world, points = kinematics.pose_clip(clip)
    if not (rest.chosen or body_rest.chosen) and _have_same_axes(clip.skeleton, skeleton, pairs):
        rest = _move_rest(body_rest, clip.skeleton, pairs)
    turned = _turn_body(clip.skeleton, skeleton, pairs, world, (rest, body_rest))
    places = _places(skeleton, pairs, turned, scale * points[:, : len(clip.skeleton)])
    wanted = scale * _between_thighs(clip.skeleton, points)
    ball, own_ball = _heights(clip.skeleton, rest)[0], _heights(skeleton, body_rest)[0]
    rise = _measure_rise(clip.skeleton, skeleton, rest, body_rest)
    wanted[:, 2] += rise
    shift = wanted - _between_thighs(skeleton, places)
    lift = _lift(clip.skeleton, skeleton, points, _points(skeleton, turned, places + shift[:, None]), scale, rise)
    if lift > HOVER * skeleton.height:
        floor = scale * float(points[:, _all(feet.soles(clip.skeleton)), 2].min())
        turned = toe_flexion.flex_toes(skeleton, turned, places + shift[:, None], floor)
        places = _places(skeleton, pairs, turned, scale * points[:, : len(clip.skeleton)])
        lift = _lift(clip.skeleton, skeleton, points, _points(skeleton, turned, places + shift[:, None]), scale, rise)
    shift[:, 2] += lift
    places[:, _moved_by(skeleton, pairs.carrier)] += shift[:, None]
    rotations, translations = _local(skeleton, pairs.carrier, turned, places)
    made = Clip(
        clip.name, skeleton, clip.rate, rotations, translations, channels=dict(clip.channels), cyclic=clip.cyclic
    )
    made, arms_turned = clearance.keep_clear(clip, made) if hands else (made, 0.0)
    return made, Carried(
        clip.name,
        clip.skeleton,
        skeleton,
        pairs,
        rest,
        body_rest,
        scale,
        rise,
        max(own_ball - scale * ball, 0.0),  # the ends of feet are less reliable in files than in a mesh
        lift,
        arms_turned,
        clip.scales is not None,
    )


def rest_as_high(source: Skeleton, body: Skeleton) -> bool:
    """Return whether the ankles of two bodies are as high over their soles at rest, within 1 % of the height.

    Example:
        >>> from action_loom.core.bodies import carry
        >>> from action_loom.core.demo_character import body
        >>> carry.rest_as_high(body.skeleton(), body.skeleton())
        True
    """
    rise = _measure_rise(source, body, rest_frames.at_rest(source), rest_frames.at_rest(body))
    return abs(rise) <= HOVER * body.height


def _measure_rise(source: Skeleton, body: Skeleton, rest: RestPose, body_rest: RestPose) -> float:
    """Return by how much (m) the ankles of a body are higher over its soles at rest than the source's, scaled."""
    return _heights(body, body_rest)[1] - retarget.leg_ratio(source, body) * _heights(source, rest)[1]


def _turn_body(
    source: Skeleton, body: Skeleton, pairs: Partners, world: Array, poses: tuple[RestPose, RestPose]
) -> Array:
    """Return the world rotations (F, J, 4) of the body's joints, from those (F, I, 4) of the source's."""
    rest, body_rest = poses
    leans = rest.moving or body_rest.moving
    theirs = rest_frames.of_body(source, rest, pairs.fanned, leans=leans)
    ours = rest_frames.of_body(body, body_rest, pairs.fanned, leans=leans)
    upright = rest_frames.body_frame(source, rest), rest_frames.body_frame(body, body_rest)
    out = np.tile(body_rest.rotations, (len(world), 1, 1))
    matched = np.flatnonzero(pairs.joints >= 0)
    constant = np.empty((len(matched), 4))
    for k, joint in enumerate(matched.tolist()):
        partner = int(pairs.joints[joint])
        frames = _frame(source, theirs, partner, upright[0]), _frame(body, ours, joint, upright[1])
        constant[k] = _change(frames, rest.rotations[partner], body_rest.rotations[joint])
    out[:, matched] = quat.mul(world[:, pairs.joints[matched]], constant)
    for joint, (low, high, share) in pairs.between.items():
        ends = [
            quat.mul(
                world[:, k],
                _change((theirs.get(k, upright[0]), upright[1]), rest.rotations[k], body_rest.rotations[joint]),
            )
            for k in (low, high)
        ]
        out[:, joint] = quat.mul(ends[0], quat.exp(share * quat.log(quat.mul(quat.inv(ends[0]), ends[1]))))
    still = {joint for joint, how in enumerate(pairs.how) if how == partners.REST}
    for joint in _outwards(body):
        if joint in still:
            above = partners.next_carrier(body, joint)
            at_rest = body_rest.rotations[joint]
            if above >= 0 and (body.inheritance is None or body.inheritance.rotation[joint]):
                held = quat.mul(quat.inv(body_rest.rotations[above]), at_rest)
                out[:, joint] = quat.mul(out[:, above], held)
            else:
                out[:, joint] = at_rest
    return out


def _have_same_axes(source: Skeleton, body: Skeleton, pairs: Partners) -> bool:
    """Return whether all joints have partners of their name, nearly all at equal places in their parents' frames.

    Then one skeleton was saved in two rest poses, such as a T-pose and the first frame of an action, and its joints'
    axes are the same. Retargeting by two rest poses would lose how far the pelvis is tilted in one of them. A joint
    that the action moves out of its place, such as a jaw, can have another place in each file.
    """
    if (
        len(source) != len(body)
        or (pairs.joints < 0).any()
        or any(source.names[pairs.joints[k]] != name for k, name in enumerate(body.names))
    ):
        return False
    below = np.flatnonzero(body.parents >= 0)
    away = np.linalg.norm(source.offsets[pairs.joints[below]] - body.offsets[below], axis=1)
    return bool((away <= SAME_PLACE * body.height).mean() >= SAME_SHARE)


def _move_rest(body_rest: RestPose, source: Skeleton, pairs: Partners) -> RestPose:
    """Return the rest pose of a body as that of another copy of its skeleton."""
    rotations, places = np.empty((len(source), 4)), np.empty((len(source), 3))
    rotations[pairs.joints], places[pairs.joints] = body_rest.rotations, body_rest.points[: len(source)]
    return rest_frames.of_joints(source, rotations, places)


def _change(frames: tuple[Array, Array], rest: Array, body_rest: Array) -> Array:
    """Return R⁻¹ · B · B'⁻¹ · R', which maps world rotations of the source's joint to those of the body's joint."""
    return np.asarray(quat.mul(quat.mul(quat.inv(rest), frames[0]), quat.mul(quat.inv(frames[1]), body_rest)))


def _frame(skeleton: Skeleton, frames: Mapping[int, Array], joint: int, upright: Array) -> Array:
    """Return the frame of a joint, or of its nearest ancestor that has one: a twist bone turns with its arm."""
    while joint >= 0:
        if joint in frames:
            return frames[joint]
        joint = partners.next_carrier(skeleton, joint)
    return upright


def _local(body: Skeleton, carrier: int, turned: Array, places: Array) -> tuple[Array, Array]:
    """Return the joints' local rotations (F, J, 4) and translations (F, J, 3), in their rest frames."""
    above = np.array([partners.next_carrier(body, joint) for joint in range(len(body))])
    moved = (above != body.parents) | (above < 0)  # joints that do not follow their parent's position
    moved[carrier] = True
    if body.inheritance is not None:
        rotations, translations, _ = kinematics.local(body, quat.to_matrix(turned), places)
        return np.asarray(quat.continuous(rotations)), translations * moved[:, None]
    local, child = turned.copy(), body.parents >= 0
    local[:, child] = quat.mul(quat.inv(turned[:, body.parents[child]]), turned[:, child])
    rotations = quat.continuous(quat.normalize(quat.mul(quat.inv(body.orients), local)))
    return np.asarray(rotations), _translations(body, moved, turned, places)


def _places(body: Skeleton, pairs: Partners, turned: Array, theirs: Array) -> Array:
    """Return the positions (F, J, 3) of the body's joints before it is moved to follow the source.

    theirs (F, I, 3) : positions of the source's joints, scaled
    """
    rest, places = body.rest, np.empty((*turned.shape[:2], 3))
    for joint in _outwards(body):
        above = partners.next_carrier(body, joint)
        if above >= 0:
            reach = quat.rotate(quat.inv(rest[0][above]), rest[1][joint] - rest[1][above])
            places[:, joint] = places[:, above] + quat.rotate(turned[:, above], reach)
        else:
            named = pairs.how[joint] == partners.NAME
            places[:, joint] = theirs[:, pairs.joints[joint]] if named else rest[1][joint]
    return places


def _translations(body: Skeleton, moved: NDArray[np.bool_], turned: Array, places: Array) -> Array:
    out = np.zeros_like(places)
    for joint in np.flatnonzero(moved).tolist():
        parent = int(body.parents[joint])
        where = places[:, joint]
        if parent >= 0:
            where = quat.rotate(quat.inv(turned[:, parent]), where - places[:, parent])
        out[:, joint] = quat.rotate(quat.inv(body.orients[joint]), where - body.offsets[joint])
    return out


def _points(body: Skeleton, turned: Array, places: Array) -> Array:
    tipped = body.tipped
    return np.concatenate([places, places[:, tipped] + quat.rotate(turned[:, tipped], body.tips[tipped])], axis=1)


def _between_thighs(skeleton: Skeleton, points: Array) -> Array:
    """Return the middle of the thigh joints, which is at the same place in all rigs, unlike the hips' joint."""
    return np.asarray(0.5 * (points[:, skeleton.roles["thigh.L"]] + points[:, skeleton.roles["thigh.R"]]))


def _heights(skeleton: Skeleton, pose: RestPose) -> tuple[float, float]:
    """Return the mean heights (m) of balls and ankles above the lowest foot point at rest; 0 without known feet.

    If a foot is in the air, as in a frame of a run, the heights are of the flatter foot above its own lowest point.
    """
    pairs, soles = feet.balls_and_ankles(skeleton), feet.soles(skeleton)
    if not pairs:
        return 0.0, 0.0
    heights = pose.points[np.array(list(pairs.values()), dtype=np.int64), 2]
    if np.ptp(heights[:, 1]) > IN_THE_AIR * skeleton.height:
        each = [pose.points[list(pair), 2] - pose.points[soles[foot], 2].min() for foot, pair in pairs.items()]
        return min(((float(ball), float(ankle)) for ball, ankle in each), key=lambda pair: pair[1])
    ball, ankle = (heights - pose.points[_all(soles), 2].min()).mean(axis=0).tolist()
    return ball, ankle


def _all(soles: Mapping[str, Sequence[int]]) -> list[int]:
    return [point for points in soles.values() for point in points]


def _lift(source: Skeleton, body: Skeleton, theirs: Array, ours: Array, scale: float, rise: float) -> float:
    """Return the lift (m) of a body that keeps its feet no deeper than the source's, scaled.

    Legs with relatively short shins reach deeper when they bend. The lift is constant over the clip, because a varying
    one
    would move the hips; 0 without known feet. rise : metres that ankles are higher at rest
    """
    pairs = [feet.balls_and_ankles(one) for one in (source, body)]
    if not all(pairs):
        return 0.0
    points = [_all(feet.soles(one)) for one in (source, body)]
    if all(ball == ankle for ball, ankle in pairs[0].values()) and len(points[0]) == len(pairs[0]):
        points = [[ankle for _, ankle in known.values()] for known in pairs]  # only its ankles are known
        ours = ours - np.array([0.0, 0.0, rise])
    return max(scale * float(theirs[:, points[0], 2].min()) - float(ours[:, points[1], 2].min()), 0.0)


def _moved_by(body: Skeleton, carrier: int) -> list[int]:
    """Return the carrier and all joints moved by it, through the body or through parents."""
    found = {carrier}
    for joint in _outwards(body):
        if partners.next_carrier(body, joint) in found:
            found.add(joint)
    return sorted(found)


def _outwards(skeleton: Skeleton) -> list[int]:
    """Return all joints, each after the one that carries it, which may be listed later in a generated rig."""
    order: list[int] = []
    known = {-1}
    waiting = list(range(len(skeleton)))
    while waiting:
        free = [joint for joint in waiting if partners.next_carrier(skeleton, joint) in known]
        if not free:  # parts that carry each other keep the file's order
            return [*order, *waiting]
        order += free
        known.update(free)
        waiting = [joint for joint in waiting if joint not in known]
    return order
