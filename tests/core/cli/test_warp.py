"""action-loom warp and move_events: input files, output files, and messages."""

import json
import re

import pytest
from action_loom.core.demo_character import actions
from oracles import material

pytestmark = pytest.mark.both_engines


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


def test_events_are_moved_and_it_is_said_how_fast(run, walk, out):
    code, printed, err = run("move_events", walk, "--events", "40 44; 70 68.5", "-o", out / "a.bvh")
    assert (code, err) == (0, "")
    assert "  events 40 → 44, 70 → 68.5; plays at 0." in printed


def test_holds_and_anticipation_are_said(run, walk, out):
    code, printed, err = run("move_events", walk, "--events", "40 40 0 1; 60 60 0.2", "-o", out / "a.bvh")
    assert (code, err) == (0, "")
    assert "  events 40 → 45, 60 → 60 held to 66; plays at 0." in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("warp",), "no pose is given"),
        (("warp", "--corrections", "5 2 0 0 0 0 0 0"), "all poses are those that it has already"),
        (("move_events", "--events", "40 60", "--reach", "0.5"), "40 can come at 4"),
        (("move_events", "--events", "40 40 3"), "40 can be held for 1.5 s at most"),
        (("move_events", "--events", "40"), "events takes rows of frame, new_frame"),
    ],
)
def test_what_can_not_be_is_refused_in_one_line(run, walk, out, words, message):
    verb, *flags = words
    code, _, err = run(verb, walk, *flags, "-o", out / "a.bvh")
    assert code != 0
    assert err.count("\n") == 1
    assert re.search(message, err), err
