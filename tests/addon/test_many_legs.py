"""Feet of a character with six legs of three bones that no name tells: planted by the button, as its rows say."""

import bpy
import material
import numpy as np
import planted_feet
import pytest
import walkers

pytestmark = pytest.mark.core_result

LEGS, BONES, RATE = 6, 3, 30


@pytest.fixture
def insect():
    """An armature that walks on six legs, each of three bones, whose standing feet slide; with its walk."""
    bpy.context.scene.render.fps = RATE
    walk = walkers.walk(LEGS, BONES)
    rig = material.begin_armature("insect")
    for joint, parent in enumerate(walk.parents.tolist()):
        bone = rig.data.edit_bones.new(f"bone{joint}")
        bone.parent = rig.data.edit_bones[f"bone{parent}"] if parent >= 0 else None
        bone.head = walk.offsets[joint] + (np.array(bone.parent.head) if bone.parent else 0.0)
        bone.tail = np.add(bone.head, (0.0, 0.1, 0.0))  # a bone along Y has the axes of the world
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.animation_data_create().action = bpy.data.actions.new("walk")
    for frame, (turns, way) in enumerate(zip(walk.turns, walk.way, strict=True)):
        rig.pose.bones["bone0"].location = 0.0, way, 0.0
        rig.pose.bones["bone0"].keyframe_insert("location", frame=1 + frame)
        for joint in (joint for chain in walk.chains for joint in chain[:-1]):
            bone = rig.pose.bones[f"bone{joint}"]
            bone.rotation_quaternion = np.cos(0.5 * turns[joint]), np.sin(0.5 * turns[joint]), 0.0, 0.0
            bone.keyframe_insert("rotation_quaternion", frame=1 + frame)
    return rig, walk


def slide(rig, walk):
    """How fast evaluated feet go over the ground in their stances, m/s in the mean."""
    names = [f"bone{chain[-1]}" for chain in walk.chains]
    places = np.array([material.pose_positions(rig, names, 1 + frame) for frame in range(len(walk.way))])
    speeds = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=2) * RATE
    return float(speeds[walk.stands[1:] & walk.stands[:-1]].mean())


def test_feet_of_six_legs_are_planted_and_listed(insect, rows_of):
    before = slide(*insect)
    made = planted_feet.planted(insect[0])
    assert before > 0.09 > 0.002 > slide(*insect)
    rows = rows_of(made)
    assert {row.foot for row in rows} == {"L", "R", "front L", "front R", "middle L", "middle R"}
    assert not any(row.why for row in rows)


def test_the_button_is_not_grey_for_legs_that_only_motion_shows(insect):
    bpy.ops.action_loom.find_roles()
    assert not any(role.bone for role in bpy.context.scene.action_loom.rigs[0].roles if role.name.startswith("thigh"))
    assert planted_feet.why_not(insect[0], "plant") == ""
    assert planted_feet.planted(insect[0])
