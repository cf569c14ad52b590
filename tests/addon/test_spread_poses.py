"""Spread poses from the panel: results hit each pose, and poses can be added, removed and rebuilt."""

import json

import bpy
import material
import numpy as np
import pytest
from mathutils import Quaternion

pytestmark = pytest.mark.core_result

MODES = ("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE")


@pytest.fixture
def walker():
    """A biped that plays a walk of 61 frames at 24 fps."""
    rig = material.biped()
    material.key_walk(rig, "walk", frames=60)
    bpy.context.scene.render.fps = 24
    bpy.ops.action_loom.add_sources()
    bpy.context.view_layer.update()
    return rig


def bend(bone, degrees, axis=(1.0, 0.0, 0.0)):
    """Turn a bone further, without a key."""
    bone.matrix_basis = bone.matrix_basis @ Quaternion(axis, np.radians(degrees)).to_matrix().to_4x4()


def press(rig, operator="warp", **options):
    return material.press(rig, operator, **options)


def refused(rig, operator="warp", **options):
    with pytest.raises(RuntimeError) as reported:
        press(rig, operator, **options)
    return str(reported.value)


def pose(rig, action, frame):
    rig.animation_data.action = action
    bpy.context.scene.frame_set(frame)
    return {bone.name: np.array(bone.matrix_basis) for bone in rig.pose.bones}


def rows(action):
    return json.loads(action["action_loom"]["recipe"])["corrections"]


def test_the_action_goes_through_the_pose_and_is_the_same_beyond_its_reach(walker):
    walk = walker.animation_data.action
    was, before = material.fingerprint(walk), {frame: pose(walker, walk, frame) for frame in (10, 30, 35, 45)}
    bpy.context.scene.frame_set(30)
    bend(walker.pose.bones["upper_arm.L"], 40.0)
    walker.pose.bones["hips"].location.z += 0.05
    wanted = {bone.name: np.array(bone.matrix_basis) for bone in walker.pose.bones}
    assert press(walker) == {"FINISHED"}
    made = walker.animation_data.action
    assert made.name == "walk posed"
    assert material.fingerprint(walk) == was
    assert {row[0] for row in rows(made)} == {29.0}
    assert len(rows(made)) == 2
    now = pose(walker, made, 30)
    for name, there in wanted.items():
        np.testing.assert_allclose(now[name], there, atol=2e-6, err_msg=name)
    for frame in (10, 45):  # 0.4 s are 9.6 frames
        for name, there in before[frame].items():
            np.testing.assert_allclose(pose(walker, made, frame)[name], there, atol=1e-6, err_msg=name)
    between = pose(walker, made, 35)["upper_arm.L"]
    assert np.abs(between - before[35]["upper_arm.L"]).max() > 0.05
    np.testing.assert_allclose(between[:3, :3] @ between[:3, :3].T, np.eye(3), atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_in_every_rotation_mode(walker, mode):
    bone = walker.pose.bones["head"]
    bone.rotation_mode = mode
    bpy.context.scene.frame_set(20)
    bend(bone, 25.0, (0.0, 0.0, 1.0))
    wanted = np.array(bone.matrix_basis)
    assert press(walker) == {"FINISHED"}
    np.testing.assert_allclose(pose(walker, walker.animation_data.action, 20)["head"], wanted, atol=2e-6)


def test_more_poses_come_to_the_same_result_and_go_again(walker):
    bpy.context.scene.frame_set(20)
    bend(walker.pose.bones["head"], 20.0)
    press(walker)
    made, count = walker.animation_data.action, len(bpy.data.actions)
    first = pose(walker, made, 20)["head"]
    bpy.context.scene.frame_set(40)
    bend(walker.pose.bones["head"], -30.0)
    second = np.array(walker.pose.bones["head"].matrix_basis)
    assert press(walker) == {"FINISHED"}
    assert walker.animation_data.action == made
    assert len(bpy.data.actions) == count
    np.testing.assert_allclose(pose(walker, made, 20)["head"], first, atol=2e-6)
    np.testing.assert_allclose(pose(walker, made, 40)["head"], second, atol=2e-6)
    assert [row[0] for row in rows(made)] == [19.0, 39.0]
    assert press(walker, "remove_pose", frame=20) == {"FINISHED"}
    assert [row[0] for row in rows(made)] == [39.0]
    np.testing.assert_allclose(
        pose(walker, made, 20)["head"], pose(walker, bpy.data.actions["walk"], 20)["head"], atol=1e-6
    )
    walker.animation_data.action = made
    assert "has no other pose" in refused(walker, "remove_pose", frame=40)
    assert "goes through no pose that was spread from frame 7" in refused(walker, "remove_pose", frame=7)


def test_a_pose_made_again_at_its_frame_takes_the_place_of_the_one_before(walker):
    bpy.context.scene.frame_set(20)
    bend(walker.pose.bones["head"], 20.0)
    press(walker)
    made = walker.animation_data.action
    bpy.context.scene.frame_set(21)
    bpy.context.scene.frame_set(20)
    bend(walker.pose.bones["head"], 15.0, (0.0, 0.0, 1.0))
    bend(walker.pose.bones["hand.R"], 10.0)
    wanted = {name: np.array(walker.pose.bones[name].matrix_basis) for name in ("head", "hand.R")}
    press(walker)
    assert len(rows(made)) == 2
    for name, there in wanted.items():
        np.testing.assert_allclose(pose(walker, made, 20)[name], there, atol=2e-6)


def test_without_a_pose_the_result_takes_another_reach(walker):
    bpy.context.scene.frame_set(30)
    bend(walker.pose.bones["head"], 20.0)
    press(walker)
    made = walker.animation_data.action
    far = pose(walker, made, 45)["head"]
    bpy.context.scene.action_loom.warp.reach = 1.0
    assert press(walker) == {"FINISHED"}
    assert np.abs(pose(walker, made, 45)["head"] - far).max() > 0.01
    assert len(rows(made)) == 1


def test_what_can_not_be_spread_is_said(walker):
    bpy.context.scene.frame_set(30)
    assert "The pose at frame 30 is that of walk: pose bones first, without keying them" in refused(walker)
    bpy.context.scene.frame_set(200)
    assert "walk has no frame 200: its frames are 1 to 61" in refused(walker)
    bpy.context.scene.action_loom.edit_which = "TICKED"
    material.key_walk(walker, "other", frames=40)
    material.list_all()
    assert "Spread Pose changes one action at a time: choose Playing Action" in refused(walker)


def test_a_bone_that_came_later_does_not_shift_the_others(walker):
    bpy.context.scene.frame_set(30)
    bend(walker.pose.bones["head"], 20.0)
    press(walker)
    made = walker.animation_data.action
    head = pose(walker, made, 30)["head"]
    bpy.context.view_layer.objects.active = walker
    bpy.ops.object.mode_set(mode="EDIT")
    new = walker.data.edit_bones.new("antenna")
    new.head, new.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 0.1)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    np.testing.assert_allclose(pose(walker, made, 30)["head"], head, atol=1e-6)


def test_events_come_when_the_list_says_and_markers_with_them(walker):
    walk = walker.animation_data.action
    walk.pose_markers.new("hit").frame = 25
    walk.pose_markers.new("late").frame = 58
    before = {frame: pose(walker, walk, frame) for frame in (3, 25, 58)}
    settings = bpy.context.scene.action_loom
    bpy.context.scene.frame_set(25)
    with bpy.context.temp_override(action_loom_armature=walker):
        assert not bpy.ops.action_loom.move_events.poll()
    assert press(walker, "add_event") == {"FINISHED"}
    assert "There is an event at frame 25 already" in refused(walker, "add_event")
    bpy.context.scene.frame_set(29)
    assert press(walker, "event_to_here") == {"FINISHED"}
    assert [(row.first, row.to) for row in settings.events] == [(25, 29)]
    assert press(walker, "move_events") == {"FINISHED"}
    made = walker.animation_data.action
    assert made.name == "walk re-timed"
    for frame, source in ((29, 25), (3, 3), (58, 58)):
        for name, there in pose(walker, made, frame).items():
            np.testing.assert_allclose(there, before[source][name], atol=2e-6)
    assert {(marker.name, marker.frame) for marker in made.pose_markers} == {("hit", 29), ("late", 58)}
    count = len(bpy.data.actions)
    settings.events[0].to = 27  # in frames of the source, as before
    assert press(walker, "move_events") == {"FINISHED"}
    assert len(bpy.data.actions) == count
    for name, there in pose(walker, made, 27).items():
        np.testing.assert_allclose(there, before[25][name], atol=2e-6)
    assert {(marker.name, marker.frame) for marker in made.pose_markers} == {("hit", 27), ("late", 58)}
    settings.events[0].to, settings.move_events.reach = 40, 0.3
    assert "times its speed" in refused(walker, "move_events")
    assert press(walker, "remove_event") == {"FINISHED"}
    assert len(settings.events) == 0


def test_events_are_held_where_the_list_says_and_markers_stay_at_their_beginning(walker):
    walk = walker.animation_data.action
    walk.pose_markers.new("hit").frame = 25
    was = material.fingerprint(walk)
    # The walk closes: the time of the hold is given back over its end, up to frame 4.6 of the next cycle.
    before = {frame: pose(walker, walk, frame) for frame in (6, 15, 25)}
    settings = bpy.context.scene.action_loom
    bpy.context.scene.frame_set(25)
    press(walker, "add_event")
    with bpy.context.temp_override(action_loom_armature=walker):
        assert not bpy.ops.action_loom.move_events.poll()
        settings.events[0].hold = 0.25  # six frames of 24 a second
        assert bpy.ops.action_loom.move_events.poll()
    assert press(walker, "move_events") == {"FINISHED"}
    made = walker.animation_data.action
    held = [pose(walker, made, frame) for frame in range(25, 32)]
    for name, there in before[25].items():
        np.testing.assert_allclose(held[0][name], there, atol=2e-6)
        assert all((one[name] == held[0][name]).all() for one in held)
    assert any((pose(walker, made, 32)[name] != held[0][name]).any() for name in held[0])
    for frame in (6, 15):
        for name, there in pose(walker, made, frame).items():
            np.testing.assert_allclose(there, before[frame][name], atol=2e-6)
    assert made.pose_markers["hit"].frame == 25
    assert material.fingerprint(walk) == was
    assert json.loads(made["action_loom"]["recipe"])["events"] == [[24.0, 24.0, 0.25, 0.0]]

    count = len(bpy.data.actions)
    settings.events[0].hold, settings.events[0].anticipation = 0.0, 1.0
    with bpy.context.temp_override(action_loom_armature=walker):
        assert bpy.ops.action_loom.move_events.poll()
    assert press(walker, "move_events") == {"FINISHED"}
    assert len(bpy.data.actions) == count
    later = made.pose_markers["hit"].frame
    assert later == 29  # later by a third of half a second
    for name, there in pose(walker, made, later).items():
        np.testing.assert_allclose(there, before[25][name], atol=2e-6)
    assert material.fingerprint(walk) == was
    settings.events[0].hold = 5.0
    assert "can be held for" in refused(walker, "move_events")


def test_held_events_are_made_again_and_rows_of_two_numbers_are_read(walker):
    walk = walker.animation_data.action
    was = material.fingerprint(walk)
    settings = bpy.context.scene.action_loom
    bpy.context.scene.frame_set(25)
    press(walker, "add_event")
    settings.events[0].hold, settings.events[0].anticipation = 0.2, 0.5
    assert press(walker, "move_events") == {"FINISHED"}
    made = walker.animation_data.action
    poses = [pose(walker, made, frame) for frame in range(61)]
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    for frame, before in enumerate(poses):
        for name, there in pose(walker, made, frame).items():
            np.testing.assert_allclose(there, before[name], atol=1e-6)
    # Results made before holds existed have rows of two numbers.
    about = json.loads(made["action_loom"]["recipe"])
    made["action_loom"]["recipe"] = json.dumps({**about, "events": [[24, 28]]})
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert json.loads(made["action_loom"]["recipe"])["events"] == [[24, 28]]
    source = pose(walker, walk, 25)
    for name, there in pose(walker, made, 29).items():
        np.testing.assert_allclose(there, source[name], atol=2e-6)
    assert material.fingerprint(walk) == was


def test_one_more_pose_is_previewed_and_nothing_is_written(walker, loom):
    bpy.context.scene.frame_set(30)
    bend(walker.pose.bones["upper_arm.L"], 40.0)
    press(walker)
    made = walker.animation_data.action
    was, count = material.fingerprint(made), len(bpy.data.actions)
    bpy.context.scene.frame_set(45)
    bend(walker.pose.bones["upper_arm.L"], 20.0)
    assert press(walker, preview=True) == {"FINISHED"}
    assert loom("addon.services.preview.previews").of(walker.session_uid) is not None
    assert (material.fingerprint(made), len(bpy.data.actions)) == (was, count)
