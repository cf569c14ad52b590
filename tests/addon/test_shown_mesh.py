"""A mesh that sinks, floats, tears or loses a part in a result, but not in its sources, is reported."""

import bpy
import material
import numpy as np
import pytest
from mathutils import Matrix


@pytest.fixture
def rig():
    """A walker in a skin of one box per bone, with a sword beside it, keyed to stay in a hand."""
    made = material.biped()
    for name, stride in (("one", 1.2), ("two", 1.6)):
        material.key_walk(made, name, frames=24, stride=stride)
    wear(made)
    material.show(made, bpy.data.actions["one"])
    return made


def wear(rig):
    """Give an armature a mesh with a small box at each bone, joined to the next box by edges."""
    places, weights = [], []
    for bone in rig.data.bones:
        middle = np.array(rig.matrix_world @ ((bone.head_local + bone.tail_local) / 2))
        low = 0.0 if bone.name.startswith(("foot", "toe")) else middle[2] - 0.02
        corners = [(x, y) for x in (-0.02, 0.02) for y in (-0.02, 0.02)]
        places += [(middle[0] + x, middle[1] + y, z) for x, y in corners for z in (low, middle[2])]
        weights += [bone.name] * 8
    data = bpy.data.meshes.new("Skin")
    edges = [(k, k + 1) for k in range(len(places) - 1)]
    data.from_pydata(places, edges, [])
    drawn = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(drawn)
    for k, name in enumerate(weights):
        group = drawn.vertex_groups.get(name) or drawn.vertex_groups.new(name=name)
        group.add([k], 1.0, "REPLACE")
    drawn.modifiers.new("Armature", "ARMATURE").object = rig
    drawn.parent = rig
    return drawn


def changed(name, path, index, by):
    """Copy an action and move all keys of a curve."""
    action = bpy.data.actions[name].copy()
    curve = next(c for c in material.fcurves(action) if c.data_path == path and c.array_index == index)
    for key in curve.keyframe_points:
        for place in (key.co, key.handle_left, key.handle_right):
            place.y += by
    curve.update()
    return action


def said(rig, loom, action, *, carried=False):
    curves, reading = loom("addon.bridge.curves"), loom("addon.services.weaving.reading")
    frames = np.arange(1.0, 26.0)
    played = [((one, curves.choose_slot(one, rig)), frames) for one in (action, bpy.data.actions["one"])]
    body = reading._body(bpy.context.scene, rig, [played[1][0]], (1.0, 24.0))
    judge = loom("addon.bridge.shown_mesh").Judge(bpy.context.scene, rig, body)
    return judge.sentences(played[0], None if carried else played[1:])


HIPS = 'pose.bones["hips"].location'


@pytest.mark.parametrize("last", ["one", "low"])
def test_of_many_sources_the_last_one_may_have_the_same_fault(rig, loom, last):
    curves, reading, shown_mesh = (
        loom(f"addon.{name}") for name in ("bridge.curves", "services.weaving.reading", "bridge.shown_mesh")
    )
    low = changed("one", HIPS, 1, -0.05)
    low.name = "low"
    sources = [bpy.data.actions["one"].copy() for _ in range(shown_mesh.SOURCES)] + [bpy.data.actions[last]]
    frames = np.arange(1.0, 26.0)
    played = [((one, curves.choose_slot(one, rig)), frames) for one in (low, *sources)]
    body = reading._body(bpy.context.scene, rig, [played[1][0]], (1.0, 24.0))
    sentences = shown_mesh.Judge(bpy.context.scene, rig, body).sentences(played[0], played[1:])
    assert len(sentences) == (last == "one")


def test_of_the_same_motion_nothing_is_said(rig, loom):
    assert said(rig, loom, bpy.data.actions["one"].copy()) == []
    assert said(rig, loom, bpy.data.actions["one"].copy(), carried=True) == []


@pytest.mark.parametrize(("by", "centimetres"), [(-0.05, "5.0"), (-0.2, "20.0"), (-0.005, ""), (0.1, "")])
def test_a_mesh_that_sinks_is_told_in_centimetres(rig, loom, by, centimetres):
    sentences = said(rig, loom, changed("one", HIPS, 1, by))
    assert len(sentences) == bool(centimetres)
    assert all(f"the mesh is {centimetres} cm lower than in the sources at frame" in one for one in sentences)


@pytest.mark.parametrize(("by", "side"), [(-0.1, "10 cm under"), (0.1, "10 cm over"), (0.02, "")])
def test_a_captured_clip_off_the_floor_is_told(rig, loom, by, side):
    sentences = said(rig, loom, changed("one", HIPS, 1, by), carried=True)
    assert len(sentences) == bool(side)
    assert all(f"the mesh is {side} the floor" in one for one in sentences)


def test_own_actions_that_shrink_the_object_are_no_reference(rig, loom):
    """Blender's importer keys the scale of the object in the actions of another file."""
    copy = bpy.data.actions["one"].copy()
    for name in ("one", "two"):
        material.show(rig, bpy.data.actions[name])
        rig.scale = (0.01, 0.01, 0.01)
        rig.keyframe_insert("scale", frame=1)
    rig.animation_data.action = None
    rig.scale = (1.0, 1.0, 1.0)
    assert said(rig, loom, copy, carried=True) == []


def test_a_body_that_lies_at_rest_is_compared_with_its_own_actions(loom):
    rig = material.biped(root=True)
    for name, stride in (("one", 1.2), ("two", 1.6)):
        material.key_walk(rig, name, frames=24, stride=stride)
    lying = Matrix.Rotation(np.radians(-90.0), 4, "X")
    wear(rig).data.transform(lying)
    rig.data.transform(lying)
    root = rig.pose.bones["root"]
    rest = root.bone.matrix_local
    root.rotation_mode = "QUATERNION"
    for name in ("one", "two"):
        material.show(rig, bpy.data.actions[name])
        root.rotation_quaternion = (rest.inverted() @ lying.inverted() @ rest).to_quaternion()
        root.keyframe_insert("rotation_quaternion", frame=1)
    assert said(rig, loom, bpy.data.actions["one"].copy(), carried=True) == []
    sunk = said(rig, loom, changed("one", HIPS, 1, -0.1), carried=True)
    assert len(sunk) == 1
    assert "cm under the floor" in sunk[0]  # under 10 cm: the root's box is on the floor


def test_a_mesh_that_is_torn_is_told(rig, loom):
    sentences = said(rig, loom, changed("one", 'pose.bones["thigh.L"].rotation_euler', 2, 1.5))
    assert not any("stretched" in one for one in sentences)  # turned, not torn
    action = bpy.data.actions["one"].copy()
    bag = loom("addon.bridge.curves").holders(action, loom("addon.bridge.curves").choose_slot(action, rig))[0]
    for index in range(3):
        curve = bag.fcurves.new('pose.bones["forearm.L"].scale', index=index)
        for frame in (1, 24):
            curve.keyframe_points.insert(frame, 8.0)
    assert any("the mesh is stretched" in one for one in said(rig, loom, action))


@pytest.mark.parametrize("worn", [True, False], ids=["drawn", "a control that draws nothing"])
def test_a_sword_that_leaves_its_hand_is_told(rig, loom, worn):
    bpy.ops.object.mode_set(mode="EDIT")
    sword, hand = rig.data.edit_bones.new("sword"), rig.data.edit_bones["forearm.R"]
    sword.head, sword.tail = hand.tail, hand.tail + hand.vector
    bpy.ops.object.mode_set(mode="OBJECT")
    if worn:
        wear(rig)
    else:
        bpy.data.objects["Skin"].vertex_groups.new(name="sword")
    for name in ("one", "two"):
        action = bpy.data.actions[name]
        material.show(rig, action)
        for frame in range(1, 26):
            bpy.context.scene.frame_set(frame)
            held = rig.pose.bones["forearm.R"]
            rig.pose.bones["sword"].matrix = (
                held.matrix @ held.bone.matrix_local.inverted() @ rig.data.bones["sword"].matrix_local
            )
            rig.pose.bones["sword"].keyframe_insert("location", frame=frame)
            rig.pose.bones["sword"].keyframe_insert("rotation_quaternion", frame=frame)
    material.show(rig, bpy.data.actions["one"])
    assert said(rig, loom, bpy.data.actions["one"].copy()) == []
    sentences = said(rig, loom, changed("one", 'pose.bones["sword"].location', 0, 0.1))
    assert len(sentences) == worn
    assert all("sword is 10 cm from its place on" in sentence for sentence in sentences)


def test_a_result_says_it(rig, capfd):
    sources = [{"name": "one", "weight": 1.0}]
    assert bpy.ops.action_loom.warp(sources=sources, corrections="3 1 0 0 0 0 -0.3 0") == {"FINISHED"}
    assert "lower than in the sources at frame" in capfd.readouterr().out


@pytest.mark.parametrize(("climbing", "floor"), [(False, 0.0), (True, None)])
def test_only_a_climbing_walk_has_no_known_floor(loom, climbing, floor):
    curve = ((0.0, 0.0, 0.0), (0.0, 4.0, 0.0))  # a curve has heights, which count only for clips that climb
    recipe = loom("core.verbs").Follow(path=curve, climbing=climbing)
    assert loom("addon.services.weaving.writing").floor_of(recipe, {}) == floor


def test_a_short_dip_of_a_long_result_is_told(rig, loom):
    writing, reading = loom("addon.services.weaving.writing"), loom("addon.bridge.clip")
    long, curves = bpy.data.actions["one"].copy(), loom("addon.bridge.curves")
    curve = next(c for c in material.fcurves(long) if c.data_path == HIPS and c.array_index == 1)
    usual = curve.evaluate(25)
    for frame, by in ((200, 0.0), (201, -0.3), (202, 0.0)):
        curve.keyframe_points.insert(frame, usual + by)
    frames = np.arange(1.0, 401.0)
    played = [((one, curves.choose_slot(one, rig)), frames) for one in (long, bpy.data.actions["one"])]
    body = loom("addon.services.weaving.reading")._body(bpy.context.scene, rig, [played[1][0]], (1.0, 24.0))
    clip = reading.read_frames(rig, *played[0][0], body, frames)
    lowest = writing.lowest_frame(clip)
    assert frames[lowest] == 201.0
    judge = loom("addon.bridge.shown_mesh").Judge(bpy.context.scene, rig, body)
    (sentence,) = judge.sentences(played[0], played[1:], also=[frames[lowest]])
    assert "lower than in the sources at frame 201" in sentence
