"""IK bones of engines: in the written action they are at the feet and hands of the evaluated rig."""

import bpy
import material
import pytest
from mathutils import Vector

COPIES = {"ik_foot_l": "foot.L", "ik_foot_r": "foot.R", "ik_hand_gun": "hand.R", "ik_hand_l": "hand.L"}


@pytest.fixture
def engine(loom):
    """The demo figure with a root bone and IK bones, which its walk and sneak key at feet and hands on every frame."""
    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    parents = {"root": None, "ik_foot_root": "root", "ik_hand_root": "root"}
    parents |= {name: "ik_foot_root" if "foot" in name else "ik_hand_root" for name in COPIES}
    for name, parent in parents.items():
        bone, copied = bones.new(name), bones.get(COPIES.get(name, ""))
        bone.head, bone.tail = (copied.head, copied.tail) if copied else (Vector(), Vector((0.0, 0.3, 0.0)))
        bone.roll = copied.roll if copied else 0.0
        bone.parent = bones.get(parent or "")
    bones["hips"].parent = bones["root"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in COPIES:
        armature.pose.bones[name].rotation_mode = "QUATERNION"
    for action in ("Walk", "Sneak"):
        material.show(armature, bpy.data.actions[action])
        key_copies(armature, bpy.data.actions[action])
    return armature


def frames_of(action):
    first, last = map(round, action.frame_range)
    return range(first, last + 1)


def key_copies(armature, action):
    for frame in frames_of(action):
        bpy.context.scene.frame_set(frame)
        for name, copied in COPIES.items():
            bone = armature.pose.bones[name]
            bone.matrix = armature.pose.bones[copied].matrix
            bpy.context.view_layer.update()
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def away(armature, action):
    """Return the greatest distances in metres: of IK bones from the bones they copy, and of the root from its start."""
    material.show(armature, action)
    most, ways = 0.0, []
    for frame in frames_of(action):
        bpy.context.scene.frame_set(frame)
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        ways.append(posed["root"].head.copy())
        assert (posed["ik_foot_root"].head - posed["root"].head).length < 1e-5
        for name, copied in COPIES.items():
            most = max(most, (posed[name].head - posed[copied].head).length)
    return most, max((way - ways[0]).length for way in ways)


@pytest.mark.parametrize(
    ("verb", "names", "options"),
    [
        ("blend", ("Walk", "Sneak"), {}),
        ("blend", ("Walk", "Sneak"), {"travel": "ROOT"}),
        ("loop", ("Walk",), {}),
        ("in_place", ("Walk",), {}),
        ("root", ("Walk",), {"onto": "root"}),
    ],
)
def test_bones_of_a_written_action_are_at_feet_and_hands(engine, verb, names, options):
    before = set(bpy.data.actions)
    sources = [{"name": name, "weight": 1.0} for name in names]
    assert getattr(bpy.ops.action_loom, verb)(sources=sources, **options) == {"FINISHED"}
    made = (set(bpy.data.actions) - before) or {bpy.data.actions[names[0]]}
    off, way = away(engine, made.pop())
    assert off < 1e-3
    assert not options or way > 0.5
