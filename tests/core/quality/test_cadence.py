"""Steps a second, and doubts about a clip's rate."""

from dataclasses import replace

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.quality import cadence
from oracles.material import captured, random_clip, random_skeleton, some_captured_files


@pytest.mark.both_engines
def test_the_steps_of_a_figure_are_those_that_it_was_made_with():
    walk = actions.walk(cycles=5)  # 1.3 m/s, 0.69 m a step
    assert cadence.steps_a_second(walk) == pytest.approx(1.3 / 0.69 / 2.0, rel=0.05)
    assert cadence.doubt(walk) is None


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_07_01", "mb_05_01", "asf_16_15", "mb_08_04", "daz_02_01"])
def test_a_captured_walk_at_the_wrong_rate_is_noticed_and_its_own_is_guessed(name):
    walk = captured(f"cmu_{name}")
    assert cadence.doubt(walk) is None
    slow = replace(walk, rate=24.0)
    doubt = cadence.doubt(slow)
    assert doubt is not None
    assert doubt.startswith(("was it made at 90?", "was it made at 100?", "was it made at 120?"))
    assert cadence.doubt(replace(walk, rate=480.0)) is not None


@pytest.mark.shared
@pytest.mark.parametrize("file", [f.stem for f in some_captured_files("cmu")])
def test_captured_clips_at_their_own_rate_raise_no_doubt(file):
    assert cadence.doubt(captured(file)) is None


@pytest.mark.both_engines
def test_who_goes_nowhere_or_has_no_feet_raises_no_doubt(rng):
    assert cadence.doubt(replace(actions.wave(), rate=3.0)) is None
    assert cadence.doubt(random_clip(rng, random_skeleton(rng), 60)) is None
