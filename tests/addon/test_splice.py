"""Splicing in Blender: legs and travel of one action, the upper body of another."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result

LEGS = ["hips", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R"]


@pytest.fixture
def walker(loom):
    """A biped with a walk, and an action that raises an arm and turns the trunk to and fro."""
    rig = material.biped()
    material.key_walk(rig, "walk", frames=24)
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.rotation_euler, bone.location = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for frame, twist, raised in ((1, -0.3, 1.2), (13, 0.3, 1.6), (25, -0.3, 1.2)):
        for name, angles in (("chest", (0.1, twist, 0.0)), ("upper_arm.L", (raised, 0.0, 0.0))):
            rig.pose.bones[name].rotation_euler = angles
            rig.pose.bones[name].keyframe_insert("rotation_euler", frame=frame)
        rig.pose.bones["hips"].keyframe_insert("location", frame=frame)
    rig.animation_data.action.name = "wave"
    rig.animation_data.action.use_fake_user = True
    return rig


def posed(rig, action, names, frames):
    """Return the world positions (F, B, 3) of bones while an action plays."""
    rig.animation_data.action = action
    return np.array([material.pose_positions(rig, names, float(frame)) for frame in frames])


@pytest.mark.parametrize("method", ["gaussian", "heck", "copy", "additive"])
def test_legs_and_way_are_the_locomotions_and_the_arms_the_actions(walker, method):
    sources = [{"name": "walk", "weight": 1.0}, {"name": "wave", "weight": 1.0}]
    bpy.ops.action_loom.splice(sources=sources, method=method)
    made = walker.animation_data.action
    assert made.name == "wave on walk"
    frames = np.arange(1, 25)
    walk = posed(walker, bpy.data.actions["walk"], LEGS, frames)
    assert np.abs(posed(walker, made, LEGS, frames) - walk).max() < 1e-5
    arm = np.array([walker.pose.bones["upper_arm.L"].rotation_euler[0] for _ in frames])
    assert (arm > 1.0).all()


def test_the_marked_reference_walks_whatever_the_order_of_the_list(walker):
    settings = material.list_sources(walker, "wave", "walk", mode="splice")
    settings.rigs[0].reference = 1
    bpy.ops.action_loom.splice()
    assert walker.animation_data.action.name == "wave on walk"
    settings.rigs[0].reference = 0
    settings.mode = "blend"
    walker.animation_data.action = bpy.data.actions["wave on walk"]
    bpy.ops.action_loom.edit_recipe()
    rig = settings.rigs[0]
    assert settings.mode == "splice"
    assert rig.sources[rig.reference].action.name == "walk"


def test_what_cannot_be_spliced_is_said(walker):
    with pytest.raises(RuntimeError, match="Splice takes 2 or more clips; 1 given"):
        bpy.ops.action_loom.splice(sources=[{"name": "walk", "weight": 1.0}])
    sources = [{"name": "walk", "weight": 1.0}, {"name": "wave", "weight": 1.0}]
    with pytest.raises(RuntimeError, match="wing"):
        bpy.ops.action_loom.splice(sources=sources, upper="wing")
    assert "wave on walk" not in bpy.data.actions


def test_a_splice_of_cycles_plays_on(walker):
    material.key_walk(walker, "stroll", frames=30, reach=0.8)
    sources = [{"name": "walk", "weight": 1.0}, {"name": "stroll", "weight": 1.0}]
    bpy.ops.action_loom.splice(sources=sources)
    made = walker.animation_data.action
    frames = np.arange(1, 120)
    places = posed(walker, made, ["hips", "foot.L", "upper_arm.L", "forearm.L", "head"], frames)
    bends = np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max(axis=1)
    inside = bends[4:18].max()
    assert bends.max() < 1.6 * inside
    assert np.linalg.norm(places[-1, 0] - places[0, 0]) > 4.0
