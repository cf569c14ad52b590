"""action-loom retarget: input files, an output file, messages, and the keys of a job."""

import json

import pytest
from action_loom.core.cli import main
from action_loom.core.cli.motion_files import MotionFiles
from action_loom.core.formats import bvh
from oracles import bodies, material


@pytest.fixture
def other(tmp_path):
    """A body at rest in A pose, with shorter shins."""
    body = bodies.resting(bodies.proportioned(material.figure(), {"Leg": 0.9}), bodies.RESTS["A 45"])
    return material.write(material.walk(1.0, skeleton=body), tmp_path / "other.bvh")


def test_a_clip_is_put_on_the_body_of_another(run, walk, other, out):
    code, printed, err = run("retarget", walk, "--like", other, "-o", out / "", "--report", out / "r.json")
    assert (code, err) == (0, "")
    made, body = (bvh.to_clip(bvh.read(path))[0] for path in (out / "walk on other.bvh", other))
    assert made.skeleton.names == body.skeleton.names
    assert len(made) == 61
    assert "walk on other: 61 frames at 30 a second" in printed
    assert "legs × 0.9" in printed
    assert "against rest pose; limbs off 0.00° at most" in printed
    assert "joints: 21 by role, 0 at rest" in printed
    report = json.loads((out / "r.json").read_text(encoding="utf-8"))
    assert report["retarget"]["clip"] == "walk"
    assert report["retarget"]["roles"]["shin.L"] == ["LeftLeg", "name", "LeftLeg", "name"]
    assert report["inputs"] == [str(other), str(walk)]
    assert max(report["retarget"]["limbs_off_degrees"].values()) < 0.01


def test_the_body_is_named_and_nothing_is_guessed(run, walk, other, out):
    code, _, err = run("retarget", walk, "-o", out / "a.bvh")
    assert code == 2
    assert "--like" in err
    code, _, err = run("retarget", walk, other, "--like", other, "-o", out / "a.bvh")
    assert code == 2
    assert "2 results need a folder" in err
    code, _, err = run("retarget", walk, "--like", other, "--rest", "99", "-o", out / "a.bvh")
    assert code == 2
    assert "'99' is no rest pose: auto, rest, or a frame of walk from 0 to 60" in err


def test_a_frame_is_taken_as_rest_pose_where_the_artist_says_so(run, walk, other, out):
    code, printed, _ = run("retarget", walk, "--like", other, "--body-rest", "3", "--rest", "rest", "-o", out / "a.bvh")
    assert code == 0
    assert "against rest pose and frame 3" in printed
    assert "note: Frame 3 of other is used as its rest pose" in printed


def test_a_body_that_can_not_be_told_is_refused_by_name(run, walk, tmp_path, out):
    (tmp_path / "small.bvh").write_text(material.SMALL_BVH, encoding="utf-8")
    code, _, err = run("retarget", walk, "--like", tmp_path / "small.bvh", "-o", out / "a.bvh")
    assert code == 1
    assert "choose the bone that plays" in err


def test_in_a_job_file_the_body_is_a_key_of_its_own(run, walk, slow, other, out):
    folder = walk.parent
    jobs = folder / "jobs.toml"
    jobs.write_text(
        f'[[job]]\nverb = "retarget"\nclips = ["{walk.name}"]\nlike = "{other.name}"\noutput = "out/"\n'
        f'[[job]]\nverb = "retarget"\neach = "s*w.bvh"\nlike = "{other.name}"\nbody_rest = 3\noutput = "out/"\n',
        encoding="utf-8",
    )
    assert run("run", jobs)[0] == 0
    assert slow.name == "slow.bvh"
    assert sorted(path.name for path in out.iterdir()) == ["slow on other.bvh", "walk on other.bvh"]


@pytest.mark.usefixtures("walk", "other")
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('verb = "retarget"\nclips = ["walk.bvh"]', "like is missing: the clip on whose body it is put"),
        ('verb = "loop"\nclips = ["walk.bvh"]\nlike = "other.bvh"', "there is no key 'like' for loop"),
        ('verb = "retarget"\nclips = ["walk.bvh"]\nlike = "*.bvh"', "must be one clip; 2 match"),
        ('verb = "retarget"\nclips = ["walk.bvh"]\nlike = "nobody.bvh"', "like: there is no file"),
    ],
)
def test_what_is_missing_or_too_much_in_a_job_is_said(run, tmp_path, table, message):
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(f'[[job]]\n{table}\noutput = "a.bvh"\n', encoding="utf-8")
    code, _, err = run("run", jobs)
    assert code in (1, 2)
    assert message in err


class OneArmature(MotionFiles):
    """A host whose clips all have one body, like the actions of an armature."""

    several_bodies = False


def test_where_all_clips_are_of_one_body_there_is_no_such_verb(run, walk, other, out, capsys):
    with pytest.raises(SystemExit):
        main.main(["retarget", str(walk), "--like", str(other), "-o", str(out / "a.bvh")], OneArmature())
    assert "invalid choice: 'retarget'" in capsys.readouterr().err
    jobs = walk.parent / "jobs.toml"
    table = f'verb = "retarget"\nclips = ["walk.bvh"]\nlike = "other.bvh"\noutput = "{out.name}/"\n'
    jobs.write_text(f"[[job]]\n{table}", encoding="utf-8")
    assert main.main(["run", str(jobs)], OneArmature()) in (1, 2)
    assert "verb is 'retarget', but must be one of" in capsys.readouterr().err
    assert run("run", jobs)[0] == 0


def test_a_folder_of_files_is_retargeted_at_once(run, walk, other, out, tmp_path):
    """Each result equals that of its file alone, and a damaged file does not stop the rest."""
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY", encoding="utf-8")
    report = out / "list.json"
    code, _, err = run("retarget", walk, bad, other, "--like", other, "-o", out / "", "--report", report)
    assert code == 1
    assert "bad.bvh" in err
    assert "1 of 3 clips" in err
    alone = tmp_path / "alone.bvh"
    assert run("retarget", walk, "--like", other, "-o", alone)[0] == 0
    assert (out / f"{walk.stem} on {other.stem}.bvh").read_bytes() == alone.read_bytes()
    rows = json.loads(report.read_text(encoding="utf-8"))
    assert ["message" in row for row in rows] == [False, True, False]
