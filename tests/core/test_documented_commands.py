"""Every command in README and docs runs as written, on files with the names in the command."""

import glob
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from action_loom.core import verbs
from action_loom.core.cli import main
from action_loom.core.cli.motion_files import MotionFiles
from action_loom.core.demo_character import actions
from action_loom.core.verbs import InPlace
from oracles import degraded, documented, manual_scripts, material, points_files

ROOT = documented.ROOT
PAGES = documented.commands("action-loom")
MAKE = sorted({line for lines in documented.commands("make").values() for line in lines})
SCRIPTS = sorted({line for lines in documented.commands("python").values() for line in lines if " tools/" in line})
AWAY = "tcp://HOST"  # commands for other machines are only parsed; cli/test_cluster.py has a cluster


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with all files that the commands name."""
    folder = tmp_path_factory.mktemp("documented")
    manual_scripts.write_files(folder)
    walk, turn = actions.walk(), actions.turn_left()
    several = {
        "walk": actions.walk(cycles=10),
        "long_walk": actions.walk(cycles=4), "boxing": actions.wave(), "turn": turn, "a": walk, "b": actions.sneak(),
        "walk_on_the_spot": verbs.apply(InPlace(), [actions.walk(cycles=3)]).clip, "hero": walk,
    }  # fmt: skip
    for name, clip in several.items():
        material.write(clip, folder / f"{name}.bvh")
    for place in ("takes", "mocap", "games"):
        (folder / place).mkdir()
    for k, speed in enumerate((0.8, 0.9, 1.0, 1.1, 1.2)):
        material.write(actions.walk(cycles=4, speed=speed), folder / "takes" / f"take {k}.bvh")
    material.write(turn, folder / "takes" / "turn.bvh")
    material.write(actions.walk(cycles=4), folder / "mocap" / "walk.bvh")
    material.write(actions.sneak(), folder / "games" / "sneak.bvh")
    labels, places = degraded.stack(degraded.clean(walk))
    (folder / "dance.json").write_bytes(points_files.as_json(places, labels))
    (folder / "path.csv").write_text("x,y\n0,0\n0,2\n0.5,4\n")
    (folder / "words.csv").write_text("walk.bvh,walk\nsneak.bvh,sneak\n")
    rows = [f"take {k},p{k},{0.8 + 0.1 * k}" for k in range(5)]
    (folder / "L.csv").write_text("\n".join(["clip,person,speed", *rows, "turn,p5,0.7"]) + "\n")
    jobs = re.search(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    for name in ("jobs.toml", "JOBS.toml"):
        (folder / name).write_text(jobs)
    return folder


def words_of(line):
    """The words of a command as a shell would give them, without its first one."""
    words = shlex.split(os.path.expandvars(line.replace("WALKS…", "takes/*.bvh")))[1:]
    return [name for word in words for name in (sorted(glob.glob(word)) if "*" in word else [word])]


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_one_after_the_other(page, files, run, tmp_path, monkeypatch):
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "3")
    monkeypatch.setenv("SLURM_ARRAY_TASK_COUNT", "16")
    for line in PAGES[page]:
        words = words_of(line)
        if AWAY in line:
            main.parser(MotionFiles()).parse_args(words)
        elif not any("." in word or "/" in word for word in words):  # a mention of a verb, without files
            assert run(*(word for word in words if word[0] != "-"), "--help")[0] == 0, line
        else:
            shutil.rmtree("woven", ignore_errors=True)  # of the jobs before
            assert run(*words, *(["--force"] if "-o" in words else []))[::2] == (0, ""), line


@pytest.mark.parametrize("line", MAKE)
def test_make_has_the_target_and_reads_what_is_set(line):
    words = shlex.split(line)
    done = subprocess.run(["make", "-n", *words[words.index("make") + 1 :]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    makefile = (ROOT / "Makefile").read_text()
    for name in re.findall(r"([A-Z]+)=", line):
        assert f"$({name})" in makefile or name == "WRITE", name
    for script in re.findall(r"tools/[\w/]+\.py", done.stdout):
        assert (ROOT / script).is_file()


@pytest.mark.parametrize("line", SCRIPTS)
def test_scripts_are_there_and_know_the_options_they_are_given(line):
    _, script, *words = shlex.split(line)
    text = (ROOT / script).read_text(encoding="utf-8")
    for option in (word for word in words if word.startswith("--")):
        assert f'"{option}"' in text


def test_the_zip_is_built_as_the_manual_says(tmp_path):
    python = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
    if not python.exists():
        pytest.skip("needs the environment of Blender 5.2: make setup")
    tree = tmp_path / "tree"  # not where the tests' own zip lies
    for name in ("addon", "core", "docs", "tools"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.glob("[!.]*.*"):
        if path.is_file():
            shutil.copy(path, tree)
    for name in ("Makefile", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    (tree / ".venv-blender").symlink_to(ROOT / ".venv-blender")

    def made(*variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "ALL", "FAST")}
        command = ["make", "-s", "build", *variables]
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout.splitlines()[-1:], done.stderr

    code, printed, _ = made()
    assert code == 0
    assert Path(printed[0]).stat().st_size < 3_000_000
    code, _, said = made("PYTHON=3.13")
    assert code != 0
    assert "is for --fast" in said
