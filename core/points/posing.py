"""Convert points to the motion of a skeleton: each body part turns from its rest pose as the points of the part do.

Method: Points. The axes of each part are computed in the same way from the points and from the rest pose, so the rest
pose need not be a T-pose.
"""

from collections.abc import Mapping

import numpy as np

from ..errors import SkeletonError
from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import body, figure, triads, upright
from .track import Track

_POINT_OF = {
    "hip": "thigh",
    "knee": "shin",
    "ankle": "foot",
    "toe": "toe",
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
}
_NEEDED = tuple(
    f"{role}.{side}" for role in ("thigh", "shin", "foot", "upper_arm", "forearm", "hand") for side in body.SIDES
)
_ABOVE = 0.08  # body heights; a rest pose whose lowest joint is between 0 and this height has its ground at 0
_HAND_TWIST = 0.5  # share of the hand's twist that the forearm takes over
_SIGMA = 0.06  # s; sigma for smoothing the rotations of hands and heads


def onto(track: Track, skeleton: Skeleton, name: str) -> Clip:
    """Return an upright track as a clip of a skeleton with body roles; raises SkeletonError for missing ones.

    Example:
        >>> from action_loom.core.demo_character import actions, body
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.points import posing, track
        >>> from action_loom.core.points.recording import make
        >>> roles = {"hip": "thigh", "knee": "shin", "ankle": "foot", "shoulder": "upper_arm", "elbow": "forearm"}
        >>> roles["wrist"] = "hand"
        >>> walk = actions.walk(cycles=1)
        >>> places = kinematics.world(walk)[1]
        >>> joints = {f"{p}.{s}": walk.skeleton.roles[f"{r}.{s}"] for p, r in roles.items() for s in "LR"}
        >>> points, _, _ = track.begin(make("walk", tuple(joints), places[:, list(joints.values())], metres=1.0), 30.0)
        >>> len(posing.onto(points, body.skeleton(), "walk"))
        33
    """
    missing = [role for role in ("hips", "chest", *_NEEDED) if role not in skeleton.roles]
    if missing:
        raise SkeletonError(f"{name}: points need the body role {missing[0]}; choose its joint")
    rest = _rest_points(skeleton)
    points = {point: track.at(point) for point in track.names}
    turns = _turns(points, rest, track)
    size = skeleton.leg_length / _leg_length(points)
    places = _goals(track, rest, size)
    rotations, translations = _pose(skeleton, turns, places)
    return Clip(name, skeleton, track.rate, rotations, translations)


def _leg_length(points: Mapping[str, Array]) -> float:
    legs = [
        np.median(np.linalg.norm(points[f"{one}.{side}"] - points[f"{other}.{side}"], axis=1))
        for one, other in (("hip", "knee"), ("knee", "ankle"))
        for side in body.SIDES
    ]
    return float(np.sum(legs)) / 2.0


def _rest_points(skeleton: Skeleton) -> dict[str, Array]:
    """Return the points (1, 3) of a rest pose by name."""
    rotations, places = skeleton.rest
    points = {
        f"{point}.{side}": places[None, joint]
        for point, role in _POINT_OF.items()
        for side in body.SIDES
        if (joint := skeleton.roles.get(f"{role}.{side}")) is not None
    }
    for role, point in (("foot", "toe"), ("hand", "knuckle")):
        for side in body.SIDES:
            joint = skeleton.roles[f"{role}.{side}"]
            if f"{point}.{side}" not in points and skeleton.tips[joint].any():
                points[f"{point}.{side}"] = (places[joint] + quat.rotate(rotations[joint], skeleton.tips[joint]))[None]
    if "head" in skeleton.roles:
        joint = skeleton.roles["head"]
        points["head"] = (places[joint] + quat.rotate(rotations[joint], skeleton.tips[joint]))[None]
    return points


def _turns(points: Mapping[str, Array], rest: Mapping[str, Array], track: Track) -> dict[str, Array]:
    """Return the rotation (F, 4) of each role from its rest pose, in world axes."""
    moving, still = triads.frames_of(points, track.rate), triads.frames_of(rest, track.rate)
    if {"ear.L", "ear.R", "nose"} <= set(points) or "head" not in still:  # a rest pose has no ears: its head is upright
        still["head"] = triads.upright_frame(still["hips"])
    if not all(f"index.{side}" in rest and f"pinky.{side}" in rest for side in body.SIDES):
        for side in body.SIDES:
            still[f"hand.{side}"] = still[f"forearm.{side}"]
    for side in body.SIDES:
        foot = f"foot.{side}"
        if foot in moving and foot in still:
            flat = upright.find_stances(track, f"toe.{side}")
            moving[foot] = triads.level_feet(moving[foot], flat)
            still[foot] = triads.level_feet(still[foot], np.ones(1, dtype=bool))
    turns = {}
    for role in moving:
        if role in still:
            matrices = np.einsum("fik,jk->fij", moving[role], still[role][0])
            turn = quat.continuous(quat.from_matrix(matrices))
            if role.startswith(("hand", "head")) and len(turn) > 1:
                turn = quat.normalize(root_motion.smooth(turn, _SIGMA * track.rate))
            turns[role] = turn
    for side in body.SIDES:
        hand, forearm = f"hand.{side}", f"forearm.{side}"
        if hand in turns:
            axis = rest[f"wrist.{side}"][0] - rest[f"elbow.{side}"][0]
            turns[forearm] = _twist_forearm(turns[forearm], turns[hand], axis / np.linalg.norm(axis))
    return turns


def _twist_forearm(forearm: Array, hand: Array, axis: Array) -> Array:
    """Return the rotations of a forearm with a share of the hand's twist added; axis : of the forearm at rest."""
    between = quat.mul(quat.inv(forearm), hand)
    between = np.where(between[:, :1] < 0.0, -between, between)
    angle = 2.0 * np.arctan2(between[:, 1:] @ axis, between[:, 0])
    return quat.mul(forearm, quat.exp(0.5 * _HAND_TWIST * angle[:, None] * axis))


def _goals(track: Track, rest: Mapping[str, Array], size: float) -> dict[str, Array]:
    """Return targets (F, 3) for a body of another size.

    They are the middle of the hips, the middle of the shoulders, and each shoulder relative to that middle.
    """
    ankle = figure.standing_height(track, "ankle", upright.ANKLE_HEIGHT * track.height)
    lowest = float(min(place[0, 2] for place in rest.values()))
    if 0.0 <= lowest < _ABOVE * size * track.height:
        lowest = 0.0  # the height of the ground; the lowest joint is inside a foot
    own = float(min(rest[f"ankle.{side}"][0, 2] for side in body.SIDES)) - lowest
    hips, shoulders = track.middle("hip"), track.middle("shoulder")
    goals = {"hips": size * hips + np.array([0.0, 0.0, own - size * ankle])}
    trunk = np.linalg.norm(triads.middle(rest, "shoulder") - triads.middle(rest, "hip"))
    goals["shoulders"] = goals["hips"] + trunk / figure.trunk_length(track) * (shoulders - hips)
    across = np.median(np.linalg.norm(track.at("shoulder.L") - track.at("shoulder.R"), axis=1))
    wide = np.linalg.norm(rest["shoulder.L"] - rest["shoulder.R"])
    for side in body.SIDES:
        goals[f"shoulder.{side}"] = wide / across * (track.at(f"shoulder.{side}") - shoulders)
    return goals


def _pose(skeleton: Skeleton, turns: dict[str, Array], goals: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the rotations (F, J, 4) and translations (F, J, 3) of a skeleton, outwards from the hips."""
    rested, places = skeleton.rest
    frames = len(goals["hips"])
    roles = skeleton.roles
    hips = roles["hips"]
    thighs = 0.5 * (places[roles["thigh.L"]] + places[roles["thigh.R"]])
    at_hips = goals["hips"] + quat.rotate(turns["hips"], places[hips] - thighs)
    of_joint = {joint: turns[role] for role, joint in roles.items() if role in turns}
    trunk, left = _trunk(skeleton, turns, goals, at_hips)
    of_joint |= trunk | _clavicles(skeleton, turns, goals, left)
    world = np.empty((frames, len(skeleton), 4))
    rotations = np.tile(quat.IDENTITY, (frames, len(skeleton), 1))
    translations = np.zeros((frames, len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = np.tile(quat.IDENTITY, (frames, 1)) if parent < 0 else world[:, parent]
        base = quat.mul(above, skeleton.orients[joint])
        if joint in of_joint:
            world[:, joint] = quat.mul(of_joint[joint], rested[joint])
            rotations[:, joint] = quat.mul(quat.inv(base), world[:, joint])
        else:
            world[:, joint] = base
        if joint == hips:
            translations[:, joint] = quat.rotate(quat.inv(base), at_hips - places[hips])
    return quat.continuous(quat.normalize(rotations)), translations


def _trunk(
    skeleton: Skeleton, turns: dict[str, Array], goals: Mapping[str, Array], at_hips: Array
) -> tuple[dict[int, Array], Array]:
    """Return rotations of spine and neck joints, and the vector (F, 3) by which the shoulders miss their target.

    The joints between hips and chest point the chest at the target.
    """
    roles, places = skeleton.roles, skeleton.rest[1]
    between = _between(skeleton, roles["hips"], roles["chest"])
    found: dict[int, Array] = {}
    left = np.zeros_like(at_hips)
    shares = np.arange(1, len(between) + 1) / (len(between) + 1.0)
    for joint, share in zip(between, shares, strict=True):
        found[joint] = _go_partly(turns["hips"], turns["chest"], share)
    if between:
        first, chest = between[0], roles["chest"]
        shoulders = 0.5 * (places[roles["upper_arm.L"]] + places[roles["upper_arm.R"]])
        begin = at_hips + quat.rotate(turns["hips"], places[first] - places[roles["hips"]])
        wanted = goals["shoulders"] - begin - quat.rotate(turns["chest"], shoulders - places[chest])
        now = quat.rotate(found[first], places[chest] - places[first])
        swing = _shortest(now, wanted)
        left = wanted - quat.rotate(swing, now)
        found |= {joint: quat.mul(swing, found[joint]) for joint in between}
    if "head" in turns and "head" in roles:
        necks = _between(skeleton, roles["chest"], roles["head"])
        shares = np.arange(1, len(necks) + 1) / (len(necks) + 1.0)
        for joint, share in zip(necks, shares, strict=True):
            found[joint] = _go_partly(turns["chest"], turns["head"], share)
    return found, left


def _between(skeleton: Skeleton, first: int, last: int) -> list[int]:
    """Return the joints between two joints, in order from the first; [] if the first is not an ancestor of the last."""
    chain, joint = [], int(skeleton.parents[last])
    while joint >= 0 and joint != first:
        chain.append(joint)
        joint = int(skeleton.parents[joint])
    return chain[::-1] if joint == first else []


def _clavicles(
    skeleton: Skeleton, turns: dict[str, Array], goals: Mapping[str, Array], left: Array
) -> dict[int, Array]:
    """Return rotations of the clavicles: with the chest, and with each shoulder's deviation from its usual position."""
    roles, places = skeleton.roles, skeleton.rest[1]
    back = quat.inv(turns["chest"])
    beside = {side: quat.rotate(back, goals[f"shoulder.{side}"]) for side in body.SIDES}
    usual = {side: np.median(beside[side], axis=0) for side in body.SIDES}
    across = places[roles["upper_arm.R"]] - places[roles["upper_arm.L"]]
    across = across / np.linalg.norm(across)
    found = {}
    for side, opposite in zip(body.SIDES, body.SIDES[::-1], strict=True):
        joint = roles.get(f"clavicle.{side}")
        if joint is None:
            continue
        mirrored = usual[opposite] - 2.0 * (usual[opposite] @ across) * across
        even = 0.5 * (usual[side] + mirrored)  # so that one shoulder may stay lower than the other
        moved = beside[side] - even + quat.rotate(back, left)
        bone = places[roles[f"upper_arm.{side}"]] - places[joint]
        swing = _shortest(np.broadcast_to(bone, moved.shape), bone + moved)
        found[joint] = quat.mul(turns["chest"], swing)
    return found


def _go_partly(one: Array, other: Array, share: float) -> Array:
    """Return the turns a share of the way from one to the other."""
    other = quat.same_side(other, one)
    return quat.mul(quat.exp(share * quat.log(quat.mul(other, quat.inv(one)))), one)


def _shortest(one: Array, other: Array) -> Array:
    """Return the shortest rotations (F, 4) between the directions of vectors (F, 3)."""
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    w = lengths + np.sum(one * other, axis=-1)
    return quat.normalize(
        np.concatenate([np.maximum(w, 1e-9 * lengths + 1e-12)[:, None], np.cross(one, other)], axis=1)
    )
