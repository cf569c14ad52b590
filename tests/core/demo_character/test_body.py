"""The body of the generated figure: its rest pose, and limbs that reach their targets."""

import numpy as np
import pytest
from action_loom.core.demo_character import body
from action_loom.core.motion import quat
from numpy.testing import assert_allclose


def test_every_joint_has_a_role():
    skeleton = body.skeleton()
    paired = {"clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"}
    expected = {"hips", "spine", "chest", "neck", "head"} | {f"{role}.{side}" for role in paired for side in "LR"}
    assert set(skeleton.roles) == expected
    assert {skeleton.names[joint] for joint in skeleton.roles.values()} == expected
    assert skeleton.height == pytest.approx(1.72, abs=0.01)


def test_at_rest_it_stands_on_the_ground_with_its_left_at_x_and_its_toes_at_minus_y():
    skeleton = body.skeleton()
    rotations, places = skeleton.rest
    tips = places[skeleton.tipped] + quat.rotate(rotations[skeleton.tipped], skeleton.tips[skeleton.tipped])
    assert_allclose(tips[:, 2].min(), 0.0, atol=1e-12)
    assert_allclose(tips[:, 2].max(), 1.72, atol=1e-12)
    left, right = ([skeleton.index(n[:-1] + side) for n in skeleton.names if n.endswith(".L")] for side in "LR")
    assert (places[left, 0] > 0.0).all()
    assert_allclose(places[left] * (-1.0, 1.0, 1.0), places[right], atol=1e-12)
    assert (places[skeleton.roles["toe.L"]] < places[skeleton.roles["foot.L"]])[1:].all()


def test_a_leg_reaches_any_ankle_in_reach():
    upper, lower = np.array([0.0, -0.010, -0.42]), np.array([0.0, 0.025, -0.42])
    rng = np.random.default_rng(0)
    hips, ways = rng.normal(size=(2, 500, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    ankles = hips + ways * rng.uniform(0.1, 0.83, size=(500, 1))
    across = np.cross(ways, rng.normal(size=(500, 3)))
    thigh, shin = body.two_bones(hips, ankles, across, upper, lower)
    knees = hips + quat.rotate(thigh, upper)
    assert_allclose(knees + quat.rotate(shin, lower), ankles, atol=1e-9)
    assert_allclose(np.linalg.norm(quat.rotate(shin, lower), axis=1), np.linalg.norm(lower))
    ahead = np.cross(ways, across)
    assert (((knees - hips) * ahead).sum(axis=1) > 0.0).all()


def test_a_leg_that_is_too_short_points_at_the_ankle():
    bone = np.array([0.0, 0.0, -0.4])
    ankle = np.array([[0.0, -0.6, -0.8]])
    thigh, shin = body.two_bones(np.zeros((1, 3)), ankle, np.array([[1.0, 0.0, 0.0]]), bone, bone)
    end = quat.rotate(thigh, bone) + quat.rotate(shin, bone)
    assert_allclose(end, 0.8 * ankle, atol=1e-9)


def test_arms_reach_what_they_are_told_to_with_their_elbows_where_they_are_told():
    skeleton = body.skeleton()
    wrists = body.MIRROR * (0.2, -0.3, 0.0)
    still = body.reaching(skeleton, wrists, body.MIRROR * (1.0, 0.0, -0.2))
    shoulders = skeleton.offsets[skeleton.roles["clavicle.L"]] + skeleton.offsets[skeleton.roles["upper_arm.L"]]
    elbow = shoulders + quat.rotate(still["upper_arm"][0], skeleton.offsets[skeleton.roles["forearm.L"]])
    wrist = elbow + quat.rotate(still["forearm"][0], skeleton.offsets[skeleton.roles["hand.L"]])
    assert_allclose(wrist, wrists[0], atol=1e-9)
    assert elbow[0] > 0.5 * (shoulders + wrist)[0] + 0.05
    assert_allclose(still["upper_arm"][1] * (1.0, 1.0, -1.0, -1.0), still["upper_arm"][0], atol=1e-9)
