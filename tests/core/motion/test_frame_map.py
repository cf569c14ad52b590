"""Frames of prepared clips as frames of the given clips, in both directions, and reports of left-out frames."""

import numpy as np
import pytest
from action_loom.core.motion import frame_map, resample, trim
from action_loom.core.motion.frame_map import FrameMap, LeftOut
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import material

pytestmark = pytest.mark.both_engines

maps = st.builds(FrameMap, st.integers(0, 500), st.floats(0.05, 20.0))


def test_without_anything_left_out_frames_stay_as_they_are():
    same = FrameMap()
    assert same.given(7.25) == 7.25
    assert (same.given_frame(7), same.prepared_frame(7)) == (7, 7)


def test_frames_are_counted_on_from_the_first_that_is_kept():
    one = FrameMap(first=12, step=4.0)
    assert one.given(2.5) == 22.0
    assert_allclose(one.given(np.array([[0.0, 1.0], [-0.5, 3.0]])), [[12.0, 16.0], [10.0, 24.0]])
    assert (one.given_frame(3), one.prepared_frame(24)) == (24, 3)


def test_whole_frames_are_the_nearest():
    third = FrameMap(first=5, step=1.0 / 3.0)
    assert [third.given_frame(frame) for frame in range(5)] == [5, 5, 6, 6, 6]
    assert FrameMap(step=2.5).prepared_frame(9) == 4
    assert type(third.given_frame(4)) is type(third.prepared_frame(6)) is int


@given(maps, st.integers(0, 100_000))
def test_a_whole_frame_comes_back_from_either_side_where_its_own_are_the_wider(one, frame):
    if one.step >= 1.0:
        assert one.prepared_frame(one.given_frame(frame)) == frame
    if one.step <= 1.0:
        assert one.given_frame(one.prepared_frame(one.first + frame)) == one.first + frame


@given(maps, st.integers(0, 100_000))
def test_whole_frames_are_within_half_of_one(one, frame):
    assert abs(one.given_frame(frame) - one.given(frame)) <= 0.5 + 1e-9
    assert abs(one.given(one.prepared_frame(one.first + frame)) - one.first - frame) <= 0.5 * one.step + 1e-6


def test_it_says_where_the_frames_of_a_clip_were_before_it_was_cut_and_resampled():
    clip = material.walk(2.0, rate=30.0)
    prepared = resample.to_rate(clip.cut(10, 55), 12.0)
    where = FrameMap(first=10, step=30.0 / 12.0)
    for frame in range(0, len(prepared) - 1):
        expected = resample.sample(clip, np.array([where.given(float(frame))]))
        assert_allclose(prepared.rotations[frame], expected.rotations[0], atol=1e-2)
        assert_allclose(prepared.translations[frame], expected.translations[0], atol=1e-2)


def test_a_trimmed_clip_knows_both():
    clip = material.walk(1.0)
    one = trim.Trimmed(clip.cut(4, 28), 4, len(clip) - 28)
    assert one.frame_map == FrameMap(first=4)
    assert one.left_out == [LeftOut("walk", 4, len(clip) - 28, "calibration pose or jump")]
    assert trim.Trimmed(clip).left_out == []
    assert trim.Trimmed(clip).frame_map == FrameMap()


def test_a_report_says_what_was_left_out_in_plain_values():
    message = frame_map.as_report(
        [LeftOut("walk", 3, 0, "a jump"), LeftOut("run", 0, 7, "one of its cycles is enough")]
    )
    assert message == [
        {"clip": "walk", "first": 3, "last": 0, "why": "a jump"},
        {"clip": "run", "first": 0, "last": 7, "why": "one of its cycles is enough"},
    ]
    assert frame_map.as_report([]) == []
