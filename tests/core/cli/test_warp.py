"""action-loom warp and move_events: input files, output files, and messages."""

import json

import pytest
from action_loom.core.demo_character import actions
from oracles import material


@pytest.fixture
def walk(tmp_path):
    return material.write(actions.walk(30.0, 3), tmp_path / "walk.bvh")


def test_poses_of_another_file_are_spread_and_the_reports_rows_give_them_again(run, walk, tmp_path, out):
    sneak = material.write(actions.sneak(30.0, 3), tmp_path / "sneak.bvh")
    flags = ("-o", out / "a.bvh", "--report", out / "r.json")
    code, printed, err = run("warp", walk, sneak, "--poses", "40 2 20; 60 2 33", "--reach", "0.3", *flags)
    assert (code, err) == (0, "")
    assert "through poses at 40, 60; joints turned by" in printed
    reported = json.loads((out / "r.json").read_text(encoding="utf-8"))["warp"]
    assert reported["frames"] == [40, 60]
    rows = tmp_path / "rows.csv"
    rows.write_text("\n".join(",".join(map(str, row)) for row in reported["corrections"]), encoding="utf-8")
    code, _, err = run("warp", walk, "--corrections", rows, "--reach", "0.3", "-o", out / "b.bvh")
    assert (code, err) == (0, "")
    lines = [(out / f"{name}.bvh").read_text(encoding="utf-8").split("MOTION")[1].split() for name in "ab"]
    numbers = [[float(word) for word in words[6:]] for words in lines]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-4)


def test_holds_and_anticipation_are_said(run, walk, out):
    code, printed, err = run("move_events", walk, "--events", "40 40 0 1; 60 60 0.2", "-o", out / "a.bvh")
    assert (code, err) == (0, "")
    assert "  events 40 → 45, 60 → 60 held to 66; plays at 0." in printed
