"""A skeleton refuses parents that do not form a forest, and knows its own measures."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import quat
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines


def chain(parents, **fields):
    count = len(parents)
    values = {
        "names": tuple(f"joint{k}" for k in range(count)),
        "offsets": np.tile([0.0, 0.0, 1.0], (count, 1)),
        "orients": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        "tips": np.zeros((count, 3)),
    }
    return Skeleton(parents=np.array(parents, dtype=np.int64), **(values | fields))


@pytest.mark.parametrize("parents", [[0], [-1, 1], [-1, 2, 0], [1, -1], [-2], [-1, 0, 3, 2]])
def test_a_child_before_its_parent_or_in_a_circle_is_refused(parents):
    with pytest.raises(SkeletonError, match="Parents must come before their children"):
        chain(parents)


def test_two_joints_of_one_name_are_refused_by_name():
    with pytest.raises(SkeletonError, match="two joints named 'knee'"):
        chain([-1, 0, 1], names=("hip", "knee", "knee"))


def test_lengths_and_turns_are_floating_point_numbers():
    body = chain([-1, 0], offsets=np.ones((2, 3), dtype=bool), tips=np.ones((2, 3), dtype=np.int8))
    assert {body.offsets.dtype, body.tips.dtype, body.rest[1].dtype} == {np.dtype(float)}


def test_a_skeleton_without_joints_is_refused():
    with pytest.raises(SkeletonError, match="at least one joint"):
        chain([], offsets=np.empty((0, 3)), orients=np.empty((0, 4)), tips=np.empty((0, 3)))


@pytest.mark.parametrize("field", ["offsets", "orients", "tips"])
def test_arrays_of_another_shape_are_refused(field):
    with pytest.raises(SkeletonError, match="A skeleton of 3 joints got arrays of shapes"):
        chain([-1, 0, 1], **{field: np.zeros((2, 3))})


def test_several_roots_are_allowed():
    levels = chain([-1, 0, -1, 2, 3]).levels
    assert [level.tolist() for level in levels] == [[0, 2], [1, 3], [4]]


def test_a_joint_is_found_by_its_name():
    skeleton = chain([-1, 0])
    assert skeleton.index("joint1") == 1
    with pytest.raises(SkeletonError, match="no joint named 'elbow'"):
        skeleton.index("elbow")


def test_roles_come_from_the_names_unless_they_are_given():
    names = ("Hips", "Spine")
    assert chain([-1, 0], names=names).roles == {"hips": 0, "spine": 1, "chest": 1}
    assert chain([-1, 0], names=names, roles={"head": 1}).roles == {"head": 1}


def test_each_point_weighs_half_the_bones_that_meet_there():
    # hip –1– knee –2– foot, whose tip is 1 away; a second root is separate.
    tips = np.array([[0.0] * 3, [0.0] * 3, [0.0, 1.0, 0.0], [0.0] * 3])
    offsets = np.array([[9.0, 9.0, 9.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [5.0, 0.0, 0.0]])
    skeleton = chain([-1, 0, 1, -1], offsets=offsets, tips=tips)
    assert_array_equal(skeleton.tipped, [2])
    assert_allclose(skeleton.point_weights, np.array([0.5, 1.5, 1.5, 0.0, 0.5]) / 4.0)


def test_weights_add_up_to_one(rng):
    for roots in (1, 3):
        skeleton = material.random_skeleton(rng, roots=roots)
        assert skeleton.point_weights.sum() == pytest.approx(1.0)
        assert len(skeleton.point_weights) == 12 + len(skeleton.tipped)


def test_points_without_bones_weigh_alike():
    assert_allclose(chain([-1, -1, -1]).point_weights, 1.0 / 3.0)


def test_feet_that_hang_on_a_root_are_of_the_body():
    robot = material.character("RobotExpressive")
    outside = {name for name, of_body in zip(robot.names, robot.body, strict=True) if not of_body}
    assert outside == {"Bone", "Body", "PoleTarget.L", "PoleTarget.R"}
    weights, places = robot.point_weights, robot.rest[1]
    lengths = {
        name: np.linalg.norm(places[robot.index(f"{name}.L")] - places[robot.index(f"{above}.L")])
        for name, above in (("LowerLeg", "UpperLeg"), ("Foot", "LowerLeg"))
    }
    # A foot's bone begins at the end of the shin, whatever its parent is.
    share = weights[robot.index("Foot.L")] / lengths["Foot"]
    assert weights[robot.index("LowerLeg.L")] == pytest.approx(share * sum(lengths.values()))
    assert_array_equal(weights[[robot.index(name) for name in outside]], 0.0)
    assert not robot.below_hips[robot.index("Foot.L")]


def test_what_carries_the_hips_is_no_part_of_the_body():
    names = ("Root", "Chest", "Hips", "LeftHand")
    skeleton = chain([-1, 0, 1, 0], names=names, roles={"hips": 2, "chest": 1, "hand.L": 3})
    assert_array_equal(skeleton.body, [False, False, True, True])
    assert_array_equal(skeleton.bearers, [-1, -1, -1, 2])


@pytest.mark.parametrize("name", ["mannequiny", "RobotExpressive", "Fox", "boxman", "godot_player"])
def test_only_the_fox_stands_on_four_feet(name):
    assert material.character(name).four_footed == (name == "Fox")


def test_who_bends_down_or_lies_at_rest_does_not_stand_on_four_feet():
    figure = material.figure()
    assert not figure.four_footed
    for angle in np.radians([90.0, 70.0, -90.0]):
        orients = figure.orients.copy()
        orients[0] = quat.about_axis("X", angle)
        lying = replace(figure, orients=orients)
        assert np.ptp(lying.rest[1][:, 2]) < 0.7
        assert not lying.four_footed


def test_the_length_of_the_legs_is_the_mean_of_both():
    figure = material.figure()
    assert figure.leg_length == pytest.approx(0.82)
    offsets = figure.offsets.copy()
    offsets[figure.roles["foot.L"]] *= 0.5
    assert replace(figure, offsets=offsets).leg_length == pytest.approx(0.5 * (0.82 + 0.62))


def test_legs_that_are_folded_up_at_rest_tell_no_height():
    """Some rigs have legs of next to no length, and actions that scale them."""
    figure = material.figure()
    legs = [figure.roles[f"{role}.{side}"] for role in ("shin", "foot", "toe") for side in "LR"]
    offsets = figure.offsets.copy()
    offsets[legs] *= 0.01
    folded = replace(figure, offsets=offsets)
    assert 0.4 * figure.height < folded.height < 1.1 * figure.height


def test_height_is_told_by_the_legs_whatever_the_arms_do():
    figure = material.figure()
    assert figure.height == pytest.approx(0.82 / 0.49)
    assert material.figure(scale=2.0).height == pytest.approx(2.0 * figure.height)


def test_a_body_without_legs_is_as_tall_as_its_longest_chain():
    skeleton = chain([-1, 0, 1, 0], tips=np.array([[0.0] * 3] * 2 + [[0.0, 0.5, 0.0]] + [[0.0] * 3]))
    assert skeleton.leg_length == 0.0
    assert skeleton.height == pytest.approx(2.5)
