"""Points on the command line and in job files: motion files of all people, or none."""

import json

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from oracles import degraded, points_files


@pytest.fixture
def labels_and_places():
    return degraded.stack(degraded.clean(actions.walk(cycles=2)))


@pytest.fixture
def points(tmp_path, labels_and_places):
    labels, places = labels_and_places
    path = tmp_path / "dance.csv"
    path.write_bytes(points_files.as_csv(places, labels))
    return path


def test_a_file_of_points_becomes_a_motion_file(run, out, points):
    report = out / "r.json"
    code, printed, err = run("points", points, "-o", f"{out}/", "--report", report, "--engine", "numpy")
    assert (code, err) == (0, "")
    assert "dance: 23 points; noise" in printed
    clip = motion_file.read(out / "dance.bvh").clip
    about = json.loads(report.read_text())
    assert len(clip) == about["people"][0]["frames"]
    assert clip.rate == pytest.approx(points_files.RATE)
    assert about["options"]["smoothing"] == 1.0


def test_a_character_gives_the_body(run, out, points, walk):
    code, _, err = run("points", points, "-o", out / "one.bvh", "--character", walk)
    assert (code, err) == (0, "")
    one, body = (motion_file.read(path).clip.skeleton for path in (out / "one.bvh", walk))
    assert sorted(one.names) == sorted(body.names)


def test_two_people_have_a_file_each(run, out, tmp_path, labels_and_places):
    labels, places = labels_and_places
    frames = [
        [
            {"id": k, "keypoints3d": dict(zip(labels, np.add(row, (shift, 0, 0)).tolist(), strict=True))}
            for k, shift in enumerate((0, 3))
        ]
        for row in places
    ]
    (tmp_path / "two.json").write_text(json.dumps(frames))
    code, printed, err = run("points", tmp_path / "two.json", "-o", out / "two.bvh")
    assert (code, err) == (0, ""), printed
    assert sorted(path.name for path in out.iterdir()) == ["two 0.bvh", "two 1.bvh"]


def test_a_file_that_is_no_points_is_one_line_and_nothing_is_written(run, out, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    code, printed, err = run("points", tmp_path / "bad.json", "-o", out / "bad.bvh")
    assert (code, printed, err.count("\n")) == (1, "", 1)
    assert "this is no JSON text" in err
    assert run("points", tmp_path / "bad.json", "-o", out / "bad.txt")[0] == 2
    assert run("points", tmp_path / "bad.json", "-o", out / "bad.bvh", "--order", "strange")[0] == 2
    assert list(out.iterdir()) == []


def test_a_job_file_makes_a_clip_of_each_file_of_points(run, out, tmp_path, points):
    (tmp_path / "more.csv").write_bytes(points.read_bytes())
    job = tmp_path / "jobs.toml"
    job.write_text(f'folder = "{out}"\n[[job]]\nverb = "points"\neach = "*.csv"\nsmoothing = 0.8\nplant_feet = false\n')
    code, _, err = run("run", job)
    assert (code, err) == (0, "")
    assert sorted(path.name for path in out.iterdir()) == ["dance.bvh", "more.bvh"]
    assert np.isfinite(motion_file.read(out / "more.bvh").clip.rotations).all()
