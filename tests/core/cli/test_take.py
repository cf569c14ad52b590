"""Takes on the command line: sets of files, complete or absent, of one take or many."""

import json

import pytest
from action_loom.core.cli import take_command
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from action_loom.core.motion import cycles
from oracles import material


@pytest.fixture
def take(tmp_path):
    path = tmp_path / "long.bvh"
    material.write(actions.walk(60.0, cycles=6), path)
    return path


def test_a_set_is_a_folder_of_actions_and_what_they_are(run, tmp_path, take):
    folder, report = tmp_path / "set", tmp_path / "r.json"
    code, out, _ = run("take", take, "-o", folder, "--mirror", "--root", "inplace,root", "--report", report)
    assert code == 0
    assert "Walk: loop" in out
    assert {path.name for path in folder.iterdir()} == {"Walk.bvh", "Walk_InPlace.bvh", "set.json"}
    about = json.loads((folder / "set.json").read_text())
    (walk,) = about["actions"]
    assert walk["loop"] is True
    assert abs(walk["speed_m_s"] - 1.3) < 0.03
    assert walk["may_follow"] == ["Walk"]
    assert walk["files"] == {"inplace": "Walk_InPlace.bvh", "root": "Walk.bvh"}
    assert json.loads(report.read_text())["sets"][0]["status"] == "done"
    written = motion_file.read(str(folder / "Walk.bvh")).clip
    assert cycles.closes(written)


def test_of_a_part_of_a_take_the_set_is_that_of_the_part_alone(run, tmp_path, take):
    """Seconds may have a point, which is none of the file's name."""
    material.write(motion_file.read(str(take)).clip.cut(90, 271), tmp_path / "part.bvh")
    sets = []
    for name, asked in (("cut", f"{take}[1.5s:270]"), ("alone", tmp_path / "part.bvh")):
        assert run("take", asked, "-o", tmp_path / name)[0] == 0
        sets.append([one["from"] for one in json.loads((tmp_path / name / "set.json").read_text())["actions"]])
    assert sets[0] == sets[1] != []
    assert take_command.folder_name("takes/long.bvh[1.5s:270]") == "long 1.5s-270"
    code, _, errors = run("take", f"{take}[5:99999]", "-o", tmp_path / "none")
    assert code != 0
    assert "long has frames 0 to" in errors


def test_names_rates_and_formats_are_as_asked(run, tmp_path, take):
    code, _, _ = run("take", take, "-o", tmp_path / "set", "--names", "{take}_{name}_{speed}", "--rate", 30)
    assert code == 0
    written = motion_file.read(str(tmp_path / "set" / "long_Walk_1.3.bvh")).clip
    assert written.rate == pytest.approx(30.0, abs=1e-3)


def test_of_several_takes_each_has_a_folder(run, tmp_path, take):
    material.write(actions.run(60.0, cycles=6), tmp_path / "longer.bvh")
    folder = tmp_path / "sets"
    assert run("take", tmp_path / "long*.bvh", "-o", folder)[0] == 0
    assert {path.name for path in folder.iterdir()} == {"long", "longer"}
    assert (folder / "longer" / "Run.bvh").is_file()


def test_parts_share_the_takes(run, tmp_path, take):
    material.write(actions.run(60.0, cycles=6), tmp_path / "longer.bvh")
    folder = tmp_path / "sets"
    for part in ("1/2", "2/2"):
        assert run("take", tmp_path / "long*.bvh", "-o", folder, "--part", part)[0] == 0
        assert len(list(folder.iterdir())) == int(part[0])


def test_one_that_fails_leaves_the_others(run, tmp_path, take):
    material.write(actions.walk(60.0).cut(0, 2), tmp_path / "longer.bvh")
    code, _, err = run("take", tmp_path / "long*.bvh", "-o", tmp_path / "sets", "--quiet")
    assert code == 1
    assert "1 of 2 takes failed" in err
    assert "can't be cut" in err
    assert (tmp_path / "sets" / "long" / "set.json").is_file()
    assert not (tmp_path / "sets" / "longer").exists()


def test_nothing_is_overwritten_unasked(run, tmp_path, take):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "Walk.bvh").write_text("mine")
    code, _, err = run("take", take, "-o", folder)
    assert code == 1
    assert "exists already" in err
    assert [path.name for path in folder.iterdir()] == ["Walk.bvh"]
    assert run("take", take, "-o", folder, "--force")[0] == 0


@pytest.mark.parametrize(
    ("flags", "says"), [(("--root", "feet"), "invalid choice: 'feet'"), (("--names", "{who}"), "names is '{who}'")]
)
def test_impossible_options_are_refused_before_any_work(run, tmp_path, take, flags, says):
    code, _, err = run("take", take, "-o", tmp_path / "set", *flags)
    assert code == 2
    assert says in err
    assert not (tmp_path / "set").exists()


def test_words_find_stretches_of_a_library_and_of_a_file(run, tmp_path, take):
    material.write(actions.turn_left(60.0), tmp_path / "turn.bvh")
    library = tmp_path / "all.loomlib"
    assert run("library", "index", tmp_path, "-o", library, "--quiet")[0] == 0
    code, out, _ = run("library", "find", library, "walk", "turning", "left")
    assert code == 0
    assert out.startswith("Walk Left")
    assert "turn[" in out
    assert "no stretch" in run("library", "find", take, "run")[1]
    assert run("library", "find", library, "and")[0] == 1


def test_a_job_file_cuts_many_takes_each_into_its_folder(run, tmp_path, take):
    takes = tmp_path / "takes"
    takes.mkdir()
    for name in ("one", "two"):
        (takes / f"{name}.bvh").write_bytes(take.read_bytes())
    (takes / "still.bvh").write_text("no motion")
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(
        'report = "all.json"\n[[job]]\nverb = "take"\neach = "takes/*.bvh"\noutput = "sets/"\nmirror = true\n'
    )
    code, _, errors = run("run", jobs, "--jobs", 2)
    assert code == 1
    assert "still" in errors
    assert sorted(path.name for path in (tmp_path / "sets").iterdir()) == ["one", "two"]
    assert {path.suffix for path in (tmp_path / "sets" / "one").iterdir()} == {".bvh", ".json"}
    (takes / "still.bvh").unlink()
    code, out, errors = run("run", jobs, "--resume")
    assert code == 0, errors
    assert "2 of 2 jobs were done already" in out


@pytest.mark.parametrize(
    ("key", "says"),
    [('names = "{who}"', "names is '{who}'"), ('root = "feet"', "root is 'feet'"), ('picture = "a.png"', "'picture'")],
)
def test_a_wrong_key_of_a_set_is_named_before_any_work(run, tmp_path, take, key, says):
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(f'[[job]]\nverb = "take"\nclips = ["{take.name}"]\noutput = "set"\n{key}\n')
    code, _, errors = run("run", jobs)
    assert code != 0
    assert says in errors
    assert not (tmp_path / "set").exists()
