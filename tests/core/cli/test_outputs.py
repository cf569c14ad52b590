"""Output files: their paths, protection of existing files, and no partial files."""

import os
import sys

import pytest
from action_loom.core.cli import outputs
from hypothesis import given
from hypothesis import strategies as st
from oracles import console, processes

FILES = [("--output", "there.bvh"), ("--report", "there"), ("--picture", "there"), ("--timewarp", "there")]


@pytest.mark.parametrize(("flag", "name"), FILES)
def test_nothing_is_overwritten_unless_it_is_forced(run, walk, slow, out, flag, name):
    there = out / name
    there.write_text("precious")
    output = {"--output": out / "new.bvh", flag: there}
    arguments = [part for pair in output.items() for part in pair]
    code, printed, err = run("blend", walk, slow, *arguments)
    assert (code, printed) == (1, "")
    assert err == f"action-loom: {there} exists already; --force overwrites it\n"
    assert there.read_text() == "precious"
    assert os.listdir(out) == [name]
    assert run("blend", walk, slow, *arguments, "--force")[0] == 0
    assert there.read_bytes() != b"precious"


@pytest.mark.parametrize(("flag", "name"), FILES)
def test_a_folder_that_is_not_there_is_said_before_any_work(run, walk, slow, out, flag, name):
    file = out / "absent" / name
    output = {"--output": out / "new.bvh", flag: file}
    code, _, err = run("blend", walk, slow, *[part for pair in output.items() for part in pair])
    assert code == 1
    assert err == f"action-loom: {file}: there is no folder {out / 'absent'}\n"
    assert os.listdir(out) == []


@pytest.mark.skipif(sys.platform == "win32", reason="names may be longer there")
def test_a_name_that_is_too_long_is_said_in_one_line(run, walk, slow, out):
    path = out / f"{300 * 'x'}.bvh"
    code, printed, err = run("blend", walk, slow, "-o", path)
    assert (code, printed) == (1, "")
    console.assert_one_line(err)
    assert err.startswith(f"action-loom: {str(path)[:60]}")
    assert err.endswith("can't be written (File name too long)\n")
    assert len(err) < 330  # with the middle of the name left out
    assert os.listdir(out) == []


def test_a_folder_in_the_place_of_a_file_is_refused(run, walk, slow, out):
    (out / "walk + slow 50-50.bvh").mkdir()
    for arguments in (["info", walk, "--report", out], ["blend", walk, slow, "-o", out]):
        code, _, err = run(*arguments, "--force")
        assert code == 1
        console.assert_one_line(err)
        assert "is a folder; name a file" in err
    assert os.listdir(out) == ["walk + slow 50-50.bvh"]
    assert os.listdir(out / "walk + slow 50-50.bvh") == []


@pytest.mark.parametrize("name", ["there", "there/", "new/"])
def test_files_in_a_folder_are_named_after_the_result(run, walk, slow, out, name):
    (out / "there").mkdir()
    arguments = [part for flag in ("--output", "--report", "--picture") for part in (flag, f"{out}/{name}")]
    code, _, err = run("blend", walk, slow, "--weights", 1, 3, *arguments)
    assert (code, err) == (0, "")
    folder = out / name
    assert sorted(os.listdir(folder)) == [f"walk + slow 25-75{ending}" for ending in (".bvh", ".json", ".png")]
    assert console.read_json(folder / "walk + slow 25-75.json")["output"] == str(folder / "walk + slow 25-75.bvh")
    assert run("blend", walk, slow, "--weights", 1, 3, *arguments)[0] == 1


def test_a_folder_is_made_only_in_one_that_is_there_and_only_for_a_result(run, walk, slow, tmp_path, out):
    code, _, err = run("blend", walk, slow, "-o", f"{out}/new/newer/")
    assert code == 1
    assert err == f"action-loom: {out}/new/newer/walk + slow 50-50.bvh: there is no folder {out}/new/newer\n"
    absent = run("blend", walk, tmp_path / "absent.bvh", "-o", f"{out}/new/")
    assert absent[0] == 1
    assert os.listdir(out) == []


@pytest.mark.parametrize("name", ["new", "new.fbx", "new.npz", "new.bvh.txt"])
def test_a_result_is_not_written_under_the_name_of_what_it_is_not(run, walk, slow, out, name):
    code, printed, err = run("blend", walk, slow, "-o", out / name)
    assert (code, printed) == (2, "")
    assert err == f"action-loom: {out / name} does not end like a motion file that can be written: .bvh\n"
    assert os.listdir(out) == []


def test_relative_paths_are_taken_from_the_current_folder(run, walk, slow, out, monkeypatch):
    monkeypatch.chdir(out)
    code, _, _ = run("blend", os.path.relpath(walk), slow, "-o", "new.bvh", "--report", "r.json")
    assert code == 0
    assert sorted(os.listdir(out)) == ["new.bvh", "r.json"]
    assert console.read_json(out / "r.json")["output"] == "new.bvh"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are a thing of Unix")
def test_a_disk_that_fills_up_leaves_no_part_of_a_file(walk, slow, out):
    code = (
        "import resource, sys, matplotlib.font_manager\n"
        "from action_loom.core.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    flags = ["-o", out / "new.bvh", "--report", out / "r.json", "--picture", out / "p.png"]
    done = processes.python("-c", code, "blend", walk, slow, "--engine", "numpy", *flags)
    assert done.returncode == 1
    console.assert_one_line(done.stderr)
    assert os.listdir(out) == []


@given(title=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=120))
def test_a_file_of_that_name_can_be_made(tmp_path_factory, title):
    folder = tmp_path_factory.mktemp("named")
    path = outputs.place(str(folder), title, ".bvh")
    path.write_text("x")
    assert os.listdir(folder) == [path.name]


def test_a_path_that_ends_like_a_folder_is_one(tmp_path):
    assert outputs.place(f"{tmp_path}/new/", "walk", ".bvh") == tmp_path / "new" / "walk.bvh"
    assert outputs.place(f"{tmp_path}/new", "walk", ".bvh") == tmp_path / "new"
    assert outputs.place(str(tmp_path), "walk", ".bvh") == tmp_path / "walk.bvh"


INPUTS = {
    "clip": ("mirror walk.bvh -o walk.bvh", "walk.bvh"),
    "another case": ("mirror walk.bvh -o WALK.BVH", "WALK.BVH"),
    "link": ("mirror walk.bvh -o link.bvh", "link.bvh"),
    "second clip": ("blend slow.bvh walk.bvh -o walk.bvh", "walk.bvh"),
    "report": ("info walk.bvh --report walk.bvh", "walk.bvh"),
    "table": ("follow walk.bvh --path p.csv -o out.bvh --report p.csv", "p.csv"),
    "mesh": ("skin walk.bvh arm.obj weights.txt --frames 1 -o arm.obj", "arm.obj"),
    "graph": ("graph info g.npz --report g.npz", "g.npz"),
    "style": ("style info g.npz --report g.npz", "g.npz"),
    "looked through": ("library find walk.bvh walk --report walk.bvh", "walk.bvh"),
    "set": ("take walk.bvh -o . --report walk.bvh", "walk.bvh"),
    "job": ("run jobs.toml", "walk.bvh"),
    "job file": ("run jobs.toml --report jobs.toml", "jobs.toml"),
    "labels": ("library index walk.bvh -o all.loomlib --labels p.csv --report p.csv", "p.csv"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(("command", "name"), INPUTS.values(), ids=INPUTS)
def test_an_input_is_never_an_output_even_if_it_is_forced(run, walk, slow, tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.bvh").write_bytes(walk.read_bytes())
    (tmp_path / "slow.bvh").write_bytes(slow.read_bytes())
    (tmp_path / "link.bvh").symlink_to("walk.bvh")
    (tmp_path / "p.csv").write_text("0,0\n0,3\n")
    (tmp_path / "jobs.toml").write_text('[[job]]\nverb = "mirror"\nclips = ["walk.bvh"]\noutput = "walk.bvh"\n')
    for other in ("arm.obj", "weights.txt", "g.npz"):
        (tmp_path / other).write_text("precious")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code, _, err = run(*command.split(), "--force")
    assert code == 1
    assert "is read by this command: name another file" in err
    assert name in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(("one", "other"), [("walk.json", "WALK.json"), ("caf\u00e9", "cafe\u0301"), ("x", "./x")])
def test_names_that_a_disk_cannot_tell_apart_are_refused(run, walk, slow, out, one, other):
    picture = f"{other}.png"
    code, _, err = run(
        "blend", walk, slow, "-o", out / "new.bvh", "--report", out / f"{one}.png", "--picture", out / picture
    )
    assert (code, err) == (1, f"action-loom: {out / picture} is named for two outputs\n")
    assert os.listdir(out) == []
