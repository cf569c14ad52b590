"""Clips on other bodies: other rest poses, axes, proportions and joints."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.bodies import carry, partners, rest_frames
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import feet, kinematics, quat, resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.inheritance import SCALES, Inheritance
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose
from oracles import bodies, material

pytestmark = pytest.mark.both_engines
rests = pytest.mark.parametrize("rest", bodies.RESTS)
axes = pytest.mark.parametrize("seed", [None, 7], ids=["same axes", "random axes"])


def places(clip):
    return kinematics.world(clip)[1]


def worst_limb(one, other):
    """The largest angle in degrees between the limbs of two clips."""
    a, b = (bodies.directions(clip.skeleton, places(clip)) for clip in (one, other))
    assert set(a) == set(b)
    return max(float(bodies.apart(a[role], b[role]).max()) for role in a)


def role_turns(one, other):
    """The largest angle in degrees between the world turns of two clips of one body, over joints that play a role."""
    ours = list(one.skeleton.roles.values())
    turns = (kinematics.world(clip)[0][:, ours] for clip in (one, other))
    first, second = turns
    return float(np.degrees(np.abs(quat.log(quat.mul(quat.inv(first), second)))).max())


@rests
@axes
def test_the_same_body_at_rest_in_another_pose_stands_where_it_stood(rest, seed):
    clip = bodies.moving(material.figure())
    other = bodies.resting(clip.skeleton, bodies.RESTS[rest], seed)
    made, _ = carry.onto_body(clip, other)
    assert np.linalg.norm(places(made) - places(clip), axis=2).max() < 1e-3
    assert worst_limb(made, clip) < 0.01
    back, _ = carry.onto_body(made, clip.skeleton)
    assert role_turns(back, clip) < 0.01
    assert np.linalg.norm(places(back) - places(clip), axis=2).max() < 1e-3


def test_a_copy_of_a_skeleton_with_a_tilted_pelvis_at_rest_plays_the_same_poses():
    """An action's first frame is the rest pose of many files, whatever the tilt of its pelvis."""
    clip = bodies.moving(material.figure())
    body = clip.skeleton
    pelvis = np.arange(len(body))[:, None] == body.roles["hips"]
    tilted = replace(
        body,
        orients=np.where(pelvis, quat.mul(body.orients, quat.exp(np.array([np.radians(7.5), 0.0, 0.0]))), body.orients),
    )
    made, _ = carry.onto_body(clip, tilted)
    assert np.linalg.norm(places(made) - places(clip), axis=2).max() < 1e-6
    renamed = replace(tilted, names=tuple(f"{name}_" for name in body.names), roles=body.roles)
    assert np.linalg.norm(places(carry.onto_body(clip, renamed)[0]) - places(clip), axis=2).max() > 0.01


def test_hands_that_lie_otherwise_at_rest_are_told_by_their_fingers():
    clip = bodies.moving(bodies.handed())
    other = bodies.resting(clip.skeleton, bodies.arms(-45.0, elbow=20.0, palm=60.0), 3)
    made, carried = carry.onto_body(clip, other)
    assert carried.pairs.fanned == {"L", "R"}
    assert len(carried.names(partners.FINGER)) == 30
    assert np.linalg.norm(places(made) - places(clip), axis=2).max() < 1e-3


@rests
def test_limbs_point_as_they_did_whatever_the_proportions(rest):
    clip = bodies.moving(bodies.handed(), seed=2)
    factors = {"Leg": 0.9, "ForeArm": 1.2, "Hand": 0.8, "Spine": 1.3, "Foot": 1.1}
    other = bodies.resting(bodies.proportioned(material.figure(), factors), bodies.RESTS[rest], 11)
    made, carried = carry.onto_body(clip, other)
    assert carried.scale == pytest.approx(other.leg_length / clip.skeleton.leg_length)
    assert worst_limb(made, clip) < 0.01
    back, _ = carry.onto_body(made, clip.skeleton)
    assert role_turns(back, clip) < 0.01


@pytest.mark.parametrize("between", [{"Spine1": 2}, {"Spine1": 1, "Neck": 1}, {"Spine1": 3, "LeftForeArm": 1}])
def test_more_joints_in_trunk_and_limbs_change_no_role(between):
    clip = bodies.moving(material.figure(), seed=4)
    other = bodies.with_joints(material.figure(), between, hanging=("LeftArm", "RightUpLeg"))
    assert set(other.roles) == set(clip.skeleton.roles)
    made, carried = carry.onto_body(clip, other)
    assert set(carried.names(partners.REST)) >= {"LeftArm_twist", "RightUpLeg_twist"}
    assert len(carried.names(partners.BETWEEN)) == sum(n for name, n in between.items() if "Arm" not in name)
    assert worst_limb(made, clip) < 0.01
    back, _ = carry.onto_body(made, clip.skeleton)
    assert role_turns(back, clip) < 0.01


def test_between_two_roles_the_trunk_bends_by_degrees():
    clip = bodies.moving(material.figure(), seed=5)
    other = bodies.with_joints(material.figure(), {"Spine1": 3})
    made, carried = carry.onto_body(clip, other)
    chain = [other.index(name) for name in ("Spine", *carried.names(partners.BETWEEN), "Spine1")]
    turns = kinematics.world(made)[0][:, chain]
    steps = np.linalg.norm(quat.log(quat.mul(quat.inv(turns[:, :-1]), turns[:, 1:])), axis=2)
    whole = np.linalg.norm(quat.log(quat.mul(quat.inv(turns[:, 0]), turns[:, -1])), axis=1)
    assert_allclose(steps.sum(axis=1), whole, atol=1e-9)
    assert (steps > 0.05 * whole[:, None]).all()


def test_as_many_joints_between_two_roles_stand_for_each_other():
    clip = bodies.moving(bodies.with_joints(material.figure(), {"Spine1": 2}), seed=6)
    body = clip.skeleton
    names = tuple(name.replace("_extra", "_other") for name in body.names)
    other = bodies.resting(replace(body, names=names), bodies.RESTS["A 45"], 9)
    made, carried = carry.onto_body(clip, other)
    assert carried.names(partners.SPINE) == ["Spine1_other0", "Spine1_other1"]
    assert np.linalg.norm(places(made) - places(clip), axis=2).max() < 1e-3


def test_a_clip_that_is_turned_moved_and_retimed_comes_out_turned_moved_and_retimed():
    clip = bodies.moving(material.figure())
    other = bodies.resting(bodies.proportioned(clip.skeleton, {"Leg": 0.8}), bodies.RESTS["A 60"], 1)
    made, carried = carry.onto_body(clip, other)
    moved, _ = carry.onto_body(root_motion.place_clip(clip, 1.2, np.array([3.0, -2.0])), other)
    scaled = root_motion.place_clip(made, 1.2, carried.scale * np.array([3.0, -2.0]))
    assert_allclose(places(moved), places(scaled), atol=1e-9)
    slower = resample.sample(clip, np.linspace(0.0, len(clip) - 1.0, 2 * len(clip) - 1))
    retimed, between = carry.onto_body(slower, other)
    lifted = places(retimed)[::2] + np.array(
        [0.0, 0.0, carried.lift - between.lift]
    )  # the lowest frame may be a new one
    assert_allclose(lifted, places(made), atol=1e-9)
    assert abs(carried.lift - between.lift) < 1e-3


def with_more(body, *joints):
    """Return the body with more joints: name, parent's name or None, offset."""
    names = (*body.names, *(name for name, _, _ in joints))
    parents = [*body.parents, *(-1 if above is None else names.index(above) for _, above, _ in joints)]
    offsets = np.concatenate([body.offsets, [offset for _, _, offset in joints]])
    rows = len(joints)
    return Skeleton(
        names,
        np.array(parents),
        offsets,
        np.concatenate([body.orients, np.tile(quat.IDENTITY, (rows, 1))]),
        np.concatenate([body.tips, np.zeros((rows, 3))]),
    )


def test_props_and_tails_go_by_name_and_their_turn_is_that_against_what_they_hang_on():
    body = with_more(material.figure(), ("sword", "RightHand", (0.1, 0.0, 0.0)), ("tail", "Hips", (0.0, -0.1, 0.0)))
    clip = bodies.moving(body, seed=8)
    other = bodies.resting(body, bodies.RESTS["A 45"], 4)
    made, carried = carry.onto_body(clip, other)
    assert carried.names(partners.NAME) == ["sword", "tail"]
    assert np.linalg.norm(places(made) - places(clip), axis=2).max() < 1e-3
    _, carried = carry.onto_body(bodies.moving(material.figure()), other)
    assert carried.names(partners.REST) == ["sword", "tail"]


def test_feet_that_hang_on_a_root_stay_at_their_legs():
    body = material.figure()
    names = ("root", *body.names)
    parents = np.array([-1, *(body.parents + 1)])
    offsets = np.concatenate([np.zeros((1, 3)), body.offsets])
    for side in ("Left", "Right"):
        foot = names.index(f"{side}Foot")
        offsets[foot] = body.rest[1][foot - 1]
        parents[foot] = 0
    extra = (np.tile(quat.IDENTITY, (len(names), 1)), np.concatenate([np.zeros((1, 3)), body.tips]))
    other = Skeleton(names, parents, offsets, *extra, roles={role: j + 1 for role, j in body.roles.items()})
    clip = bodies.moving(body)
    made, _ = carry.onto_body(clip, other)
    assert np.linalg.norm(places(made)[:, 1:] - places(clip), axis=2).max() < 1e-3


def test_no_foot_is_deeper_in_the_floor_than_the_source():
    clip = bodies.moving(material.figure(), seed=3)
    other = bodies.proportioned(clip.skeleton, {"UpLeg": 1.0, "Leg": 1.25, "LeftFoot": 0.7, "RightFoot": 0.7})
    made, carried = carry.onto_body(clip, other)
    soles = [[point for points in feet.soles(one.skeleton).values() for point in points] for one in (clip, made)]
    lowest = [float(kinematics.points(one)[:, own, 2].min()) for one, own in zip((clip, made), soles, strict=True)]
    assert lowest[1] >= carried.scale * lowest[0] - 1e-9


@pytest.mark.parametrize("missing", ["shin.L", "thigh.R", "hips"])
@pytest.mark.parametrize("which", ["clip", "body"])
def test_a_role_that_is_needed_and_missing_is_named_with_what_to_do(missing, which):
    body = material.figure()
    lame = replace(body, roles={role: joint for role, joint in body.roles.items() if role != missing})
    clip = material.walk(skeleton=lame if which == "clip" else body)
    name = "walk" if which == "clip" else "the body"
    with pytest.raises(SkeletonError, match=f"^{name}: no joint plays {missing}: choose the bone that plays {missing}"):
        carry.onto_body(clip, body if which == "clip" else lame)


def test_bodies_without_legs_and_on_four_feet_are_refused_by_name():
    clip = material.walk()
    bust = replace(clip.skeleton, roles={"head": clip.skeleton.index("Head")})
    with pytest.raises(SkeletonError, match="the body has no legs that are known"):
        carry.onto_body(clip, bust)
    fox = material.character("Fox")
    with pytest.raises(SkeletonError, match="the body has 4 legs"):
        carry.onto_body(clip, fox)
    still = Clip("trot", fox, 30.0, np.tile(quat.IDENTITY, (2, len(fox), 1)), np.zeros((2, len(fox), 3)))
    with pytest.raises(SkeletonError, match="trot has 4 legs"):
        carry.onto_body(still, clip.skeleton)


def inheriting(body, rng, *, moving_space=False):
    """Return the body with random inheritance by its joints; `moving_space` makes the first joint the space of all."""
    count = len(body)
    flags = [rng.random(count) < 0.5 for _ in range(2)]
    rules = Inheritance(flags[0], tuple(rng.choice(SCALES, count)), flags[1], quat.IDENTITY, moving_space)
    return replace(body, inheritance=rules)


@rests
@pytest.mark.parametrize("seed", range(2))
def test_joints_that_do_not_inherit_all_stand_where_those_do_that_inherit(rest, seed):
    rng = np.random.default_rng(seed)
    clip = bodies.moving(bodies.handed(), seed=seed)
    body = bodies.resting(bodies.proportioned(material.figure(), {"Leg": 0.9}), bodies.RESTS[rest], seed)
    usual, _ = carry.onto_body(clip, body)
    loose, _ = carry.onto_body(clip, inheriting(body, rng, moving_space=seed % 2 == 1))
    ours, theirs = kinematics.world(loose), kinematics.world(usual)
    assert_allclose(ours[1], theirs[1], rtol=0.0, atol=1e-9)
    assert np.abs(quat.log(quat.mul(quat.inv(ours[0]), theirs[0]))).max() < 1e-6
    assert loose.scales is None
    held = [k for k in range(len(body)) if not np.abs(usual.translations[:, k]).max()]
    assert not np.abs(loose.translations[:, held]).max()


@pytest.mark.parametrize("seed", range(2))
def test_a_clip_of_joints_that_do_not_inherit_all_is_carried_as_it_stands(seed):
    clip = bodies.moving(material.figure(), seed=seed)
    loose, _ = carry.onto_body(clip, inheriting(clip.skeleton, np.random.default_rng(seed)))
    other = bodies.resting(clip.skeleton, bodies.RESTS["A 45"], seed)
    one, two = (carry.onto_body(given, other)[0] for given in (clip, loose))
    assert_allclose(places(one), places(two), rtol=0.0, atol=1e-9)


def test_what_has_no_partner_and_does_not_turn_with_its_parent_stays_as_it_rests():
    clip = bodies.moving(material.figure(), seed=1)
    body = bodies.with_joints(clip.skeleton, {}, hanging=("LeftArm", "RightUpLeg"))
    free = np.array([not name.endswith("_twist") for name in body.names])
    rules = Inheritance(free, ("FULL",) * len(body), np.ones(len(body), dtype=bool), quat.IDENTITY)
    made, carried = carry.onto_body(clip, replace(body, inheritance=rules))
    helpers = [body.index(name) for name in carried.names(partners.REST)]
    assert [body.names[k] for k in helpers] == ["LeftArm_twist", "RightUpLeg_twist"]
    assert np.abs(quat.log(made.rotations[:, helpers])).max() < 1e-9
    assert worst_limb(made, clip) < 0.01


def test_what_is_missing_on_one_of_them_is_said_and_rests():
    body = material.figure()
    handless = replace(body, roles={role: j for role, j in body.roles.items() if not role.startswith("hand")})
    _, carried = carry.onto_body(material.walk(), handless)
    (message,) = carried.warnings
    assert message.startswith("the body: no joint plays hand.L, hand.R")
    assert message.endswith("choose the bone that plays hand.L in Body Roles")


def test_scales_are_left_out_and_it_is_said():
    clip = material.walk()
    scaled = replace(clip, scales=np.full((*clip.translations.shape[:2], 3), 1.1))
    made, carried = carry.onto_body(scaled, bodies.handed())
    assert made.scales is None
    assert carried.warnings == ["walk: the scale of its joints is left out on the other body"]


def test_a_frame_can_stand_in_for_either_rest_pose():
    clip = bodies.moving(material.figure())
    shown = rest_frames.at_frame(clip, 0)
    made, carried = carry.onto_body(clip, clip.skeleton, shown, shown)
    assert (carried.rest.name, carried.body_rest.name) == ("frame 0", "frame 0")
    assert np.linalg.norm(places(made) - places(clip), axis=2).max() < 1e-3


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_02_01", "cmu_mb_35_03"])  # no constant was tuned on the second
def test_long_toes_bend_and_do_not_lift_the_body(name, monkeypatch):
    clip, normal = material.captured(name), material.figure()
    toes = [normal.roles[f"toe.{side}"] for side in "LR"]
    tips = normal.tips.copy()
    tips[toes] *= 4.0
    long = replace(normal, tips=tips)
    made, carried = carry.onto_body(clip, long)
    plain, usual = carry.onto_body(clip, normal)
    monkeypatch.setattr(carry, "HOVER", np.inf)
    stiff, lifted = carry.onto_body(clip, long)
    assert lifted.lift > usual.lift + 0.03
    assert carried.lift < usual.lift + 0.001
    own, others = (kinematics.points(one) for one in (made, plain))
    ends = [len(long) + list(long.tipped).index(toe) for toe in toes]
    assert own[:, ends, 2].min() > others[:, [*toes, *ends], 2].min() - 1e-6  # on the floor of the usual foot
    turned, stiffly = (kinematics.world(one)[0] for one in (made, stiff))
    rest = np.setdiff1d(np.arange(len(long)), toes)
    assert_allclose(np.abs((turned[:, rest] * stiffly[:, rest]).sum(axis=2)), 1.0, atol=1e-9)  # only toes turn


def test_ankles_that_are_higher_over_the_soles_do_not_rest_as_high():
    body = material.figure()
    feet_of = [body.roles[f"foot.{side}"] for side in "LR"]
    higher = np.isin(np.arange(len(body)), feet_of)[:, None] * np.array([0.0, 0.0, 0.05])
    toes = np.isin(body.parents, feet_of)[:, None] * np.array([0.0, 0.0, -0.05])
    assert carry.rest_as_high(body, body)
    assert not carry.rest_as_high(body, replace(body, offsets=body.offsets + higher + toes))
