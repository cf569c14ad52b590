"""Clips prepared for a graph: one body, one rate, one floor, and unique names."""

from dataclasses import replace

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.graph import inputs
from action_loom.core.motion import kinematics, resample
from action_loom.core.motion.frame_map import FrameMap
from numpy.testing import assert_allclose
from oracles import slide

pytestmark = pytest.mark.both_engines


def test_clips_come_to_the_first_ones_body_rate_and_floor():
    walk = actions.walk(30.0, 3)
    other = resample.to_rate(inputs._lift(actions.run(60.0, 3), 0.5), 50.0)
    ready = inputs.gather([walk, other], images=False)
    assert ready.clips[1].rate == 30.0
    assert ready.clips[1].skeleton is walk.skeleton
    assert abs(slide.tread(ready.clips[1]) - slide.tread(ready.clips[0])) < 5e-3
    assert ready.frame_maps == (FrameMap(), FrameMap(step=50.0 / 30.0))


def test_equal_names_are_told_apart():
    ready = inputs.gather([actions.walk(30.0, 3), actions.walk(30.0, 4)], images=False)
    assert [clip.name for clip in ready.clips] == ["walk (1)", "walk (2)"]


def test_numbers_of_equal_names_are_ones_that_no_other_clip_has():
    names = ("walk", "walk", "walk (1)", "sneak")
    ready = inputs.gather([replace(actions.walk(30.0, 2), name=name) for name in names], images=False)
    assert [clip.name for clip in ready.clips] == ["walk (2)", "walk (3)", "walk (1)", "sneak"]


def test_images_come_after_the_clips_with_the_same_frames_and_labels():
    clips = [actions.walk(30.0, 3), resample.to_rate(actions.turn_left(30.0), 60.0)]
    ready = inputs.gather(clips, images=True, labels=("go", "turn"))
    assert (ready.given, len(ready.clips), ready.mirrored) == (2, 4, True)
    assert ready.labels == ("go", "turn", "go", "turn")
    assert ready.frame_maps == (FrameMap(), FrameMap(step=2.0)) * 2
    one, image = (kinematics.points(ready.clips[k])[:, 0] for k in (1, 3))
    assert_allclose(image * (-1.0, 1.0, 1.0), one, atol=1e-9)


def test_a_clip_can_be_left_out_again_with_its_image():
    clips = [actions.walk(30.0, 3), actions.sneak(30.0), actions.turn_left(30.0)]
    ready = inputs.gather(clips, images=True, labels=("a", "b", "c")).without({1: "not needed"})
    assert [clip.name for clip in ready.clips[: ready.given]] == ["walk", "turn left"]
    assert ready.labels == ("a", "c", "a", "c")
    assert len(ready.clips) == len(ready.frame_maps) == 4
    (left_out,) = ready.left_out
    assert (left_out.clip, left_out.last, left_out.why) == ("sneak", len(clips[1]), "not needed")
