"""Data of version 0.1 is read: results, settings, and names of options and verbs, from a file of that version."""

import json
from pathlib import Path

import bpy
import pytest

FILE = Path(__file__).resolve().parents[1] / "data" / "version_0_1.blend"
RESULTS = ("Old Blend", "Old Connect", "Old Follow", "Old Loop", "Old Path", "Old Splice", "Old Sync", "Old Walk")


@pytest.fixture
def old():
    """Open the file of version 0.1 and return its active armature."""
    bpy.ops.wm.open_mainfile(filepath=str(FILE))
    return bpy.context.object


def test_the_panels_settings_are_where_they_belong(loom, old):
    settings = bpy.context.scene.action_loom
    assert settings.matching.open_end_penalty == 3.0
    assert settings.follow.label_filter == "x"
    assert settings.splice.if_shorter == "hold"
    assert settings.shortest.leave == "Sneak:1"
    assert (settings.result.visual, settings.result.place) == (True, "CURSOR")
    assert settings.rigs[0].sources[0].weight == pytest.approx(0.7)
    assert loom("addon.model.properties").armature_of(settings.rigs[0]) == old


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_read_and_made_anew(loom, old, name):
    storage, action = loom("addon.model.storage"), bpy.data.actions[name]
    assert action["action_loom"]["version"] == 1
    recipe = storage.recipe_of(action)
    assert {source.name for source in storage.read_stored(action).sources} <= {"Walk", "Sneak", "Wave"}
    assert storage.read_stored(action).armature == old
    assert not storage.edited_by_hand(action)
    frames = tuple(action.curve_frame_range)
    assert bpy.ops.action_loom.edit_recipe(action=name) == {"FINISHED"}
    assert bpy.ops.action_loom.rebuild(action=name) == {"FINISHED"}
    if name != "Old Connect":  # its clips are 20 cm apart at many frames; standing feet choose another pair
        assert tuple(action.curve_frame_range) == frames
    assert action["action_loom"]["version"] == 2
    assert storage.recipe_of(action) == recipe


def test_what_was_asked_of_a_result_is_known(loom, old):
    storage = loom("addon.model.storage")
    asked = storage.read_stored(bpy.data.actions["Old Blend"]).request
    assert (asked.result.place, asked.result.travel, asked.result.interpolation) == ("cursor", "hips", "bezier")
    assert [source.name for source in asked.sources] == ["Walk", "Sneak"]
    assert storage.recipe_of(bpy.data.actions["Old Blend"]).open_end_penalty == 2.0
    assert storage.read_stored(bpy.data.actions["Old Splice"]).request.reading.visual
    assert storage.recipe_of(bpy.data.actions["Old Splice"]).if_shorter == "hold"
    assert storage.recipe_of(bpy.data.actions["Old Path"]).verb == "shortest"


def test_scripts_may_use_the_old_names(old):
    both = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
    one = [{"name": "Sneak", "weight": 1.0}]
    operators = bpy.ops.action_loom
    operators.blend(sources=both, keep=2.0, ends="open", as_seen=True, place="CURSOR", result_name="blended")
    operators.splice(sources=both, short="hold", result_name="spliced")
    operators.walk(sources=one, seconds=1.0, among="", result_name="walked")
    operators.path(sources=one, leave="Sneak:10", reach="Sneak:60", result_name="shortest")
    kept = {name: bpy.data.actions[name]["action_loom"] for name in ("blended", "spliced", "walked", "shortest")}
    recipes = {name: json.loads(group["recipe"]) for name, group in kept.items()}
    assert recipes["blended"]["open_end_penalty"] == 2.0
    assert json.loads(kept["blended"]["request"])["visual"]
    assert recipes["spliced"]["if_shorter"] == "hold"
    assert recipes["shortest"]["verb"] == "shortest"
    settings = bpy.context.scene.action_loom
    settings.matching.keep = 4.0
    settings.result.as_seen = False
    assert (settings.matching.open_end_penalty, settings.result.visual) == (4.0, False)


def test_command_lines_may_use_the_old_names(command, scene, out):
    arguments = ("Walk", "Sneak", "--ends", "open", "--keep", "2", "--as-seen", "--place", "cursor")
    code, _, err = command("blend", *arguments, "-o", out / "x.bvh", "--report", out / "r.json", "--quiet")
    assert (code, err) == (0, "")
    path = out / "p.csv"
    path.write_text("0 0\n0 1\n")
    assert command("graph", "build", "Sneak", "-o", out / "g.npz", "--quiet")[0] == 0
    assert command("graph", "follow", out / "g.npz", "--path", path, "-o", out / "f.bvh", "--quiet")[0] == 0
    assert command("graph", "path", out / "g.npz", "Sneak:10", "Sneak:60", "-o", out / "s.bvh", "--quiet")[0] == 0
