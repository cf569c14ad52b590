"""The command line inside Blender: argument lists for `--command action_loom`, run on an opened file.

`make gui` checks in the real program that Blender passes the arguments and returns the exit code.
"""

import os
import sys
from pathlib import Path

import bpy
import material
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def curves_of(action):
    return {(c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in material.fcurves(action)}


def test_a_blend_is_saved_in_the_opened_file_as_the_operator_makes_it(command, loom, scene):
    code, printed, err = command("blend", "Walk", "Sneak", "--weights", 1, 3, "--ends", "open", "--save")
    assert (code, err) == (0, "")
    assert printed.startswith("Walk + Sneak 25:75: ")
    result = material.opened(scene)["Walk + Sneak 25:75"]
    assert bpy.data.objects["Loom Figure"].animation_data.action == result
    assert loom("addon.model.storage").recipe_of(result) == loom("core.verbs").Blend(weights=(1.0, 3.0), ends="open")
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 3.0}]
    bpy.context.view_layer.objects.active = bpy.data.objects["Loom Figure"]
    bpy.ops.action_loom.blend(sources=sources, ends="open", result_name="By the operator")
    assert curves_of(result) == curves_of(bpy.data.actions["By the operator"])


def test_a_copy_gets_the_result_and_the_opened_file_stays(command, scene, out):
    before = scene.read_bytes()
    code, _, err = command("sync", "Walk", "Sneak", "-o", out / "copy.blend", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert scene.read_bytes() == before
    assert bpy.data.filepath == str(scene)
    report = material.read_json(out / "r.json")
    assert (report["output"], report["action"]) == (str(out / "copy.blend"), "Sneak in time with Walk")
    assert sorted(os.listdir(out)) == ["copy.blend", "r.json"]
    assert "Sneak in time with Walk" in material.opened(out / "copy.blend")
    assert "Sneak in time with Walk" not in material.opened(scene)


def test_nothing_else_of_the_scene_changes(command, figure):
    other = bpy.data.objects.new("Other", None)
    scene = bpy.context.scene
    scene.collection.objects.link(other)
    figure.select_set(False)
    bpy.context.view_layer.objects.active = other
    scene.frame_set(11, subframe=0.5)

    def state():
        return (
            (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end, scene.render.fps),
            (bpy.context.view_layer.objects.active, {item.name for item in bpy.context.selected_objects}),
            (figure.animation_data.action.name, len(figure.animation_data.nla_tracks)),
            {name: material.fingerprint(bpy.data.actions[name]) for name in ("Walk", "Sneak", "Turn Left")},
        )

    before = state()
    assert command("blend", "Sneak", "Turn Left", "--no-assign", "--as-seen", "--save")[0] == 0
    assert state() == before
    assert "Sneak + Turn Left 50:50" in bpy.data.actions


@pytest.mark.parametrize("verb", ["blend", "sync"])
def test_an_exported_result_is_what_action_loom_makes_of_the_exported_sources(command, loom, scene, out, verb):
    bvh, points = loom("core.formats.bvh"), loom("core.motion.kinematics").points
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    armature = bpy.data.objects["Loom Figure"]
    armature.location, armature.rotation_euler = (1.0, -2.0, 0.1), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    body = rigs.read(armature)
    files = []
    for name in ("Sneak", "Carry"):
        files.append(out / f"{name}.bvh")
        bvh.write(bvh.from_clip(clips.read(armature, bpy.data.actions[name], body, 24.0).clip), files[-1])
    options = ["--metric", "points", "--reference", "2"]
    actions = set(bpy.data.actions.keys())
    code, _, err = command(verb, "Sneak", "Carry", *options, "-o", f"{out}/inside/", "--report", out / "in.json")
    assert (code, err) == (0, "")
    # The result was only exported, so the file gains no action.
    assert set(bpy.data.actions.keys()) == actions
    beside = ["-o", f"{out}/outside/", "--report", str(out / "beside.json")]
    assert loom("core.cli.main").main([verb, *map(str, files), *options, *beside]) == 0
    (name,) = os.listdir(out / "inside")
    assert os.listdir(out / "outside") == [name]
    inside, outside = (bvh.to_clip(bvh.read(out / place / name))[0] for place in ("inside", "outside"))
    assert len(inside) > 20
    assert inside.rate == pytest.approx(24.0)
    assert np.abs(points(inside) - points(outside)).max() < 1e-4 * body.skeleton.height
    ours, theirs = material.read_json(out / "in.json"), material.read_json(out / "beside.json")
    assert set(ours) == set(theirs) - {"units", "conventions"} | {"armature"}
    assert (ours["inputs"], ours["armature"]) == (["Sneak", "Carry"], "Loom Figure")
    assert (ours["output"], ours["verb"]) == (str(out / "inside" / name), verb)
    assert ours["frames"] == theirs["frames"]
    assert ours["quality"]["after"]["path_m"] == pytest.approx(theirs["quality"]["after"]["path_m"], abs=1e-3)


def test_units_and_axis_of_exported_files_can_be_chosen(command, loom, scene, out):
    bvh = loom("core.formats.bvh")
    arguments = ("blend", "Sneak", "Carry", "-o", out / "new.bvh", "--units", "m", "--up", "z")
    assert command(*arguments)[0] == 0
    _, convention = bvh.to_clip(bvh.read(out / "new.bvh"))
    assert (convention.unit, convention.up) == ("m", "z")


def test_figures_alone_leave_the_file_as_it_is(command, scene, out):
    before, actions = scene.read_bytes(), set(bpy.data.actions.keys())
    assert command("sync", "Walk", "Sneak", "--report", out / "r.json", "--quiet") == (0, "", "")
    report = material.read_json(out / "r.json")
    assert report["output"] is None
    assert report["registration"][0]["clip"] == "Sneak"
    assert "action" not in report
    assert scene.read_bytes() == before
    assert set(bpy.data.actions.keys()) == actions


def test_a_timewarp_matrix_alone_leaves_the_file_as_it_is(command, scene, out):
    before = scene.read_bytes()
    assert command("sync", "Walk", "Sneak", "--timewarp", out / "w.csv", "--quiet") == (0, "", "")
    rows = [line.split(",") for line in (out / "w.csv").read_text().splitlines()]
    # A row for each frame of the sneak and a column for each of the walk, one a scene frame.
    spans = [bpy.data.actions[name].frame_range for name in ("Sneak", "Walk")]
    assert [len(rows), len(rows[0])] == [round(last - first) + 1 for first, last in spans]
    sums = [sum(map(float, column)) for column in zip(*rows, strict=True)]
    assert all(abs(one - 1.0) < 1e-6 or one == 0.0 for one in sums)
    assert sum(sums) > 0.9 * len(sums)
    assert scene.read_bytes() == before


def test_info_lists_the_armatures_actions(command, scene, out):
    stranger = material.armature(name="Stranger")
    material.key_by_hand(stranger, "stranger", seed=1)
    code, printed, err = command("info", "--armature", "Loom Figure", "--report", out / "r.json")
    assert (code, err) == (0, "")
    listed = {one["clip"]: one for one in material.read_json(out / "r.json")["clips"]}
    assert list(listed) == ["Carry", "Run", "Sneak", "Turn Left", "Turn Right", "Walk", "Wave"]
    walk = listed["Walk"]
    assert (walk["frames"], walk["rate"], walk["cyclic"], walk["first_frame"]) == (26, 24.0, True, 1.0)
    assert walk["roles"]["thigh.L"] == "thigh.L"
    assert walk["contacts"]["L"]
    assert walk["quality"]["path_m"] == pytest.approx(1.36, abs=0.02)
    assert not listed["Sneak"]["cyclic"]
    assert "Walk\n  26 frames at 24 a second, 1.04 s, cyclic\n" in printed
    assert "stranger" not in printed
    assert command("info", "Wave", "--armature", "Loom Figure")[1].startswith("Wave\n")


def test_an_action_that_cant_be_read_does_not_keep_the_others_from_being_listed(command):
    rig = material.armature()
    material.key_by_hand(rig, "one", seed=1)
    material.key_by_hand(rig, "two", seed=2)
    for frame in (1, 9):
        rig.scale = (frame, frame, frame)
        rig.keyframe_insert("scale", frame=frame)
    rig.animation_data.action = bpy.data.actions["one"]
    rig.scale = (1.0, 1.0, 1.0)
    code, printed, err = command("info")
    assert (code, err) == (0, "")
    assert printed.startswith("one\n  33 frames")
    sentence = "Action 'two' scales the object Rig: scale a root bone instead"
    assert printed.endswith(f"two\n  can't be read: {sentence}\n")
    assert command("info", "one", "two") == (1, "", f"action_loom: {sentence}\n")


def test_info_names_the_roles_that_the_artist_chose(command, scene, loom):
    loom("addon.bridge.rig").set_roles(bpy.data.objects["Loom Figure"], {"head": "neck", "neck": ""})
    printed = command("info", "Wave")[1]
    assert "head = neck" in printed
    assert "neck = " not in printed.replace("head = neck", "")


def test_rates_and_ranges_are_of_single_actions(command, scene, out):
    flags = ("--rate", "Sneak=48", "--range", "Sneak=11:90", "--range", "Wave=1:20", "--report", out / "r.json")
    assert command("info", "Sneak", "Wave", "Walk", *flags)[0] == 0
    keys = ("clip", "frames", "rate", "first_frame")
    facts = [tuple(one[key] for key in keys) for one in material.read_json(out / "r.json")["clips"]]
    assert facts == [("Sneak", 80, 48.0, 11.0), ("Wave", 20, 24.0, 1.0), ("Walk", 26, 24.0, 1.0)]


def test_parts_of_actions_are_named_in_frames_of_the_scene_or_in_seconds(command, scene, out):
    assert command("info", "Sneak[11:90]", "Walk[0.5s:]", "--rate", "Sneak=48", "--report", out / "r.json")[0] == 0
    facts = [(one["frames"], one["rate"], one["first_frame"]) for one in material.read_json(out / "r.json")["clips"]]
    assert facts == [(80, 48.0, 11.0), (14, 24.0, 13.0)]
    code, _, err = command("info", "Walk[5:99]")
    assert code == 2
    assert "Walk[5:99]: Walk has frames 1 to 26; name a first and a later last one" in err


def test_what_is_asked_of_a_result_is_what_the_panel_asks(command, scene, loom, play):
    bpy.context.scene.cursor.location = (3.0, 4.0, 0.0)
    flags = ["--result-name", "Prowl", "--no-assign", "--place", "cursor", "--interpolation", "constant"]
    flags += ["--mark-contacts", "--as-seen", "--range", "Carry=1:60"]
    assert command("blend", "Sneak", "Carry", "--ends", "pinned", *flags, "--save")[0] == 0
    action = material.opened(scene)["Prowl"]
    armature = bpy.data.objects["Loom Figure"]
    assert armature.animation_data.action.name == "Walk"
    assert {k.interpolation for curve in material.fcurves(action) for k in curve.keyframe_points} == {"CONSTANT"}
    assert "L down 1" in action.pose_markers
    reading, storage = loom("core.recipes.reading"), loom("addon.model.storage")
    request = storage.read_stored(action).request
    result = loom("core.recipes.result").ResultOptions(
        result_name="Prowl", assign=False, place="cursor", interpolation="constant", mark_contacts=True
    )
    assert request == reading.Request(
        sources=(reading.Source(name="Sneak"), reading.Source(name="Carry", first=1, last=60)),
        reading=reading.ReadingOptions(visual=True),
        result=result,
    )
    play(armature, action)
    place = material.pose_positions(armature, ["hips"], action.frame_range[0])[0]
    assert np.abs(place[:2] - (3.0, 4.0)).max() < 0.05


def test_every_option_of_results_and_of_recipes_is_a_flag(command, loom):
    code, printed, _ = command("blend", "--help")
    assert code == 0
    classes = loom("core.recipes.result").ResultOptions, loom("core.recipes.reading").ReadingOptions
    for name in {
        name for cls in (*classes, loom("core.verbs").Blend) for name in loom("core.options").declared_options(cls)
    }:
        assert f"--{name.replace('_', '-')}" in printed


def test_the_engine_can_be_chosen(command, scene, loom, out):
    assert command("blend", "Sneak", "Carry", "-o", out / "x.bvh", "--engine", "numpy")[0] == 0
    assert loom("core.jit").kernels(f"{loom('core.sync').__name__}").__name__.endswith("_numpy")


def test_the_example_script_blends_and_saves(scene, monkeypatch):
    path = ROOT / "tools" / "example_script.py"
    arguments = ["blender", "--background", str(scene), "--python", str(path), "--", "Walk", "Sneak", "0.3"]
    monkeypatch.setattr(sys, "argv", arguments)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
    assert "Walk + Sneak 70:30" in material.opened(scene)


@pytest.fixture
def prowl(command, scene):
    """A result in the opened file, whose first source is changed afterwards."""
    assert command("blend", "Sneak", "Carry", "--result-name", "Prowl", "--save")[0] == 0
    bpy.data.actions["Sneak"].name = "Creep"
    for curve in material.fcurves(bpy.data.actions["Creep"]):
        if curve.data_path == 'pose.bones["head"].rotation_quaternion':
            for point in curve.keyframe_points:
                point.co.y += 0.1
    return bpy.data.actions["Prowl"]


def test_results_are_made_anew_by_their_recipe(command, scene, prowl, out):
    before, users = curves_of(prowl), prowl.users
    code, printed, err = command("rebuild", "Prowl", "--save", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert printed.startswith("Prowl: ")
    after = curves_of(prowl)
    assert after != before
    assert prowl.users == users
    report = material.read_json(out / "r.json")
    assert report["verb"] == "rebuild"
    (made,) = report["results"]
    assert (made["verb"], made["inputs"], made["action"]) == ("blend", ["Creep", "Carry"], "Prowl")
    assert curves_of(material.opened(scene)["Prowl"]) == after
    # A new blend gives the same.
    assert command("blend", "Creep", "Carry", "--result-name", "Again", "--save")[0] == 0
    assert curves_of(bpy.data.actions["Again"]) == after


def test_a_result_that_is_made_anew_can_be_exported_and_stays_then(command, prowl, out):
    before = curves_of(prowl)
    assert command("rebuild", "Prowl", "-o", f"{out}/")[0] == 0
    assert os.listdir(out) == ["Prowl.bvh"]
    assert curves_of(prowl) == before


def test_a_result_that_was_edited_by_hand_is_not_overwritten_unasked(command, refused, prowl, scene):
    material.fcurves(prowl)[0].keyframe_points[3].co.y += 0.5
    edited = curves_of(prowl)
    sentence = "Prowl was edited by hand: allow overwriting, or rename it and weave again"
    assert refused("rebuild", "Prowl", "--save") == (1, sentence)
    assert curves_of(prowl) == edited
    assert command("rebuild", "Prowl", "--save", "--overwrite-edits")[0] == 0
    assert curves_of(prowl) != edited


def test_what_is_no_result_is_not_made_anew(refused, prowl):
    assert refused("rebuild", "Prowl", "Wave", "--save") == (1, "Wave was not made by Action Loom")
    bpy.data.actions.remove(bpy.data.actions["Creep"])
    assert refused("rebuild", "Prowl", "--save") == (
        1,
        "Sneak was deleted, or is in another file: choose another",
    )


def test_a_verb_for_one_action_makes_a_result_of_each_that_is_named(command, scene, out):
    before = {name: material.fingerprint(bpy.data.actions[name]) for name in ("Walk", "Sneak")}
    code, printed, err = command("in_place", "Walk", "Sneak", "--save", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "Walk in place: " in printed
    assert "Sneak in place: " in printed
    assert [one["action"] for one in material.read_json(out / "r.json")] == ["Walk in place", "Sneak in place"]
    actions = material.opened(scene)
    assert {"Walk in place", "Sneak in place"} <= set(actions.keys())
    assert bpy.data.objects["Loom Figure"].animation_data.action.name == "Walk in place"
    assert {name: material.fingerprint(actions[name]) for name in before} == before


def test_several_results_are_exported_into_a_folder(command, out, scene):
    code, _, err = command("in_place", "Walk", "Sneak", "-o", out / "")
    assert (code, err) == (0, "")
    assert sorted(os.listdir(out)) == ["Sneak in place.bvh", "Walk in place.bvh"]
    code, _, err = command("in_place", "Walk", "Sneak", "-o", out / "one.bvh")
    assert code == 2
    assert "2 results need a folder" in err
