"""Importing motion files: rates, units, names, unchanged data, refusals, and undo."""

import dataclasses

import bpy
import material
import numpy as np
import pytest
from drawing import draw_dialog
from material import SMALL_BVH, armatures, import_motion, places


def names_of_all():
    return {kind: sorted(getattr(bpy.data, kind).keys()) for kind in ("objects", "armatures", "actions")}


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_the_scene_stays_as_it_was(walks, small, mode):
    rig = material.armature()
    by_hand = material.key_by_hand(rig, "by hand", seed=1)
    along, aside = material.armature(name="Along"), material.armature(name="Aside")
    for each in (along, aside, rig):
        bpy.context.view_layer.objects.active = each
        each.select_set(each is along)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 50, 2.0
    scene.frame_start, scene.frame_end = 3, 77
    scene.frame_set(12, subframe=0.25)
    bpy.ops.object.mode_set(mode=mode)
    assert along.mode == mode
    along.select_set(False)
    aside.select_set(True)

    def state():
        render = (scene.render.fps, scene.render.fps_base, scene.frame_start, scene.frame_end)
        frame = (scene.frame_current, scene.frame_subframe)
        selected = {o.name for o in bpy.context.selected_objects}
        modes = [each.mode for each in (rig, along, aside)]
        return render, frame, selected, modes, bpy.context.object, bpy.context.mode, rig.animation_data.action

    before, keys = state(), material.fingerprint(by_hand)
    pose = np.array([bone.matrix for bone in rig.pose.bones])
    import_motion(*walks, small, select=False)
    assert state() == before
    assert material.fingerprint(by_hand) == keys
    assert np.array_equal(np.array([bone.matrix for bone in rig.pose.bones]), pose)
    assert len(armatures()) == 5


def test_every_frame_is_kept_and_the_action_knows_its_rate(bridge, walks):
    clip, _ = places(bridge, walks[0])
    import_motion(walks[0])
    action = bpy.data.actions["walk"]
    assert tuple(action.frame_range) == (1.0, len(clip))
    assert bridge.rates.rate_of(action) == 60.0
    copied = action.copy()
    assert bridge.rates.rate_of(copied) == 60.0


@pytest.mark.parametrize("rate", [24, 120])
def test_converted_to_the_scenes_rate_it_takes_as_long(bridge, walks, rate):
    bpy.context.scene.render.fps = rate
    clip, hint = places(bridge, walks[0])
    import_motion(walks[0], rate="SCENE")
    action = bpy.data.actions["walk"]
    assert bridge.rates.rate_of(action) == 0.0
    first, last = action.frame_range
    assert first == 1.0
    assert (last - first) / rate == pytest.approx(clip.seconds, abs=1.0 / rate)
    rig = bpy.data.objects["walk"]
    for frame in range(0, int(last), max(1, int(last) // 12)):
        at = frame * 60.0 / rate
        if at == int(at):
            seen = material.pose_positions(rig, clip.skeleton.names, 1 + frame)
            assert np.abs(seen - hint[int(at)]).max() < 1e-5


def test_what_is_no_rate_counts_as_none(bridge):
    action = bpy.data.actions.new("any")
    assert bridge.rates.rate_of(action) == 0.0
    for value in ("fast", -3.0, float("nan"), float("inf"), 1e9, [1.0, 2.0], {"a": 1}):
        action[bridge.rates.KEY] = value
        assert bridge.rates.rate_of(action) == 0.0
    bridge.rates.set_rate(action, 119.88)
    assert bridge.rates.rate_of(action) == 119.88
    bridge.rates.set_rate(action, 0.0)
    assert bridge.rates.KEY not in action


def test_units_and_axis_are_as_asked_for(small):
    import_motion(small, units="0.5", up="z")
    rig = bpy.data.objects["small"]
    assert np.allclose(rig.data.bones["Spine"].head_local, (0.0, 60.0, 0.0), atol=1e-4)
    with pytest.raises(RuntimeError, match="units is 'parsec'"):
        import_motion(small, units="parsec")


def test_the_same_file_three_ways_of_naming_it(small):
    bpy.ops.action_loom.import_motion("EXEC_DEFAULT", filepath=str(small))
    bpy.ops.action_loom.import_motion("EXEC_DEFAULT", directory=str(small.parent), files=[{"name": small.name}])
    import_motion(small)
    assert [a.name for a in bpy.data.actions] == ["small", "small.001", "small.002"]


def test_a_broken_file_says_where_and_nothing_is_imported(walks, small):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    before = names_of_all()
    small.write_text(SMALL_BVH.replace("12 25", "12 what"))
    line = SMALL_BVH[: SMALL_BVH.index("12 25")].count("\n") + 1
    with pytest.raises(RuntimeError, match=rf"small\.bvh, line {line}: value 5 is 'what'"):
        import_motion(walks[1], small)
    with pytest.raises(RuntimeError, match="can't be read"):
        import_motion(walks[1], small.with_name("missing.bvh"))
    with pytest.raises(RuntimeError, match="Choose motion files"):
        bpy.ops.action_loom.import_motion()
    assert names_of_all() == before


def test_what_keeps_from_importing_is_said_before_anything_changes(walks, small):
    import_motion(walks[0])
    rig = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = rig
    before = names_of_all()
    rig.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="mirrored"):
        import_motion(small, walks[0])
    chosen = bpy.data.collections.new("Chosen")
    bpy.context.scene.collection.children.link(chosen)
    rig.scale = (1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    layer = bpy.context.view_layer.layer_collection.children["Chosen"]
    layer.hide_viewport = True
    bpy.context.view_layer.active_layer_collection = layer
    with pytest.raises(RuntimeError, match="hidden"):
        import_motion(walks[0], small)
    assert names_of_all() == before
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Change to Object Mode first"):
        import_motion(walks[0])


def test_undo_in_pose_mode_takes_two_files_back_in_one_step(walks, small):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.ed.undo_push(message="before")
    before = names_of_all()
    files = [{"name": str(path)} for path in (walks[1], small)]
    bpy.ops.action_loom.import_motion("EXEC_DEFAULT", True, files=files)
    assert len(bpy.data.actions) == 3
    assert len(armatures()) == 2
    bpy.ops.ed.undo()
    assert names_of_all() == before
    assert bpy.context.mode == "POSE"
    bpy.ops.ed.redo()
    assert len(bpy.data.actions) == 3
    assert len(armatures()) == 2


def test_what_was_imported_is_listed_selected_and_ready_to_weave(walks):
    bpy.ops.object.empty_add()
    import_motion(*walks)
    rig = bpy.context.object
    assert (rig.type, bpy.context.selected_objects) == ("ARMATURE", [rig])
    (listed,) = bpy.context.scene.action_loom.rigs
    assert [(line.action.name, line.use) for line in listed.sources] == [("walk", True), ("sneak", True)]
    assert sum(bool(role.bone) for role in listed.roles) > 15
    import_motion(walks[0])  # onto the same armature: its tick replaces automatic ones
    assert [line.use for line in listed.sources] == [False, False, True]
    listed.sources[0].use = True
    import_motion(walks[1])  # but no ticks by hand
    assert [line.use for line in listed.sources] == [True, False, True, False]
    assert bpy.ops.action_loom.blend(result_name="prowl") == {"FINISHED"}


def test_the_scene_takes_rate_and_range_of_files_on_request(walks, capsys):
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = 24, 250
    import_motion(walks[0], match_rate=True, fit_range=True)
    action = bpy.data.actions["walk"]
    assert scene.render.fps / scene.render.fps_base == pytest.approx(60.0)
    assert (scene.frame_start, scene.frame_end) == tuple(map(round, action.frame_range))
    assert f"scene rate 24 → 60; scene range 1–250 → 1–{scene.frame_end}" in capsys.readouterr().out
    count = action.frame_range[1]
    scene.render.fps = 24
    import_motion(walks[0], rate="SCENE", match_rate=True)  # the scene takes the rate, so nothing is to be converted
    assert (scene.render.fps, bpy.data.actions["walk.001"].frame_range[1]) == (60, count)


def test_files_can_be_dropped_into_the_view(walks, loom):
    handler = bpy.types.ACTION_LOOM_FH_motion
    assert handler.bl_import_operator == "action_loom.import_motion"
    assert handler.bl_file_extensions == ";".join(loom("addon.ground.formats").readable())
    folder = str(walks[0].parent)
    bpy.ops.action_loom.import_motion(directory=folder, files=[{"name": walk.name} for walk in walks])
    assert {"walk", "sneak"} <= set(bpy.data.actions.keys())


def test_the_file_menus_offer_both_while_the_extension_is_there(extension):
    import addon_utils

    def offered(menu):
        return [f for f in getattr(bpy.types, menu)._dyn_ui_initialize() if extension in f.__module__]

    menus = ("TOPBAR_MT_file_import", "TOPBAR_MT_file_export")
    assert [len(offered(menu)) for menu in menus] == [2, 1]  # motion files and points
    addon_utils.disable(extension, default_set=True)
    assert [len(offered(menu)) for menu in menus] == [0, 0]
    addon_utils.enable(extension, default_set=True)
    assert [len(offered(menu)) for menu in menus] == [2, 1]  # motion files and points


def test_a_t_pose_before_a_capture_is_left_out_and_said(tmp_path, bridge, loom, walks):
    clip, _ = places(bridge, walks[0])
    bvh, motion_file = loom("core.formats.bvh"), loom("core.formats.motion_file")
    walk = motion_file.read(walks[0]).clip
    turns = np.concatenate([np.tile([1.0, 0.0, 0.0, 0.0], (2, *walk.rotations.shape[1:2], 1)), walk.rotations])
    moved = np.concatenate([walk.translations[:1], walk.translations[:1], walk.translations])
    posed = dataclasses.replace(walk, rotations=turns, translations=moved)
    (tmp_path / "posed.bvh").write_bytes(bvh.compose(posed, None, motion_file.Convention("m", 1.0, "z", guessed=False)))
    import_motion(tmp_path / "posed.bvh", units="m", up="z")
    assert tuple(bpy.data.actions["posed"].frame_range) == (1.0, len(clip))
    import_motion(tmp_path / "posed.bvh", units="m", up="z", trim=False)
    assert tuple(bpy.data.actions["posed.001"].frame_range) == (1.0, len(clip) + 2)


@pytest.mark.parametrize("match_rate", [False, True])
def test_the_dialog_is_drawn_to_its_end_and_says_what_becomes_of_the_frames(small, monkeypatch, match_rate):
    drawn = []
    operator = bpy.types.ACTION_LOOM_OT_import_motion
    monkeypatch.setattr(operator, "execute", lambda self, _: drawn.extend(draw_dialog(self)) or {"FINISHED"})
    bpy.ops.action_loom.import_motion(directory=f"{small.parent}/", files=[{"name": small.name}], match_rate=match_rate)
    shown = [given[1] for name, given, _ in drawn if name == "prop"]
    assert {"match_rate", "rate", "fit_range", "mesh", "up"} <= set(shown)
    assert ("Each captured frame" in str(drawn)) == (not match_rate)
