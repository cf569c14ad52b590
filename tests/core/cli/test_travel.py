"""action-loom travel and in_place: input files, output files, and messages."""

import json

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics
from oracles import material


@pytest.fixture
def turning(tmp_path):
    """A walk round a corner."""
    return material.write(actions.turn_left(30.0), tmp_path / "corner.bvh")


def read(path):
    return bvh.to_clip(bvh.read(path))[0]


def test_travel_is_taken_off_and_given_back_by_the_report(run, turning, out):
    code, printed, err = run("in_place", turning, "-o", out / "still.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "m/s taken off" in printed
    rows = json.loads((out / "r.json").read_text(encoding="utf-8"))["way"]
    assert np.shape(rows) == (len(read(turning)), 3)
    assert run("travel", out / "still.bvh", "--way", out / "r.json", "-o", out / "back.bvh")[0] == 0
    back, given = (kinematics.points(read(path)) for path in (out / "back.bvh", turning))
    assert np.abs(back - given).max() < 1e-6


def test_a_walk_on_the_spot_is_said_and_given_travel_by_its_feet(run, tmp_path, out):
    walk = material.write(actions.walk(30.0, 3), tmp_path / "walk.bvh")
    run("in_place", walk, "-o", out / "still.bvh")
    code, printed, _ = run("info", out / "still.bvh", "--report", out / "i.json")
    assert code == 0
    assert "note: still walks on the spot, by its feet at 1.30 m/s (0.8 H/s): use Add Root Motion to move it" in printed
    assert json.loads((out / "i.json").read_text(encoding="utf-8"))["clips"][0]["in_place"] is True
    code, printed, _ = run("travel", out / "still.bvh", "-o", out / "goes.bvh")
    assert code == 0
    assert "1.30 m/s ahead" in printed
    assert "feet say L 1.30, R 1.30 m/s" in printed
    back, given = (kinematics.points(read(path)) for path in (out / "goes.bvh", walk))
    assert np.abs(back - given).max() < 0.002


def test_what_travels_is_handed_back_or_refused(run, turning, out):
    code, printed, _ = run("travel", turning, "-o", out / "same.bvh")
    assert code == 0
    assert "corner travels already, at 1.04 m/s: nothing was given" in printed
    code, _, err = run("travel", turning, "--speed", "2", "-o", out / "faster.bvh")
    assert code == 1
    assert err == "action-loom: corner travels already, at 1.04 m/s: take its travel off first (in_place)\n"
    (out / "none.json").write_text("{}", encoding="utf-8")
    code, _, err = run("travel", turning, "--way", out / "none.json", "-o", out / "way.bvh")
    assert code == 1
    assert "none.json: this is no report that has 'way'" in err
