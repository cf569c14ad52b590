"""Feet of a character with six legs of three bones that no name tells: planted by the button, as its rows say."""

import bpy
import material
import numpy as np
import planted_feet
import pytest
from oracles import walkers

LEGS, BONES = 6, 3


@pytest.fixture
def insect():
    """An armature that walks on six legs, each of three bones, whose standing feet slide; and its stances."""
    clip, chains, stands = walkers.walker(LEGS, BONES)
    rig = material.armature_of_clip(clip) if hasattr(material, "armature_of_clip") else _armature(clip)
    return rig, chains, stands


def _armature(clip):
    """An armature that plays a clip whose joints all rest unturned."""
    bpy.context.scene.render.fps = int(clip.rate)
    skeleton = clip.skeleton
    rig = bpy.data.objects.new("insect", bpy.data.armatures.new("insect"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    places = skeleton.rest[1]
    for joint, name in enumerate(skeleton.names):
        bone = rig.data.edit_bones.new(name)
        bone.head = places[joint]
        bone.tail = places[joint] + np.array([0.0, 0.1, 0.0])  # along Y: a bone's axes are the world's then
        if skeleton.parents[joint] >= 0:
            bone.parent = rig.data.edit_bones[skeleton.names[skeleton.parents[joint]]]
    bpy.ops.object.mode_set(mode="OBJECT")
    action = bpy.data.actions.new("walk")
    rig.animation_data_create().action = action
    for joint, name in enumerate(skeleton.names):
        bone = rig.pose.bones[name]
        for frame in range(len(clip)):
            bone.rotation_quaternion = clip.rotations[frame, joint]
            bone.keyframe_insert("rotation_quaternion", frame=1 + frame)
            if skeleton.parents[joint] < 0:
                bone.location = clip.translations[frame, joint]
                bone.keyframe_insert("location", frame=1 + frame)
    return rig


def slide(rig, chains, stands):
    """How fast evaluated feet go over the ground in their stances, m/s in the mean."""
    names = [f"bone{chain[-1]}" for chain in chains]
    places = np.array([material.pose_positions(rig, names, 1 + frame) for frame in range(len(stands))])
    speeds = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=2) * bpy.context.scene.render.fps
    return float(speeds[stands[1:] & stands[:-1]].mean())


def test_feet_of_six_legs_are_planted(loom, insect):
    rig, chains, stands = insect
    before = slide(rig, chains, stands)
    action = planted_feet.planted(rig)
    assert before > 0.09 > 0.002 > slide(rig, chains, stands)
    held = loom("addon.model.contact_rows").rows_of(bpy.context.scene, action)
    assert {row.foot for row in held} == {"L", "R", "front L", "front R", "middle L", "middle R"}
    assert not any(row.why for row in held)
