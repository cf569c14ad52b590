"""action-loom sync and blend --timewarp: the timewarp matrix in a file."""

import os

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from oracles import console, material, timewarps


def read(path):
    return np.loadtxt(path, delimiter=",", ndmin=2)


@pytest.mark.parametrize(("reference", "shape"), [(1, (91, 61)), (2, (61, 91))])
def test_frames_times_the_matrix_are_the_frames_that_are_played(run, walk, slow, out, reference, shape):
    arguments = ["--reference", reference, "--timewarp", out / "w.csv", "--report", out / "r.json"]
    code, _, err = run("sync", walk, slow, *arguments)
    assert (code, err) == (0, "")
    warp = read(out / "w.csv")
    assert warp.shape == shape
    (one,) = console.read_json(out / "r.json")["registration"]
    at = np.array(one["reference_frame"]).astype(int)
    np.testing.assert_allclose(timewarps.warped(warp)[at], one["frame"], atol=1e-3)
    np.testing.assert_allclose(warp.sum(axis=0)[at], 1.0)
    assert not np.delete(warp, at, axis=1).any()


def test_a_blend_is_as_long_as_the_weighted_sum_of_its_steps(run, walk, slow, out):
    names = ["-o", out / "new.bvh", "--report", out / "r.json", "--timewarp", f"{out}/"]
    code, _, err = run("blend", walk, slow, "--weights", 1, 3, "--ends", "pinned", *names)
    assert (code, err) == (0, "")
    steps = timewarps.steps(read(out / "walk + slow 25-75.csv"))
    assert console.read_json(out / "r.json")["frames"] == pytest.approx((0.25 + 0.75 * steps).sum(), abs=1.0)


def test_rows_are_frames_of_the_clip_as_it_was_given(run, tmp_path, walk, out):
    fast = material.write(material.walk(3.0, 60.0, stride=0.7), tmp_path / "fast.bvh")
    assert run("sync", walk, fast, "--ends", "pinned", "--timewarp", out / "w.csv")[0] == 0
    warp = read(out / "w.csv")
    assert warp.shape == (181, 61)
    assert timewarps.warped(warp)[[0, -1]] == pytest.approx([0.0, 180.0])


def test_a_cycle_begins_anew_at_its_first_frame(run, tmp_path, out):
    files = []
    for clip, phase in ((actions.walk(30.0), 0.0), (actions.sneak(30.0), 0.4)):
        given = material.write(clip, tmp_path / f"{clip.name}.bvh")
        files.append(tmp_path / f"{clip.name} loop.bvh")
        assert run("loop", given, "--phase", phase, "-o", files[-1])[0] == 0
    arguments = ["--ends", "cyclic", "--timewarp", out / "w.csv", "--report", out / "r.json"]
    code, _, err = run("sync", *files, *arguments)
    assert (code, err) == (0, "")
    warp = read(out / "w.csv")
    frames = timewarps.warped(warp)
    np.testing.assert_allclose(warp.sum(axis=0), 1.0)
    assert (np.diff(frames) < 0.0).sum() <= 1
    (one,) = console.read_json(out / "r.json")["registration"]
    laps = (np.array(one["frame"]) - frames) / (len(warp) - 1)
    np.testing.assert_allclose(laps, np.round(laps), atol=1e-4)


@pytest.mark.parametrize(
    ("verb", "clips", "message"),
    [
        ("blend", 3, "a timewarp matrix is of a clip and its reference; 3 are given: sync each with the reference"),
        ("sync", 1, "a timewarp matrix is of a clip and its reference; 1 are given: sync each with the reference"),
    ],
)
def test_of_other_than_two_clips_there_is_none(run, walk, slow, out, verb, clips, message):
    code, printed, err = run(verb, *[walk, slow, walk][:clips], "-o", out / "n.bvh", "--timewarp", out / "w.csv")
    assert (code, printed, err) == (2, "", f"action-loom: {message}\n")
    assert os.listdir(out) == []


def test_verbs_that_register_nothing_have_no_such_flag_and_no_such_key(run, walk, out, tmp_path):
    code, _, err = run("loop", walk, "-o", out / "n.bvh", "--timewarp", out / "w.csv")
    assert code == 2
    assert "unrecognized arguments: --timewarp" in err
    jobs = tmp_path / "jobs.toml"
    jobs.write_text('[[job]]\nverb = "loop"\nclips = ["walk.bvh"]\noutput = "n.bvh"\ntimewarp = "w.csv"\n')
    code, _, err = run("run", jobs)
    assert code == 1
    assert err.endswith("loop re-times no clip to another, so there is no timewarp matrix; sync and blend do\n")


def test_in_a_job_file_it_is_a_key(run, walk, slow, out, tmp_path):
    jobs = tmp_path / "jobs.toml"
    text = '[[job]]\nverb = "sync"\nclips = ["walk.bvh", "slow.bvh"]\noutput = "out/n.bvh"\ntimewarp = "out/"\n'
    jobs.write_text(text)
    assert run("run", jobs)[0] == 0
    assert sorted(os.listdir(out)) == ["n.bvh", "slow in time with walk.csv"]
    assert run("sync", walk, slow, "--timewarp", out / "w.csv")[0] == 0
    assert (out / "w.csv").read_bytes() == (out / "slow in time with walk.csv").read_bytes()
    os.remove(out / "slow in time with walk.csv")
    assert run("run", jobs, "--resume")[0] == 0
    assert (out / "slow in time with walk.csv").exists()


def test_a_cycle_that_is_repeated_beside_a_take_begins_again_at_its_first_frame(run, tmp_path, out):
    take = material.write(actions.walk(cycles=6, speed=1.2).cut(11, 116), tmp_path / "take.bvh")
    cycle = material.write(actions.run(cycles=1), tmp_path / "run.bvh")
    rows = len(actions.run(cycles=1))
    assert run("sync", take, cycle, "--timewarp", out / "w.csv", "--report", out / "r.json")[0] == 0
    warp = read(out / "w.csv")
    assert warp.shape == (rows, 105)
    (one,) = console.read_json(out / "r.json")["registration"]
    at = np.array(one["reference_frame"]).astype(int)
    assert max(one["frame"]) > 2 * rows  # in the third cycle
    np.testing.assert_allclose(warp.sum(axis=0)[at], 1.0)
