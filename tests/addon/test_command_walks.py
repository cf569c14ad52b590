"""Walks through motion graphs on the command line inside Blender: results are actions."""

import bpy
import pytest

pytestmark = pytest.mark.core_result

PATH = "0 0; 0.3 1.5"


@pytest.fixture
def graph(command, scene, out):
    """A motion graph of the sneaking figure, in a file."""
    path = out / "sneaks.npz"
    assert command("graph", "build", "Sneak", "-o", path, "--quiet")[0] == 0
    return path


def test_a_walk_is_kept_in_the_file_and_can_be_made_anew(command, scene, loom):
    code, printed, err = command("follow", "Sneak", "--path", PATH, "--bend", 20, "--save")
    assert (code, err) == (0, "")
    assert "off the path" in printed
    made = "Sneak along a path"
    action = bpy.data.actions[made]
    assert loom("addon.model.storage").recipe_of(action).verb == "follow"
    assert command("rebuild", made, "--save")[0] == 0
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    assert made in bpy.data.actions


def test_a_walk_through_a_graph_from_a_file_is_the_same_as_through_one_built_now(command, scene, graph, play, out):
    assert command("walk", "Sneak", "--mirror", "--seconds", 2, "--result-name", "built", "--save", "--quiet")[0] == 0
    flags = ("--seconds", 2, "--result-name", "loaded", "--save", "--quiet")
    assert command("graph", "walk", graph, *flags)[0] == 0
    built, loaded = bpy.data.actions["built"], bpy.data.actions["loaded"]
    assert built["action_loom"]["recipe"] == loaded["action_loom"]["recipe"]
    assert [e["name"] for e in loaded["action_loom"]["sources"]] == ["Sneak"]
    hashes = [action["action_loom"]["result_hash"] for action in (built, loaded)]
    assert hashes[0] == hashes[1]
    assert command("walk", "--graph", graph, "--seconds", 2, "-o", out / "w.bvh", "--quiet")[0] == 0
    assert (out / "w.bvh").stat().st_size > 10_000


def test_what_the_path_carries_is_among_the_sources(command, scene, graph, loom):
    carries = ("--action", "Wave", "--from", 20, "--to", 80)
    flags = ("--bend", 20, "--result-name", "waving", "--save", "--quiet")
    assert command("follow", "--graph", graph, "--path", PATH, *carries, *flags)[0] == 0
    action = bpy.data.actions["waving"]
    assert [e["name"] for e in action["action_loom"]["sources"]] == ["Sneak", "Wave"]
    assert loom("addon.model.storage").recipe_of(action).stretches == ((0.2, 0.8, 2.0),)
    assert bpy.ops.action_loom.rebuild(action="waving") == {"FINISHED"}


def test_a_graph_whose_clips_are_gone_can_still_be_exported(command, graph, out):
    bpy.data.actions["Sneak"].name = "Creep"
    code, _, err = command("graph", "walk", graph, "--seconds", 1, "--save")
    assert code == 1
    assert "there is no action 'Sneak'" in err
    assert command("graph", "walk", graph, "--seconds", 1, "-o", out / "w.bvh", "--quiet")[0] == 0


def test_jobs_walk_too(command, scene, graph, tmp_path):
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(
        f'[[job]]\nverb = "walk"\ngraph = "{graph}"\nseconds = 1\nresult_name = "a"\n'
        '[[job]]\nverb = "shortest"\nclips = ["Sneak"]\nleave = "Sneak:10"\nreach = "Sneak:60"\nresult_name = "b"\n'
    )
    code, _, err = command("run", jobs, "--save", "--quiet")
    assert (code, err) == (0, "")
    assert {"a", "b"} <= set(bpy.data.actions.keys())
