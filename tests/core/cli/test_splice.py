"""action-loom splice: input files, output files, and messages."""

import json

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics
from numpy.testing import assert_allclose
from oracles import console, material


@pytest.fixture
def files(tmp_path):
    clips = actions.walk(60.0, 3), actions.wave(60.0), actions.carry(60.0, 2)
    return [material.write(clip, tmp_path / f"{clip.name}.bvh") for clip in clips]


@pytest.mark.both_engines
def test_the_upper_body_is_spliced_and_told_of(run, files, out):
    walk, wave, _ = files
    code, printed, err = run("splice", walk, wave, "-o", out / "", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "action played at its own speed (the legs' likeness is " in printed
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
    assert "motion of lower" in printed
    assert "in step with the locomotion (the legs' likeness is 0." in printed
    assert "(heck)" in printed


@pytest.mark.both_engines
def test_every_option_is_a_flag_and_a_key(run, files, tmp_path, out):
    walk, wave, _ = files
    flags = ("--method", "gaussian", "--posture", "0.5", "--smoothing", "0.1", "--strength", "0.9", "--timing", "own")
    code, _, _ = run("splice", walk, wave, *flags, "--if-shorter", "hold", "--upper", "chest", "-o", out / "a.bvh")
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
if_shorter = "hold"
upper = "chest"
"""
    (tmp_path / "jobs.toml").write_text(job, encoding="utf-8")
    assert run("run", tmp_path / "jobs.toml")[0] == 0
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()


@pytest.mark.both_engines
def test_what_version_0_1_called_an_option_is_still_a_flag_and_a_key(run, files, tmp_path, out):
    walk, wave = material.write(actions.walk(60.0, 8), tmp_path / "long walk.bvh"), files[1]
    assert run("splice", walk, wave, "--if-shorter", "hold", "-o", out / "a.bvh")[0] == 0
    assert run("splice", walk, wave, "--short", "hold", "-o", out / "b.bvh")[0] == 0
    job = f'[[job]]\nverb = "splice"\nclips = ["{walk.name}", "{wave.name}"]\noutput = "out/c.bvh"\nshort = "hold"\n'
    (tmp_path / "jobs.toml").write_text(job, encoding="utf-8")
    assert run("run", tmp_path / "jobs.toml")[0] == 0
    assert run("splice", walk, wave, "-o", out / "d.bvh")[0] == 0
    held, *others = ((out / f"{name}.bvh").read_bytes() for name in "abcd")
    assert [one == held for one in others] == [True, True, False]


@pytest.mark.both_engines
def test_one_clip_is_refused_in_one_line(run, files, out):
    code, _, err = run("splice", files[0], "-o", out / "a.bvh")
    assert (code, err) == (1, "action-loom: Splice takes 2 or more clips; 1 given\n")
    code, _, err = run("splice", *files[:2], "--upper", "Spine", "-o", out / "a.bvh")
    assert code == 2
    assert "upper names 'Spine', which the locomotion lacks; did you mean spine" in err


@pytest.mark.parametrize("action", [1, 2])
def test_its_picture_is_drawn(run, files, out, action):
    assert run("splice", files[0], files[action], "-o", out / "a.bvh", "--picture", out / "p.png")[0] == 0
    console.picture_size(out / "p.png")
