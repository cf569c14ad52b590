"""Every verb's report lists the flights of its result, and tells those that fall worse than its sources'."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import root_motion
from action_loom.core.weight import compared
from oracles import jumps

LATER = 1.2  # times the duration of a flight


def moved_apart(clip, flight):
    """Return a recipe that makes a flight of a clip last longer."""
    first, last = flight.start * clip.rate, flight.end * clip.rate
    return verbs.MoveEvents(events=((first, first), (last, first + LATER * (last - first))))


@pytest.mark.shared
@pytest.mark.parametrize("name", jumps.JUMPS[:3])
def test_a_jump_that_a_verb_slowed_down_is_told_and_one_that_it_kept_is_not(name):
    clip = jumps.read(name)
    (flight,) = jumps.long_flights(clip)
    slowed = verbs.apply(moved_apart(clip, flight), [clip])
    told = [sentence for sentence in slowed.report["warnings"] if "try Weight" in sentence]
    assert len(told) == 1
    assert any(str(round(one["first"])) in told[0] and one["verdict"] == "off" for one in slowed.report["flights"])
    kept = verbs.apply(verbs.Filter(), [clip])
    assert not any("Weight" in sentence for sentence in kept.report["warnings"])
    assert [one["verdict"] for one in kept.report["flights"] if one["last"] - one["first"] > 0.3 * clip.rate] == [
        "fine"
    ]
    repaired = verbs.apply(verbs.Weight(), [slowed.clip]).clip
    assert compared.compare_flights(repaired, [clip])[1] == []


@pytest.mark.shared
def test_what_the_source_does_already_is_not_told_again():
    clip = jumps.read(jumps.JUMPS[0])
    slowed = jumps.retimed(clip, jumps.long_flights(clip)[0], LATER)
    made = verbs.apply(verbs.Filter(), [slowed])
    assert "off" in [one["verdict"] for one in made.report["flights"]]
    assert made.report["warnings"] == []
    assert len(compared.compare_flights(made.clip, [clip])[1]) == 1


@pytest.mark.shared
def test_flights_that_all_fall_too_fast_point_to_the_rate_unless_the_source_does():
    three = jumps.in_sequence([jumps.read(jumps.JUMPS[0])] * 3)
    faster = replace(three, rate=1.5 * three.rate)
    (told,) = compared.compare_flights(faster, [three])[1]
    assert "its rate or its unit may be wrong" in told
    assert compared.compare_flights(faster, [faster])[1] == []


def test_bodies_that_stand_have_no_flights_and_those_without_feet_none_that_are_known(small):
    walk = actions.walk()
    assert compared.known_flights(walk).flights == ()
    assert verbs.apply(verbs.Filter(), [walk]).report["flights"] == []
    assert compared.known_flights(bvh.to_clip(small)[0]) is None
    flying = jumps.resized(thrown(-5.0), 100.0)  # of an unknown unit
    assert compared.known_flights(flying) is None


def thrown(fall):
    """Return the demo figure that stands, and is thrown up at once with an acceleration for half a second."""
    seconds = np.clip(np.arange(200) / 100.0 - 0.8, 0.0, 0.5)
    still = replace(actions.walk().take_frames(np.zeros(200, dtype=np.int64)), rate=100.0)
    path = np.zeros((200, 3))
    path[:, 2] = -0.5 * fall * seconds * (0.5 - seconds)
    path[:, 1] = seconds
    return root_motion.place_clip(still, 0.0, path)
