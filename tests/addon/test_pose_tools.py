"""Tween, Reach and Key Poses from the panel: the values they take from the scene, and their results."""

import bpy
import material
import numpy as np
import pytest
from material import pose_at as pose

pytestmark = pytest.mark.core_result


@pytest.fixture
def walker():
    """A biped with two ticked walks that plays the longer one."""
    rig = material.biped()
    material.key_walk(rig, "quick", frames=24)
    material.key_walk(rig, "walk", frames=60)
    bpy.context.scene.render.fps = 24
    material.list_all()
    bpy.context.view_layer.update()
    return rig


def refused(rig, operator, **options):
    with pytest.raises(RuntimeError) as reported:
        material.press(rig, operator, **options)
    return str(reported.value)


def now(rig):
    bpy.context.view_layer.update()
    return {bone.name: np.array(bone.matrix_basis) for bone in rig.pose.bones}


@pytest.mark.parametrize(("share", "frame"), [(0.0, 10), (1.0, 30)])
def test_a_tween_at_its_ends_is_the_pose_there(walker, share, frame):
    walk = walker.animation_data.action
    there = pose(walker, walk, frame)
    bpy.context.scene.frame_set(20)
    was = material.fingerprint(walk)
    assert material.press(walker, "tween", share=share, first=10, second=30) == {"FINISHED"}
    for name, matrix in now(walker).items():
        np.testing.assert_allclose(matrix, there[name], atol=2e-6, err_msg=name)
    assert material.fingerprint(walk) == was


def test_a_tween_is_between_or_beyond_and_can_be_spread(walker):
    walk = walker.animation_data.action
    ends = [pose(walker, walk, frame)["thigh.L"] for frame in (10, 30)]
    bpy.context.scene.frame_set(20)
    material.press(walker, "tween", share=1.5, first=10, second=30)
    beyond = now(walker)["thigh.L"]
    angle = [np.arccos((np.trace((a.T @ b)[:3, :3]) - 1.0) / 2.0) for a, b in (ends, (ends[0], beyond))]
    assert angle[1] == pytest.approx(1.5 * angle[0], abs=1e-4)
    assert material.press(walker, "warp") == {"FINISHED"}
    np.testing.assert_allclose(pose(walker, walker.animation_data.action, 20)["thigh.L"], beyond, atol=2e-6)


def test_a_tween_of_selected_bones_leaves_the_others(walker):
    bpy.context.view_layer.objects.active = walker
    bpy.context.scene.frame_set(20)
    before = now(walker)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in walker.pose.bones:
        chosen = bone.name == "upper_arm.R"
        if hasattr(bone, "select"):
            bone.select = chosen
        else:
            bone.bone.select = chosen
    assert material.press(walker, "tween", share=1.0, first=10, second=31) == {"FINISHED"}
    changed = {name for name, matrix in now(walker).items() if np.abs(matrix - before[name]).max() > 1e-5}
    assert changed == {"upper_arm.R"}
    assert "walk has no frame 99: its frames are 1 to 61" in refused(walker, "tween", first=10, second=99)


def hand(rig, frame):
    bpy.context.scene.frame_set(frame)
    return np.array(rig.matrix_world @ rig.pose.bones["hand.R"].head)


@pytest.mark.parametrize("by", ["cursor", "object"])
def test_a_hand_reaches_the_cursor_or_an_object_at_the_current_frame(walker, by):
    walk = walker.animation_data.action
    content = material.fingerprint(walk)
    was = {frame: hand(walker, frame) for frame in (1, 30, 61)}
    target = was[30] + (0.05, 0.12, 0.1)
    if by == "cursor":
        bpy.context.scene.cursor.location = target
    else:
        ball = bpy.data.objects.new("ball", None)
        bpy.context.collection.objects.link(ball)
        ball.location = target
        bpy.context.scene.action_loom.reach_object = ball
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(30)
    assert material.press(walker, "reach") == {"FINISHED"}
    made = walker.animation_data.action
    assert made.name == "walk reaching"
    np.testing.assert_allclose(hand(walker, 30), target, atol=1e-4)
    for frame in (1, 61):
        np.testing.assert_allclose(hand(walker, frame), was[frame], atol=1e-5)
    assert material.fingerprint(walk) == content
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    np.testing.assert_allclose(hand(walker, 30), target, atol=1e-4)


def test_what_is_out_of_reach_is_said_and_stretched_for(walker, capfd):
    bpy.context.scene.cursor.location = (30.0, 0.0, 1.0)
    bpy.context.scene.frame_set(30)
    assert material.press(walker, "reach") == {"FINISHED"}
    assert "reach" in capfd.readouterr().out
    bones = [walker.pose.bones[name] for name in ("upper_arm.R", "forearm.R")]
    bpy.context.scene.frame_set(30)
    directions = [(np.array(bone.tail) - np.array(bone.head)) / bone.length for bone in bones]
    assert np.degrees(np.arccos(np.clip(directions[0] @ directions[1], -1.0, 1.0))) < 3.0


def test_a_frame_outside_is_said(walker):
    bpy.context.scene.frame_set(90)
    assert "walk has no frame 90: its frames are 1 to 61" in refused(walker, "reach")


def test_poses_are_picked_and_an_action_goes_through_them(walker):
    settings = bpy.context.scene.action_loom
    settings.mode = "key_poses"
    wanted = []
    for name, frame in (("walk", 10), ("quick", 7), ("walk", 40)):
        wanted.append(pose(walker, bpy.data.actions[name], frame))
        assert material.press(walker, "pick_pose") == {"FINISHED"}
    settings.key_poses.in_place = False
    assert material.press(walker, "key_poses") == {"FINISHED"}
    made = walker.animation_data.action
    first = round(made.frame_range[0])
    for k, there in enumerate(wanted):
        found = pose(walker, made, first + 12 * k)  # 12 frames are 0.5 s
        for name in ("thigh.L", "upper_arm.R", "head"):
            np.testing.assert_allclose(found[name], there[name], atol=5e-6)
    assert material.press(walker, "clear_poses") == {"FINISHED"}
    assert settings.key_poses.poses == ""
    walker.animation_data.action = bpy.data.actions["walk"]
    bpy.context.scene.frame_set(99)
    assert "walk has no frame 99: its frames are 1 to 61" in refused(walker, "pick_pose")


@pytest.mark.parametrize("operator", ["fewer_keys", "connect"])
def test_an_unkeyed_pose_is_there_again_when_a_result_is_undone(operator):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    bpy.context.scene.frame_set(10)
    bpy.ops.action_loom.tween("EXEC_DEFAULT", True, first=1, second=20, share=1.0)
    basis, name = np.array([bone.matrix_basis for bone in rig.pose.bones]), rig.name
    bpy.ops.ed.undo_push(message="tweened")
    names = ["Walk"] if operator == "fewer_keys" else ["Walk", "Sneak"]
    run = getattr(bpy.ops.action_loom, operator)
    assert run("EXEC_DEFAULT", True, sources=[{"name": one, "weight": 1.0} for one in names]) == {"FINISHED"}
    assert rig.animation_data.action.name not in ("Walk", "Sneak")
    bpy.ops.ed.undo()
    rig = bpy.data.objects[name]
    assert rig.animation_data.action.name == "Walk"
    bpy.context.view_layer.update()
    assert np.array_equal(np.array([bone.matrix_basis for bone in rig.pose.bones]), basis)
