"""Verbs that take one clip, with several: a result of each, on command lines and in job files."""

import json

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import cycles
from oracles import console, material


@pytest.fixture
def gaits(tmp_path):
    """Two walks of a bit more than two cycles, and half a step between them."""
    clips = {
        "fast": actions.walk(60.0, 3).cut(10, 160),
        "step": actions.walk(60.0, 1).cut(0, 55),
        "slow": actions.walk(50.0, 3).cut(4, 130),
    }
    return [material.write(clip, tmp_path / f"{name}.bvh") for name, clip in clips.items()]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_loop_of_each_is_written_and_told_in_a_list(run, gaits, out):
    fast, _, slow = gaits
    was = [path.read_bytes() for path in (fast, slow)]
    code, printed, err = run("loop", fast, slow, "-o", out / "", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert printed.count("cycle from frame") == 2
    assert names(out) == ["fast loop.bvh", "r.json", "slow loop.bvh"]
    for name in ("fast loop", "slow loop"):
        clip, _ = bvh.to_clip(bvh.read(out / f"{name}.bvh"))
        assert cycles.closes(clip)
    reports = json.loads((out / "r.json").read_text(encoding="utf-8"))
    assert [one["names"] for one in reports] == [["fast"], ["slow"]]
    assert [path.read_bytes() for path in (fast, slow)] == was


def test_each_is_what_it_is_alone(run, gaits, out, tmp_path):
    fast, _, slow = gaits
    assert run("in_place", fast, slow, "-o", out / "")[0] == 0
    for path in (fast, slow):
        alone = tmp_path / f"alone {path.name}"
        assert run("in_place", path, "-o", alone)[0] == 0
        assert (out / f"{path.stem} in place.bvh").read_bytes() == alone.read_bytes()


def test_in_folders_each_has_a_report_and_a_picture(run, gaits, out):
    fast, _, slow = gaits
    code, _, err = run("mirror", fast, slow, "-o", out / "", "--report", out / "", "--picture", out / "")
    assert (code, err) == (0, "")
    assert names(out) == [f"{name} mirrored{end}" for name in ("fast", "slow") for end in (".bvh", ".json", ".png")]


def test_what_can_not_be_done_with_one_is_said_and_the_others_are_done(run, gaits, out):
    code, _, err = run("loop", *gaits, "-o", out / "", "--report", out / "r.json")
    assert code == 1
    assert err.splitlines()[0].startswith("action-loom: step does not repeat itself")
    assert err.splitlines()[1:] == ["action-loom: 1 of 3 clips can't be worked with"]
    assert names(out) == ["fast loop.bvh", "r.json", "slow loop.bvh"]
    reports = json.loads((out / "r.json").read_text(encoding="utf-8"))
    assert [sorted(one)[:2] == ["inputs", "message"] for one in reports] == [False, True, False]


REFUSED = [
    (["-o", "new.bvh"], "-o is 'new.bvh', but 2 results need a folder: FOLDER/"),
    (["-o", "./", "--picture", "p.png"], "--picture is 'p.png', but 2 results need a folder: FOLDER/"),
]


@pytest.mark.parametrize(("flags", "message"), REFUSED)
def test_one_file_does_not_hold_several_results(run, gaits, flags, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = names(tmp_path)
    code, _, err = run("mirror", *gaits[:2], *flags)
    assert (code, err) == (2, f"action-loom: {message}\n")
    assert names(tmp_path) == before


def test_clips_of_one_name_are_not_written_over_each_other(run, gaits, out, tmp_path):
    (tmp_path / "other").mkdir()
    again = tmp_path / "other" / gaits[0].name
    again.write_bytes(gaits[0].read_bytes())
    code, _, err = run("mirror", gaits[0], again, "-o", out / "")
    assert code != 0
    assert "is named for two outputs" in err
    assert names(out) == []


def test_a_job_makes_a_result_of_each_of_its_clips(run, gaits, out, tmp_path):
    text = '[[job]]\nname = "spot"\nverb = "in_place"\nclips = ["fast.bvh", "slo*.bvh"]\noutput = "out/"\n'
    (tmp_path / "jobs.toml").write_text(text, encoding="utf-8")
    code, _, err = run("run", tmp_path / "jobs.toml", "--report", tmp_path / "r.json")
    assert (code, err) == (0, "")
    assert names(out) == ["fast in place.bvh", "slow in place.bvh"]
    jobs = console.read_json(tmp_path / "r.json")["jobs"]
    assert [(one["job"], one["name"]) for one in jobs] == [(1, "spot fast"), (1, "spot slow")]


def test_one_clip_in_a_job_keeps_the_name_of_the_job(run, gaits, out, tmp_path):
    text = '[[job]]\nname = "spot"\nverb = "in_place"\nclips = ["fast.bvh"]\noutput = "out/new.bvh"\n'
    (tmp_path / "jobs.toml").write_text(text, encoding="utf-8")
    assert run("run", tmp_path / "jobs.toml", "--report", tmp_path / "r.json")[0] == 0
    assert [one["name"] for one in console.read_json(tmp_path / "r.json")["jobs"]] == ["spot"]
    assert names(out) == ["new.bvh"]
