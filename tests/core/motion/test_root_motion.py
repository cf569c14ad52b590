"""Headings, ground steps and their sums, and turned and moved clips."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.motion import kinematics, quat, root_motion
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines


def random_walk(rng, frames=200, sharpest=1.0):
    facing = np.cumsum(rng.uniform(-sharpest, sharpest, size=frames))
    return np.cumsum(rng.normal(size=(frames, 2)), axis=0), facing


@pytest.mark.parametrize("sharpest", [0.0, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4, 1.0, 3.0])
def test_integrating_the_steps_of_a_walk_gives_the_walk(rng, sharpest):
    ground, facing = random_walk(rng, sharpest=sharpest)
    again, turned = root_motion.integrate(root_motion.increments(ground, facing), ground[0], facing[0])
    assert_allclose(again, ground, rtol=0.0, atol=1e-10)
    assert_allclose(turned, facing, rtol=0.0, atol=1e-10)


@given(steps=st.lists(st.tuples(*[st.floats(-2.0, 2.0)] * 3), min_size=1, max_size=20), facing=st.floats(-9.0, 9.0))
def test_the_steps_of_an_integrated_walk_are_the_steps(steps, facing):
    ground, turned = root_motion.integrate(np.array(steps), np.array([3.0, -1.0]), facing)
    assert_allclose(root_motion.increments(ground, turned), steps, rtol=0.0, atol=1e-7)


def test_equal_steps_walk_a_circle():
    ground, facing = root_motion.integrate(np.tile([1.0, 0.0, 0.1], (63, 1)), np.zeros(2), 0.5 * np.pi)
    centre = np.array([-10.0, 0.0])
    assert_allclose(np.linalg.norm(ground - centre, axis=1), 10.0, atol=1e-12)
    assert_allclose(facing[-1] - facing[0], 6.3)


def test_steps_do_not_depend_on_where_a_walk_starts_and_heads(rng):
    ground, facing = random_walk(rng)
    turn = np.array([[np.cos(2.0), -np.sin(2.0)], [np.sin(2.0), np.cos(2.0)]])
    steps = root_motion.increments(ground @ turn.T + 7.0, facing + 2.0)
    assert_allclose(steps, root_motion.increments(ground, facing), atol=1e-12)


def test_a_left_and_a_right_turn_average_to_a_straight_walk():
    left = np.tile([1.0, 0.0, 0.03], (100, 1))
    right = np.tile([1.0, 0.0, -0.03], (100, 1))
    ground, facing = root_motion.integrate(0.5 * (left + right), np.zeros(2), 0.0)
    assert_allclose(ground, np.column_stack([np.arange(101.0), np.zeros(101)]), atol=1e-12)
    assert_array_equal(facing, 0.0)


def test_a_walk_of_one_frame_has_no_steps():
    steps = root_motion.increments(np.array([[2.0, 3.0]]), np.array([0.4]))
    assert steps.shape == (0, 3)
    ground, facing = root_motion.integrate(steps, np.array([2.0, 3.0]), 0.4)
    assert_array_equal(ground, [[2.0, 3.0]])
    assert_array_equal(facing, [0.4])


@pytest.mark.one_engine
@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.6, 12.0])
def test_smoothing_is_scipys_gaussian_away_from_the_ends(rng, sigma):
    ndimage = pytest.importorskip("scipy.ndimage")
    values = rng.normal(size=(300, 2, 3))
    reach = int(np.ceil(4.0 * sigma))
    expected = ndimage.gaussian_filter1d(values, sigma, axis=0, radius=reach)
    assert_allclose(root_motion.smooth(values, sigma)[reach:-reach], expected[reach:-reach], atol=1e-12)


@pytest.mark.one_engine
@pytest.mark.parametrize("sigma", [1.0, 2.6, 12.0])
def test_smoothing_continues_the_ends_by_turning_them_about_the_end(rng, sigma):
    ndimage = pytest.importorskip("scipy.ndimage")
    values = rng.normal(size=120)
    longer = np.pad(values, 100, mode="reflect", reflect_type="odd")
    expected = ndimage.gaussian_filter1d(longer, sigma, radius=int(np.ceil(4.0 * sigma)))[100:-100]
    assert_allclose(root_motion.smooth(values, sigma), expected, atol=1e-12)


@pytest.mark.parametrize("sigma", [0.3, 2.0, 30.0, 1000.0])
def test_smoothing_keeps_straight_lines_and_end_points(sigma, rng):
    line = np.linspace(-3.0, 5.0, 80)
    assert_allclose(root_motion.smooth(line, sigma), line, rtol=0.0, atol=1e-12)
    values = rng.normal(size=80)
    assert_allclose(root_motion.smooth(values, sigma)[[0, -1]], values[[0, -1]], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_clip_of_few_frames_can_be_smoothed(frames, rng):
    values = rng.normal(size=(frames, 2))
    smooth = root_motion.smooth(values, 5.0)
    assert smooth.shape == values.shape
    assert_allclose(smooth[[0, -1]], values[[0, -1]], rtol=0.0, atol=1e-12)


def test_no_smoothing_is_a_copy(rng):
    values = rng.normal(size=50)
    smooth = root_motion.smooth(values, 0.0)
    assert_array_equal(smooth, values)
    assert not np.shares_memory(smooth, values)


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5, 3.1])
def test_placing_a_clip_moves_every_point_rigidly(rng, turn):
    clip = material.random_clip(rng, material.random_skeleton(rng, roots=3))
    shift = np.array([4.0, -2.0])
    c, s = np.cos(turn), np.sin(turn)
    turned = kinematics.points(clip) @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T
    expected = turned + np.array([4.0, -2.0, 0.0])
    assert_allclose(kinematics.points(root_motion.place_clip(clip, turn, shift)), expected, atol=1e-12)


def test_placing_turns_the_joints_as_well(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng, roots=2))
    before, _ = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    placed = root_motion.place_clip(clip, 0.7, np.zeros(2))
    after, _ = kinematics.forward(placed.skeleton, placed.rotations, placed.translations)
    expected = quat.mul(quat.about_axis("Z", np.array(0.7)), before)
    assert_allclose(quat.same_side(after, expected), expected, atol=1e-12)


@pytest.mark.parametrize("turn", [0.0, 0.8, -2.0])
def test_a_walker_faces_where_it_goes(turn):
    clip = material.walk(seconds=4.0, turn=turn)
    expected = turn * np.arange(len(clip)) / clip.rate
    assert_allclose(root_motion.heading(clip), expected, atol=1e-9)


def test_the_heading_turns_with_the_clip_and_does_not_wrap():
    clip = material.walk(seconds=10.0, turn=1.5)
    turned = root_motion.place_clip(clip, 2.0, np.array([1.0, 5.0]))
    difference = root_motion.heading(turned) - root_motion.heading(clip)
    assert np.ptp(difference) < 1e-9
    assert_allclose(np.exp(1j * difference[0]), np.exp(2.0j), atol=1e-9)
    assert np.abs(np.diff(root_motion.heading(turned))).max() < 0.1


def test_a_body_without_legs_faces_where_its_travelling_joint_does(rng):
    figure = material.figure()
    clip = material.walk(turn=0.9)
    # Only the hips are known, so only their turn from the rest pose is left.
    nameless = replace(figure, names=tuple(f"bone{k}" for k in range(len(figure))), roles={"hips": 0})
    heading = root_motion.heading(replace(clip, skeleton=nameless))
    assert_allclose(heading, root_motion.heading(clip), atol=1e-9)
    turned_rest = replace(nameless, orients=material.rotations(rng, len(figure)))
    world = quat.about_axis("Z", 0.9 * np.arange(len(clip)) / clip.rate)
    orient = turned_rest.orients[0]
    rotations = clip.rotations.copy()
    rotations[:, 0] = quat.mul(quat.inv(orient), quat.mul(world, orient))
    again = root_motion.heading(replace(clip, skeleton=turned_rest, rotations=rotations))
    assert_allclose(again, heading, atol=1e-9)


def test_the_hips_travel_where_they_are_known():
    assert root_motion.travelling_joint(material.figure()) == 0
    with_root = replace(material.figure(), roles={"hips": 3})
    assert root_motion.travelling_joint(with_root) == 3


def test_the_length_of_a_path_is_the_sum_of_its_steps():
    assert root_motion.path_length(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])) == pytest.approx(9.0)
    assert root_motion.path_length(np.array([[1.0, 1.0]])) == 0.0
