"""Job files inside Blender: `run` on actions of the opened file, by name and pattern."""

import os
from pathlib import Path

import bpy
import material
import pytest

pytestmark = pytest.mark.core_result

ROOT = Path(__file__).resolve().parents[2]
BLEND = '[[job]]\nverb = "blend"\n'
JOBS = (
    'ends = "pinned"\nfolder = "out"\n[range]\nCarry = [1, 60]\n'
    f'{BLEND}clips = ["Turn*"]\nmark_contacts = true\nreport = "out/"\n'
    '[[job]]\nverb = "sync"\nclips = ["Sneak"]\neach = "C*"\nresult_name = "Steps"\n'
)


@pytest.fixture
def jobs(tmp_path):
    """Write a job file and return its path."""

    def write(text):
        path = tmp_path / "jobs.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_jobs_are_done_on_actions_by_name_and_pattern(command, loom, scene, jobs, out):
    code, printed, err = command("run", jobs(JOBS), "--save", "--no-assign", "--report", out / "r.json")
    assert (code, err) == (0, "")
    turns = "Turn Left + Turn Right 50"
    names = [f"{turns}-50.bvh", f"{turns}-50.json", "Steps.bvh", "r.json"]
    assert sorted(os.listdir(out)) == sorted(names)
    assert printed == f"job 1: done, {out / names[0]}\njob 2 (Carry): done, {out / names[2]}\n"
    first, second = (one["report"] for one in material.read_json(out / "r.json")["jobs"])
    assert first == material.read_json(out / names[1])
    assert (first["inputs"], first["action"]) == (["Turn Left", "Turn Right"], f"{turns}:50")
    assert (second["inputs"], second["action"]) == (["Sneak", "Carry"], "Steps")
    actions = material.opened(scene)
    assert {f"{turns}:50", "Steps"} <= set(actions.keys())
    assert len(actions[f"{turns}:50"].pose_markers) > 4
    assert len(actions["Steps"].pose_markers) == 0
    assert bpy.data.objects["Loom Figure"].animation_data.action.name == "Walk"
    assert loom("addon.model.storage").read_stored(actions["Steps"]).request.sources[1].span == (1, 60)


def test_a_job_that_fails_does_not_stop_the_others(command, scene, jobs, out):
    material.key_by_hand(material.armature(name="Stranger"), "stranger", seed=1)
    good = f'{BLEND}clips = ["Sneak", "Carry"]\n'
    path = jobs(f'armature = "Loom Figure"\n{good}{BLEND}name = "odd"\nclips = ["Sneak", "stranger"]\n')
    code, printed, err = command("run", path, "-o", out / "copy.blend")
    problem = "stranger moves no bone of Loom Figure"
    assert code == 1
    assert printed == f"job 1: done, Sneak + Carry 50:50\njob 2 (odd): failed, {problem}\n"
    assert err == f"action_loom: job 2 (odd): {problem}\naction_loom: 1 of 2 jobs failed\n"
    assert "Sneak + Carry 50:50" in material.opened(out / "copy.blend")


PAIR = 'clips = ["Walk", "Sneak"]\n'
PAIRED = f"{BLEND}{PAIR}output = 'out/x.bvh'\n"
REFUSED_JOBS = {
    "": "there are no jobs; each begins with [[job]]",
    "= 3": "line 1: ",
    f"{BLEND}{PAIR}": "job 1: output is missing, and there is no folder for it either",
    f"{PAIRED}bones = 1": "job 1: there is no key 'bones' for blend",
    f"{PAIRED}picture = 'out/x.png'": "job 1: pictures are not drawn inside Blender",
    f"{PAIRED}place = 'moon'": "job 1: place is 'moon', but must be one of reference, cursor",
    f"{PAIRED}rate = 120": "job 1: rate is 120, but must be a table of names",
    f"{PAIRED}rate = {{Walk = 0}}": "job 1: rate of Walk is 0, but must lie between",
    f"{PAIRED}range = {{Walk = [9, 1]}}": "job 1: range of Walk is [9, 1], but must end after",
    f"{PAIRED}rate = {{Gone = 9}}": "job 1: rate: there is no action 'Gone'; the actions are",
    f"{BLEND}clips = ['Gone']\noutput = 'out/'": "job 1: clips: there is no action 'Gone'; the actions are Carry, ",
    f"{BLEND}clips = ['X*']\noutput = 'out/'": "job 1: clips: no action matches 'X*'",
    f"result_name = 'Same'\n{BLEND}{PAIR}output = 'out/'": "there is no key 'result_name'",
    f"armature = 'Nobody'\n{BLEND}clips = ['T*']\noutput = 'out/'": "job 1: there is no armature 'Nobody'",
}


@pytest.mark.parametrize(("text", "message"), REFUSED_JOBS.items(), ids=range(len(REFUSED_JOBS)))
def test_job_files_are_checked_before_anything_runs(refused, jobs, text, message):
    path = jobs(text)
    code, said = refused("run", path)
    assert code == 1
    assert said.startswith(f"{path}")
    assert message in said


def test_a_job_file_that_can_not_be_read_is_said(refused, tmp_path):
    absent = tmp_path / "absent.toml"
    assert refused("run", absent, "--save") == (1, f"{absent}: can't be read (No such file or directory)")


@pytest.mark.parametrize("number", [0, 2])
def test_jobs_are_not_done_at_the_same_time_inside_blender(refused, jobs, number):
    code, message = refused("run", jobs(f"{BLEND}{PAIR}"), "--save", "--jobs", number)
    assert code == 2
    assert message == f"--jobs is {number}, but inside Blender jobs are done one after the other"


def test_a_run_saves_a_copy_and_nothing_else(refused, jobs, out):
    code, message = refused("run", jobs(f"{BLEND}{PAIR}"), "-o", out / "x.bvh")
    assert code == 2
    assert message.endswith("but must be a .blend; where motion files go is said in the job file")


def test_keys_of_job_files_and_options_have_different_names(loom):
    jobfile = loom("core.cli.jobfile")
    reserved = {"job", "verb", "clips", *jobfile.FOR_ALL, *jobfile.FOR_ONE, *jobfile.FOR_THE_RUN}
    settings = set(loom("addon.host.opened_file").OpenedFile().settings)
    assert settings & reserved == {"adapts"}  # which says the same of both
    for recipe in [row.recipe for row in loom("core.verbs").VERBS.values()]:
        assert not (settings | reserved) & set(loom("core.options").declared_options(recipe))


def test_every_key_of_job_files_is_documented(loom):
    text = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8").partition("## Inside Blender")[2]
    for name in loom("addon.host.opened_file").OpenedFile().settings:
        assert f"`{name}`" in text
