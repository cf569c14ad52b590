"""Clips are refused for their lengths exactly if no path can join them."""

import time

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import RegistrationError
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import distance, registration
from action_loom.core.sync.unlike_lengths import refuse_lengths

WALK = actions.walk(30.0, 30)


def long(count):
    return WALK.take_frames(np.arange(count) % (len(WALK) - 1))


@pytest.mark.parametrize("ends", ["pinned", "open", "auto"])
@pytest.mark.parametrize("slope", [0, 1, 4, -1])
@pytest.mark.parametrize("count", [6, 9, 12, 13, 17, 24, 36, 48, 71, 72, 73, 100])
def test_exactly_those_are_refused_that_no_path_joins(monkeypatch, ends, slope, count):
    clips, matching = [WALK.cut(0, count), WALK.cut(3, 9)], Matching(metric="motion", ends=ends, slope=slope)
    try:
        refuse_lengths(*clips, matching, cyclic=False)
        refused = False
    except RegistrationError as error:
        refused = True
        assert f"walk ({count} frames) and walk (6) can't be matched" in str(error)
    monkeypatch.setattr(registration, "refuse_lengths", lambda *_, **__: None)
    try:
        registration.register_pair(*clips, matching)
        assert not refused
    except RegistrationError:
        assert refused


def test_long_clips_are_counted_as_they_are_compared(monkeypatch):
    monkeypatch.setattr(distance, "MOST_CELLS", 2000)
    for count in range(100, 140):
        matching = Matching(metric="motion", ends="pinned", slope=2)
        clips = [WALK.cut(0, count), WALK.cut(0, 60)]
        try:
            registration.register_pair(*clips, matching)
            assert count <= 120
        except RegistrationError as error:
            assert "open the ends" in str(error)
            assert count >= 119


@pytest.mark.parametrize("ends", ["pinned", "open", "auto"])
def test_hours_are_refused_at_once(ends):
    clips, began = [long(200_000), WALK.cut(0, 200)], time.perf_counter()
    with pytest.raises(RegistrationError, match="a slope limit of 6: cut the longer one"):
        registration.register(clips, 0, Matching(ends=ends))
    assert time.perf_counter() - began < 1.0


def test_advice_is_what_the_option_takes():
    for count, slope, advice in (
        (40, 6, "open the ends, or set the limit to 7"),
        (200, 32, "a slope limit of 32: open the ends"),
    ):
        with pytest.raises(RegistrationError, match=advice):
            registration.register([WALK.cut(0, count), WALK.cut(0, 6)], 0, Matching(ends="pinned", slope=slope))
