"""A sword that is keyed into a hand for a while: in the written action it is in the hand of the evaluated rig."""

import bpy
import pytest
from mathutils import Matrix, Vector

HELD = range(7, 20)  # frames of the walk
IN_HAND = Matrix.Translation((0.03, 0.05, 0.02)) @ Matrix.Rotation(0.6, 4, "X")


@pytest.fixture
def armed(loom):
    """The demo figure with a sword without parent, which its right hand holds in the middle of its walk."""
    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("sword")
    bone.head, bone.tail = Vector((1.0, 0.0, 0.0)), Vector((1.0, 0.8, 0.0))
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.pose.bones["sword"].rotation_mode = "QUATERNION"
    action = bpy.data.actions["Walk"]
    play(armature, action)
    first, last = map(round, action.frame_range)
    for frame in range(first, last + 1):
        place = hand_at(armature, min(max(frame, HELD.start), HELD.stop - 1)) @ IN_HAND
        bpy.context.scene.frame_set(frame)
        armature.pose.bones["sword"].matrix = place
        bpy.context.view_layer.update()
        for path in ("location", "rotation_quaternion"):
            armature.pose.bones["sword"].keyframe_insert(path, frame=frame)
    return armature


def play(armature, action):
    armature.animation_data.action = action
    if hasattr(action, "slots") and action.slots:
        armature.animation_data.action_slot = action.slots[0]


def hand_at(armature, frame, name="hand.R"):
    bpy.context.scene.frame_set(frame)
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return posed[name].matrix.copy()


def off(armature, action, frames):
    """Return how far (m) the sword is from its place in the hand."""
    play(armature, action)
    found = []
    for frame in frames:
        hand, sword = (hand_at(armature, frame, name) for name in ("hand.R", "sword"))
        ends = [(hand @ IN_HAND @ Vector(end), sword @ Vector(end)) for end in ((0, 0, 0), (0, 0.5, 0))]
        found += [(wanted - made).length for wanted, made in ends]
    return max(found)


@pytest.mark.parametrize(
    ("verb", "names", "options"),
    [
        ("plant", ("Walk",), {}),
        ("filter", ("Walk",), {"cutoff": 2.0}),
        ("connect", ("Walk", "Sneak"), {"from_frame": 22}),
    ],
)
def test_the_sword_of_a_written_action_is_in_the_hand(armed, verb, names, options):
    held = range(HELD.start + 1, HELD.stop - 1)
    assert off(armed, bpy.data.actions["Walk"], held) < 1e-5
    before = set(bpy.data.actions)
    sources = [{"name": name, "weight": 1.0} for name in names]
    assert getattr(bpy.ops.action_loom, verb)(sources=sources, **options) == {"FINISHED"}
    made = (set(bpy.data.actions) - before) or {bpy.data.actions[names[0]]}
    assert off(armed, made.pop(), held) < 1e-3
