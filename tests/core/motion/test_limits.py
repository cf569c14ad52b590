"""Limits on the size of clips: a wrong frame time is reported before it takes all memory."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError
from action_loom.core.motion import limits, resample
from action_loom.core.verbs import BuildGraph, Loop, Synchronise, Walk


def test_a_frame_time_in_milliseconds_is_named_before_it_is_resampled():
    fast = actions.walk(120.0, 4)
    long = fast.take_frames(np.arange(1200) % len(fast))
    wrong = replace(long, name="wrong", rate=1.0 / 8.33)
    tracemalloc.start()
    with pytest.raises(ClipError, match=r"^wrong: a frame takes 8.33 s in it.*120 frames a second, if that is meant"):
        verbs.apply(Synchronise(), [fast, wrong])
    assert tracemalloc.get_traced_memory()[1] < 200e6
    tracemalloc.stop()


@pytest.mark.parametrize(("rate", "to"), [(24.0, 240.0), (30.0, 120.0), (8.0, 120.0), (120.0, 24.0)])
def test_usual_rates_are_nothing_to_complain_of(rate, to):
    clip = replace(actions.walk(30.0, 4), rate=rate)
    assert abs(resample.to_rate(clip, to).seconds - clip.seconds) < 1.0 / to


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (0.0, 1e6, r"^walk: its frames 0 to 1,000,000 are more than the 200,000 that can be read at once of 50"),
        (-1e30, 1e30, r"are more than the 200,000"),
        (float("nan"), 3.0, r"^walk: its frames nan to 3 are none; mend its keys or its frame range$"),
        (1.0, float("inf"), r"its frames 1 to inf are none"),
    ],
)
def test_what_can_t_be_read_at_once_is_refused_with_its_frames(first, last, message):
    with pytest.raises(ClipError, match=message):
        limits.check_reading("walk", first, last, 50)


def test_an_hour_of_a_body_can_be_read_at_once():
    limits.check_reading("walk", 1.0, 30.0 * 3600.0, 60)
    limits.check_reading("walk", 200.0, 1.0, 60)  # the reader reports a reversed range


def test_more_than_memory_holds_is_refused_by_name():
    clip = actions.walk(30.0, 4)
    many = limits.MOST_POSES // len(clip.skeleton) + 1
    with pytest.raises(ClipError, match=r"would have [0-9,]+ frames of"):
        limits.check_size(clip.name, many, len(clip.skeleton))
    limits.check_size(clip.name, many - 1, len(clip.skeleton))
    long = clip.take_frames(np.arange(6_000) % len(clip))
    with pytest.raises(ClipError, match="more than fit in memory"):
        verbs.apply(Loop(start=1, length=5_900, method="offset", repeat=1000, trim=False), [long])


def test_a_walk_of_ten_hours_is_refused_before_it_takes_memory():
    graph = verbs.apply(BuildGraph(mirror=False), [actions.walk(30.0, 3), actions.turn_left(30.0)])
    tracemalloc.start()
    with pytest.raises(ClipError, match=r"would have 1,080,001 frames of 21 joints, more than fit in memory"):
        verbs.apply(Walk(seconds=36_000.0), [], prepared=graph)
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()
