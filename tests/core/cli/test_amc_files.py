"""AMC files on the command line and in job files: their skeleton, their rate, and their mix with other formats."""

import shutil

import pytest
from action_loom.core.formats import motion_file
from oracles import acclaim, console

NOTE = "AMC files have no frame rate: 120 was taken (option file_rate)"


@pytest.fixture
def takes(tmp_path):
    """A motion in one folder, and its skeleton in another."""
    for name in ("takes", "bodies"):
        (tmp_path / name).mkdir()
    acclaim.write(tmp_path / "takes").with_suffix(".asf").rename(tmp_path / "bodies" / "someone.asf")
    return tmp_path / "takes" / "two.amc"


def test_info_says_skeleton_unit_and_that_the_rate_was_taken_for_granted(run, tmp_path, out):
    path = acclaim.write(tmp_path)
    code, printed, err = run("info", path, "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "3 frames at 120 a second" in printed
    assert (
        f"unit cmu (stated), rate 120 (assumed), sides shape (assumed); skeleton: {path.with_suffix('.asf')}" in printed
    )
    assert f"note: {NOTE}" in printed
    (one,) = console.read_json(out / "r.json")["clips"]
    unsettled = "two: its motion does not settle which axis points up (option up)"
    assert (one["skeleton"], one["rate"], one["notes"]) == (str(path.with_suffix(".asf")), 120.0, [unsettled, NOTE])
    _, printed, _ = run("info", path, "--amc-rate", "60")
    assert "3 frames at 60 a second" in printed
    assert NOTE not in printed


def test_the_skeleton_can_be_named(run, takes):
    code, _, err = run("info", takes)
    assert code == 1
    assert err.endswith("there is no .asf file beside it: put its skeleton there, or name it (option skeleton)\n")
    skeleton = takes.parents[1] / "bodies" / "someone.asf"
    code, printed, err = run("info", takes, "--skeleton", skeleton)
    assert (code, err) == (0, "")
    assert f"skeleton: {skeleton}" in printed


@pytest.mark.shared
def test_a_take_is_blended_with_a_conversion_of_another(run, out):
    clips = acclaim.FOLDER / "16_15.amc", acclaim.FOLDER.parent / "cmu" / "cmu_asf_16_41.bvh"
    code, printed, err = run("blend", *clips, "-o", out / "made.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert NOTE in printed
    report = console.read_json(out / "r.json")
    assert report["skeletons"] == [str(acclaim.FOLDER / "16.asf"), None]
    assert NOTE in report["warnings"]
    assert motion_file.read(out / "made.bvh").convention.unit == "cmu"


JOBS = """skeleton = "bodies/someone.asf"
amc_rate = 60

[[job]]
verb = "blend"
clips = ["takes/16_41.amc", "takes/16_41.amc"]
output = "out/"
"""


@pytest.fixture
def jobs(tmp_path, out):
    """A job file whose skeleton is in another folder than its takes."""
    for name, taken in (("takes", "16_41.amc"), ("bodies", "16.asf")):
        (tmp_path / name).mkdir()
        shutil.copy(acclaim.FOLDER / taken, tmp_path / name / taken.replace("16.asf", "someone.asf"))
    (tmp_path / "jobs.toml").write_text(JOBS)
    return tmp_path / "jobs.toml"


@pytest.mark.shared
def test_in_a_job_file_the_skeleton_is_beside_that(run, jobs, out):
    code, _, err = run("run", jobs)
    assert (code, err) == (0, "")
    (made,) = out.glob("*.bvh")
    assert motion_file.read(made).clip.rate == 60.0
    made.unlink()
    code, _, err = run("run", jobs, "--skeleton", "absent.asf")  # a flag is beside nothing, and counts before the file
    assert code == 1
    assert "absent.asf: can't be read (No such file or directory)" in err
    assert str(jobs.parent / "absent.asf") not in err


@pytest.mark.shared
def test_a_job_whose_skeleton_has_changed_is_done_again(run, jobs, out):
    skeleton = jobs.parent / "bodies" / "someone.asf"
    assert run("run", jobs)[0] == 0
    (made,) = out.glob("*.bvh")
    before = made.read_bytes()
    assert run("run", jobs, "--resume")[0] == 0
    assert made.read_bytes() == before
    assert "length 2.47672" in skeleton.read_text()
    skeleton.write_text(skeleton.read_text().replace("length 2.47672", "length 2.6"))
    assert run("run", jobs, "--resume")[0] == 0
    assert made.read_bytes() != before


def test_a_mesh_moves_with_a_take_in_the_files_own_axes(run, takes, out):
    mesh, weights = out / "bone.obj", out / "weights.txt"
    mesh.write_text("v 0 10 0\nv 3 14 0\nv 0 10 1\nf 1 2 3\n")
    weights.write_text("1 lower 1\n2 lower 1\n3 lower 1\n")
    skeleton = takes.parents[1] / "bodies" / "someone.asf"
    flags = ("--skeleton", skeleton, "--amc-rate", "60", "--frames", "1", "-o", out / "made.obj")
    code, printed, err = run("skin", takes, mesh, weights, *flags)
    assert (code, err) == (0, "")
    assert "1 frame of 3 vertices at 60 a second" in printed
    moved = [
        list(map(float, line.split()[1:4])) for line in (out / "made.obj").read_text().splitlines() if line[:2] == "v "
    ]
    assert moved[:2] == [pytest.approx([1, 12, 3], abs=1e-5), pytest.approx([1, 15, 7], abs=1e-5)]
