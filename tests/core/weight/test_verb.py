"""The verb: its report, its figures, and the clips it leaves unchanged."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from oracles import jumps


def test_a_walk_has_no_flights_and_stays_as_it_is():
    walk = actions.walk()
    made = verbs.apply(verbs.Weight(), [walk])
    assert (made.clip.rotations == walk.rotations).all()
    assert made.report["weight"] == {"flights": [], "repairs": [], "spins": [], "stances": []}
    assert verbs.Weight().figures(made.report) == ["  0 flights, 0 of them off"]


@pytest.mark.shared
def test_the_report_lists_each_flight_with_its_fall_and_its_repair():
    clip = jumps.read("cmu_asf_16_03")
    wrong = jumps.retimed(clip, jumps.long_flights(clip)[0], 1.3)
    made = verbs.apply(verbs.Weight(), [wrong])
    (flight,), (done,) = (made.report["weight"][key] for key in ("flights", "repairs"))
    assert (flight["verdict"], flight["first"], flight["last"]) == ("off", done["first"], done["last"])
    assert done["fall"] == pytest.approx([-6.2, -9.81], abs=0.2)
    assert done["raised_cm"] > 15.0
    assert [one["verdict"] for one in made.report["flights"]] == ["fine"]
    figures = verbs.Weight().figures(made.report)
    assert figures[0] == "  1 flights, 1 of them off"
    assert "→ -9.8 m/s²" in figures[1]


@pytest.mark.shared
def test_another_duration_comes_with_its_time_curve():
    clip = jumps.read("cmu_asf_16_03")
    wrong = jumps.retimed(clip, jumps.long_flights(clip)[0], 1.3)
    made = verbs.apply(verbs.Weight(change="duration"), [wrong])
    assert len(made.clip) == len(wrong)
    played = made.curve.at(np.arange(len(wrong), dtype=float))
    assert (np.diff(played) > 0.0).all()
    assert made.report["weight"]["repairs"][0]["seconds"] == pytest.approx(0.525, abs=0.03)
