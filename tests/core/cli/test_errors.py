"""Errors of the command line: one line with the reason, the exit code, and no output file."""

import os

import pytest
from oracles import console, material


def test_a_file_that_is_not_there_is_refused(run, walk, tmp_path):
    absent = tmp_path / "absent.bvh"
    code, out, err = run("info", walk, absent)
    assert (code, out) == (1, "")
    assert err == f"action-loom: {absent}: can't be read (No such file or directory)\n"


def test_a_broken_file_is_refused_with_its_line(run, walk, tmp_path):
    broken = tmp_path / "broken.bvh"
    broken.write_text(material.SMALL_BVH.replace("91", "nan"))
    code, out, err = run("sync", walk, broken)
    assert (code, out) == (1, "")
    assert err == f"action-loom: {broken}, line 34: value 2 is 'nan', but must be a number up to 1e+09\n"


def test_clips_of_different_bodies_are_refused(run, walk, tmp_path, out):
    small = tmp_path / "small.bvh"
    small.write_text(material.SMALL_BVH)
    code, _, err = run("blend", walk, small, "-o", out / "new.bvh")
    assert code == 1
    console.assert_one_line(err)
    assert "small" in err
    assert os.listdir(out) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["juggle"],
        ["info"],
        ["blend", "WALK", "SLOW"],
        ["sync", "WALK", "SLOW", "--metric", "taste"],
        ["sync", "WALK", "SLOW", "--slope", "steep"],
        ["sync", "WALK", "SLOW", "--sharpness", "2"],
        ["info", "WALK", "--up", "w"],
        ["info", "WALK", "--engine", "steam"],
        ["blend", "WALK", "SLOW", "-o"],
        ["blend", "WALK", "SLOW", "-o", "OUT", "--weights", "much"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_from_material_that_can_not_be_worked_with(run, walk, slow, out, arguments):
    files = {"WALK": walk, "SLOW": slow, "OUT": out / "new.bvh"}
    code, printed, err = run(*[files.get(argument, argument) for argument in arguments])
    assert (code, printed) == (2, "")
    assert err.startswith("usage: action-loom")
    assert os.listdir(out) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--slope", "99"], "slope is 99, but must lie between -1 and 32"),
        (["--window", "7"], "window is 7.0, but must lie between 0 and 1 s"),
        (["--window", "nan"], "window is nan, but must lie between 0 and 1 s"),
        (["--weights", "-1", "2"], "weights is -1.0, but must lie between 0 and 1e+06"),
        (["--weights", "inf", "1"], "weights is inf, but must"),
        (["--weights", "1", "2", "3"], "weights has 3 values, but takes 2"),
        (["--weights", "0", "0"], "All weights are zero"),
        (["--reference", "3"], "reference is '3', but must be medoid, longest or a clip from 1 to 2"),
        (["--reference", "²"], "reference is '²', but must be"),
        (["--units", "parsec"], "units is 'parsec', but must be"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_value_out_of_range_is_wrong_usage_said_in_one_line(run, walk, slow, out, arguments, message):
    code, printed, err = run("blend", walk, slow, "-o", out / "new.bvh", *arguments)
    assert message in err
    console.assert_one_line(err)
    assert (code, printed) == (2, "")
    assert os.listdir(out) == []
