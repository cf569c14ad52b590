"""Inverse kinematics of chains, two bones and cyclic coordinate descent, against known answers."""

import numpy as np
import pytest
from action_loom.core.edit import chain_ik
from action_loom.core.motion import quat
from numpy.testing import assert_allclose
from oracles import material

pytestmark = pytest.mark.both_engines
COUNT = 40


def bones(rng, flexion, one=0.42, other=0.4):
    """Return two bones in random directions, bent by `flexion` about an axis perpendicular to both, and that axis."""
    upper = np.array([0.0, 0.0, -one])
    lower = quat.rotate(quat.about_axis("X", flexion), np.array([0.0, 0.0, -other]))
    turn = material.rotations(rng, len(flexion))
    return tuple(quat.rotate(turn, np.broadcast_to(v, (len(flexion), 3))) for v in (upper, lower, (1.0, 0.0, 0.0)))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_two_bones_reach_what_can_be_reached_and_keep_their_side(side):
    rng = np.random.default_rng(5)
    upper, lower, axis = bones(rng, side * rng.uniform(0.2, 2.0, COUNT))
    reach = rng.normal(size=(COUNT, 3))
    reach *= rng.uniform(0.1, 0.8, (COUNT, 1)) / np.linalg.norm(reach, axis=1, keepdims=True)
    bend, swing = chain_ik.two_bones(upper, lower, reach, axis)
    bent = quat.rotate(bend, lower)
    assert_allclose(quat.rotate(swing, upper + bent), reach, atol=1e-12)
    assert (side * (np.cross(upper, bent) * axis).sum(axis=1) >= 0.0).all()


def test_the_law_of_cosines_tells_the_angle():
    """Bones of 3 and 4 form a right angle if the distance of their ends is 5."""
    upper, lower, axis = bones(np.random.default_rng(1), np.array([0.5]), 3.0, 4.0)
    bend, _ = chain_ik.two_bones(upper, lower, np.array([[5.0, 0.0, 0.0]]), axis)
    assert_allclose((upper * quat.rotate(bend, lower)).sum(), 0.0, atol=1e-12)


def test_two_bones_are_straight_or_folded_where_they_do_not_reach():
    upper, lower, axis = bones(np.random.default_rng(2), np.array([0.5, 0.5]))
    reach = np.array([[0.0, 2.0, 0.0], [0.0, 0.005, 0.0]])
    bend, swing = chain_ik.two_bones(upper, lower, reach, axis)
    found = np.linalg.norm(quat.rotate(swing, upper + quat.rotate(bend, lower)), axis=1)
    assert_allclose(found, [0.82, 0.02], atol=1e-9)


def chain(rng, joints=5, count=COUNT):
    offsets = rng.normal(size=(1, joints, 3)) * np.ones((count, 1, 1))
    frames = material.rotations(rng, 1, joints) * np.ones((count, 1, 1))
    return chain_ik.Chain(frames, offsets, rng.normal(size=(count, 3)), material.rotations(rng, count, joints))


def test_any_chain_reaches_where_one_of_its_poses_was():
    rng = np.random.default_rng(11)
    given = chain(rng)
    goals = given.pose(material.rotations(rng, COUNT, 5))[1][:, -1]
    found, away = chain_ik.reach_goals(given, goals, rounds=300)
    assert_allclose(given.pose(found)[1][:, -1], goals, atol=1e-4)
    assert away.max() < 1e-4
    assert_allclose(np.linalg.norm(found, axis=-1), 1.0, atol=1e-12)


def test_a_chain_that_is_there_already_is_not_touched():
    given = chain(np.random.default_rng(4))
    found, away = chain_ik.reach_goals(given, given.pose(given.rotations)[1][:, -1])
    assert np.array_equal(found, given.rotations)
    assert away.max() < 1e-12


def hinges(bound, joints=3):
    """Bones of length 1 along X that turn about Z alone, within bounds."""
    still = np.tile(quat.IDENTITY, (1, joints, 1))
    offsets = np.tile([1.0, 0.0, 0.0], (1, joints, 1))
    bent = np.tile(quat.about_axis("Z", 0.1), (1, joints, 1))
    limit = np.array([0.0, 0.0, bound[0]]), np.array([0.0, 0.0, bound[1]])
    return chain_ik.Chain(still, offsets, np.zeros((1, 3)), bent), [limit] * joints


def test_limits_are_kept_and_what_they_allow_is_reached():
    given, limits = hinges((0.0, np.pi / 2))
    angles = np.array([0.3, 0.8, 1.2])
    goal = given.pose(quat.about_axis("Z", angles)[None])[1][:, -1]
    found, away = chain_ik.reach_goals(given, goal, limits, rounds=400)
    assert away.max() < 1e-3
    turned = quat.to_euler(found, "XYZ")
    assert_allclose(turned[..., :2], 0.0, atol=1e-9)
    assert turned[..., 2].min() >= -1e-9
    assert turned[..., 2].max() <= np.pi / 2 + 1e-9


def test_what_limits_forbid_is_approached():
    """Three bones that may each bend by at most 30 degrees bend by 30 degrees towards a target behind them."""
    given, limits = hinges((0.0, np.radians(30.0)))
    found, away = chain_ik.reach_goals(given, np.array([[-3.0, 0.5, 0.0]]), limits, rounds=200)
    assert_allclose(quat.to_euler(found, "XYZ")[..., 2], np.radians(30.0), atol=1e-6)
    assert away[0] > 3.0


def test_each_pose_is_solved_for_itself():
    rng = np.random.default_rng(8)
    given = chain(rng, count=6)
    limits = [(np.full(3, -0.7), np.full(3, 0.9)), None, (np.full(3, -1.5), np.full(3, 1.5))]
    goals = rng.normal(size=(6, 3))
    together, _ = chain_ik.reach_goals(given, goals, limits, rounds=5)
    for k in range(6):
        one = chain_ik.Chain(*(getattr(given, name)[k : k + 1] for name in ("frames", "offsets", "root", "rotations")))
        alone, _ = chain_ik.reach_goals(one, goals[k : k + 1], limits, rounds=5)
        assert_allclose(together[k], alone[0], atol=1e-12)


def test_a_robots_arm_of_six_hinges_reaches_where_another_pose_of_it_was():
    """Each joint turns about one axis alone: waist, shoulder, elbow, and three of the wrist."""
    rng, axes = np.random.default_rng(17), (2, 0, 0, 2, 0, 2)
    offsets = np.tile([[0.0, 0.0, 0.3], [0.0, 0.0, 0.5], [0.0, 0.0, 0.45], *[[0.0, 0.0, 0.08]] * 3], (COUNT, 1, 1))
    still = np.tile(quat.IDENTITY, (COUNT, 6, 1))
    free = np.zeros((6, 3))
    free[range(6), axes] = np.radians(150.0)

    def posed(angles):
        turns = np.zeros((COUNT, 6, 3))
        turns[:, range(6), axes] = angles
        return quat.exp(turns)

    arm = chain_ik.Chain(still, offsets, np.zeros((COUNT, 3)), posed(rng.uniform(-0.5, 0.5, (COUNT, 6))))
    goals = arm.pose(posed(rng.uniform(-2.0, 2.0, (COUNT, 6))))[1][:, -1]
    found, away = chain_ik.reach_goals(arm, goals, [(-limit, limit) for limit in free], rounds=600)
    assert np.median(away) < 1e-5
    assert away.max() < 2e-3
    turned = quat.log(found)
    assert_allclose(
        turned[:, np.arange(6)[:, None], [[k for k in range(3) if k != axis] for axis in axes]], 0.0, atol=1e-7
    )
