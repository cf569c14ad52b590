"""The job type for Flamenco, in a JavaScript engine: its tasks, which together do all jobs."""

import json
import os
import shutil
from pathlib import Path

import pytest
from oracles import console, material, processes

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "flamenco" / "action_loom.js"
TASKS = ROOT / "tests" / "data" / "flamenco_tasks.json"  # which tests/addon runs inside Blender
SUBMITTED = {"job_file": "JOBS.toml", "blendfile": "SCENE.blend"}
# The part of Flamenco's Manager that a script uses: it records tasks and their commands.
MANAGER = """
const author = {
    Task: (name, type) => ({
        name, type, commands: [], dependencies: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) { this.dependencies.push(task.name); },
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
const print = () => {};
function tasksOf(settings) {
    const job = { settings: JSON.parse(settings), tasks: [], addTask(task) { this.tasks.push(task); } };
    compileJob(job);
    return JSON.stringify(job.tasks);
}
"""


@pytest.fixture(scope="module")
def script():
    """The script as the Manager has loaded it."""
    import quickjs

    context = quickjs.Context()
    context.eval(MANAGER)
    context.eval(SCRIPT.read_text(encoding="utf-8"))
    return context


@pytest.fixture
def settings(script):
    """The settings of the job type by their keys."""
    about = json.loads(script.eval("JSON.stringify(JOB_TYPE)"))
    assert set(about) == {"label", "description", "settings"}
    return {one["key"]: one for one in about["settings"]}


@pytest.fixture
def tasks(script, settings):
    """Return the tasks for the given settings; other settings have the defaults of Flamenco's add-on."""
    shown = {key: one["default"] for key, one in settings.items() if "default" in one}
    return lambda **asked: json.loads(script.get("tasksOf")(json.dumps(shown | SUBMITTED | asked)))


def test_every_setting_is_one_that_flamenco_knows(settings):
    kinds = {"string": str, "int32": int, "bool": bool}
    known = {"key", "type", "subtype", "choices", "propargs", "description", "default", "visible", "required"}
    assert [key for key, one in settings.items() if one.get("required")] == ["job_file", "blendfile"]
    for one in settings.values():
        assert set(one) <= known
        assert one["description"]
        assert one.get("required") or isinstance(one["default"], kinds[one["type"]])
        assert one.get("default", "auto") in one.get("choices", [one.get("default", "auto")])
        assert one.get("subtype", "file_path") == "file_path"
    from action_loom.core.jit import ENGINES

    assert settings["engine"]["choices"] == list(ENGINES)


@pytest.mark.parametrize("count", [1, 3, 16])
def test_each_task_is_one_part_in_blender(tasks, count):
    made = tasks(parts=count)
    assert [task["name"] for task in made] == [f"part-{k}-of-{count}" for k in range(1, count + 1)]
    for k, task in enumerate(made, 1):
        assert (task["type"], task["dependencies"]) == ("blender", [])
        (command,) = task["commands"]
        assert command == {
            "name": "blender-render",
            "parameters": {
                "exe": "{blender}",
                "exeArgs": "{blenderArgs}",
                "argsBefore": ["--background"],
                "blendfile": "SCENE.blend",
                "args": ["--command", "action_loom", "run", "JOBS.toml", "--part", f"{k}/{count}", "--force"],
            },
        }


def test_what_is_asked_for_goes_to_the_command(tasks):
    (task,) = tasks(parts=1, copy="COPY.blend", engine="numpy", overwrite=False)
    arguments = task["commands"][0]["parameters"]["args"]
    assert arguments[4:] == ["--part", "1/1", "-o", "COPY.blend", "--engine", "numpy"]


@pytest.mark.parametrize("count", [0, -1, 1.5, None])
def test_a_number_of_parts_that_is_none_is_refused_when_the_job_is_submitted(tasks, count):
    import quickjs

    with pytest.raises(quickjs.JSException, match="must be a whole number from 1 on"):
        tasks(parts=count)


def test_the_tasks_that_run_inside_blender_are_those_of_the_script(tasks):
    assert tasks(parts=3, copy="COPY.blend") == json.loads(TASKS.read_text(encoding="utf-8"))


def test_all_tasks_together_make_what_one_run_makes(run, tasks, tmp_path):
    for name, clip in (("walk", material.walk(2.0)), ("slow", material.walk(3.0, stride=0.7))):
        material.write(clip, tmp_path / f"{name}.bvh")
    jobs, out = tmp_path / "JOBS.toml", tmp_path / "out"
    pair = 'clips = ["walk.bvh", "slow.bvh"]\n'
    verbs = "".join(f'[[job]]\nverb = "{verb}"\n{pair}' for verb in ("blend", "sync"))
    jobs.write_text(
        f'folder = "out"\n{verbs}'
        + "".join(f'[[job]]\nverb = "blend"\n{pair}weights = [1, {k}]\n' for k in range(2, 6))
    )
    assert run("run", jobs, "--engine", "numpy")[0] == 0
    made = {path.name: path.read_bytes() for path in out.iterdir()}
    assert len(made) == 6
    shutil.rmtree(out)
    # Each task runs twice, as after a retry; the package's own program replaces Blender's part of each command.
    for task in 2 * tasks(parts=2, engine="numpy", job_file=str(jobs)):
        arguments = task["commands"][0]["parameters"]["args"]
        assert arguments[:2] == ["--command", "action_loom"]
        done = processes.python("-P", "-m", console.MODULE, *arguments[2:])
        assert (done.returncode, done.stderr) == (0, "")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == made
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]
