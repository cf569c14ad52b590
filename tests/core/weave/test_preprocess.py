"""Preparation of clips: the frames used, and their positions in the original clip."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError
from action_loom.core.motion import resample
from action_loom.core.motion.clip import join_clips
from action_loom.core.motion.frame_map import FrameMap, LeftOut
from action_loom.core.recipes.matching import Matching
from action_loom.core.weave import preprocess
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

OPEN = Matching(ends="open")


def behind_a_jump(clip):
    """A clip that begins with a pose elsewhere."""
    pose = clip.cut(0, 1)
    return replace(
        join_clips([replace(pose, translations=pose.translations + np.array([3.0, 0.0, 0.0])), clip]), name="late"
    )


def test_frames_are_counted_as_in_the_clips_that_were_given():
    walk, sneak = actions.walk(30.0), resample.to_rate(behind_a_jump(actions.sneak(60.0)), 60.0)
    ready = preprocess.merge([walk, sneak], OPEN)
    assert ready.frame_maps == (FrameMap(), FrameMap(first=1, step=2.0))
    assert ready.left_out == (LeftOut("late", 1, 0, "calibration pose or jump"),)
    assert_allclose(ready.given_frames(1, np.array([0.0, 10.5])), [1.0, 22.0])
    frames = np.arange(0.0, len(ready.clips[1]), 7.0)
    given = ready.given_frames(1, frames).astype(int)
    assert_allclose(ready.clips[1].rotations[frames.astype(int), 3], sneak.rotations[given, 3], atol=1e-6)


def test_nothing_is_left_out_where_that_is_not_wanted():
    ready = preprocess.merge([actions.walk(30.0), behind_a_jump(actions.sneak(30.0))], Matching(trim=False))
    assert ready.left_out == ()
    assert ready.frame_maps == (FrameMap(), FrameMap())


def test_of_several_cycles_one_is_enough():
    walk, sneak = actions.walk(30.0, 3), actions.sneak(30.0, 1)
    ready = preprocess.merge([walk, sneak], Matching())
    assert [len(clip) - 1 for clip in ready.clips] == [(len(walk) - 1) // 3, len(sneak) - 1]
    assert all(clip.cyclic for clip in ready.clips)
    assert ready.left_out == (LeftOut("walk", 0, 2 * (len(walk) - 1) // 3, "one of its cycles is enough"),)
    assert preprocess.merge([walk, sneak], Matching(), cyclic=False).left_out == ()


def test_a_cycle_at_another_rate_keeps_its_ends():
    walk, sneak = actions.walk(30.0, 1), actions.sneak(24.0, 1)
    ready = preprocess.merge([walk, sneak], Matching())
    last = len(ready.clips[1]) - 1
    assert_allclose(ready.given_frames(1, np.array([0.0, last])), [0.0, len(sneak) - 1])


def test_what_was_made_to_repeat_but_does_not_close_is_told():
    cut = replace(actions.walk(30.0, 1).cut(0, 25), cyclic=True)
    ready = preprocess.merge([cut, actions.sneak(30.0)], Matching())
    ((name, gap),) = ready.unclosed
    assert name == "walk"
    assert gap > 0.1


def test_the_reference_is_the_one_that_is_asked_for_and_the_others_take_its_body_and_rate():
    clips = [actions.walk(30.0), actions.sneak(60.0)]
    ready = preprocess.merge(clips, Matching(reference="2", ends="open"))
    assert ready.reference == 1
    assert {clip.rate for clip in ready.clips} == {60.0}
    assert ready.frame_maps[0].step == 0.5
    with pytest.raises(ClipError, match="takes 2 or more clips; 1 given"):
        preprocess.merge(clips[:1], Matching())


def test_registered_clips_measure_the_stretch_that_all_have():
    registered = preprocess.register([actions.walk(30.0), actions.sneak(30.0)], OPEN)
    assert len(registered.quality) == 2
    grid = registered.registration.grid
    assert registered.quality[0]["seconds"] == pytest.approx((grid[-1] - grid[0]) / 30.0, abs=0.05)
    assert registered.quality is registered.quality
