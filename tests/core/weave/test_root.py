"""Root Motion, the verb: the bone that carries the travel, unchanged poses, cycles, and errors."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, SkeletonError
from action_loom.core.motion import cycles, kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.motion.skeleton import OBJECT
from action_loom.core.verbs import Place, Retarget, Root
from action_loom.core.verbs.root.work import sharpest
from action_loom.core.weave import root_carrier
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import captured, under

pytestmark = pytest.mark.both_engines

CAPTURED = ["cmu_asf_16_17", "cmu_daz_09_12", "cmu_mb_08_01"]  # the last is held out
TILT = quat.about_axis("X", np.array([0.5 * np.pi]))[0]


def below_stays(made, clip, above, atol=1e-9):
    """Assert that every joint but those above the hips is where it was in the world, and turned as it was."""
    keep = [j for j in range(len(clip.skeleton)) if j not in above]
    (turned, places), (was_turned, were) = kinematics.world(made), kinematics.world(clip)
    assert np.abs(places - were)[:, keep].max() < atol
    assert np.abs(quat.same_side(turned, was_turned) - was_turned)[:, keep].max() < atol


def root_way(clip, joint=0):
    rotations, places = kinematics.world(clip)
    return places[:, joint], np.unwrap(quat.yaw(rotations[:, joint]))


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("recipe", [Root(), Root(smooth=0.0, height=True), Root(turn=False), Root(onto="hips")])
@pytest.mark.parametrize("name", CAPTURED)
def test_the_body_stays_where_it_is_whatever_carries_it(name, recipe):
    clip = under(captured(name), "carrier", "between")
    made = verbs.apply(recipe, [clip])
    below_stays(made.clip, clip, [0, 1])
    again = verbs.apply(recipe, [made.clip]).clip
    assert_allclose(kinematics.points(again), kinematics.points(made.clip), atol=1e-9)
    assert made.clip.name == f"{clip.name} on {recipe.onto}"
    back = verbs.apply(Root(onto="hips"), [made.clip]).clip
    assert np.ptp(root_way(back)[0], axis=0).max() < 1e-12
    below_stays(back, clip, [0, 1])


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", CAPTURED)
def test_without_smoothing_it_is_exactly_under_the_hips_and_faces_as_the_body_does(name):
    clip = under(captured(name), "carrier")
    made = verbs.apply(Root(smooth=0.0), [clip])
    place, facing = root_way(made.clip)
    ground, raw = root_motion.ground_frames(clip)
    assert_allclose(place[:, :2], ground, atol=1e-9)
    assert_array_equal(place[:, 2], place[:1, 2].repeat(len(place)))
    wanted = raw - root_motion.rest_heading(clip.skeleton)
    assert_allclose(np.exp(1j * facing), np.exp(1j * wanted), atol=1e-9)
    assert made.report["root"]["from_hips_cm"] == [0.0, 0.0]
    high = root_way(verbs.apply(Root(smooth=0.0, height=True), [clip]).clip)[0][:, 2]
    hips = kinematics.world(clip)[1][:, root_motion.travelling_joint(clip.skeleton), 2]
    assert_allclose(high - high[0], hips - hips[0], atol=1e-9)


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", CAPTURED)
def test_smoothed_it_goes_evenly_and_stays_near(name):
    clip = under(captured(name), "carrier")
    plain, smooth = (verbs.apply(Root(smooth=seconds), [clip]).clip for seconds in (0.0, 0.3))
    plain, smooth = root_way(plain)[0], root_way(smooth)[0]
    assert sharpest(smooth, clip.rate) < 0.5 * sharpest(plain, clip.rate)
    assert np.linalg.norm(plain - smooth, axis=1).max() < 0.25
    assert_allclose(smooth[[0, -1]], plain[[0, -1]], atol=1e-9)


def test_without_turning_the_root_faces_as_it_did():
    clip = under(actions.turn_left(60.0), "carrier")
    made = verbs.apply(Root(turn=False), [clip]).clip
    assert_allclose(root_way(made)[1], 0.0, atol=1e-12)
    assert np.ptp(root_way(verbs.apply(Root(), [clip]).clip)[1]) > 1.0


def test_wherever_the_clip_is_and_faces_the_root_goes_along():
    clip = under(actions.turn_left(60.0), "carrier")
    turned = verbs.apply(Place(x=3.0, y=1.0, face="way", facing=70.0), [clip]).clip
    one, other = (verbs.apply(Root(), [each]).clip for each in (clip, turned))
    there = verbs.apply(Place(x=3.0, y=1.0, face="way", facing=70.0), [one]).clip
    assert_allclose(kinematics.points(other)[:, 0], kinematics.points(there)[:, 0], atol=1e-9)
    assert_allclose(np.exp(1j * root_way(other)[1]), np.exp(1j * root_way(there)[1]), atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.35])
@pytest.mark.parametrize("seconds", [0.1, 0.3, 2.0])
def test_cycles_stay_cycles_and_the_root_goes_as_far_in_each(turn, seconds):
    walk = actions.walk(60.0, 1)
    time = np.arange(len(walk)) / 60.0
    cycle = replace(root_motion.place_clip(walk, turn * time, np.zeros((len(walk), 2))), cyclic=True)
    assert cycles.gap(cycle) < 1e-9
    clip = under(cycle, "carrier")
    made = verbs.apply(Root(smooth=seconds, height=True), [clip]).clip
    assert made.cyclic
    below_stays(made, clip, [0])
    laps = cycles.unroll_cycle(made, 1, 1)
    last = len(made) - 1
    place, facing = root_way(laps)
    hips = root_motion.travelling_joint(laps.skeleton)
    for joint in (0, hips):
        way, turned = root_way(laps, joint)
        assert turned[last] - turned[0] == pytest.approx(turn * clip.seconds, abs=1e-9)
        steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
        assert_allclose(steps[:last], steps[last : 2 * last], atol=1e-9)
    # The result shows no seam.
    second = np.linalg.norm(np.diff(place, n=2, axis=0), axis=1)
    assert second[last - 3 : last + 3].max() <= second.max() * (1.0 + 1e-9)
    assert np.abs(np.diff(facing, n=2)).max() < 0.01
    # Smoothed over more than a cycle, it goes steadily.
    if seconds == 2.0:
        assert second.max() < 0.02 * sharpest_of(kinematics.world(laps)[1][:, hips])


def sharpest_of(way):
    return np.linalg.norm(np.diff(way, n=2, axis=0), axis=1).max()


def test_a_root_that_lies_on_its_side_is_turned_upright_about_the_vertical():
    clip = under(actions.turn_left(60.0), "carrier", "between", tilt=TILT)
    below_stays(clip, under(actions.turn_left(60.0), "carrier", "between"), [0, 1, 2])
    made = verbs.apply(Root(smooth=0.0), [clip]).clip
    below_stays(made, clip, [0, 1])
    rotations = kinematics.world(made)[0]
    up = quat.rotate(rotations[:, 0], np.array([0.0, 1.0, 0.0]))
    assert_allclose(up, np.tile([0.0, 0.0, 1.0], (len(made), 1)), atol=1e-9)
    raw = root_motion.ground_frames(clip)[1] - root_motion.rest_heading(actions.turn_left(60.0).skeleton)
    assert_allclose(np.exp(1j * quat.yaw(quat.mul(rotations[:, 0], quat.inv(TILT)))), np.exp(1j * raw), atol=1e-9)


def test_the_object_carries_where_it_is_a_joint_and_the_root_bone_below_it_where_that_is_asked_for():
    clip = under(actions.turn_left(60.0), f"figure{OBJECT}", "carrier")
    on_object = verbs.apply(Root(onto="object"), [clip])
    assert on_object.report["root"]["joint"] == f"figure{OBJECT}"
    below_stays(on_object.clip, clip, [0, 1])
    assert np.ptp(root_way(on_object.clip, 0)[1]) > 1.0
    assert_allclose(on_object.clip.rotations[:, 1], clip.rotations[:, 1], atol=1e-12)
    on_root = verbs.apply(Root(), [on_object.clip])
    assert on_root.report["root"]["joint"] == "carrier"
    assert np.ptp(root_way(on_root.clip, 0)[0], axis=0).max() < 1e-12
    assert np.ptp(root_way(on_root.clip, 1)[1]) > 1.0
    below_stays(on_root.clip, clip, [0, 1])


@pytest.mark.parametrize("moving_space", [False, True])
def test_joints_that_do_not_inherit_all_stay_too(moving_space):
    clip = under(actions.turn_left(60.0), f"figure{OBJECT}" if moving_space else "carrier", "between")
    body = clip.skeleton
    turns, every = np.ones(len(body), dtype=bool), np.ones(len(body), dtype=bool)
    turns[[body.roles["head"], body.roles["thigh.L"], 2]] = False
    for scale in ("FULL", "NONE", "ALIGNED", "AVERAGE", "FIX_SHEAR"):
        rules = Inheritance(turns, (scale,) * len(body), every, quat.IDENTITY, moving_space)
        loose = replace(clip, skeleton=replace(body, inheritance=rules))
        made = verbs.apply(Root(onto="object" if moving_space else "root"), [loose]).clip
        below_stays(made, loose, [0, 1])
        assert np.ptp(root_way(made)[1]) > 1.0
        scales = np.ones((len(clip), len(body), 3))
        scales[:, 0], scales[:, 5] = 1.3, 0.9
        below_stays(verbs.apply(Root(), [replace(loose, scales=scales)]).clip, replace(loose, scales=scales), [0, 1])


def test_a_root_that_is_stretched_one_way_can_not_turn_below_a_body_that_stays():
    clip = under(actions.turn_left(60.0), "carrier")
    scales = np.ones((len(clip), len(clip.skeleton), 3))
    scales[:, 0, 0] = 1.5
    with pytest.raises(SkeletonError, match=r"from its place, since the joints above the hips are scaled unevenly"):
        verbs.apply(Root(), [replace(clip, scales=scales)])


@pytest.mark.parametrize(
    ("name", "bone"), [("RobotExpressive", "Bone"), ("boxman", "root"), ("godot_player", "MASTER")]
)
def test_on_characters(name, bone):
    body = material.character(name)
    still = np.tile(quat.IDENTITY, (2, len(body), 1))
    clip = verbs.apply(
        Retarget(), [Clip(name, body, 60.0, still, np.zeros((2, len(body), 3))), actions.turn_left(60.0)]
    ).clip
    for recipe in (Root(), Root(smooth=0.0, height=True), Root(onto="hips")):
        made = verbs.apply(recipe, [clip])
        below_stays(made.clip, clip, root_carrier.above_hips(clip))
    assert verbs.apply(Root(), [clip]).report["root"]["joint"] == bone


def test_what_can_not_be_done_is_said():
    walk = actions.walk(60.0, 2)
    with pytest.raises(
        SkeletonError, match=r"^walk: what should carry its travel is not above hips: add a bone and make it the parent"
    ):
        verbs.apply(Root(), [walk])
    with pytest.raises(SkeletonError, match=r"is not above hips"):
        verbs.apply(Root(), [under(walk, f"figure{OBJECT}")])
    with pytest.raises(SkeletonError, match=r"is not above hips.*put it onto the object"):
        verbs.apply(Root(onto="object"), [under(walk, "carrier")])
    with pytest.raises(ClipError, match="takes 1 clip; 2 given"):
        verbs.apply(Root(), [walk, walk])
    same = verbs.apply(Root(onto="hips"), [walk])
    assert same.report["notes"] == ["walk: nothing needed changing"]
    assert same.clip.rotations is walk.rotations
    one = verbs.apply(Root(), [under(walk, "carrier").cut(0, 1)])
    assert one.report["root"]["acceleration_m_s2"] == [None, None]
