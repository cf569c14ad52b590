"""Motion files in and out of Blender: against core's reader, Blender's own importer, and themselves on the way back."""

from pathlib import Path

import bpy
import material
import numpy as np
import pytest
import random_rigs
from material import needs_shared

CAPTURED = sorted((material.SHARED / "odd").glob("*.bvh")) + [
    material.SHARED / "cmu" / f"{name}.bvh"
    for name in ("cmu_mb_07_01", "cmu_mb_16_15", "cmu_asf_16_41", "cmu_daz_09_01", "cmu_daz_13_11")
]
KINDS = ("objects", "armatures", "actions")
# Joints with positions of their own, one that only turns, one that does nothing, and a leaf without an end.
SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 30 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Head
    {
      OFFSET 0 40 0
      CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    }
    JOINT Tag
    {
      OFFSET 10 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 20 0 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.025
0 90 0 10 20 30 5 -5 15 0 40 0 0 0 0 0 0 0
5 91 2 12 25 35 9 -9 11 1 42 0 3 0 0 0 0 0
10 92 4 14 30 40 13 -13 7 2 44 0 6 0 0 0 0 0
"""


@pytest.fixture
def core(loom):
    """The modules of core and of the bridge that the tests need, by short names."""

    class Core:
        bvh, kinematics, figure = (loom(f"core.motion.{name}") for name in ("bvh", "kinematics", "figure"))
        rig, clip, curves = (loom(f"addon.bridge.{name}") for name in ("rig", "clip", "curves"))
        rates = loom("addon.rates")

    return Core


@pytest.fixture
def walks(core, tmp_path):
    """Two files of one body at 60 frames per second."""
    paths = []
    for name in ("walk", "sneak"):
        path = tmp_path / f"{name}.bvh"
        core.bvh.write(core.bvh.from_clip(getattr(core.figure, name)(60.0)), path)
        paths.append(path)
    return paths


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.bvh"
    path.write_text(SMALL)
    return path


def import_motion(*paths, **options):
    return bpy.ops.action_loom.import_motion(files=[{"name": str(path)} for path in paths], **options)


def armatures():
    return [o for o in bpy.data.objects if o.type == "ARMATURE"]


def play(core, armature, action):
    core.curves.assign(armature, action, core.curves.choose_slot(action, armature))


def places(core, path, **convention):
    """The clip of a file, and where its joints are (F, J, 3)."""
    clip, _ = core.bvh.to_clip(core.bvh.read(path), **convention)
    return clip, core.kinematics.world(clip)[1]


def frames_of(clip):
    return range(0, len(clip), max(1, len(clip) // 12))


def names_of_all():
    return {kind: sorted(getattr(bpy.data, kind).keys()) for kind in KINDS}


@needs_shared
@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_captured_files_move_as_core_and_blender_read_them_and_come_out_the_same(core, path, tmp_path):
    _, convention = core.bvh.to_clip(core.bvh.read(path))
    clip, meant = places(core, path)
    assert import_motion(path) == {"FINISHED"}
    (ours,) = armatures()
    axes = {"axis_forward": "Y", "axis_up": "Z"} if convention.up == "z" else {}
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=convention.metres, **axes)
    theirs = bpy.context.object
    assert theirs != ours
    names, tolerance = clip.skeleton.names, 1e-4 * clip.skeleton.height
    for frame in frames_of(clip):
        seen = material.pose_positions(ours, names, 1 + frame)
        assert np.abs(seen - meant[frame]).max() < tolerance
        assert np.abs(seen - material.pose_positions(theirs, names, 1 + frame)).max() < tolerance
    bpy.context.view_layer.objects.active = ours
    out = tmp_path / "out.bvh"
    bpy.ops.action_loom.export_motion(filepath=str(out))
    again, found = places(core, out, unit="cm", up="y")
    assert again.rate == pytest.approx(clip.rate, rel=1e-9)
    order = [again.skeleton.index(name) for name in names]
    assert found.shape == meant.shape
    assert np.abs(found[:, order] - meant).max() < tolerance


@needs_shared
@pytest.mark.parametrize("name", ["cmu_mb_07_01", "cmu_daz_09_01", "cmu_asf_16_41"])
def test_onto_an_armature_that_blender_imported_it_moves_as_blenders_own_action(core, name):
    path = material.SHARED / "cmu" / f"{name}.bvh"
    rig = material.import_bvh(name)  # in the file's unit, its bones rolled by Blender
    own = rig.animation_data.action
    height = core.rig.read(rig).skeleton.height / core.rig.read(rig).world_metres
    bones = [bone.name for bone in rig.pose.bones]
    clip, _ = places(core, path)
    before = {frame: material.pose_positions(rig, bones, 1 + frame) for frame in frames_of(clip)}
    assert import_motion(path) == {"FINISHED"}
    assert armatures() == [rig]
    assert rig.animation_data.action == own
    (new,) = set(bpy.data.actions) - {own}
    play(core, rig, new)
    for frame, seen in before.items():
        assert np.abs(material.pose_positions(rig, bones, 1 + frame) - seen).max() < 1e-4 * height


@needs_shared
def test_new_bones_are_as_long_as_the_files_and_end_where_it_says(core):
    path = material.SHARED / "cmu" / "cmu_daz_09_01.bvh"
    clip, _ = places(core, path)
    import_motion(path)
    (rig,) = armatures()
    _, rest = clip.skeleton.rest
    for joint, name in enumerate(clip.skeleton.names):
        bone = rig.data.bones[name]
        assert np.abs(np.array(bone.head_local) - rest[joint]).max() < 1e-6
        children = np.flatnonzero(clip.skeleton.parents == joint)
        if len(children) == 0:
            wanted = [rest[joint] + clip.skeleton.tips[joint]]
        else:
            wanted = [rest[child] for child in children]
        assert min(np.abs(np.array(bone.tail_local) - end).max() for end in wanted) < 1e-6
        assert bone.parent is None if clip.skeleton.parents[joint] < 0 else bone.parent.name in clip.skeleton.names
    assert 1.5 < rig.dimensions.z < 2.0


def test_files_of_one_body_make_one_armature_and_its_first_action_is_assigned(core, walks, small):
    assert import_motion(walks[0], small, walks[1]) == {"FINISHED"}
    assert sorted(rig.name for rig in armatures()) == ["small", "walk"]
    assert sorted(bpy.data.actions.keys()) == ["small", "sneak", "walk"]
    assert all(action.use_fake_user for action in bpy.data.actions)
    for name in ("walk", "small"):
        data = bpy.data.objects[name].animation_data
        assert data.action == bpy.data.actions[name]
        assert not hasattr(data, "action_slot") or data.action_slot is not None
    rig = bpy.data.objects["walk"]
    for path in walks:
        play(core, rig, bpy.data.actions[path.stem])
        clip, meant = places(core, path)
        for frame in frames_of(clip):
            seen = material.pose_positions(rig, clip.skeleton.names, 1 + frame)
            assert np.abs(seen - meant[frame]).max() < 1e-5


def test_positions_of_joints_are_kept_and_all_that_the_file_turns_is_keyed(core, small):
    import_motion(small, units="cm")
    rig = bpy.data.objects["small"]
    clip, meant = places(core, small, unit="cm")
    for frame in range(3):
        seen = material.pose_positions(rig, clip.skeleton.names, 1 + frame)
        assert np.abs(seen - meant[frame]).max() < 1e-6
    keyed = {core.curves.target_of(curve) for curve in material.fcurves(bpy.data.actions["small"])}
    turned = {(name, "rotation_quaternion") for name in ("Hips", "Spine", "Head", "Tag")}
    assert keyed == turned | {("Hips", "location"), ("Head", "location")}
    head = rig.data.bones["Head"]
    assert 0.01 < head.length < 0.1  # the file does not say where it ends
    assert np.abs(np.array(head.tail_local - head.head_local) - (0.0, 0.0, head.length)).max() < 1e-6


def test_the_active_armature_is_taken_if_it_has_a_bone_for_all_that_moves(core, small):
    import_motion(small, units="cm")
    rig = bpy.data.objects["small"]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones.remove(bones["Tag"])
    root, inside, hand = bones.new("Root"), bones.new("Inside"), bones.new("Hand")
    root.head, root.tail = (0.2, 0.1, 0.0), (0.2, 0.3, 0.0)
    bones["Hips"].parent = root
    inside.head, inside.tail, inside.roll = (0.0, 0.0, 1.25), (0.1, 0.0, 1.3), 0.7
    inside.parent = bones["Spine"]
    bones["Head"].parent = inside
    hand.head, hand.tail, hand.parent = (0.4, 0.0, 1.2), (0.5, 0.0, 1.2), bones["Spine"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "YZX"
    import_motion(small, units="cm")
    assert armatures() == [rig]
    play(core, rig, bpy.data.actions["small.001"])
    clip, meant = places(core, small, unit="cm")
    names = ("Hips", "Spine")  # what hangs on the bone inside keeps the armature's proportions
    order = [clip.skeleton.index(name) for name in names]
    for frame in range(3):
        seen = material.pose_positions(rig, names, 1 + frame)
        assert np.abs(seen - meant[frame, order]).max() < 1e-5
    targets = {core.curves.target_of(curve) for curve in material.fcurves(bpy.data.actions["small.001"])}
    assert {bone for bone, _ in targets} == {"Hips", "Spine", "Head"}
    assert {channel for _, channel in targets} == {"rotation_euler", "location"}
    rig.data.bones["Spine"].name = "Back"
    import_motion(small, units="cm")
    assert len(armatures()) == 2


def test_an_armature_that_was_moved_turned_and_scaled_goes_where_the_file_says(core, walks):
    import_motion(walks[0])
    rig = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    rig.location, rig.rotation_euler, rig.scale = (3.0, -2.0, 1.0), (0.0, 0.0, 2.0), (0.5,) * 3
    import_motion(walks[1])
    assert armatures() == [rig]
    play(core, rig, bpy.data.actions["sneak"])
    clip, meant = places(core, walks[1])
    for frame in frames_of(clip):
        seen = material.pose_positions(rig, clip.skeleton.names, 1 + frame)
        assert np.abs(seen - 0.5 * meant[frame]).max() < 1e-5  # half as large, it goes half as far


def test_a_new_armature_on_request(walks):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    import_motion(walks[1], new_armature=True)
    assert len(armatures()) == 2
    assert bpy.data.objects["sneak"].animation_data.action == bpy.data.actions["sneak"]


def test_onto_the_demos_figure_with_connected_bones_it_walks_as_it_did(core, tmp_path):
    bpy.ops.action_loom.add_demo()
    figure = bpy.context.object
    bones = [bone.name for bone in figure.pose.bones]
    before = [material.pose_positions(figure, bones, frame) for frame in range(1, 20)]
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "again.bvh"))
    import_motion(tmp_path / "again.bvh")
    play(core, figure, bpy.data.actions["again"])
    for frame, seen in enumerate(before, start=1):
        assert np.abs(material.pose_positions(figure, bones, frame) - seen).max() < 1e-5


def test_a_connected_bone_that_a_file_moves_is_said(core, small, capsys):
    import_motion(small, units="cm")
    rig = bpy.data.objects["small"]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["Head"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    import_motion(small, units="cm")
    assert "small moves 'Head' in its parent, but the bone is connected" in capsys.readouterr().out


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_the_scene_stays_as_it_was(core, walks, small, mode):
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
    import_motion(*walks, small)
    assert state() == before
    assert material.fingerprint(by_hand) == keys
    assert np.array_equal(np.array([bone.matrix for bone in rig.pose.bones]), pose)
    assert len(armatures()) == 5


def test_every_frame_is_kept_and_the_action_knows_its_rate(core, walks):
    clip, _ = places(core, walks[0])
    import_motion(walks[0])
    action = bpy.data.actions["walk"]
    assert tuple(action.frame_range) == (1.0, len(clip))
    assert core.rates.rate_of(action) == 60.0
    copied = action.copy()
    assert core.rates.rate_of(copied) == 60.0


@pytest.mark.parametrize("rate", [24, 60, 120])
def test_converted_to_the_scenes_rate_it_takes_as_long(core, walks, rate):
    bpy.context.scene.render.fps = rate
    clip, meant = places(core, walks[0])
    import_motion(walks[0], rate="SCENE")
    action = bpy.data.actions["walk"]
    assert core.rates.rate_of(action) == 0.0
    first, last = action.frame_range
    assert first == 1.0
    assert (last - first) / rate == pytest.approx(clip.seconds, abs=1.0 / rate)
    rig = bpy.data.objects["walk"]
    for frame in range(0, int(last), max(1, int(last) // 12)):
        at = frame * 60.0 / rate
        if at == int(at):
            seen = material.pose_positions(rig, clip.skeleton.names, 1 + frame)
            assert np.abs(seen - meant[int(at)]).max() < 1e-5


def test_what_is_no_rate_counts_as_none(core):
    action = bpy.data.actions.new("any")
    assert core.rates.rate_of(action) == 0.0
    for value in ("fast", -3.0, float("nan"), float("inf"), 1e9, [1.0, 2.0], {"a": 1}):
        action[core.rates.KEY] = value
        assert core.rates.rate_of(action) == 0.0
    core.rates.set_rate(action, 119.88)
    assert core.rates.rate_of(action) == 119.88
    core.rates.set_rate(action, 0.0)
    assert core.rates.KEY not in action


def test_units_and_axis_are_as_asked_for(core, small):
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


def test_names_that_blender_cuts_still_match(core, small):
    long = "関節" + 30 * "ä"
    small.write_text(SMALL.replace("Spine", long).replace("Head", f"{long}x"), encoding="utf-8")
    import_motion(small)
    rig = bpy.data.objects["small"]
    assert len(rig.data.bones) == 4
    assert all(len(bone.name.encode("utf-8")) <= 63 for bone in rig.data.bones)
    _, meant = places(core, small)
    bones = [b.name for b in rig.data.bones]
    seen = material.pose_positions(rig, bones, 3)
    assert np.abs(np.sort(seen, axis=0) - np.sort(meant[2], axis=0)).max() < 1e-5
    small.write_text(SMALL.replace("Spine", long), encoding="utf-8")
    import_motion(small, new_armature=True)
    bpy.context.view_layer.objects.active = bpy.data.objects["small.001"]
    import_motion(small)
    assert len(armatures()) == 2


def test_a_broken_file_says_where_and_nothing_is_imported(walks, small):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    before = names_of_all()
    small.write_text(SMALL.replace("12 25", "12 what"))
    line = SMALL[: SMALL.index("12 25")].count("\n") + 1
    with pytest.raises(RuntimeError, match=rf"small\.bvh, line {line}: value 5 of frame 1 is 'what'"):
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
    with pytest.raises(RuntimeError, match="Object or Pose Mode"):
        import_motion(walks[0])


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_undo_takes_all_of_it_back_in_one_step(walks, small, mode):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    bpy.ops.object.mode_set(mode=mode)
    bpy.ops.ed.undo_push(message="before")
    before = names_of_all()
    files = [{"name": str(path)} for path in (walks[1], small)]
    bpy.ops.action_loom.import_motion("EXEC_DEFAULT", True, files=files)
    assert len(bpy.data.actions) == 3
    assert len(armatures()) == 2
    bpy.ops.ed.undo()
    assert names_of_all() == before
    assert bpy.context.mode == mode
    bpy.ops.ed.redo()
    assert len(bpy.data.actions) == 3
    assert len(armatures()) == 2


def test_imported_actions_can_be_woven_at_once(walks):
    import_motion(*walks)
    rig = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = rig
    sources = [{"name": "walk", "weight": 1.0}, {"name": "sneak", "weight": 1.0}]
    assert bpy.ops.action_loom.blend(sources=sources, result_name="prowl") == {"FINISHED"}
    assert rig.animation_data.action.name == "prowl"


def transformed(rig, how):
    if how == "scaled and turned":
        rig.scale, rig.rotation_euler, rig.location = (0.01,) * 3, (1.5708, 0.0, 0.3), (1.0, 2.0, 3.0)
        bpy.context.view_layer.update()


@pytest.mark.parametrize("how", ["plain", "scaled and turned"])
@pytest.mark.parametrize("first_seed", range(0, 30, 10))
def test_export_and_import_onto_the_same_armature_give_the_same_poses(core, tmp_path, first_seed, how):
    for seed in range(first_seed, first_seed + 10):
        rig = random_rigs.rig(seed, bones=12, plain_settings=seed % 3 == 0)
        transformed(rig, how)
        action = random_rigs.key(rig, seed, scales=False)
        action.name = f"seed {seed}"
        bones = [bone.name for bone in rig.pose.bones]
        play(core, rig, action)
        bpy.context.view_layer.objects.active = rig
        out = tmp_path / f"{seed}.bvh"
        bpy.ops.action_loom.export_motion(filepath=str(out), units="m")
        import_motion(out, units="m", up="y")
        assert armatures() == [rig]
        clip, meant = places(core, out, unit="m", up="y")
        metres = core.rig.read(rig).world_metres
        height = clip.skeleton.height
        first = action.frame_range[0]
        before = [poses(rig, first + k) for k in range(len(clip))]
        play(core, rig, bpy.data.actions[f"{seed}"])
        for k, (turned, stood) in enumerate(before):
            order = [clip.skeleton.index(name) for name in bones]
            assert np.abs(meant[k, order] - metres * stood).max() < 1e-4 * height, seed
            again, stands = poses(rig, 1 + k)
            assert metres * np.abs(stands - stood).max() < 1e-4 * height, seed
            assert np.abs(again - turned).max() < 1e-4, seed
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def poses(rig, frame):
    """Axes (J, 3, 3) and places (J, 3) of all bones in the world, as Blender shows them."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    world = np.array([rig.matrix_world @ bone.matrix for bone in rig.pose.bones])
    axes = world[:, :3, :3]
    return axes / np.linalg.norm(axes, axis=1, keepdims=True), world[:, :3, 3]


def test_an_object_that_moves_comes_back_moving(core, tmp_path):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24, object_travels=True)
    before = [poses(rig, frame) for frame in range(1, 26)]
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "out.bvh"))
    import_motion(tmp_path / "out.bvh")
    assert armatures() == [rig]
    new = bpy.data.actions["out"]
    assert new != action
    play(core, rig, new)
    for frame, (turned, stood) in enumerate(before, start=1):
        again, stands = poses(rig, frame)
        assert np.abs(stands - stood).max() < 1e-5
        assert np.abs(again - turned).max() < 1e-5
    assert rig.location.y < -1.0


def test_as_seen_and_as_keyed_are_what_they_say(core, tmp_path, capsys):
    rig = material.armature()
    material.key_by_hand(rig, "by hand", seed=3)
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    leader.rotation_euler = (0.3, 0.8, -0.4)
    copied = rig.pose.bones["bone1"].constraints.new("COPY_ROTATION")
    copied.target = leader
    bones = [bone.name for bone in rig.pose.bones]
    written = {}
    for as_seen in (True, False):
        out = tmp_path / f"{as_seen}.bvh"
        bpy.ops.action_loom.export_motion(filepath=str(out), as_seen=as_seen, units="m")
        clip, written[as_seen] = places(core, out, unit="m", up="y")
        order = [clip.skeleton.index(name) for name in bones]
        copied.mute = not as_seen
        for frame in range(0, len(clip), 4):
            seen = material.pose_positions(rig, bones, 1 + frame)
            assert np.abs(seen - written[as_seen][frame, order]).max() < 1e-5
        copied.mute = False
    assert np.abs(written[True] - written[False]).max() > 0.1
    assert "left out" not in capsys.readouterr().out


def test_what_a_file_has_no_place_for_is_said(tmp_path, capsys):
    rig = material.armature()
    material.key_by_hand(rig, "by hand", seed=4)
    rig["open"] = 0.5
    rig.keyframe_insert('["open"]', frame=1)
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "out.bvh"))
    assert "by hand: motion files have no place for 1 of its curves" in capsys.readouterr().out


@pytest.mark.parametrize(("units", "metres"), [("m", 1.0), ("cm", 0.01), ("inch", 0.0254), ("0.5", 0.5)])
@pytest.mark.parametrize("up", ["y", "z"])
def test_units_and_axis_are_written_as_asked_for(core, walks, tmp_path, units, metres, up):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    out = tmp_path / "out.bvh"
    bpy.ops.action_loom.export_motion(filepath=str(out), units=units, up=up)
    motion = core.bvh.read(out)
    hips = motion.values[0, :3] * metres
    _, meant = places(core, walks[0])
    x, y, z = meant[0, 0]
    assert np.abs(hips - ((x, z, -y) if up == "y" else (x, y, z))).max() < 1e-5


def test_the_rate_is_the_actions_own_or_the_scenes(core, walks, tmp_path):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "own.bvh"))
    assert core.bvh.read(tmp_path / "own.bvh").rate == 60.0
    core.rates.set_rate(bpy.data.actions["walk"], 0.0)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "scene.bvh"))
    assert core.bvh.read(tmp_path / "scene.bvh").rate == pytest.approx(material.scene_rate(), rel=1e-9)


def test_several_go_into_a_folder_each_under_its_name(core, walks, tmp_path):
    import_motion(*walks)
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    bpy.data.actions["sneak"].name = 'so: "quiet"'
    actions = [{"name": "walk"}, {"name": 'so: "quiet"'}]
    folder = tmp_path / "new"
    assert bpy.ops.action_loom.export_motion(filepath=str(folder), actions=actions) == {"FINISHED"}
    assert sorted(path.name for path in folder.iterdir()) == ["so- -quiet-.bvh", "walk.bvh"]
    for path, written in zip(walks, ("walk.bvh", "so- -quiet-.bvh"), strict=True):
        clip, meant = places(core, path)
        again, found = places(core, folder / written)
        order = [again.skeleton.index(name) for name in clip.skeleton.names]
        assert np.abs(found[:, order] - meant).max() < 1e-5
    other = tmp_path / "other"
    other.mkdir()
    bpy.ops.action_loom.export_motion(filepath=f"{other}/chosen.bvh", actions=actions)
    assert len(list(other.iterdir())) == 2
    bpy.ops.action_loom.export_motion(filepath=f"{other}/", actions=[{"name": "walk"}], overwrite=True)
    assert len(list(other.iterdir())) == 2


def test_nothing_is_overwritten_unasked_and_nothing_written_by_halves(walks, tmp_path):
    import_motion(*walks)
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "walk.bvh").write_text("precious")
    both = [{"name": "sneak"}, {"name": "walk"}]
    for arguments in ({"filepath": str(folder / "walk.bvh")}, {"filepath": str(folder), "actions": both}):
        with pytest.raises(RuntimeError, match=r"walk\.bvh exists already"):
            bpy.ops.action_loom.export_motion(**arguments)
    assert (folder / "walk.bvh").read_text() == "precious"
    assert [path.name for path in folder.iterdir()] == ["walk.bvh"]
    bpy.ops.action_loom.export_motion(filepath=str(folder), actions=both, overwrite=True)
    assert (folder / "walk.bvh").read_text().startswith("HIERARCHY")
    assert sorted(path.name for path in folder.iterdir()) == ["sneak.bvh", "walk.bvh"]


def test_what_cannot_be_exported_is_said_and_no_file_appears(walks, tmp_path):
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "out" / "x.bvh"))
    import_motion(walks[0])
    rig = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = rig
    before = sorted(Path(tmp_path).rglob("*"))
    bpy.data.actions.new("a:b")
    bpy.data.actions.new("a|b")
    for message, arguments in (
        ("Choose a file", {}),
        ("There is no action named 'run'", {"filepath": str(tmp_path), "actions": [{"name": "run"}]}),
        ("there is no folder", {"filepath": str(tmp_path / "no" / "where" / "x.bvh")}),
        ("is a folder: name a file", {"filepath": str(tmp_path), "actions": [{"name": "walk.bvh"}]}),
        ("Two actions", {"filepath": str(tmp_path), "actions": [{"name": "a:b"}, {"name": "a|b"}]}),
        ("units is 'auto'", {"filepath": str(tmp_path / "x.bvh"), "units": "auto"}),
        ("a:b", {"filepath": str(tmp_path), "actions": [{"name": "walk2"}, {"name": "a:b"}]}),
    ):
        if "walk.bvh" in str(arguments):
            bpy.data.actions["walk"].copy().name = "walk.bvh"
            (tmp_path / "walk.bvh.bvh").mkdir()
            before = sorted(Path(tmp_path).rglob("*"))
        if "walk2" in str(arguments):
            bpy.data.actions["walk"].copy().name = "walk2"
        with pytest.raises(RuntimeError, match=message):
            bpy.ops.action_loom.export_motion(**arguments)
        assert sorted(Path(tmp_path).rglob("*")) == before
    rig.animation_data.action = None
    with pytest.raises(RuntimeError, match="walk has no action"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "x.bvh"))
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave edit mode"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "x.bvh"))


def test_the_file_menus_offer_both_while_the_extension_is_there(extension):
    import addon_utils

    def offered(menu):
        return [f for f in getattr(bpy.types, menu)._dyn_ui_initialize() if extension in f.__module__]

    menus = ("TOPBAR_MT_file_import", "TOPBAR_MT_file_export")
    assert [len(offered(menu)) for menu in menus] == [1, 1]
    addon_utils.disable(extension, default_set=True)
    assert [len(offered(menu)) for menu in menus] == [0, 0]
    addon_utils.enable(extension, default_set=True)
    assert [len(offered(menu)) for menu in menus] == [1, 1]
