"""The generated figure walks and sneaks as a body does."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.quality import contacts, quality
from numpy.testing import assert_allclose

GAITS = pytest.mark.parametrize("gait", [actions.walk, actions.sneak])
BALL, HEEL = 0.020, np.array([0.0, 0.060, -0.085])  # height of a standing foot's ball; heel from the ankle
CYCLE = {"walk": 32, "sneak": 66}  # frames at 30 a second


def posed(clip):
    return kinematics.forward(clip.skeleton, clip.rotations, clip.translations)


def accelerations(clip):
    """Return the angular acceleration of each joint, radians/s²."""
    turns = quat.log(quat.mul(quat.inv(clip.rotations[:-1]), clip.rotations[1:]))
    return np.linalg.norm(np.diff(turns, axis=0), axis=-1) * clip.rate**2


@GAITS
@pytest.mark.parametrize(("rate", "turn"), [(30.0, 0.0), (60.0, 0.0), (120.0, 0.0), (30.0, 0.8), (30.0, -1.5)])
def test_standing_feet_do_not_slide(gait, rate, turn):
    clip = gait(rate, turn=turn)
    assert quality.measure(clip)["slide_cm_s"] < 0.5
    for flags in contacts.detect(clip).values():
        assert 0.55 < flags.mean() < 0.75


@GAITS
@pytest.mark.parametrize("options", [{}, {"turn": 0.7}, {"step": 0.85}, {"speed": 0.9, "turn": -2.0}])
def test_the_ball_of_a_foot_that_is_down_does_not_move_at_all_and_nothing_goes_underground(gait, options):
    clip = gait(**options)
    for ball in contacts.feet(clip).values():
        down = ball[:, 2] < BALL + 1e-9
        steps = np.linalg.norm(np.diff(ball, axis=0), axis=1)
        assert down.mean() > 0.45
        assert steps[down[1:] & down[:-1]].max() < 1e-9
    rotations, places = posed(clip)
    feet = [clip.skeleton.roles[f"foot.{side}"] for side in "LR"]
    heels = places[:, feet] + quat.rotate(rotations[:, feet], HEEL)
    assert heels[..., 2].min() > -1e-3
    assert kinematics.points(clip)[..., 2].min() > -1e-3


@GAITS
def test_a_cycle_repeats(gait):
    clip = gait()
    frames = CYCLE[clip.name]
    assert len(clip) == 3 * frames + 1
    assert_allclose(clip.rotations[frames:], clip.rotations[:-frames], atol=1e-9)
    travelled = clip.translations[frames:] - clip.translations[:-frames]
    assert_allclose(travelled, np.broadcast_to(travelled[0], travelled.shape), atol=1e-9)
    assert_allclose(travelled[0, 0, [0, 2]], 0.0, atol=1e-9)
    assert not clip.translations[:, 1:].any()


@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0])
def test_a_walk_is_faster_than_a_sneak_and_each_as_fast_as_asked(rate):
    def speed(clip):
        return -np.subtract(*clip.translations[[-1, 0], 0, 1]) / clip.seconds

    assert speed(actions.walk(rate)) == pytest.approx(1.3)
    assert speed(actions.sneak(rate)) == pytest.approx(0.55)
    assert speed(actions.walk(rate, 2, speed=1.0, step=0.6)) == pytest.approx(1.0)


@pytest.mark.parametrize(("gait", "leading", "other"), [(actions.walk, "L", "R"), (actions.sneak, "R", "L")])
def test_it_starts_where_the_heel_of_its_leading_foot_strikes(gait, leading, other):
    clip = gait()
    ball = contacts.feet(clip)
    assert ball[leading][0, 1] < ball[other][0, 1] - 0.4
    assert ball[leading][0, 2] > 0.06
    assert ball[leading][round(0.1 * CYCLE[clip.name]), 2] == pytest.approx(BALL)


@GAITS
@pytest.mark.parametrize("turn", [0.6, -1.1])
def test_each_cycle_turns_by_what_was_asked(gait, turn):
    clip = gait(turn=turn)
    frames = CYCLE[clip.name]
    heading = root_motion.raw_heading(clip.skeleton, *posed(clip))
    assert_allclose(heading[frames:] - heading[:-frames], turn, atol=1e-9)
    assert_allclose(clip.rotations[frames:, 1:], clip.rotations[:-frames, 1:], atol=1e-9)


@GAITS
def test_knees_bend_forward_and_joints_move_without_jumps(gait):
    clip = gait(120.0)
    knees = [clip.skeleton.roles[f"shin.{side}"] for side in "LR"]
    bend = np.degrees(quat.log(clip.rotations[:, knees]))
    assert_allclose(bend[..., 1:], 0.0, atol=1e-9)
    assert 0.0 < bend[..., 0].min() < bend[..., 0].max() < 120.0
    sharpest = accelerations(clip).max(axis=0)
    assert (sharpest <= 5.0 * np.sqrt((accelerations(clip) ** 2).mean(axis=0)) + 1e-6).all()
    # A jump in an angle or its speed would grow with the rate.
    assert (accelerations(gait(480.0)).max(axis=0) < 1.2 * sharpest + 1e-6).all()


def test_long_steps_lower_the_hips_and_impossible_ones_are_refused():
    lowest = [actions.walk(step=step).translations[:, 0, 2].min() for step in (0.85, 0.69)]
    assert lowest[0] < lowest[1] - 0.02
    with pytest.raises(OptionError, match="too long"):
        actions.walk(step=1.6)
    with pytest.raises(OptionError, match="more than zero"):
        actions.sneak(speed=0.0)
