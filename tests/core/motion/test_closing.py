"""Detection of clips that are one cycle, by their ends: known answers, and characters' own clips."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import closing, quat, resample, root_motion
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines


def cut(clip, frames):
    return replace(clip.cut(0, frames), cyclic=False)


@pytest.mark.parametrize("make", [actions.walk, actions.run])
@pytest.mark.parametrize("turn", [0.0, 2.0])
def test_a_cycle_with_its_closing_frame_is_closed_wherever_it_goes(make, turn):
    clip = replace(make(30.0, 1), cyclic=False)
    moved = root_motion.place_clip(clip, turn, np.array([3.0, -2.0]))
    found = closing.of(moved)
    assert (found.kind, found.missing) == (closing.EXACT, 0)
    assert found.gap < 1e-6


@pytest.mark.parametrize("make", [actions.walk, actions.run])
def test_a_cycle_without_its_closing_frame_lacks_one(make):
    clip = make(30.0, 1)
    found = closing.of(cut(clip, len(clip) - 1))
    assert (found.kind, found.missing) == (closing.MISSING_KEY, 1)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_a_part_of_a_cycle_is_none(share):
    clip = actions.walk(30.0, 1)
    assert closing.of(cut(clip, round(share * len(clip)))).kind == ""


def test_a_pose_that_is_held_is_no_cycle():
    clip = actions.walk(30.0, 1)
    assert closing.of(clip.take_frames(np.zeros(20, dtype=np.int64))).kind == ""
    assert closing.of(clip.cut(0, 1)).kind == ""
    assert closing.of(clip.cut(0, 2)).kind == ""


def test_a_cycle_that_does_not_quite_meet_has_a_small_gap():
    clip = actions.walk(30.0, 1)
    drift = np.linspace(0.0, 1.0, len(clip))[:, None] * 0.002 * clip.skeleton.height
    places = clip.translations.copy()
    places[:, clip.skeleton.roles["head"]] += drift
    assert closing.of(replace(clip, translations=places, cyclic=False)).kind == closing.GAP


@pytest.mark.parametrize("make", [actions.walk, actions.run, actions.sneak])
@pytest.mark.parametrize("rate", [29.97, 48.0])
def test_a_cycle_that_ends_between_two_frames_lacks_a_part_of_one(make, rate):
    cycle = make(30.0, 1)
    clip = replace(resample.to_rate(cycle, rate), cyclic=False)
    missing, truth = closing.of(clip).missing, cycle.seconds * rate - (len(clip) - 1)
    due = closing.overdue(clip, missing)
    assert due == missing or abs(due - truth) < 0.1
    assert due != missing or abs(missing - truth) < 0.2001  # smaller differences are not detected


@pytest.mark.parametrize("make", [actions.walk, actions.run, actions.sneak])
def test_a_whole_key_that_is_missing_is_one(make):
    clip = make(30.0, 1)
    assert closing.overdue(cut(clip, len(clip) - 1), 1) == 1.0


def test_an_arm_that_ends_elsewhere_is_not_explained_by_time():
    clip = actions.walk(30.0, 1)
    arm = clip.skeleton.roles["upper_arm.L"]
    drift = quat.about_axis("X", np.linspace(0.0, 0.06, len(clip)))
    gone = material.turn_joint(clip, arm, drift, cyclic=False)
    assert closing.of(gone).kind == closing.GAP
    assert closing.overdue(gone, 0) == 0.0


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_02_01", "mb_16_15", "mb_05_11", "daz_13_11", "mb_49_04"])
def test_captures_end_anywhere(name):
    assert closing.of(captured(f"cmu_{name}")).kind == ""
