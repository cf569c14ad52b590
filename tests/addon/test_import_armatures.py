"""The armature that a motion file makes or goes onto: it moves as core's reader and Blender's own importer say."""

import bpy
import material
import numpy as np
import pytest
from material import SMALL_BVH, armatures, import_motion, needs_shared, places

CAPTURED = sorted((material.SHARED / "odd").glob("*.bvh")) + [
    material.SHARED / "cmu" / f"{name}.bvh"
    for name in ("cmu_mb_07_01", "cmu_mb_16_15", "cmu_asf_16_41", "cmu_daz_09_01", "cmu_daz_13_11")
]


def frames_of(clip):
    """A dozen of a clip's frames, from the first one."""
    return range(0, len(clip), max(1, len(clip) // 12))


def farthest(rig, names, hint, frames):
    """Return the largest difference (m) of bones from their expected places (F, J, 3); the first frame is 1."""
    return max(np.abs(material.pose_positions(rig, names, 1 + f) - hint[f]).max() for f in frames)


@needs_shared
@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_captured_files_move_as_core_and_blender_read_them_and_come_out_the_same(bridge, path, tmp_path):
    _, convention = bridge.bvh.to_clip(bridge.bvh.read(path))
    clip, hint = places(bridge, path)
    assert import_motion(path, trim=False) == {"FINISHED"}
    (ours,) = armatures()
    axes = {"axis_forward": "Y", "axis_up": "Z"} if convention.up == "z" else {}
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=convention.metres, **axes)
    theirs = bpy.context.object
    assert theirs != ours
    names, tolerance = clip.skeleton.names, 1e-4 * clip.skeleton.height
    for frame in frames_of(clip):
        seen = material.pose_positions(ours, names, 1 + frame)
        assert np.abs(seen - hint[frame]).max() < tolerance
        assert np.abs(seen - material.pose_positions(theirs, names, 1 + frame)).max() < tolerance
    bpy.context.view_layer.objects.active = ours
    out = tmp_path / "out.bvh"
    bpy.ops.action_loom.export_motion(filepath=str(out))
    again, found = places(bridge, out, unit="cm", up="y")
    assert again.rate == pytest.approx(clip.rate, rel=1e-9)
    order = [again.skeleton.index(name) for name in names]
    assert found.shape == hint.shape
    assert np.abs(found[:, order] - hint).max() < tolerance


@needs_shared
@pytest.mark.parametrize("name", ["cmu_mb_07_01", "cmu_daz_09_01", "cmu_asf_16_41"])
def test_onto_an_armature_that_blender_imported_it_moves_as_blenders_own_action(bridge, name, play):
    path = material.SHARED / "cmu" / f"{name}.bvh"
    rig = material.import_bvh(name)  # in the file's unit, its bones rolled by Blender
    own = rig.animation_data.action
    height = bridge.rig.read(rig).skeleton.height / bridge.rig.read(rig).world_metres
    bones = [bone.name for bone in rig.pose.bones]
    clip, _ = places(bridge, path)
    before = {frame: material.pose_positions(rig, bones, 1 + frame) for frame in frames_of(clip)}
    assert import_motion(path, trim=False) == {"FINISHED"}
    assert armatures() == [rig]
    assert rig.animation_data.action == own
    (new,) = set(bpy.data.actions) - {own}
    play(rig, new)
    for frame, seen in before.items():
        assert np.abs(material.pose_positions(rig, bones, 1 + frame) - seen).max() < 1e-4 * height


@needs_shared
def test_new_bones_are_as_long_as_the_files_and_end_where_it_says(bridge):
    path = material.SHARED / "cmu" / "cmu_daz_09_01.bvh"
    clip, _ = places(bridge, path)
    import_motion(path, trim=False)
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


def test_files_of_one_body_make_one_armature_and_its_first_action_is_assigned(bridge, walks, small, play):
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
        play(rig, bpy.data.actions[path.stem])
        clip, hint = places(bridge, path)
        assert farthest(rig, clip.skeleton.names, hint, frames_of(clip)) < 1e-5


def test_positions_of_joints_are_kept_and_all_that_the_file_turns_is_keyed(bridge, small):
    import_motion(small, units="cm")
    rig = bpy.data.objects["small"]
    clip, hint = places(bridge, small, unit="cm")
    assert farthest(rig, clip.skeleton.names, hint, range(3)) < 1e-6
    keyed = {bridge.curves.target_of(curve) for curve in material.fcurves(bpy.data.actions["small"])}
    turned = {(name, "rotation_quaternion") for name in ("Hips", "Spine", "Head", "Tag")}
    assert keyed == turned | {("Hips", "location"), ("Head", "location")}
    head = rig.data.bones["Head"]
    assert 0.01 < head.length < 0.1  # the file does not give its end
    assert np.abs(np.array(head.tail_local - head.head_local) - (0.0, 0.0, head.length)).max() < 1e-6


def test_the_active_armature_is_taken_if_it_has_a_bone_for_all_that_moves(bridge, small, play):
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
    play(rig, bpy.data.actions["small.001"])
    clip, hint = places(bridge, small, unit="cm")
    names = ("Hips", "Spine")  # bones below the bone inside keep the armature's proportions
    order = [clip.skeleton.index(name) for name in names]
    assert farthest(rig, names, hint[:, order], range(3)) < 1e-5
    targets = {bridge.curves.target_of(curve) for curve in material.fcurves(bpy.data.actions["small.001"])}
    assert {bone for bone, _ in targets} == {"Hips", "Spine", "Head"}
    assert {channel for _, channel in targets} == {"rotation_euler", "location"}
    rig.data.bones["Spine"].name = "Back"
    import_motion(small, units="cm")
    assert len(armatures()) == 2


def test_an_armature_that_was_moved_turned_and_scaled_goes_where_the_file_says(bridge, walks, play):
    import_motion(walks[0])
    rig = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    rig.location, rig.rotation_euler, rig.scale = (3.0, -2.0, 1.0), (0.0, 0.0, 2.0), (0.5,) * 3
    import_motion(walks[1])
    assert armatures() == [rig]
    play(rig, bpy.data.actions["sneak"])
    clip, hint = places(bridge, walks[1])
    # The armature is half as large and travels half the distance.
    assert farthest(rig, clip.skeleton.names, 0.5 * hint, frames_of(clip)) < 1e-5


def test_a_new_armature_on_request(walks):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    import_motion(walks[1], new_armature=True)
    assert len(armatures()) == 2
    assert bpy.data.objects["sneak"].animation_data.action == bpy.data.actions["sneak"]


def test_onto_the_demos_figure_with_connected_bones_it_walks_as_it_did(tmp_path, play):
    bpy.ops.action_loom.add_demo()
    figure = bpy.context.object
    bones = [bone.name for bone in figure.pose.bones]
    before = [material.pose_positions(figure, bones, frame) for frame in range(1, 20)]
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "again.bvh"))
    import_motion(tmp_path / "again.bvh")
    play(figure, bpy.data.actions["again"])
    for frame, seen in enumerate(before, start=1):
        assert np.abs(material.pose_positions(figure, bones, frame) - seen).max() < 1e-5


def test_a_connected_bone_that_a_file_moves_is_said(small, capsys):
    import_motion(small, units="cm")
    rig = bpy.data.objects["small"]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["Head"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    import_motion(small, units="cm")
    assert "small moves 'Head' in its parent, but the bone is connected" in capsys.readouterr().out


def test_names_that_blender_cuts_still_match(bridge, small):
    long = "関節" + 30 * "ä"
    small.write_text(SMALL_BVH.replace("Spine", long).replace("Head", f"{long}x"), encoding="utf-8")
    import_motion(small)
    rig = bpy.data.objects["small"]
    assert len(rig.data.bones) == 4
    assert all(len(bone.name.encode("utf-8")) <= 63 for bone in rig.data.bones)
    _, hint = places(bridge, small)
    bones = [b.name for b in rig.data.bones]
    seen = material.pose_positions(rig, bones, 3)
    assert np.abs(np.sort(seen, axis=0) - np.sort(hint[2], axis=0)).max() < 1e-5
    small.write_text(SMALL_BVH.replace("Spine", long), encoding="utf-8")
    import_motion(small, new_armature=True)
    bpy.context.view_layer.objects.active = bpy.data.objects["small.001"]
    import_motion(small)
    assert len(armatures()) == 2
