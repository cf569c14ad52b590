"""The bridge against Blender itself: what we read is what Blender shows, what we write is what we meant."""

import bpy
import material
import numpy as np
import pytest
from material import needs_shared
from numpy.testing import assert_allclose

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")


@pytest.fixture
def bridge(loom):
    """The modules that the tests need, by short names."""

    class Bridge:
        rig, clip, curves = (loom(f"addon.bridge.{name}") for name in ("rig", "clip", "curves"))
        kinematics, bvh = loom("core.motion.kinematics"), loom("core.motion.bvh")
        RigError = loom("core.errors").RigError

    return Bridge


def largest_error(bridge, rig, source, body, frames):
    """Largest distance between our forward kinematics and pose_bone.matrix, in body heights."""
    _, ours = bridge.kinematics.forward(body.skeleton, source.clip.rotations, source.clip.translations)
    worst = 0.0
    for k in frames:
        blender = material.pose_positions(rig, body.skeleton.names, source.first_frame + k) * body.world_metres
        worst = max(worst, np.abs(blender - ours[k]).max())
    return worst / body.skeleton.height


@needs_shared
@pytest.mark.parametrize("mode", ["NATIVE", "QUATERNION", "XYZ"])
@pytest.mark.parametrize("name", ["cmu_mb_07_01", "cmu_daz_09_01", "cmu_asf_16_41"])
def test_forward_kinematics_equal_blenders_on_imported_clips(bridge, name, mode):
    rig = material.import_bvh(name, mode=mode)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, rig.animation_data.action, body, material.scene_rate())
    assert largest_error(bridge, rig, source, body, range(0, len(source.clip), 7)) < 1e-5


@pytest.mark.parametrize("transform", ["none", "scaled and turned", "parented"])
@pytest.mark.parametrize("connected", [True, False])
def test_forward_kinematics_equal_blenders_in_every_rotation_mode(bridge, connected, transform):
    rig = material.armature(modes=MODES[:5], connected=connected)
    if transform == "scaled and turned":
        rig.scale, rig.rotation_euler, rig.location = (0.01,) * 3, (1.5708, 0.0, 0.3), (1.0, 2.0, 3.0)
    if transform == "parented":
        parent = bpy.data.objects.new("Parent", None)
        bpy.context.scene.collection.objects.link(parent)
        parent.rotation_euler, parent.scale = (0.2, 0.4, -1.0), (3.0,) * 3
        rig.parent = parent
    bpy.context.view_layer.update()
    action = material.key_by_hand(rig, "by hand", seed=1)
    for k, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = MODES[k]
    action = material.key_by_hand(rig, "by hand", seed=1)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, 24.0)
    assert len(source.clip) == 33  # Bézier curves between the keys are sampled on every frame
    assert largest_error(bridge, rig, source, body, range(33)) < 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_a_written_clip_is_read_back_the_same(bridge, mode):
    rig = material.armature(modes=(mode,), connected=False)  # a connected bone's location does nothing
    action = material.key_by_hand(rig, "by hand", seed=2)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, 24.0)
    written = bridge.clip.write(rig, source.clip, body, first_frame=source.first_frame, channels=source.channels)
    again = bridge.clip.read(rig, written, body, 24.0)
    assert again.first_frame == source.first_frame
    assert again.channels == source.channels
    ours, theirs = (bridge.kinematics.points(s.clip) for s in (source, again))
    assert_allclose(theirs, ours, rtol=0.0, atol=1e-6 * body.skeleton.height)


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION"])
def test_written_rotations_do_not_jump(bridge, mode, loom):
    quat = loom("core.motion.quat")
    rig = material.armature(modes=(mode,))
    body = bridge.rig.read(rig)
    clip_class = loom("core.motion.clip").Clip
    frames, joints = 200, len(body.skeleton)
    turning = quat.about_axis("Z", np.linspace(0.0, 9.0, frames))  # more than a whole turn
    rotations = np.tile(quat.mul(turning, quat.about_axis("X", np.full(frames, 0.4)))[:, None], (1, joints, 1))
    clip = clip_class("turning", body.skeleton, 24.0, rotations, np.zeros((frames, joints, 3)))
    action = bridge.clip.write(rig, clip, body, first_frame=1.0, channels=frozenset())
    for curve in material.fcurves(action):
        keys = np.empty(2 * frames, dtype=np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        assert np.abs(np.diff(keys[1::2])).max() < 0.2


def test_a_new_action_is_grouped_generated_linear_kept_and_has_a_slot(bridge):
    rig = material.armature()
    source_action = material.key_by_hand(rig, "by hand", seed=3)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, source_action, body, 24.0)
    action = bridge.clip.write(rig, source.clip, body, first_frame=5.0, channels=source.channels)
    assert action.use_fake_user
    assert tuple(action.frame_range) == (5.0, 37.0)
    generated = "GENERATED" in bpy.types.Keyframe.bl_rna.properties["type"].enum_items
    for curve in material.fcurves(action):
        assert curve.group is not None
        assert curve.group.name in curve.data_path
        assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}
        if generated:
            assert {point.type for point in curve.keyframe_points} == {"GENERATED"}
    if hasattr(action, "slots"):
        assert [slot.target_id_type for slot in action.slots] == ["OBJECT"]
    assert rig.animation_data.action == source_action  # writing assigns nothing


def test_reading_leaves_the_source_as_it_was(bridge):
    rig = material.armature(modes=MODES)
    action = material.key_by_hand(rig, "by hand", seed=4)
    before = material.fingerprint(action)
    bridge.clip.read(rig, action, bridge.rig.read(rig), 24.0)
    assert material.fingerprint(action) == before


@needs_shared
@pytest.mark.parametrize("name", ["cmu_mb_16_15", "cmu_daz_13_11"])
def test_bvh_to_blender_to_bvh_keeps_joint_positions(bridge, name, tmp_path):
    path = material.SHARED / "cmu" / f"{name}.bvh"
    original = bridge.bvh.read(path)
    clip, convention = bridge.bvh.to_clip(original)
    rig = material.import_bvh(name)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, rig.animation_data.action, body, material.scene_rate())
    out = tmp_path / "again.bvh"
    bridge.bvh.write(bridge.bvh.from_clip(source.clip, original, convention), out)
    again, _ = bridge.bvh.to_clip(bridge.bvh.read(out))
    difference = np.abs(bridge.kinematics.points(again) - bridge.kinematics.points(clip)).max()
    assert difference / clip.skeleton.height < 1e-4


def test_unkeyed_bones_rest_and_muted_curves_do_nothing(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=5)
    for curve in material.fcurves(action):
        curve.mute = "bone2" in curve.data_path
    body = bridge.rig.read(rig)
    clip = bridge.clip.read(rig, action, body, 24.0).clip
    assert_allclose(clip.rotations[:, body.skeleton.index("bone2")], [[1.0, 0.0, 0.0, 0.0]] * len(clip))


def test_modifiers_and_fractional_keys_are_sampled_as_blender_shows_them(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=6, frames=(1.5, 6.25, 14.0))
    for curve in material.fcurves(action):
        curve.modifiers.new("CYCLES")
    body = bridge.rig.read(rig)
    action.use_frame_range, action.frame_start, action.frame_end = True, 2.0, 30.0
    source = bridge.clip.read(rig, action, body, 24.0)
    assert source.first_frame == 2.0
    assert len(source.clip) == 29
    assert largest_error(bridge, rig, source, body, range(29)) < 1e-5


def test_what_cannot_be_read_is_refused_by_name(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=7)
    body = bridge.rig.read(rig)
    rig.data.bones["bone2"].use_inherit_rotation = False
    with pytest.raises(bridge.RigError, match="'bone2' does not inherit rotation"):
        bridge.rig.read(rig)
    rig.data.bones["bone2"].use_inherit_rotation = True
    rig.scale = (1.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(bridge.RigError, match="scaled unevenly"):
        bridge.rig.read(rig)
    rig.scale = (-1.0, -1.0, -1.0)
    bpy.context.view_layer.update()
    with pytest.raises(bridge.RigError, match="mirrored"):
        bridge.rig.read(rig)
    rig.pose.bones["bone1"].scale = (1.0, 1.5, 1.0)
    rig.pose.bones["bone1"].keyframe_insert("scale", frame=3)
    with pytest.raises(bridge.RigError, match="'by hand' scales bone 'bone1'"):
        bridge.clip.read(rig, action, body, 24.0)
    other = material.armature(name="Other")
    for bone in other.data.bones:
        bone.name = f"x{bone.name}"
    with pytest.raises(bridge.RigError, match="'by hand' moves no bone of Other"):
        bridge.clip.read(other, action, bridge.rig.read(other), 24.0)


def test_an_action_that_moves_the_object_is_refused(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=8)
    rig.keyframe_insert("location", frame=1)
    with pytest.raises(bridge.RigError, match="moves the object Rig itself"):
        bridge.clip.read(rig, action, bridge.rig.read(rig), 24.0)


if "slots" in bpy.types.Action.bl_rna.properties:  # since 4.4

    def test_two_slots_need_a_choice_and_names_of_slots_mean_nothing(bridge):
        rig = material.armature()
        action = material.key_by_hand(rig, "by hand", seed=9)
        action.slots[0].name_display = "like nothing"
        body = bridge.rig.read(rig)
        rig.animation_data.action = None
        assert len(bridge.clip.read(rig, action, body, 24.0).clip) == 33
        second = action.slots.new("OBJECT", "second")
        bag = action.layers[0].strips[0].channelbag(second, ensure=True)
        bag.fcurves.new('pose.bones["bone0"].location', index=0).keyframe_points.insert(4, 1.0)
        with pytest.raises(bridge.RigError, match="2 slots"):
            bridge.clip.read(rig, action, body, 24.0)
        rig.animation_data.action = action
        rig.animation_data.action_slot = action.slots[0]
        assert len(bridge.clip.read(rig, action, body, 24.0).channels) == 10
