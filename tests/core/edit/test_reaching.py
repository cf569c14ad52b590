"""Limbs reach their targets exactly, the rest of the body keeps its pose, and a target out of reach is pointed at."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit import reaching
from action_loom.core.edit.feet import legs
from action_loom.core.errors import ClipError, SkeletonError
from action_loom.core.motion import cycles, kinematics, mirror, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.inheritance import Inheritance
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from scipy.optimize import minimize

pytestmark = pytest.mark.both_engines
NOWHERE = np.zeros(3)
WALK = actions.walk(60.0, 4)
CHARACTERS = ["mannequiny", "RobotExpressive", "Fox", "boxman", "godot_player"]


def bones(clip, limb):
    """Return the places (F, 3) of a limb's first, middle and last joint."""
    places = kinematics.points(clip)
    return (places[:, joint] for joint in (limb.upper, limb.lower, limb.end))


def reachable(rng, clip, limb):
    """Return for each frame a random place within reach of the limb's end, in any direction from its first joint."""
    begin, middle, end = bones(clip, limb)
    one, other = np.linalg.norm(middle - begin, axis=1), np.linalg.norm(end - middle, axis=1)
    way = rng.normal(size=begin.shape)
    far = rng.uniform(np.abs(one - other) + 0.02 * (one + other), 0.999 * (one + other))
    return begin + far[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)


def led(clip, name, goals, share=None, **more):
    limb = reaching.limb_of(clip, name) if isinstance(name, str) else name
    share = np.ones(len(clip)) if share is None else share
    return limb, reaching.reach_target(clip, reaching.Asked(limb, goals, share, more.pop("tip", NOWHERE), **more))


def world_turn(clip, joint):
    return kinematics.world(clip)[0][:, joint]


def same_turns(one, other):
    return np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1).max()


@pytest.mark.parametrize("name", reaching.PARTS)
@pytest.mark.parametrize("keep_turn", [True, False])
def test_random_reachable_places_are_reached_in_every_frame(name, keep_turn):
    goals = reachable(np.random.default_rng(1), WALK, reaching.limb_of(WALK, name))
    limb, made = led(WALK, name, goals, keep_turn=keep_turn)
    assert_allclose(kinematics.world(made)[1][:, limb.end], goals, atol=1e-7)
    kept = same_turns(world_turn(made, limb.end), world_turn(WALK, limb.end))
    assert (kept < 1e-9) == keep_turn
    others = np.ones(len(WALK.skeleton), dtype=bool)
    others[[limb.upper, limb.lower, limb.end]] = False
    assert_array_equal(made.rotations[:, others], WALK.rotations[:, others])
    assert_array_equal(made.translations, WALK.translations)


def posing(name):
    """A character that moves a little about its rest pose; straight limbs stay nearly straight."""
    body, rng = material.character(name), np.random.default_rng(3)
    turns = quat.exp(root_motion.smooth(0.2 * rng.normal(size=(60, len(body), 3)), 5.0))
    return Clip(name, body, 30.0, turns, np.zeros((60, len(body), 3)))


@pytest.mark.parametrize("name", CHARACTERS)
def test_characters_reach(name):
    clip = posing(name)
    for part in reaching.PARTS:
        try:
            limb = reaching.limb_of(clip, part)
        except SkeletonError as error:
            assert "no joint plays" in str(error)
            continue
        goals = reachable(np.random.default_rng(4), clip, limb)
        limb, made = led(clip, part, goals)
        assert np.linalg.norm(reaching.ends(made, limb, NOWHERE) - goals, axis=1).max() < 1e-4


@pytest.mark.parametrize("keep_turn", [True, False])
@pytest.mark.parametrize("name", ["right_arm", "left_leg"])
def test_a_point_beside_the_joint_can_reach(name, keep_turn):
    tip = np.array([0.03, -0.08, 0.05])
    limb = reaching.limb_of(WALK, name)
    goals = reaching.ends(WALK, limb, tip) + np.array([0.05, -0.06, 0.08])
    _, made = led(WALK, name, goals, tip=tip, keep_turn=keep_turn)
    assert_allclose(reaching.ends(made, limb, tip), goals, atol=1e-9)


def test_what_is_too_far_is_pointed_at_with_a_straight_limb():
    begin, *_ = bones(WALK, reaching.limb_of(WALK, "right_arm"))
    way = np.random.default_rng(5).normal(size=begin.shape)
    limb, made = led(WALK, "right_arm", begin + 2.0 * way / np.linalg.norm(way, axis=1, keepdims=True))
    begin, middle, end = bones(made, limb)
    for bone in (middle - begin, end - middle):
        sine = np.linalg.norm(np.cross(bone, way), axis=1)
        assert np.degrees(np.arctan2(sine, (bone * way).sum(axis=1))).max() < 1e-4


def test_a_place_behind_is_reached_by_half_a_turn():
    limb = reaching.limb_of(WALK, "left_arm")
    begin, _, end = bones(WALK, limb)
    goals = begin - 0.8 * (end - begin)
    _, made = led(WALK, "left_arm", goals)
    assert_allclose(kinematics.world(made)[1][:, limb.end], goals, atol=1e-7)


def test_too_near_is_folded():
    limb = reaching.limb_of(WALK, "right_arm")
    begin, middle, end = bones(WALK, limb)
    _, made = led(WALK, "right_arm", begin + 1e-3)
    least = np.abs(np.linalg.norm(middle - begin, axis=1) - np.linalg.norm(end - middle, axis=1))
    begin, _, end = bones(made, limb)
    assert_allclose(np.linalg.norm(end - begin, axis=1), np.maximum(least, np.sqrt(3.0) * 1e-3), atol=1e-6)


@pytest.mark.parametrize("name", ["right_arm", "left_leg"])
def test_elbows_and_knees_stay_in_their_plane(name):
    """Nearer to the shoulder along the same line: the elbow goes out where it was, by no turn about that line."""
    limb = reaching.limb_of(WALK, name)
    begin, middle, end = bones(WALK, limb)
    _, made = led(WALK, name, begin + 0.7 * (end - begin))
    normal = np.cross(middle - begin, end - middle)
    _, bent, now = bones(made, limb)
    after = np.cross(bent - begin, now - bent)
    assert (normal * after).sum(axis=1).min() > 0.0
    clear = np.linalg.norm(normal, axis=1) > 0.05 * np.linalg.norm(middle - begin, axis=1) ** 2
    assert clear.any()
    sine = np.linalg.norm(np.cross(normal, after), axis=1) / np.maximum(
        np.linalg.norm(normal, axis=1) * np.linalg.norm(after, axis=1), 1e-300
    )
    assert np.degrees(sine[clear].max()) < 1e-6


def straightened(noise):
    """The walk with its right elbow straight but for noise."""
    rng, forearm = np.random.default_rng(6), WALK.skeleton.roles["forearm.R"]
    rotations = WALK.rotations.copy()
    rotations[:, forearm] = quat.exp(noise * rng.normal(size=(len(WALK), 3)))
    clip = replace(WALK, rotations=rotations)
    assert reaching.limb_of(clip, "right_arm").lower == forearm
    return clip


@pytest.mark.parametrize("noise", [0.0, 1e-6, 0.01])
def test_straight_elbows_bend_one_way(noise):
    clip = straightened(noise)
    limb = reaching.limb_of(clip, "right_arm")
    begin, middle, end = bones(clip, limb)
    straight = np.linalg.norm(end - begin, axis=1) / (
        np.linalg.norm(middle - begin, axis=1) + np.linalg.norm(end - middle, axis=1)
    )
    assert straight.min() > 0.99
    _, made = led(clip, "right_arm", begin + 0.8 * (end - begin))
    turned = world_turn(clip, limb.upper)
    axis = quat.rotate(quat.inv(turned), np.cross(*np.diff(np.stack(list(bones(made, limb))), axis=0)))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    assert (axis @ axis.mean(axis=0)).min() > 0.9


@pytest.mark.parametrize("noise", [0.0, 1e-6, 0.01])
@pytest.mark.parametrize("move", [0.0, 1e-12, 1e-6])
def test_where_next_to_nothing_is_asked_next_to_nothing_is_done(noise, move):
    """The nearly straight elbows have a bending plane made of noise; a tiny move must still turn their bones only
    slightly.
    """
    clip = straightened(noise)
    limb = reaching.limb_of(clip, "right_arm")
    begin, _, end = bones(clip, limb)
    way = (begin - end) / np.linalg.norm(begin - end, axis=1, keepdims=True)
    _, made = led(clip, "right_arm", end + move * way)
    turns = np.linalg.norm(quat.log(quat.mul(quat.inv(clip.rotations), made.rotations)), axis=-1)
    # A straight bone of length l must bend by about √d/l to end d nearer, so smaller turns are impossible.
    assert turns.max() < 1e-6 + 12.0 * np.sqrt(move)


def test_a_frame_is_reached_by_ease_and_beyond_it_all_is_the_same():
    share = reaching.shares(len(WALK), 100, 120, 15.0)
    goals = np.tile(kinematics.world(WALK)[1][110, WALK.skeleton.roles["hand.R"]] + 0.1, (len(WALK), 1))
    limb, made = led(WALK, "right_arm", goals, share)
    assert_allclose(kinematics.world(made)[1][100:121, limb.end], goals[100:121], atol=1e-9)
    for outside in (slice(None, 86), slice(135, None)):
        assert_array_equal(made.rotations[outside], WALK.rotations[outside])
        assert_array_equal(made.translations[outside], WALK.translations[outside])
    assert (np.abs(made.rotations - WALK.rotations)[86:135].max(axis=(1, 2)) > 0.0).all()
    assert_allclose(share[[85, 86, 100, 120, 134, 135]], [0.0, share[134], 1.0, 1.0, share[86], 0.0])
    assert np.abs(np.diff(share, n=2)).max() < 0.03


def test_a_clip_turned_moved_or_mirrored_reaches_likewise():
    share = reaching.shares(len(WALK), 100, 104, 15.0)
    goals = np.tile(kinematics.world(WALK)[1][102, WALK.skeleton.roles["hand.R"]] + 0.15, (len(WALK), 1))
    _, plain = led(WALK, "right_arm", goals, share)
    shift = np.array([2.0, -1.0])
    there = quat.rotate(quat.about_axis("Z", np.array(0.8)), goals) + np.append(shift, 0.0)
    _, turned = led(root_motion.place_clip(WALK, 0.8, shift), "right_arm", there, share)
    assert_allclose(kinematics.points(turned), kinematics.points(root_motion.place_clip(plain, 0.8, shift)), atol=1e-9)
    image = mirror.mirror_clip(WALK)
    hand = [
        kinematics.world(one)[1][:, WALK.skeleton.roles[f"hand.{side}"]] for one, side in ((WALK, "R"), (image, "L"))
    ]
    normal = np.array([1.0, 0.0, 0.0])
    across = lambda points: points - 2.0 * (points @ normal)[..., None] * normal  # noqa: E731
    assert_allclose(across(hand[0]), hand[1], atol=1e-9)
    _, seen = led(image, "left_arm", across(goals), share)
    assert_allclose(kinematics.points(seen), kinematics.points(mirror.mirror_clip(plain)), atol=1e-9)


# --- chains ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["spine > hand.R", "clavicle.L > hand.L", "spine > head", "thigh.R > toe.R"])
@pytest.mark.parametrize("keep_turn", [True, False])
def test_chains_reach_where_another_pose_of_theirs_was(text, keep_turn):
    clip = WALK.cut(0, 60)
    chain = reaching.chain_of(clip, text, whole=False)
    other = clip.rotations.copy()
    bent = quat.exp(np.random.default_rng(7).uniform(-0.4, 0.4, (60, len(chain.joints), 3)))
    other[:, list(chain.joints)] = quat.mul(other[:, list(chain.joints)], bent)
    goals = kinematics.world(replace(clip, rotations=other))[1][:, chain.end]
    _, made = led(clip, chain, goals, keep_turn=keep_turn)
    assert np.linalg.norm(kinematics.world(made)[1][:, chain.end] - goals, axis=1).max() < 1e-4
    assert (same_turns(world_turn(made, chain.end), world_turn(clip, chain.end)) < 1e-9) == keep_turn
    assert_array_equal(made.translations, clip.translations)


def test_a_chain_that_is_too_far_is_straight():
    clip = WALK.cut(0, 30)
    chain = reaching.chain_of(clip, "upper_arm.R > hand.R", whole=False)
    begin = kinematics.world(clip)[1][:, chain.joints[0]]
    way = np.array([0.3, 0.9, 0.2]) / np.linalg.norm([0.3, 0.9, 0.2])
    _, made = led(clip, chain, begin + 3.0 * way)
    places = kinematics.world(made)[1][:, [*chain.joints, chain.end]]
    steps = np.diff(places, axis=1)
    assert_allclose(steps / np.linalg.norm(steps, axis=2, keepdims=True), np.broadcast_to(way, steps.shape), atol=1e-9)


def test_the_least_squares_of_a_chain_are_near_the_least_that_scipy_finds():
    """The joints turn at most twice the least turn that reaches the place, which scipy's optimiser finds."""
    clip = WALK.cut(20, 21)
    chain = reaching.chain_of(clip, "spine > hand.R", whole=False)
    place = kinematics.world(clip)[1][0, chain.end] + np.array([0.06, 0.05, 0.1])
    _, made = led(clip, chain, place[None], keep_turn=False)

    def end(vectors):
        rotations = clip.rotations.copy()
        turns = quat.exp(vectors.reshape(1, -1, 3))
        rotations[:, list(chain.joints)] = quat.mul(rotations[:, list(chain.joints)], turns)
        return kinematics.world(replace(clip, rotations=rotations))[1][0, chain.end]

    free = np.zeros(3 * len(chain.joints))
    best = minimize(
        lambda v: v @ v, free, constraints={"type": "eq", "fun": lambda v: 100.0 * (end(v) - place)}, method="SLSQP"
    )
    assert np.linalg.norm(end(best.x) - place) < 1e-5
    ours = quat.log(quat.mul(quat.inv(clip.rotations), made.rotations))[0, list(chain.joints)]
    assert np.sqrt(best.fun) <= np.linalg.norm(ours) < 2.0 * np.sqrt(best.fun)


def test_limits_are_held_where_it_is_led_all_the_way_and_the_clip_is_met_at_both_ends():
    upper, lower = (WALK.skeleton.roles[f"{part}.R"] for part in ("upper_arm", "forearm"))
    low, high = np.radians([-20.0, -20.0, -20.0]), np.radians([60.0, 20.0, 20.0])
    share = reaching.shares(len(WALK), 100, 110, 12.0)
    hand = kinematics.world(WALK)[1][:, WALK.skeleton.roles["hand.R"]]
    _, made = led(
        WALK, "right_arm", hand + np.array([0.1, 0.1, 0.3]), share, limits={upper: (low, high), lower: (low, high)}
    )
    for joint in (upper, lower):
        angles = quat.to_euler(made.rotations[100:111, joint][None], "XYZ")[0]
        assert (angles >= low - 1e-9).all()
        assert (angles <= high + 1e-9).all()
    steps = quat.log(quat.mul(quat.inv(made.rotations[:-1]), made.rotations[1:]))
    assert np.linalg.norm(steps[86:124], axis=-1).max() < 0.35  # no jump where the ease begins and ends


def test_limits_that_allow_a_place_do_not_keep_from_it():
    upper, lower = (WALK.skeleton.roles[f"{part}.R"] for part in ("upper_arm", "forearm"))
    goals = kinematics.world(WALK)[1][:, WALK.skeleton.roles["hand.R"]] + [0.0, 0.05, 0.1]
    _, free = led(WALK, "right_arm", goals)
    wide = np.full(3, np.pi)
    _, made = led(WALK, "right_arm", goals, limits={upper: (-wide, wide), lower: (-wide, wide)})
    assert_allclose(kinematics.points(made), kinematics.points(free), atol=1e-6)


# --- bodies ---------------------------------------------------------------------------------------------------------


def loosened(clip):
    """A clip on a body whose joints do not inherit scale, and whose right upper arm and left thigh do not inherit
    rotation.
    """
    body = clip.skeleton
    turns = np.ones(len(body), dtype=bool)
    turns[[body.roles["upper_arm.R"], body.roles["thigh.L"]]] = False
    rules = Inheritance(turns, ("NONE",) * len(body), np.ones(len(body), dtype=bool), quat.IDENTITY)
    return replace(clip, skeleton=replace(body, inheritance=rules))


def stretched(clip):
    scales = np.ones_like(clip.translations)
    scales[:, clip.skeleton.roles["upper_arm.R"]] = 1.2
    scales[:, clip.skeleton.roles["chest"]] = 0.9
    return replace(clip, scales=scales)


@pytest.mark.parametrize("change", [loosened, stretched])
@pytest.mark.parametrize("name", ["right_arm", "left_leg"])
@pytest.mark.parametrize("keep_turn", [True, False])
def test_scaled_and_loose_bodies_reach_too(change, name, keep_turn):
    clip = change(WALK.cut(0, 90))
    limb = reaching.limb_of(clip, name)
    goals = reachable(np.random.default_rng(8), clip, limb)
    share = reaching.shares(90, 30, 50, 10.0)
    _, made = led(clip, name, goals, share, keep_turn=keep_turn)
    assert_allclose(reaching.ends(made, limb, NOWHERE)[30:51], goals[30:51], atol=1e-6)
    assert_array_equal(made.rotations[:20], clip.rotations[:20])
    assert_array_equal(made.translations[61:], clip.translations[61:])


@pytest.mark.parametrize("change", [loosened, stretched])
def test_chains_of_such_bodies_are_refused(change):
    clip = change(WALK.cut(0, 20))
    chain = reaching.chain_of(clip, "spine > hand.R", whole=False)
    with pytest.raises(SkeletonError, match="can't be led as a chain yet: lead an arm or a leg, without limits"):
        led(clip, chain, np.zeros((20, 3)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hand.R", "from > to, such as shoulder > hand, not 'hand.R'"),
        ("tail > hand.R", "walk: no joint is named 'tail': it has 'hips'"),
        ("hand.R > spine", "'spine' does not hang on 'hand.R'"),
        ("hand.R > hand.R", "'hand.R' does not hang on 'hand.R'"),
    ],
)
def test_chains_that_are_none_are_refused(text, message):
    with pytest.raises(SkeletonError, match=message):
        reaching.chain_of(WALK, text, whole=False)


def test_a_missing_role_is_named_with_what_to_do():
    roles = {role: joint for role, joint in WALK.skeleton.roles.items() if role not in ("forearm.R", "hand.R")}
    clip = replace(WALK, skeleton=replace(WALK.skeleton, roles=roles))
    with pytest.raises(
        SkeletonError, match=r"walk: no joint plays forearm.R: choose the bone that plays forearm.R in Body"
    ):
        reaching.limb_of(clip, "right_arm")
    bare = replace(WALK, skeleton=replace(WALK.skeleton, roles={"hips": 0, "spine": 1}))
    with pytest.raises(SkeletonError, match="no joint plays head"):
        reaching.head_of(bare, whole=False)


# --- cycles ---------------------------------------------------------------------------------------------------------


def a_cycle(turn=0.0):
    walk = actions.walk(60.0, 1)
    time = np.arange(len(walk)) / 60.0
    return replace(root_motion.place_clip(walk, turn * time, np.zeros((len(walk), 2))), name="cycle", cyclic=True)


@pytest.mark.parametrize("turn", [0.0, 0.3])
@pytest.mark.parametrize("at", [0, 3, 60])
@pytest.mark.parametrize("name", ["right_arm", "left_leg"])
def test_what_leads_across_the_end_of_a_cycle_closes(turn, at, name):
    clip = a_cycle(turn)
    one = len(clip) - 1
    at = min(at, one)
    limb = reaching.limb_of(clip, name)
    place = kinematics.world(clip)[1][at, limb.end] + [0.03, 0.02, 0.06]
    share = reaching.shares(3 * one + 1, one + at, one + at, 12.0)
    asked = reaching.Asked(limb, np.tile(place, (len(share), 1)), share, NOWHERE)
    made = reaching.reached_in_cycle(clip, asked)
    assert_allclose(kinematics.world(made)[1][at, limb.end], place, atol=1e-9)
    assert cycles.gap(made) < 1e-9
    changed = np.flatnonzero(np.abs(made.rotations - clip.rotations).max(axis=(1, 2)) > 1e-9)
    assert len(changed) < 28
    laps = kinematics.points(cycles.unroll_cycle(made, 1, 1))
    before = kinematics.points(cycles.unroll_cycle(clip, 1, 1))
    sharpest = [np.linalg.norm(np.diff(points, n=2, axis=0), axis=2).max() for points in (before, laps)]
    assert sharpest[1] < 1.5 * sharpest[0] + 0.004


def test_a_cycle_that_is_shorter_than_what_is_asked_is_refused():
    clip = a_cycle()
    one = len(clip) - 1
    share = reaching.shares(3 * one + 1, one, one + 10, one / 2.0)
    limb = reaching.limb_of(clip, "right_arm")
    with pytest.raises(ClipError, match="shorter than what is asked with its ease"):
        reaching.reached_in_cycle(clip, reaching.Asked(limb, np.zeros((len(share), 3)), share, NOWHERE))


def test_the_hinge_of_arms_that_are_always_straight_lets_them_bend_forwards():
    """Start from arms stretched out sideways, as in many rest poses."""
    body = material.figure()
    clip = Clip("T", body, 30.0, np.tile(quat.IDENTITY, (3, len(body), 1)), np.zeros((3, len(body), 3)))
    for side in ("left", "right"):
        limb = reaching.limb_of(clip, f"{side}_arm")
        begin, _, end = bones(clip, limb)
        _, made = led(clip, f"{side}_arm", begin + 0.8 * (end - begin))
        begin, middle, end = bones(made, limb)
        elbow = middle - 0.5 * (begin + end)
        assert elbow[0, 1] < -0.05  # it faces +y: the elbow moves back, the forearm forwards
    turned, places = kinematics.world_of(clip, [limb.end])
    assert_allclose(np.abs(legs.leg_of(clip, limb, turned, places).axis[:, 2]), 1.0, atol=1e-9)
