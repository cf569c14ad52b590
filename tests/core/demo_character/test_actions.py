"""The generated figure runs, carries, turns and waves: each action fits its name."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.quality import contacts
from numpy.testing import assert_allclose

BALL, HEEL = 0.020, np.array([0.0, 0.060, -0.085])  # height of a standing foot's ball; heel from the ankle
ACTIONS = pytest.mark.parametrize(
    "action",
    [actions.run, actions.carry, actions.turn_left, actions.turn_right, actions.wave],
    ids=lambda a: a.__name__,
)


def posed(clip):
    return kinematics.forward(clip.skeleton, clip.rotations, clip.translations)


def place(clip, role):
    return posed(clip)[1][:, clip.skeleton.roles[role]]


def down(clip):
    """Return whether the balls of feet (F, 2) are on the ground."""
    return np.stack([ball[:, 2] < BALL + 1e-9 for ball in contacts.feet(clip).values()], axis=1)


@ACTIONS
@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_a_foot_that_is_down_does_not_move_at_all_and_nothing_goes_underground(action, rate):
    clip = action(rate)
    assert clip.rate == rate
    for ball, stands in zip(contacts.feet(clip).values(), down(clip).T, strict=True):
        steps = np.linalg.norm(np.diff(ball, axis=0), axis=1)
        assert stands.mean() > 0.2
        assert steps[stands[1:] & stands[:-1]].max() < 1e-9
    assert kinematics.points(clip)[..., 2].min() > -4e-3


@ACTIONS
def test_joints_move_without_jumps(action):
    def sharpest(clip):
        turns = quat.log(quat.mul(quat.inv(clip.rotations[:-1]), clip.rotations[1:]))
        return np.linalg.norm(np.diff(turns, axis=0), axis=-1).max(axis=0) * clip.rate**2

    # A jump in an angle or its speed would grow with the rate.
    assert (sharpest(action(480.0)) < 1.25 * sharpest(action(120.0)) + 1e-6).all()


@pytest.mark.parametrize("action", [actions.run, actions.carry])
def test_cycles_repeat(action):
    clip = action(30.0, 2)
    frames = (len(clip) - 1) // 2
    assert_allclose(clip.rotations[frames:], clip.rotations[:-frames], atol=1e-9)
    travelled = clip.translations[frames:] - clip.translations[:-frames]
    assert_allclose(travelled, np.broadcast_to(travelled[0], travelled.shape), atol=1e-9)


def test_a_run_leaves_the_ground_twice_in_a_cycle_and_is_fast():
    clip = actions.run(100.0, 1)
    assert len(clip) == 73
    assert -clip.translations[-1, 0, 1] / clip.seconds == pytest.approx(3.2, abs=0.05)
    rotations, places = posed(clip)
    feet = [clip.skeleton.roles[f"foot.{side}"] for side in "LR"]
    heels = places[:, feet] + quat.rotate(rotations[:, feet], HEEL)
    flying = ~(down(clip) | (heels[..., 2] < 1e-3)).any(axis=1)
    assert 0.25 < flying.mean() < 0.5
    assert not down(clip).all(axis=1).any()
    assert len(contacts.runs(flying[:-1])) == 2
    # A runner is highest in the air, a walker over the standing leg.
    height = clip.translations[:, 0, 2]
    assert height[flying].mean() > height[~flying].mean() + 0.02
    with pytest.raises(OptionError, match="more than zero"):
        actions.run(0.0)


def test_arms_swing_in_a_walk_and_not_with_a_load():
    def swing(clip):
        hand, chest = (place(clip, role)[:, 1] for role in ("hand.L", "chest"))
        return np.ptp(hand - chest)

    assert swing(actions.walk()) > 0.3
    assert swing(actions.carry()) < 0.03


def test_a_load_is_held_before_a_trunk_that_leans_back():
    clip = actions.carry()
    hands = np.stack([place(clip, f"hand.{side}") for side in "LR"])
    chest, hips, neck = (place(clip, role) for role in ("chest", "hips", "neck"))
    assert (hands[..., 1] < chest[:, 1] - 0.2).all()
    assert (np.abs(hands[..., 2] - hips[:, 2] - 0.12) < 0.1).all()
    apart = np.linalg.norm(hands[0] - hands[1], axis=1)
    assert_allclose(apart, apart[0], atol=1e-9)
    assert (neck[:, 1] > chest[:, 1] + 0.01).all()
    assert actions.carry().seconds / 3 > actions.walk().seconds / 3


def test_turns_are_a_quarter_to_either_side():
    for action, sign in ((actions.turn_left, 1.0), (actions.turn_right, -1.0)):
        clip = action()
        heading = root_motion.raw_heading(clip.skeleton, *posed(clip))
        swaying = np.radians(8.0)
        assert abs(heading[-1] - heading[0] - sign * 0.5 * np.pi) < 2.0 * swaying
        track = clip.translations[:, 0, :2]
        out = np.diff(track, axis=0)[-1]
        assert out[0] * sign > 5.0 * abs(out[1])
        assert np.diff(track, axis=0)[0, 1] < -0.02


def test_a_body_leans_into_its_turn_and_looks_ahead():
    clip = actions.turn_left(60.0)
    rotations, places = posed(clip)
    roles = clip.skeleton.roles
    middle = slice(len(clip) * 4 // 10, len(clip) * 6 // 10)
    heading = root_motion.heading(clip)
    left = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    feet = 0.5 * (places[:, roles["foot.L"]] + places[:, roles["foot.R"]])
    inwards = ((places[:, roles["neck"]] - feet)[:, :2] * -left).sum(axis=1)
    assert np.abs(inwards[middle].mean()) > 0.12
    assert inwards[middle].mean() * inwards[:10].mean() < 0.0 or np.abs(inwards[:10].mean()) < 0.06
    looking = np.unwrap(quat.yaw(rotations[:, roles["head"]]))
    facing = np.unwrap(quat.yaw(rotations[:, roles["hips"]]))
    assert (looking - facing)[middle].mean() > np.radians(8.0)


def test_turns_are_mirror_images_that_start_on_different_feet():
    left, right = actions.turn_left(), actions.turn_right()
    sides = {"L": "R", "R": "L"}
    names = left.skeleton.names
    other = [names.index(n[:-1] + sides[n[-1]]) if n[-2:] in (".L", ".R") else k for k, n in enumerate(names)]
    _, here = posed(left)
    _, there = posed(right)
    assert_allclose(there[:, other], here * (-1.0, 1.0, 1.0), atol=1e-9)
    first = [min(contacts.feet(clip).items(), key=lambda item: item[1][0, 1])[0] for clip in (left, right)]
    assert first == ["R", "L"]


def test_a_wave_waves_the_right_hand_over_the_shoulder_and_the_feet_stay():
    clip = actions.wave(60.0)
    hand, head, other = (place(clip, role) for role in ("hand.R", "head", "hand.L"))
    up = hand[:, 2] > head[:, 2] + 0.05
    assert 0.35 < up.mean() < 0.7
    assert not up[:12].any()
    assert not up[-12:].any()
    swings = np.diff(np.sign(np.gradient(hand[up, 0])))
    assert 4 <= np.count_nonzero(swings) <= 9
    assert np.ptp(hand[up, 0]) > 0.15
    assert np.ptp(other, axis=0).max() < 0.12
    for role in ("foot.L", "foot.R", "toe.L", "toe.R"):
        assert np.ptp(place(clip, role), axis=0).max() < 1e-9
    assert place(clip, "hips")[:, 0].max() > 0.05
    assert_allclose(clip.rotations[0], clip.rotations[-1], atol=1e-9)
