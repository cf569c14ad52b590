"""A sword keyed to stay in a hand stays there in every result, measured on evaluated bones."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result

HAND, SWORD = "forearm.R", "sword"


@pytest.fixture(params=["root", "none"])
def rig(request):
    """A walker with a sword bone on the root or without a parent, keyed on every frame to stay in the right hand."""
    made = material.biped(root=True)
    bpy.ops.object.mode_set(mode="EDIT")
    sword, hand = made.data.edit_bones.new(SWORD), made.data.edit_bones[HAND]
    sword.head, sword.tail = hand.tail, hand.tail + hand.vector
    sword.parent = made.data.edit_bones["root"] if request.param == "root" else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, stride in (("one", 1.2), ("two", 1.6)):
        action = material.key_walk(made, name, frames=24, stride=stride)
        material.show(made, action)
        for frame in range(1, 26):
            bpy.context.scene.frame_set(frame)
            held, own = made.pose.bones[HAND], made.pose.bones[SWORD]
            own.matrix = held.matrix @ held.bone.matrix_local.inverted() @ own.bone.matrix_local
            own.keyframe_insert("location", frame=frame)
            own.keyframe_insert("rotation_quaternion", frame=frame)
    material.show(made, bpy.data.actions["one"])
    return made


def away(rig, action):
    """Return the largest distance (m) of the sword from its place in the hand at the whole frames of an action."""
    material.show(rig, action)
    first, last = (round(frame) for frame in action.frame_range)
    places = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        places.append(np.array(bones[HAND].matrix.inverted() @ bones[SWORD].head))
    usual = np.array(rig.data.bones[HAND].matrix_local.inverted() @ rig.data.bones[SWORD].head_local)
    return float(np.linalg.norm(np.array(places) - usual, axis=1).max())


JOBS = {
    "blend": (["one", "two"], {}),
    "connect": (["one", "two"], {}),
    "splice": (["one", "two"], {}),
    "loop": (["one"], {"whole": "yes"}),
    "plant": (["one"], {}),
    "filter": (["one"], {"cutoff": 3.0}),
    "place": (["one"], {"where": "at", "x": 2.0, "face": "way", "facing": 60.0}),
    "root": (["one"], {"onto": "object"}),
    "in_place": (["one"], {}),
}


@pytest.mark.parametrize("verb", JOBS)
def test_the_sword_stays_in_the_hand(rig, verb):
    assert away(rig, bpy.data.actions["one"]) < 1e-4
    names, options = JOBS[verb]
    assert away(rig, material.weave(verb, *names, **options)) < 1e-3
