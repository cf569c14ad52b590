"""action-loom info: its output about files."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from oracles import console, material


def test_info_says_what_is_in_a_file(run, walk):
    code, out, err = run("info", walk)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == str(walk)
    for fact in (
        "61 frames at 30 a second, 2.00 s",
        "21 joints",
        "1.67 m tall",
        "up y (measured), unit cm (assumed), rate 30 (stated), sides names (measured)",
    ):
        assert fact in out
    assert "hips = Hips, " in out


def test_info_takes_many_files_and_reports_each(run, walk, slow, out):
    code, _, _ = run("info", walk, slow, "--report", out / "r.json")
    assert code == 0
    report = console.read_json(out / "r.json")
    assert report["verb"] == "info"
    assert [one["clip"] for one in report["clips"]] == [str(walk), str(slow)]
    first = report["clips"][0]
    assert (first["frames"], first["rate"], first["joints"], first["seconds"]) == (61, 30.0, 21, 2.0)
    assert (first["unit"], first["metres_per_unit"], first["up"], first["guessed"]) == ("cm", 0.01, "y", True)
    assert first["roles"]["thigh.L"] == "LeftUpLeg"
    assert first["height_m"] == pytest.approx(1.673, abs=1e-3)
    assert first["dropped"] == {"first": 0, "last": 0}
    assert set(first["contacts"]) == {"L", "R"}
    assert first["quality"]["seconds"] == 2.0


def test_units_and_the_upward_axis_can_be_given(run, walk, out):
    run("info", walk, "--units", "m", "--up", "z", "--report", out / "r.json")
    (one,) = console.read_json(out / "r.json")["clips"]
    assert (one["unit"], one["metres_per_unit"], one["up"], one["guessed"]) == ("m", 1.0, "z", False)
    assert one["height_m"] == pytest.approx(167.347, abs=1e-3)
    code, printed, _ = run("info", walk, "--units", "0.005", "--up", "y")
    assert code == 0
    assert "up y (asked), unit 0.005 (asked)" in printed


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["odd", "cmu"])
def test_info_understands_every_captured_file(run, out, folder):
    files = material.captured_files(folder)
    files = files if folder == "odd" else files[::12]
    code, printed, err = run("info", *files, "--report", out / "r.json")
    assert (code, err) == (0, "")
    described = console.read_json(out / "r.json")["clips"]
    assert [one["clip"] for one in described] == [str(path) for path in files]
    for one in described:
        assert one["clip"] in printed
        for side in one["contacts"].values():
            assert all(0 <= a <= b < one["frames"] for a, b in side)


@pytest.mark.shared
def test_info_says_which_frames_are_no_motion(run):
    _, printed, _ = run("info", material.captured_file("cmu_mb_08_07"))
    assert "calibration pose or jump: first 7, last 0 frames" in printed


def test_info_says_how_roles_were_found_and_what_works_without_some(run, out):
    boxes = material.walk(2.0, skeleton=material.figure())
    names = tuple(f"joint{k}" for k in range(len(boxes.skeleton)))
    crooked = np.random.default_rng(1).normal(size=(len(names), 3))  # no body: not even its shape tells a role
    unnamed = replace(boxes.skeleton, names=names, offsets=crooked, roles={})
    path = material.write(replace(boxes, skeleton=unnamed), out / "unnamed.bvh")
    _, printed, _ = run("info", path, "--report", out / "r.json")
    (one,) = console.read_json(out / "r.json")["clips"]
    assert one["roles"] == one["roles_found_by"] == {}
    assert "roles: none found" in printed
    assert one["what_works"] == verbs.what_works(())
    assert one["what_works"] in printed
    pelvis = tuple("Middle" if name == "Hips" else name for name in boxes.skeleton.names)
    path = material.write(replace(boxes, skeleton=replace(boxes.skeleton, names=pelvis, roles={})), out / "pelvis.bvh")
    _, printed, _ = run("info", path, "--report", out / "r2.json")
    (one,) = console.read_json(out / "r2.json")["clips"]
    assert (one["roles_found_by"]["hips"], one["roles_found_by"]["thigh.L"]) == ("hierarchy", "name")
    assert "hips = Middle (by hierarchy), " in printed
    assert one["what_works"] == ""


def test_info_says_where_a_recording_was_interrupted(run, tmp_path):
    walk = material.walk(2.0)
    places = walk.translations.copy()
    places[30:, 0] += [0.6, 0.0, 0.0]
    path = material.write(replace(walk, translations=places), tmp_path / "carried.bvh")
    assert "note: carried: the body jumps 60 cm in frames 29 to 30" in run("info", path)[1]
