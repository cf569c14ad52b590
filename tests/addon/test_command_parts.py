"""Parts of a job file inside Blender, run as on several machines, including the tasks of a render farm."""

import json
import os
import shutil
from pathlib import Path

import material
import pytest

pytestmark = pytest.mark.core_result

TASKS = Path(__file__).resolve().parents[1] / "data" / "flamenco_tasks.json"  # made by the job type for Flamenco
BLEND = '[[job]]\nverb = "blend"\n'
JOBS = (
    'folder = "out"\n[[job]]\nverb = "sync"\nclips = ["Sneak"]\neach = "[CW]*"\n'
    f'{BLEND}clips = ["Turn*"]\nreport = "out/"\n{BLEND}clips = ["Walk", "Sneak"]\n{BLEND}clips = ["Walk", "Carry"]\n'
)
RESULTS = {"Walk in time with Sneak", "Turn Left + Turn Right 50:50", "Walk + Sneak 50:50", "Walk + Carry 50:50"}


@pytest.fixture
def jobs(tmp_path, scene):
    path = tmp_path / "jobs.toml"
    path.write_text(JOBS, encoding="utf-8")
    return path


def contents(folder):
    """Return {file name: content}; reports lack the time taken."""
    return {path.name: plain(path) for path in folder.iterdir()}


def plain(path):
    if path.suffix != ".json":
        return path.read_bytes()
    report = material.read_json(path)
    return {key: value for key, value in report.items() if key != "seconds_taken"}


def test_tasks_of_a_farm_make_what_one_run_makes(command, jobs, scene, out, tmp_path):
    assert command("run", jobs, "-o", tmp_path / "whole.blend")[0] == 0
    made = contents(out)
    assert len(made) >= len(RESULTS) + 1
    shutil.rmtree(out)
    names = {"JOBS.toml": str(jobs), "SCENE.blend": str(scene), "COPY.blend": str(tmp_path / "copy.blend")}
    before = scene.read_bytes()
    copies = [tmp_path / f"copy.{k}-of-3.blend" for k in (1, 2, 3)]
    for task in json.loads(TASKS.read_text(encoding="utf-8")):
        parameters = task["commands"][0]["parameters"]
        actions = set(material.opened(names[parameters["blendfile"]]).keys())
        arguments = [names.get(argument, argument) for argument in parameters["args"]]
        assert arguments[:2] == ["--command", "action_loom"]
        code, printed, err = command(*arguments[2:])
        assert (code, err) == (0, "")
        assert printed.splitlines()[0].startswith(f"part {arguments[5]}: ")
    assert contents(out) == made
    assert scene.read_bytes() == before
    assert not (tmp_path / "copy.blend").exists()
    added = [set(material.opened(path).keys()) - actions for path in copies]
    assert set().union(*added) >= RESULTS
    assert sum(map(len, added)) == len(set().union(*added))
    assert set().union(*added) == set(material.opened(tmp_path / "whole.blend").keys()) - actions


def test_parts_would_save_over_each_other(refused, jobs):
    code, message = refused("run", jobs, "--part", "1/2", "--save")
    assert code == 2
    assert message == "--part: each part would save the opened file over the others; -o COPY.blend saves copies"


def test_a_part_without_jobs_saves_nothing(command, jobs, out, tmp_path):
    code, printed, err = command("run", jobs, "--part", "99/99", "-o", tmp_path / "copy.blend")
    assert (code, err) == (0, "")
    assert printed.startswith("part 99/99: 0 of ")
    assert os.listdir(out) == []
    assert not list(tmp_path.glob("copy*"))


def test_a_cluster_is_for_motion_files(refused, jobs):
    code, message = refused("run", jobs, "--scheduler", "tcp://farm:8786")
    assert code == 2
    assert message == "--scheduler: inside Blender jobs are done one after the other; --part shares them"
