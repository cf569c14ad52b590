"""The bridge against Blender: read poses equal Blender's poses, and written actions show the intended motion."""

import bpy
import material
import numpy as np
import pytest
import random_rigs
from material import needs_shared
from numpy.testing import assert_allclose

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")


def largest_error(bridge, rig, source, body, frames):
    """Largest distance between our forward kinematics and pose_bone.matrix, in body heights."""
    _, ours = bridge.kinematics.world(source.clip)
    ours = ours[:, 1:] if body.moving_object else ours
    worst = 0.0
    for k in frames:
        blender = material.pose_positions(rig, body.bones, source.first_frame + k) * body.world_metres
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
    written = bridge.clip.write(rig, source.clip, body, first_frame=source.first_frame, targets=source.targets)
    again = bridge.clip.read(rig, written, body, 24.0)
    assert again.first_frame == source.first_frame
    assert again.targets == source.targets
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
    action = bridge.clip.write(rig, clip, body, first_frame=1.0)
    for curve in material.fcurves(action):
        keys = np.empty(2 * frames, dtype=np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        assert np.abs(np.diff(keys[1::2])).max() < 0.2


def test_a_new_action_is_grouped_generated_linear_kept_and_has_a_slot(bridge):
    rig = material.armature()
    source_action = material.key_by_hand(rig, "by hand", seed=3)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, source_action, body, 24.0)
    action = bridge.clip.write(rig, source.clip, body, first_frame=5.0, targets=source.targets)
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


def test_a_bone_that_a_damaged_file_puts_nowhere_is_named(bridge):
    rig = material.armature()
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones[-1].tail = (0.0, 3e38, 0.0)
    name = rig.data.edit_bones[-1].name
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(bridge.RigError, match=rf"bones without axes at rest \('{name}'\)"):
        bridge.rig.read(rig)


def test_what_cannot_be_read_is_refused_by_name(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=7)
    rig.scale = (1.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(bridge.RigError, match="scaled unevenly"):
        bridge.rig.read(rig)
    rig.scale = (-1.0, -1.0, -1.0)
    bpy.context.view_layer.update()
    with pytest.raises(bridge.RigError, match="mirrored"):
        bridge.rig.read(rig)
    other = material.armature(name="Other")
    for bone in other.data.bones:
        bone.name = f"x{bone.name}"
    with pytest.raises(bridge.RigError, match="by hand moves no bone of Other"):
        bridge.clip.read(other, action, bridge.rig.read(other), 24.0)


@pytest.mark.parametrize("first_seed", range(0, 100, 10))
def test_forward_kinematics_equal_blenders_on_random_rigs_of_every_setting(bridge, first_seed):
    for seed in range(first_seed, first_seed + 10):
        rig = random_rigs.rig(seed, bones=16, plain_settings=seed % 10 == 0)
        if seed % 3 == 1:
            rig.scale, rig.rotation_euler, rig.location = (0.01,) * 3, (1.5708, 0.2, 0.3), (1.0, 2.0, 3.0)
            bpy.context.view_layer.update()
        action = random_rigs.key(rig, seed, scales=seed % 4 != 3)
        body = bridge.rig.read(rig)
        source = bridge.clip.read(rig, action, body, 24.0)
        assert largest_error(bridge, rig, source, body, range(0, 9, 2)) < 1e-5, seed
        written = bridge.clip.write(
            rig,
            source.clip,
            body,
            first_frame=source.first_frame,
            targets=source.targets,
            start=source.start,
        )
        again = bridge.clip.read(rig, written, body, 24.0)
        assert again.targets == {t for t in source.targets if not (t.property == "location" and is_fixed(rig, t))}
        difference = np.abs(bridge.kinematics.points(again.clip) - bridge.kinematics.points(source.clip)).max()
        assert difference < 1e-6 * body.skeleton.height, seed


def values_at(action, path, frames):
    curves = sorted((c for c in material.fcurves(action) if c.data_path == path), key=lambda c: c.array_index)
    return np.array([[curve.evaluate(frame) for curve in curves] for frame in frames])


@pytest.mark.parametrize("mode", MODES)
def test_rotations_are_told_as_the_source_tells_them(bridge, mode):
    """Smooth curves of any branch, sign or number of turns come back as they were, at every key."""
    rig = material.armature(modes=(mode,), connected=False)
    rng = np.random.default_rng(11)
    prop = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
    rig.animation_data_create()
    for bone in rig.pose.bones:
        axis = np.array([0.6, 0.0, 0.8])
        slow = rng.uniform(0.5, 1.5, size=3)
        for frame in range(1, 41):
            angles = np.array([4.0, 2.5, -5.0]) + 1.2 * np.sin(slow * frame / 12.0)
            if mode == "QUATERNION":
                half = 0.5 * angles[0]
                bone.rotation_quaternion = -np.array([np.cos(half), *(np.sin(half) * axis)])
            elif mode == "AXIS_ANGLE":
                bone.rotation_axis_angle = [angles[0] + 7.0, *axis]
            else:
                bone.rotation_euler = angles
            bone.keyframe_insert(prop, frame=frame)
    action = rig.animation_data.action
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, 24.0)
    written = bridge.clip.write(rig, source.clip, body, first_frame=1.0, targets=source.targets, start=source.start)
    frames = range(1, 41)
    for name in body.bones:
        path = f'pose.bones["{name}"].{prop}'
        tolerance = np.radians(1e-4)
        assert_allclose(values_at(written, path, frames), values_at(action, path, frames), rtol=0.0, atol=tolerance)


def is_fixed(rig, target):
    bone = rig.data.bones[target.bone]
    return bone.use_connect and bone.parent is not None


@pytest.mark.parametrize("settings", ["plain", "every"])
@pytest.mark.parametrize("parented", [False, True])
def test_an_object_that_moves_is_a_joint_of_its_own(bridge, parented, settings):
    rig = random_rigs.rig(5, plain_settings=settings == "plain")
    rig.scale, rig.rotation_mode = (0.01,) * 3, "ZXY"
    if parented:
        parent = bpy.data.objects.new("Parent", None)
        bpy.context.scene.collection.objects.link(parent)
        parent.rotation_euler, parent.scale, parent.location = (0.2, 0.4, -1.0), (3.0,) * 3, (1.0, 0.0, 2.0)
        rig.parent = parent
    action = random_rigs.key(rig, 5, scales=settings == "every")
    for frame, place, turn in ((1, (0.0, 0.0, 0.0), 0.0), (9, (3.0, -2.0, 0.5), 1.2)):
        rig.location, rig.rotation_euler = place, (0.1, 0.0, turn)
        rig.keyframe_insert("location", frame=frame)
        rig.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()
    assert bridge.clip.moves_object(action, bridge.curves.choose_slot(action, rig))
    body = bridge.rig.read(rig, moving_object=True)
    source = bridge.clip.read(rig, action, body, 24.0)
    assert largest_error(bridge, rig, source, body, range(9)) < 1e-5
    written = bridge.clip.write(rig, source.clip, body, first_frame=1.0, targets=source.targets)
    again = bridge.clip.read(rig, written, body, 24.0)
    points = bridge.kinematics.points
    assert np.abs(points(again.clip) - points(source.clip)).max() < 1e-6 * body.skeleton.height


def test_other_curves_of_the_slot_are_carried_along(bridge):
    rig = material.armature(modes=("QUATERNION",))
    action = material.key_by_hand(rig, "by hand", seed=8)
    rig["stretch"], rig.pose.bones["bone1"]["open"] = 0.0, 0.0
    limit = rig.pose.bones["bone2"].constraints.new("LIMIT_ROTATION")
    for frame, value in ((1, 0.0), (33, 0.8)):
        rig["stretch"] = value
        rig.keyframe_insert('["stretch"]', frame=frame)
        rig.pose.bones["bone1"]["open"] = 1.0 - value
        rig.keyframe_insert('pose.bones["bone1"]["open"]', frame=frame)
        limit.influence = value
        limit.keyframe_insert("influence", frame=frame)
        limit.use_limit_x = value > 0.5
        limit.keyframe_insert("use_limit_x", frame=frame)
        rig.pose.bones["bone3"].keyframe_insert("rotation_euler", frame=frame)  # the bone is in quaternion mode
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, 24.0)
    kinds = {name: channel.discrete for name, channel in source.clip.channels.items()}
    assert kinds == {
        '["stretch"][0]': False,
        'pose.bones["bone1"]["open"][0]': False,
        'pose.bones["bone2"].constraints["Limit Rotation"].influence[0]': False,
        'pose.bones["bone2"].constraints["Limit Rotation"].use_limit_x[0]': True,
    }
    assert source.notes == ("'bone3' is keyed as rotation_euler, but its rotation mode is QUATERNION",)
    written = bridge.clip.write(rig, source.clip, body, first_frame=1.0, targets=source.targets)
    again = bridge.clip.read(rig, written, body, 24.0)
    assert {name: channel.discrete for name, channel in again.clip.channels.items()} == kinds
    for name, channel in source.clip.channels.items():
        assert_allclose(again.clip.channels[name].values, channel.values, atol=1e-6)


def test_a_curve_of_something_that_is_gone_is_left_out_and_said(bridge):
    rig = material.armature()
    rig["gone"] = 0.5
    action = material.key_by_hand(rig, "by hand", seed=9)
    rig.keyframe_insert('["gone"]', frame=1)
    del rig["gone"]
    source = bridge.clip.read(rig, action, bridge.rig.read(rig), 24.0)
    assert not source.clip.channels
    assert source.notes == ('["gone"] of Rig does not exist: its curve is left out',)


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_keys_at_given_times_keep_the_poses_there(bridge, mode):
    rig = material.armature(modes=(mode,), connected=False)
    action = material.key_by_hand(rig, "by hand", seed=10)
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, action, body, 24.0)
    times = np.array([0.0, 8.0, 19.0, 32.0])
    written = bridge.clip.write(
        rig, source.clip, body, first_frame=1.0, key_frames=times, interpolation="BEZIER", targets=source.targets
    )
    assert {len(curve.keyframe_points) for curve in material.fcurves(written)} == {4}
    assert {p.interpolation for curve in material.fcurves(written) for p in curve.keyframe_points} == {"BEZIER"}
    again = bridge.clip.read(rig, written, body, 24.0)
    points = bridge.kinematics.points
    assert_allclose(points(again.clip)[times.astype(int)], points(source.clip)[times.astype(int)], atol=1e-5)


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
        assert len(bridge.clip.read(rig, action, body, 24.0).targets) == 10


def test_an_artist_corrects_roles_and_a_lost_bone_is_said(bridge):
    rig = material.armature()
    assert not bridge.rig.read(rig).skeleton.roles
    bridge.rig.set_roles(rig, {"hips": "bone1", "thigh.L": "side"})
    roles = bridge.rig.read(rig).skeleton.roles
    assert {role: bridge.rig.read(rig).bones[joint] for role, joint in roles.items()} == {
        "hips": "bone1",
        "thigh.L": "side",
    }
    with pytest.raises(bridge.RigError, match="There is no role 'tail'"):
        bridge.rig.set_roles(rig, {"tail": "side"})
    with pytest.raises(bridge.RigError, match="has no bone 'wing' for its hips"):
        bridge.rig.set_roles(rig, {"hips": "wing"})
    rig.data.bones["side"].name = "aside"
    with pytest.raises(bridge.RigError, match="the bone 'side', chosen as thigh.L, is gone"):
        bridge.rig.read(rig)


@needs_shared
@pytest.mark.parametrize("kind", ["imported", "like Mixamo's"])
def test_captured_clips_come_back_the_same(bridge, kind):
    rig = material.import_bvh("cmu_mb_05_11", mode="QUATERNION")
    if kind == "like Mixamo's":
        rig.scale, rig.rotation_euler = (0.01,) * 3, (np.pi / 2, 0.0, 0.0)
        bpy.context.view_layer.update()
    body = bridge.rig.read(rig)
    source = bridge.clip.read(rig, rig.animation_data.action, body, material.scene_rate())
    assert largest_error(bridge, rig, source, body, range(0, len(source.clip), 29)) < 1e-5
    written = bridge.clip.write(
        rig, source.clip, body, first_frame=source.first_frame, targets=source.targets, start=source.start
    )
    again = bridge.clip.read(rig, written, body, material.scene_rate())
    points = bridge.kinematics.points
    assert np.abs(points(again.clip) - points(source.clip)).max() < 1e-6 * body.skeleton.height
    before = {(c.data_path, c.array_index): c for c in material.fcurves(rig.animation_data.action)}
    frames = range(1, len(source.clip) + 1, 13)
    for curve in material.fcurves(written):
        if "rotation" in curve.data_path:
            theirs = before[curve.data_path, curve.array_index]
            difference = [abs(curve.evaluate(f)) - abs(theirs.evaluate(f)) for f in frames]
            assert np.abs(difference).max() < np.radians(1e-4)  # a source's own sign flips are taken out


def test_markers_say_what_and_when(bridge):
    rig = material.armature()
    action = material.key_by_hand(rig, "by hand", seed=1)
    bridge.clip.mark(action, {"L down 1": 3.0, "L up 1": 9.4})
    assert {marker.name: marker.frame for marker in action.pose_markers} == {"L down 1": 3, "L up 1": 9}


def leaf(data, name, parent, head, length):
    bone = data.edit_bones.new(name)
    bone.parent, bone.head = data.edit_bones.get(parent or ""), head
    bone.tail = (head[0], head[1], head[2] + length)


@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 100.0])
def test_ends_of_leaf_bones_are_believed_as_far_as_they_can_be_true(bridge, scale):
    """Tips of leaf bones are trusted up to twice the length of the bone above, whatever the object's scale."""
    rig = material.begin_armature("Rig")
    data = rig.data
    metre = 1.0 / scale
    leaf(data, "hips", None, (0.0, 0.0, metre), 0.5 * metre)
    for k, side in enumerate((-1.0, 1.0)):
        leaf(data, f"thigh{k}", "hips", (0.1 * side * metre, 0.0, 0.9 * metre), 0.4 * metre**2)
        leaf(data, f"hand{k}", "hips", (0.5 * side * metre, 0.0, 1.4 * metre), 0.6 * metre**2)
    leaf(data, "head", "hips", (0.0, 0.0, 1.6 * metre), 0.6 * metre**2)
    leaf(data, "eye", "head", (0.0, 0.0, 1.6 * metre), 5.0 * metre**2)  # where its parent is: no bone between them
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.scale = (scale,) * 3
    bpy.context.view_layer.update()
    body = bridge.rig.read(rig)
    skeleton = body.skeleton
    tips = np.linalg.norm(skeleton.tips, axis=1) / body.world_metres
    above = np.linalg.norm(skeleton.offsets, axis=1) / body.world_metres
    at = {name: k for k, name in enumerate(skeleton.names)}
    for name in ("thigh0", "thigh1", "hand0", "hand1"):
        assert tips[at[name]] <= 2.0 * above[at[name]] + 1e-6
    assert tips[at["eye"]] <= 2.0 * above[at["head"]] + 1e-6
    assert tips[at["hand1"]] == pytest.approx(0.6, rel=1e-4)
