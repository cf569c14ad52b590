"""action-loom splice: files in, files out, what is said, and the picture."""

import json
from importlib import import_module

import numpy as np
import pytest
from action_loom.core.motion import bvh, figure, kinematics
from action_loom.core.recipes import Splice
from numpy.testing import assert_allclose
from oracles import material, told


@pytest.fixture
def files(tmp_path):
    clips = figure.walk(60.0, 3), figure.wave(60.0), figure.carry(60.0, 2)
    return [material.write(clip, tmp_path / f"{clip.name}.bvh") for clip in clips]


@pytest.mark.both_engines
def test_the_upper_body_is_spliced_and_told_of(run, files, out):
    walk, wave, _ = files
    code, printed, err = run("splice", walk, wave, "-o", out / "", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "action played at its own speed (the legs are" in printed
    assert "spine turned by" in printed
    assert "chest against pelvis -1.00 → -1.00" in printed
    report = json.loads((out / "r.json").read_text(encoding="utf-8"))
    made = bvh.to_clip(bvh.read(out / "wave on walk.bvh"))[0]
    assert {"method", "timing", "why", "action_frame", "correction_degrees", "swing"} <= set(report["splice"])
    assert len(report["splice"]["correction_degrees"]) == report["frames"] == len(made)
    assert {"before", "after"} <= set(report["quality"])
    feet = [made.skeleton.index(f"foot.{side}") for side in "LR"]
    locomotion = bvh.to_clip(bvh.read(walk))[0]
    assert_allclose(kinematics.points(made)[:, feet], kinematics.points(locomotion)[:, feet], atol=1e-6)


@pytest.mark.both_engines
def test_a_gait_is_played_in_step(run, files, out):
    walk, _, carry = files
    code, printed, _ = run("splice", walk, carry, "-o", out / "box.bvh", "--method", "heck", "--start", "4")
    assert code == 0
    assert "points of lower" in printed
    assert "in step with the locomotion (the legs are" in printed
    assert "(heck)" in printed


@pytest.mark.both_engines
def test_every_option_is_a_flag_and_a_key(run, files, tmp_path, out):
    walk, wave, _ = files
    flags = ("--method", "gaussian", "--posture", "0.5", "--smoothing", "0.1", "--strength", "0.9", "--timing", "own")
    code, _, _ = run("splice", walk, wave, *flags, "--short", "hold", "--upper", "chest", "-o", out / "a.bvh")
    assert code == 0
    job = f"""
[[job]]
verb = "splice"
clips = ["{walk.name}", "{wave.name}"]
output = "out/b.bvh"
posture = 0.5
smoothing = 0.1
strength = 0.9
timing = "own"
short = "hold"
upper = "chest"
"""
    (tmp_path / "jobs.toml").write_text(job, encoding="utf-8")
    assert run("run", tmp_path / "jobs.toml")[0] == 0
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()


@pytest.mark.both_engines
def test_one_clip_is_refused_in_one_line(run, files, out):
    code, _, err = run("splice", files[0], "-o", out / "a.bvh")
    assert (code, err) == (1, "action-loom: Splicing takes two clips, a locomotion and an action; 1 given\n")
    code, _, err = run("splice", *files[:2], "--upper", "Spine", "-o", out / "a.bvh")
    assert code == 2
    assert "upper names 'Spine', which the locomotion lacks; did you mean spine" in err


@pytest.mark.parametrize("action", [1, 2])
def test_its_picture_is_drawn(run, files, out, action):
    assert run("splice", files[0], files[action], "-o", out / "a.bvh", "--picture", out / "p.png")[0] == 0
    told.picture_size(out / "p.png")


def test_the_picture_shows_the_swing_the_correction_and_the_frames():
    made = Splice().apply([figure.walk(cycles=6), figure.wave()])
    drawn = import_module("action_loom.core.cli.plots").draw(made)
    swings, angles, frames = drawn.axes
    labels = [line.get_label() for line in swings.lines]
    assert labels[0] == "pelvis, of locomotion and result"
    assert any(label.startswith("chest, result (-") for label in labels)
    assert_allclose(angles.lines[0].get_ydata(), made.report["splice"]["correction_degrees"], atol=1e-3)
    shown = frames.lines[0].get_ydata()
    assert np.isnan(shown).sum() == (np.diff(made.action_frames) < 0.0).sum() > 0
