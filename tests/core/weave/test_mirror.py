"""Mirror, the verb: the place of the image, mirrored channels, and loops in step with their images."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError
from action_loom.core.motion import cycles, kinematics, mirror, root_motion
from action_loom.core.motion.clip import Channel
from action_loom.core.quality import contacts
from action_loom.core.verbs import InPlace, Loop, Mirror, Synchronise, Travel
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import assert_same_clip as same

pytestmark = pytest.mark.both_engines

CAPTURED = ["cmu_daz_09_12", "cmu_mb_49_06"]  # the last is held out


def start_of(clip):
    return root_motion.ground_frames(clip)[0][0], root_motion.heading(clip)[0]


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("keep_start", [True, False])
@pytest.mark.parametrize("name", CAPTURED)
def test_twice_is_the_clip_again(name, keep_start):
    clip = material.captured(name)
    recipe = Mirror(keep_start=keep_start)
    made = verbs.apply(recipe, [clip])
    same(verbs.apply(recipe, [made.clip]).clip, clip)
    assert made.clip.name == f"{clip.name} mirrored"
    assert made.before is clip


def test_it_begins_where_the_clip_begins_facing_as_it_does_and_goes_to_the_other_side():
    clip = root_motion.place_clip(actions.turn_left(60.0), 0.7, np.array([3.0, -1.0]))
    made = verbs.apply(Mirror(), [clip]).clip
    for one, other in zip(start_of(made), start_of(clip), strict=True):
        assert_allclose(one, other, atol=1e-9)
    turned = [np.subtract(*root_motion.heading(one)[[-1, 0]]) for one in (clip, made)]
    assert turned[0] > 1.0
    assert_allclose(turned[1], -turned[0], atol=1e-6)


def test_reflected_in_the_rest_pose_it_is_the_plain_image():
    clip = actions.wave(30.0)
    same(verbs.apply(Mirror(keep_start=False), [clip]).clip, mirror.mirror_clip(clip), atol=0.0)


def test_contacts_change_sides():
    clip = actions.walk(60.0, 3)
    made = verbs.apply(Mirror(), [clip]).clip
    before, after = contacts.detect(clip), contacts.detect(made)
    assert_array_equal(after["L"], before["R"])
    assert_array_equal(after["R"], before["L"])


def test_half_a_cycle_later_the_image_of_a_walk_is_in_step_with_it():
    """The generated walk is its own image half a cycle later."""
    cycle = verbs.apply(Loop(plant_feet=False), [actions.walk(60.0, 4)]).clip
    even = cycles.sample(cycle, np.linspace(0.0, len(cycle) - 1.0, 61))  # a whole number of frames in half of it
    cycle = replace(even, cyclic=True)
    recipe = Mirror(half_cycle=True)
    made = verbs.apply(recipe, [cycle]).clip
    assert made.cyclic
    assert len(made) == len(cycle)
    off = np.abs(kinematics.points(made) - kinematics.points(cycle)).max()
    plain = np.abs(kinematics.points(verbs.apply(Mirror(), [cycle]).clip) - kinematics.points(cycle)).max()
    assert off < 0.1 * plain
    same(verbs.apply(recipe, [made]).clip, cycle, atol=1e-6)


def test_what_does_not_repeat_has_no_half_a_cycle():
    with pytest.raises(
        ClipError, match="turn left does not repeat, so it has no half a cycle: close it with Loop first"
    ):
        verbs.apply(Mirror(half_cycle=True), [actions.turn_left(30.0)])


def test_a_way_that_was_taken_off_turns_to_the_other_side():
    clip = actions.turn_left(60.0)
    still = verbs.apply(InPlace(), [clip]).clip
    again = verbs.apply(Travel(), [verbs.apply(Mirror(), [still]).clip]).clip
    same(again, verbs.apply(Mirror(), [clip]).clip, atol=1e-6)


def test_channels_of_joints_go_to_the_other_side_and_others_stay():
    clip = actions.walk(30.0)
    left, right = (clip.skeleton.names[clip.skeleton.roles[f"hand.{side}"]] for side in "LR")
    values = np.arange(len(clip), dtype=float)
    channels = {
        f'pose.bones["{left}"]["fist"][0]': Channel(values),
        f'pose.bones["{right}"]["fist"][0]': Channel(-values),
        f'pose.bones["{left}"]["ring"][0]': Channel(2.0 * values),  # the other hand has none
        '["mood"][0]': Channel(3.0 * values, discrete=True),
    }
    made = verbs.apply(Mirror(), [replace(clip, channels=channels)]).clip.channels
    assert_array_equal(made[f'pose.bones["{left}"]["fist"][0]'].values, -values)
    assert_array_equal(made[f'pose.bones["{right}"]["fist"][0]'].values, values)
    assert_array_equal(made[f'pose.bones["{left}"]["ring"][0]'].values, 2.0 * values)
    assert_array_equal(made['["mood"][0]'].values, 3.0 * values)
    assert made['["mood"][0]'].discrete


@pytest.mark.one_engine
def test_the_report_names_joints_without_a_partner():
    report = verbs.apply(Mirror(), [actions.walk(30.0)]).report
    assert report["mirror"]["pairs"] >= 8
    assert "hips" in report["mirror"]["alone"]
    assert report["warnings"] == []


@pytest.mark.shared
def test_a_captured_left_turn_is_like_a_right_turn_in_the_mirror():
    """Two takes of one person: 16_17 is a quarter turn to the left, 16_19 (held out) one to the right."""
    left, right = (material.captured(f"cmu_asf_{take}") for take in ("16_17", "16_19"))
    seen = verbs.apply(Mirror(), [left]).clip
    turned = [float(np.degrees(np.subtract(*root_motion.heading(one)[[-1, 0]]))) for one in (left, seen, right)]
    assert turned[1] == pytest.approx(-turned[0], abs=0.1)
    assert turned[1] == pytest.approx(turned[2], abs=10.0)
    costs = [verbs.apply(Synchronise(), [right, one]).report["registration"][0]["cost"] for one in (left, seen)]
    assert costs[1] < 0.85 * costs[0]
