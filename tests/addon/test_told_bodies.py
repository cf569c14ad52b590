"""Results report an action that keys a part of the body, and a second body in the armature."""

import bpy
import characters
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result


def named(*names):
    return [{"name": name, "weight": 1.0} for name in names]


@pytest.fixture
def walker(loom):
    """A biped with two walks, and an action that keys one arm."""
    rig = material.biped()
    for name, frames in (("slow", 36), ("quick", 24)):
        material.key_walk(rig, name, frames=frames)
    rig.animation_data.action = None
    for frame, raised in ((1, 0.0), (12, 1.2), (25, 0.0)):
        for bone in ("upper_arm.L", "forearm.L"):
            rig.pose.bones[bone].rotation_euler = (raised, 0.0, 0.0)
            rig.pose.bones[bone].keyframe_insert("rotation_euler", frame=frame)
    rig.animation_data.action.name = "wave"
    rig.animation_data.action.use_fake_user = True
    return rig


def bones_keyed(action):
    return {curve.data_path.split('"')[1] for curve in material.fcurves(action) if "pose.bones" in curve.data_path}


@pytest.mark.parametrize("verb", ["blend", "connect"])
def test_an_action_of_one_arm_is_named_with_its_count(walker, verb, capfd):
    assert getattr(bpy.ops.action_loom, verb)(sources=named("slow", "wave")) == {"FINISHED"}
    together = bones_keyed(bpy.data.actions["slow"]) | bones_keyed(bpy.data.actions["quick"])
    said = capfd.readouterr().out
    assert f"wave keys 2 of the {len(together)} bones that actions of Biped key: use Splice" in said
    assert "slow keys" not in said


@pytest.mark.parametrize("verb", ["blend", "connect"])
def test_whole_actions_are_not_named(walker, verb, capfd):
    assert getattr(bpy.ops.action_loom, verb)(sources=named("slow", "quick")) == {"FINISHED"}
    assert "bones that actions of" not in capfd.readouterr().out


@material.needs_shared
def test_an_exported_idle_without_its_still_bones_is_of_the_whole_body(loom, capfd):
    rig = characters.character("RobotExpressive")
    idle, walk = bpy.data.actions["Idle"], bpy.data.actions["Walking"]
    assert 2 * len(bones_keyed(idle)) < len(bones_keyed(walk))
    assert any(bone.startswith("UpperLeg") for bone in bones_keyed(idle))
    material.show(rig, walk)
    assert bpy.ops.action_loom.connect(sources=named("Walking", "Idle")) == {"FINISHED"}
    assert "bones that actions of" not in capfd.readouterr().out


def test_splice_says_nothing_of_it(walker, capfd):
    assert bpy.ops.action_loom.splice(sources=named("slow", "wave")) == {"FINISHED"}
    assert "bones that actions of" not in capfd.readouterr().out


def second(rig, *, keyed=True):
    """Join a second biped, a step beside the first, and return the first's walk; if `keyed`, the second moves, too."""
    bones = material.join_partner(rig)
    walk = material.key_walk(rig, "both", frames=24)
    rig.animation_data.action = walk
    if keyed:
        for bone in bones:
            for frame in (1, 7, 13, 19, 25):
                bone.rotation_euler.x = 0.3 * np.sin(2.0 * np.pi * frame / 24.0)
                bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()
    return walk


@pytest.mark.parametrize("keyed", [True, False])
def test_a_second_body_is_named_where_feet_are_planted(loom, keyed, capfd):
    rig = material.biped()
    second(rig, keyed=keyed)
    assert bpy.ops.action_loom.loop(sources=named("both"), plant_feet=True) == {"FINISHED"}
    said = capfd.readouterr().out
    assert ("Biped: Partner hips is a second body, and its feet are not planted" in said) == keyed


def test_one_body_with_a_root_and_a_prop_is_one(loom, capfd):
    rig = material.biped(root=True)
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(4):
        bone = rig.data.edit_bones.new(f"prop {number}")
        bone.head, bone.tail = (1.0 + number, 0.0, 1.0), (1.0 + number, 0.0, 1.2)
    bpy.ops.object.mode_set(mode="OBJECT")
    material.key_walk(rig, "walk", frames=24)
    for number in range(4):
        rig.pose.bones[f"prop {number}"].keyframe_insert("location", frame=1)
    assert bpy.ops.action_loom.loop(sources=named("walk"), plant_feet=True) == {"FINISHED"}
    assert "second body" not in capfd.readouterr().out
