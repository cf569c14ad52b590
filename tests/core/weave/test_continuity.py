"""Joints of a result do not jump for any sources: circling arms, turned heads, wheels and pirouettes."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import continuous_mean, quat
from action_loom.core.recipes.style import StyleOptions
from oracles import material, trials

WALK = actions.walk(cycles=2)
ARM, HEAD = WALK.skeleton.roles["upper_arm.L"], WALK.skeleton.roles["head"]


def turning(joint, axis, degrees, clip=WALK, name="turning"):
    """A clip in which a joint additionally turns evenly by some degrees in total."""
    turn = quat.about_axis(axis, np.radians(np.linspace(0.0, degrees, len(clip))))
    return material.turn_joint(clip, joint, turn, name=name, cyclic=False)


def held(joint, axis, degrees, name="held"):
    """A clip in which a joint has an additional constant turn in degrees."""
    turn = quat.about_axis(axis, np.radians([degrees]))
    return material.turn_joint(WALK, joint, turn, name=name, cyclic=False)


def swaying(joint, axis, low, high):
    """A clip in which a joint swings between two angles."""
    half = np.radians(0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.linspace(0.0, 4.0 * np.pi, len(WALK))))
    return material.turn_joint(WALK, joint, quat.about_axis(axis, half), name="swaying", cyclic=False)


def steps(clip):
    """Angles (F − 1, J), degrees, by which each joint turns from frame to frame."""
    turn = quat.mul(quat.inv(clip.rotations[:-1]), clip.rotations[1:])
    return np.degrees(np.linalg.norm(quat.log(turn), axis=-1))


CASES = {
    "arm circles": [turning(ARM, "X", 360.0), WALK],
    "arm circles thrice": [turning(ARM, "X", 1080.0), turning(ARM, "X", 360.0, name="once")],
    "head sways over half a turn": [swaying(HEAD, "Y", 150.0, 210.0), WALK],
    "head turned by 200 degrees": [held(HEAD, "Y", 200.0), turning(HEAD, "Y", 20.0, name="a little")],
    "opposite circles": [turning(ARM, "X", 360.0), turning(ARM, "X", -360.0, name="back")],
    "slanted": [turning(ARM, "X", 360.0), swaying(ARM, "Z", 0.0, 90.0)],
}
VERBS = {
    "blend": lambda clips: (verbs.Blend(), clips),
    "blend of three": lambda clips: (verbs.Blend(), [*clips, actions.sneak()]),
    "blend, weights by keys": lambda clips: (verbs.Blend(weight_keys=((0.0, 1.0, 0.0), (1.0, 0.0, 1.0))), clips),
    "connect": lambda clips: (verbs.Connect(), clips),
    "splice": lambda clips: (verbs.Splice(), clips[::-1]),
    "loop": lambda clips: (verbs.Loop(), clips[:1]),
    "filter": lambda clips: (verbs.Filter(), clips[:1]),
    "synchronise": lambda clips: (verbs.Synchronise(), clips),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("verb", VERBS)
def test_no_joint_steps_by_much_more_than_in_the_sources(case, verb):
    recipe, clips = VERBS[verb](CASES[case])
    result = verbs.apply(recipe, clips).clip
    most = np.max([steps(clip).max(axis=0) for clip in clips], axis=0)
    fade = (
        30.0 if verb.startswith("connect") else 2.0
    )  # clips half a turn different need such steps in a third of a second
    assert (steps(result).max(axis=0) <= 3.0 * most + fade).all()


def sources_of(recipe):
    """Clips for a recipe: an arm circles in the first one, and the head is turned by 200 degrees in the others."""
    clips = [actions.walk(30.0, 4), actions.turn_left(30.0), actions.wave(30.0)][: recipe.most or 2]
    if issubclass(recipe, StyleOptions):  # a style needs eight strides
        clips = [actions.walk(30.0, 5), actions.sneak(30.0, 5)]
    turned = quat.about_axis("Y", np.radians([200.0]))
    for k, clip in enumerate(clips[1:], 1):
        clips[k] = material.turn_joint(clip, HEAD, turned)
    return [turning(ARM, "X", 360.0, clips[0], clips[0].name), *clips[1:]]


SEAMS = ("connect", "follow", "walk", "shortest", "drive")  # play one clip after another
OPTIONS = {"shortest": {"leave": "walk:5", "reach": "turn left:40", "threshold": 0.1}}  # no walk is found by the usual
# The artist asks for these turns in a given time; the tests below hold them.
ASKED = {"key_poses": "the time between two poses", "reach": "the time to the target"}


def made_by(verb):
    recipe = verbs.VERBS[verb].recipe
    clips = sources_of(recipe)
    result = verbs.apply(recipe(**OPTIONS.get(verb, trials.examples().get(verb, {}))), clips)
    return clips, result, np.max([steps(clip).max(axis=0) for clip in clips], axis=0)


@pytest.mark.parametrize("verb", [k for k, row in verbs.VERBS.items() if row.makes == "clip" and k not in ASKED])
def test_no_verb_lets_a_joint_step_by_much_more_than_in_the_sources(verb):
    clips, result, most = made_by(verb)
    assert result.clip.rate == clips[0].rate
    over = steps(result.clip).max(axis=0) - 3.0 * most - (30.0 if verb in SEAMS else 2.0)
    assert over.max() <= 0.0, (WALK.skeleton.names[int(over.argmax())], over.max())
    assert not [warning for warning in result.report["warnings"] if "° in a frame" in warning]


def test_key_poses_turn_evenly_in_the_time_between_them_and_a_turn_either_way_is_told():
    _, result, most = made_by("key_poses")
    report = result.report["key_poses"]
    frames = np.diff([pose["last"] for pose in report["poses"]])
    asked = max(np.array(report["turns_degrees"]) / frames)
    assert (steps(result.clip).max(axis=0) <= 3.0 * most + 2.0 + 2.0 * asked).all()
    assert any("'head' turns by 160° from pose 9 to pose 10" in warning for warning in result.report["warnings"])


def test_a_reach_turns_evenly_in_its_time_and_a_fast_one_is_told():
    clips, result, most = made_by("reach")
    asked = np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(clips[0].rotations), result.clip.rotations)), axis=-1))
    frames = verbs.Reach().ease * result.clip.rate
    assert (steps(result.clip).max(axis=0) <= 3.0 * most + 2.0 + 2.0 * asked.max(axis=0) / frames).all()
    assert any("'hand.R' turns by 20° in a frame at frame 26" in warning for warning in result.report["warnings"])


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.8, 1.0])
def test_a_turn_that_does_not_come_back_is_shared(share):
    turn = turning(ARM, "Z", 300.0)
    mean = continuous_mean.mean_of_frames(
        [WALK.rotations, turn.rotations], np.tile([[1.0 - share], [share]], len(WALK))
    )
    gone = quat.mul(quat.inv(WALK.rotations[:, ARM]), mean[:, ARM])
    total = np.degrees(steps_of(gone).sum())
    assert total == pytest.approx(300.0 * share, abs=1e-6)


def steps_of(rotations):
    return np.linalg.norm(quat.log(quat.mul(quat.inv(rotations[:-1]), rotations[1:])), axis=-1)


def test_where_nothing_is_far_apart_the_mean_is_the_same_to_the_bit():
    sneak = actions.sneak()
    count = min(len(WALK), len(sneak))
    pair = [WALK.rotations[:count], sneak.rotations[:count]]
    weights = np.full((2, count), 0.5)
    assert np.array_equal(continuous_mean.mean_of_frames(pair, weights), quat.mean(pair, weights[..., None]))


def test_an_arm_that_circles_comes_back():
    half = np.full((2, len(WALK)), 0.5)
    mean = continuous_mean.mean_of_frames([turning(ARM, "X", 360.0).rotations, WALK.rotations], half)
    ends = quat.log(quat.mul(quat.inv(mean[0, ARM]), mean[-1, ARM]))
    assert np.degrees(np.linalg.norm(ends)) < 20.0
