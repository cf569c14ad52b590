"""action-loom loop and connect: input files, output files, and messages."""

import json

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import cycles
from oracles import console, material


@pytest.fixture
def gait(tmp_path):
    """A walk of a bit more than two cycles."""
    return material.write(actions.walk(60.0, 3).cut(10, 160), tmp_path / "gait.bvh")


@pytest.mark.both_engines
def test_a_loop_is_written_and_closes(run, gait, out):
    code, printed, err = run("loop", gait, "-o", out / "loop.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "cycle from frame" in printed
    clip, _ = bvh.to_clip(bvh.read(out / "loop.bvh"))
    assert cycles.closes(clip)
    report = json.loads((out / "r.json").read_text(encoding="utf-8"))
    assert report["verb"] == "loop"
    assert {"start", "length", "score", "candidates", "method", "methods"} <= set(report["loop"])
    assert {"before", "after"} <= set(report["quality"])


@pytest.mark.both_engines
def test_a_clip_that_does_not_repeat_is_refused_in_one_line(run, tmp_path, out):
    step = material.write(actions.walk(60.0, 1).cut(0, 55), tmp_path / "step.bvh")
    code, _, err = run("loop", step, "-o", out / "loop.bvh")
    assert code == 1
    assert err.startswith("action-loom: step does not repeat itself")
    assert err.count("\n") == 1
    assert not (out / "loop.bvh").exists()


@pytest.mark.both_engines
def test_two_clips_are_connected_and_the_seam_is_told(run, gait, tmp_path, out):
    sneak = material.write(actions.sneak(60.0), tmp_path / "sneak.bvh")
    code, printed, err = run("connect", gait, sneak, "-o", out / "", "--report", out / "r.json", "--method", "inertial")
    assert (code, err) == (0, "")
    assert "left at frame" in printed
    told_of = json.loads((out / "r.json").read_text(encoding="utf-8"))["connect"]
    assert {"from_frame", "to_frame", "distance", "candidates", "methods"} <= set(told_of)


def test_pictures_of_both_are_drawn(run, gait, out):
    assert run("loop", gait, "-o", out / "loop.bvh", "--picture", out / "loop.png")[0] == 0
    console.picture_size(out / "loop.png")
    assert run("connect", gait, gait, "-o", out / "two.bvh", "--picture", out / "two.png", "--method", "auto")[0] == 0
    console.picture_size(out / "two.png")
