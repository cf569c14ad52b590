"""action-loom sync and blend: their results from clips, and their messages."""

import os

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics
from oracles import console, material, processes

REGISTRATION = ("clip", "reference_frame", "frame", "metric", "ends", "kept", "cost")
SLOPES = ("slope_min", "slope_max", "at_limit")
WEAVING = ("verb", "inputs", "output", "frames", "rate", "seconds_taken", "quality", "dropped", "registration")


def cut_from(name, folder, first, last):
    """Some frames of a captured file as a file of their own."""
    motion = bvh.read(material.captured_file(name))
    path = folder / f"{name}.bvh"
    bvh.write(bvh.BvhMotion(**vars(motion) | {"values": motion.values[first:last]}), path)
    return path


@pytest.mark.parametrize("verb", ["sync", "blend"])
def test_a_result_and_its_report_are_written(run, walk, slow, out, verb):
    code, printed, err = run(verb, walk, slow, "-o", out / "new.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert sorted(os.listdir(out)) == ["new.bvh", "r.json"]
    report = console.read_json(out / "r.json")
    assert set(WEAVING) <= set(report)
    assert (report["verb"], report["inputs"]) == (verb, [str(walk), str(slow)])
    assert report["output"] == str(out / "new.bvh")
    new, old = bvh.read(out / "new.bvh"), bvh.read(walk)
    assert (len(new.values), new.rate) == (report["frames"], report["rate"])
    assert (new.names, new.channels) == (old.names, old.channels)
    assert str(report["frames"]) in printed
    assert len(report["quality"]["before"]) == 2
    assert report["quality"]["after"]["seconds"] == pytest.approx((report["frames"] - 1) / 30.0, abs=1e-3)
    assert report["seconds_taken"] > 0.0
    (one,) = report["registration"]
    assert {*REGISTRATION, *SLOPES} <= set(one)
    assert one["clip"] == "slow"
    reference, frames = np.array(one["reference_frame"]), np.array(one["frame"])
    assert len(reference) == len(frames) > 10
    assert (np.diff(reference) > 0.0).all()
    assert (np.diff(frames) > 0.0).all()
    assert 0 <= reference[0] < reference[-1] <= 60
    assert 0 <= frames[0] < frames[-1] <= 90
    assert one["slope_min"] <= np.median(np.diff(frames)) <= one["slope_max"]


def test_a_short_blend_loads_no_more_than_it_needs(walk, slow, out):
    unwanted = {"numba", "matplotlib", "multiprocessing", "tomllib"}
    unwanted |= {f"action_loom.core.{room}" for room in ("graph", "style", "library", "skin", "cli.run")}
    asked = ["blend", str(walk), str(slow), "-o", str(out / "new.bvh"), "--quiet"]
    code = f"import sys\nfrom action_loom.core.cli import main\nassert main.main({asked!r}) == 0\n"
    done = processes.python("-c", code + f"print(sorted({unwanted!r} & set(sys.modules)))", ACTION_LOOM_ENGINE="auto")
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert (out / "new.bvh").exists()


def test_the_result_is_in_the_units_and_axes_of_the_reference(run, tmp_path, walk, out):
    clip = material.walk(3.0, stride=0.7)
    inches = tmp_path / "inches.bvh"
    bvh.write(bvh.from_clip(clip, None, bvh.Convention("inch", 0.0254, "z", False)), inches)
    for reference, unit, up in ((1, "cm", "y"), (2, "inch", "z")):
        path = out / f"{reference}.bvh"
        code, _, _ = run("blend", walk, inches, "--reference", reference, "-o", path)
        assert code == 0
        woven, _ = bvh.to_clip(bvh.read(path), unit=unit, up=up)
        assert woven.skeleton.height == pytest.approx(clip.skeleton.height, rel=1e-6)
        _, places = kinematics.forward(woven.skeleton, woven.rotations, woven.translations)
        assert 0.8 < places[:, 0, 2].min() < places[:, 0, 2].max() < 1.0


@pytest.mark.shared
def test_captured_clips_are_blended_and_what_was_left_out_is_said(run, tmp_path, out):
    a = cut_from("cmu_mb_07_01", tmp_path, 0, 220)
    b = cut_from("cmu_mb_08_01", tmp_path, 0, 220)
    outputs = ("-o", out / "new.bvh", "--report", out / "r.json", "--picture", out / "p.png")
    code, printed, err = run("blend", a, b, *outputs)
    assert (code, err) == (0, "")
    report = console.read_json(out / "r.json")
    # One frame shakes after the calibration pose of the second clip.
    assert {one["clip"]: one["first"] for one in report["dropped"]} == {a.stem: 1, b.stem: 2}
    assert "left out first 1, last 0 frames" in printed
    assert [unit["unit"] for unit in report["units"]] == ["cmu", "cmu"]
    assert bvh.read(out / "new.bvh").rate == 120.0


def test_sync_needs_no_output(run, walk, slow, out):
    code, printed, _ = run("sync", walk, slow, "--report", out / "r.json")
    assert code == 0
    assert console.read_json(out / "r.json")["output"] is None
    assert "slow in time with walk" in printed


@pytest.mark.parametrize("verb", ["info", "sync", "blend"])
def test_quiet_prints_nothing(run, walk, slow, out, verb):
    output = [] if verb == "info" else ["-o", out / "new.bvh"]
    assert run(verb, walk, slow, "--quiet", *output) == (0, "", "")


def test_a_slope_limit_that_was_raised_is_said(run, tmp_path):
    clips = [material.write(clip, tmp_path / f"{clip.name}.bvh") for clip in (actions.walk(), actions.sneak())]
    _, usual, _ = run("sync", *clips)
    assert ", slope limit raised to 6" in usual
    _, asked, _ = run("sync", *clips, "--slope", 6)
    assert "raised" not in asked
    _, enough, _ = run("sync", clips[0], clips[0])
    assert "raised" not in enough
