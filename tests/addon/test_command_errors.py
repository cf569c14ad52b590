"""Errors of the command line inside Blender: one line each, and nothing is made, saved or overwritten."""

import os
import sys

import bpy
import material
import pytest

pytestmark = pytest.mark.core_result


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["blend", "Walk", "Sneak"], 2, "nothing would come of it: --save saves the opened file, -o makes"),
        (["sync", "Walk", "Sneak"], 2, "nothing would come of it"),
        (["rebuild", "Walk", "--report", "OUT/r.json"], 2, "nothing would come of it"),
        (["blend", "Walk", "Gone", "--save"], 1, "there is no action 'Gone'; the actions are Carry, Run, Sneak, "),
        (["blend", "Walk", "--save"], 1, "takes 2 or more clips; 1 given"),
        (["info", "Gone"], 1, "there is no action 'Gone'"),
        (["rebuild", "Gone", "--save"], 1, "there is no action 'Gone'"),
        (["blend", "Walk", "Sneak", "--save", "--picture", "OUT/p.png"], 2, "pictures are not drawn inside Blender"),
        (["blend", "Walk", "Sneak", "--save", "--slope", "99"], 2, "slope is 99, but must lie between -1 and 32"),
        (["blend", "Walk", "Sneak", "--save", "--weights", "1", "2", "3"], 2, "weights has 3 values, but takes 2"),
        (["blend", "Walk", "Sneak", "-o", "OUT/x.bvh", "--units", "parsec"], 2, "units is 'parsec', but must be"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "48"], 2, "rate is '48', but must be a clip's name, =,"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "Walk=-1"], 2, "rate of Walk is -1, but must lie between"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "Walk=fast"], 2, "rate of Walk is 'fast', but must be a nu"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "Gone=48"], 1, "rate: there is no action 'Gone'"),
        (["info", "Walk", "--range", "Walk=5"], 2, "range of Walk is '5', but must be two frames, such as 1:200"),
        (["info", "Walk", "--range", "Walk=9:9"], 2, "range of Walk is '9:9', but must end after it begins"),
        (["info", "--armature", "Nobody"], 1, "no armature 'Nobody' in the scene 'Scene'; the armatures are Lo"),
        (["blend", "Walk", "Sneak", "-o", "OUT/absent/x.blend"], 1, "x.blend: there is no folder OUT/absent"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_line(refused, out, arguments, code, message):
    reported, message = refused(*[argument.replace("OUT", str(out)) for argument in arguments])
    assert message.replace("OUT", str(out)) in message
    assert reported == code


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["juggle"],
        ["blend"],
        ["blend", "Walk", "Sneak", "--save", "--slope", "steep"],
        ["blend", "Walk", "Sneak", "--save", "--place", "moon"],
        ["info", "--save"],
        ["run", "jobs.toml", "--result-name", "Same"],
    ],
    ids=" ".join,
)
def test_wrong_usage_shows_the_usage_and_ends_with_2(command, scene, arguments):
    before = scene.read_bytes()
    code, printed, err = command(*arguments)
    assert (code, printed) == (2, "")
    assert err.startswith("usage: blender --background FILE.blend --command action_loom")
    assert scene.read_bytes() == before


def test_of_several_armatures_the_active_one_is_meant_or_one_is_named(command, refused, figure):
    material.biped(name="Biped")
    # Only one armature has actions.
    assert command("info")[0] == 0
    material.key_walk(bpy.context.object, "Stroll", frames=24)
    code, printed, _ = command("info")
    assert code == 0
    assert "on Biped" in printed
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.objects.active = empty
    names = "Biped, Loom Figure"
    assert refused("info") == (1, f"which armature is meant? --armature names one of {names}")
    assert "on Loom Figure" in command("info", "Walk", "--armature", "Loom Figure")[1]


def test_a_scene_without_armatures_is_said(command):
    assert command("info") == (1, "", "action_loom: there is no armature in the scene 'Scene'\n")


def test_an_armature_that_operators_refuse_is_refused(refused, figure):
    bpy.context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    sentence = "Leave Edit Mode first: changes to bones count only afterwards"
    assert refused("blend", "Walk", "Sneak", "--save") == (1, sentence)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_file_without_a_name_is_not_saved(command):
    bpy.ops.action_loom.add_demo()
    code, _, err = command("blend", "Walk", "Sneak", "--save")
    assert code == 1
    assert err == "action_loom: the opened file has no name to be saved under: give it one with -o FILE.blend\n"
    assert "Walk + Sneak 50:50" not in bpy.data.actions


@pytest.mark.parametrize("name", ["there.blend", "there.bvh"])
def test_nothing_is_overwritten_unless_it_is_forced(command, scene, out, name):
    there = out / name
    there.write_text("precious")
    actions = set(bpy.data.actions.keys())
    code, printed, err = command("blend", "Sneak", "Carry", "-o", there)
    assert (code, printed) == (1, "")
    assert err == f"action_loom: {there} exists already; --force overwrites it\n"
    assert there.read_text() == "precious"
    assert set(bpy.data.actions.keys()) == actions
    assert command("blend", "Sneak", "Carry", "-o", there, "--force")[0] == 0
    assert there.read_bytes()[:8] != b"precious"


def test_a_report_that_exists_is_not_overwritten_and_nothing_is_saved(command, scene, out):
    before = scene.read_bytes()
    (out / "r.json").write_text("precious")
    for arguments in (["blend", "Sneak", "Carry", "--save"], ["info"]):
        assert command(*arguments, "--report", out / "r.json")[0] == 1
    assert (out / "r.json").read_text() == "precious"
    assert scene.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["blend", "Sneak", "Carry", "-o", "SCENE"],
        ["blend", "Sneak", "Carry", "--save", "--report", "SCENE"],
        ["check", "Walk", "--report", "SCENE"],
    ],
)
def test_an_output_never_replaces_the_opened_file(command, scene, arguments):
    before = scene.read_bytes()
    code, _, err = command(*[word.replace("SCENE", str(scene)) for word in arguments], "--force")
    assert (code, err) == (1, f"action_loom: {scene} is read by this command: name another file\n")
    assert scene.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="there, folders don't forbid it")
def test_a_file_that_can_not_be_saved_is_said(command, scene, out):
    target = out / ("x" * 249 + ".blend")
    code, printed, err = command("blend", "Sneak", "Carry", "-o", target, "--report", out / "r.json")
    assert (code, printed) == (1, "")
    assert err.startswith(f"action_loom: {str(target)[:60]}")
    assert err.count("\n") == 1
    assert os.listdir(out) == []
