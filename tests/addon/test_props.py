"""A sword follows a hand by keys for a while: in the written action it is in the hand of the evaluated rig."""

import bpy
import material
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
    material.show(armature, action)
    first, last = map(round, action.frame_range)
    for frame in range(first, last + 1):
        place = hand_at(armature, min(max(frame, HELD.start), HELD.stop - 1)) @ IN_HAND
        bpy.context.scene.frame_set(frame)
        armature.pose.bones["sword"].matrix = place
        bpy.context.view_layer.update()
        for path in ("location", "rotation_quaternion"):
            armature.pose.bones["sword"].keyframe_insert(path, frame=frame)
    return armature


def hand_at(armature, frame, name="hand.R"):
    bpy.context.scene.frame_set(frame)
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return posed[name].matrix.copy()


def off(armature, action, frames):
    """Return how far (m) the sword is from its place in the hand."""
    material.show(armature, action)
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


@pytest.fixture
def held_box(loom):
    """The demo figure, and a box that its own action keeps in the right hand in the middle of the walk."""
    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    armature.location = (0.5, -0.3, 0.0)
    box = bpy.data.objects.new("Box", bpy.data.meshes.new("Box"))
    bpy.context.scene.collection.objects.link(box)
    box.rotation_mode = "XYZ"
    material.show(armature, bpy.data.actions["Walk"])
    first, last = map(round, bpy.data.actions["Walk"].frame_range)
    for frame in range(first, last + 1):
        place = hand_at(armature, min(max(frame, HELD.start), HELD.stop - 1)) @ IN_HAND
        box.matrix_world = armature.matrix_world @ place
        for path in ("location", "rotation_euler"):
            box.keyframe_insert(path, frame=frame)
    return armature, box


def far(armature, box, frames):
    """Return how far (m) the box is from its place in the hand."""
    found = []
    for frame in frames:
        hand = armature.matrix_world @ hand_at(armature, frame)
        found += [
            (hand @ IN_HAND @ Vector(end) - box.matrix_world @ Vector(end)).length for end in ((0, 0, 0), (0, 1, 0))
        ]
    return max(found)


def test_an_object_in_the_hand_gets_an_action_of_its_own(held_box):
    armature, box = held_box
    own, held = box.animation_data.action, range(HELD.start + 1, HELD.stop - 1)
    assert far(armature, box, held) < 1e-4
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]
    assert bpy.ops.action_loom.connect(sources=sources, from_frame=22) == {"FINISHED"}
    made = box.animation_data.action
    assert made != own
    assert far(armature, box, held) < 1e-3
    keys = [tuple(point.co) for point in next(iter(curves(own))).keyframe_points]
    assert len(keys) == len(next(iter(curves(own))).keyframe_points)
    # Another result of the same sources is made of the box's first action, which the file keeps.
    assert bpy.ops.action_loom.filter(sources=sources[:1], cutoff=2.0) == {"FINISHED"}
    assert box.animation_data.action not in (own, made)
    assert far(armature, box, held) < 1e-3


def curves(action):
    return action.fcurves if not hasattr(action, "slots") else action.layers[0].strips[0].channelbags[0].fcurves


def test_an_object_that_no_hand_holds_keeps_its_action(held_box):
    _, box = held_box
    for curve in curves(box.animation_data.action):
        for point in curve.keyframe_points:
            point.co.y = curve.keyframe_points[0].co.y
    own = box.animation_data.action
    assert bpy.ops.action_loom.filter(sources=[{"name": "Walk", "weight": 1.0}], cutoff=2.0) == {"FINISHED"}
    assert box.animation_data.action == own
