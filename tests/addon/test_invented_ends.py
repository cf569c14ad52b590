"""Feet that hang from no leg, move no vertex, and whose ends an importer invented."""

import bpy
import characters
import material
import numpy as np
import pytest
from mathutils import Vector

pytestmark = pytest.mark.core_result

FRAMES = range(1, 26)
FEET = ("foot.L", "foot.R")


def dress(rig, *, without=(), only=None):
    """Give an armature a mesh with a box around each bone, of shins down to the ground; some bones get none."""
    places, owners = [], []
    for bone in rig.data.bones:
        if bone.name in without or (only is not None and bone.name not in only):
            continue
        ends = np.array([bone.head_local, bone.tail_local])
        low, high = ends.min(axis=0) - 0.03, ends.max(axis=0) + 0.03
        low[2] = 0.0 if bone.name.startswith("shin") else low[2]
        places += [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        owners += [bone.name] * 8
    data = bpy.data.meshes.new("Skin")
    data.from_pydata(places, [(k, k + 1) for k in range(len(places) - 1)], [])
    drawn = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(drawn)
    for k, name in enumerate(owners):
        (drawn.vertex_groups.get(name) or drawn.vertex_groups.new(name=name)).add([k], 1.0, "REPLACE")
    drawn.modifiers.new("Armature", "ARMATURE").object = rig
    return drawn


def loosen_feet(rig, *, length, moved=(0.0, 0.0, 0.0)):
    """Make the feet roots of this length that rest elsewhere, and key them so that no pose changes."""
    poses = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        poses[frame] = {foot: rig.pose.bones[foot].matrix.copy() for foot in FEET}
    bpy.ops.object.mode_set(mode="EDIT")
    for foot in FEET:
        bone = rig.data.edit_bones[foot]
        bone.use_connect, bone.parent = False, None
        way = bone.vector.normalized()
        bone.head = [place + by for place, by in zip(bone.head, moved, strict=True)]
        bone.tail = bone.head + length * way
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame, matrices in poses.items():
        bpy.context.scene.frame_set(frame)
        for foot, matrix in matrices.items():
            bone = rig.pose.bones[foot]
            bone.matrix = matrix
            bone.keyframe_insert("location", frame=frame)
            bone.keyframe_insert("rotation_euler", frame=frame)


def walker(**loose):
    rig = material.biped(mode="XYZ")
    material.key_walk(rig, "walk", frames=24)
    loosen_feet(rig, **loose)
    return rig


def tip_of(loom, rig, bone):
    skeleton = loom("addon.bridge.rig").read(rig).skeleton
    return float(np.linalg.norm(skeleton.tips[skeleton.index(bone)]))


def import_walk(rig):
    characters.select(rig)
    how = {"onto": "ACTIVE", "select": False, "plant_feet": False, "trim": False}
    return material.new_action(lambda: material.import_motion(characters.file_of(characters.WALK), **how))


@pytest.mark.parametrize(
    ("length", "dressed", "counts"),
    [
        (1.0, {"without": FEET}, False),  # as FBX files are imported
        (None, {"without": FEET}, False),  # the distance from the origin, as glTF files are imported
        (0.7, {"without": FEET}, True),  # placed by hand
        (1.0, {"only": ("head",)}, True),  # a hat alone
    ],
)
def test_the_end_of_a_bone_without_vertices_counts_unless_an_importer_invented_it(loom, length, dressed, counts):
    rig = material.biped()
    length = length or float(rig.data.bones["foot.L"].head_local.length)
    material.key_walk(rig, "walk", frames=24)
    loosen_feet(rig, length=length)
    dress(rig, **dressed)
    assert [tip_of(loom, rig, foot) for foot in FEET] == pytest.approx([length * counts] * 2, rel=1e-4)


def test_an_invented_end_on_the_mesh_counts(loom):
    rig = walker(length=1.0)
    drawn = dress(rig, without=FEET)
    for k, foot in enumerate(FEET):
        drawn.data.vertices[k].co = rig.data.bones[foot].tail_local
    assert tip_of(loom, rig, "foot.L") == pytest.approx(1.0, rel=1e-4)


def test_a_vertex_of_a_damaged_file_shows_no_end(loom):
    rig = walker(length=0.2)
    before = loom("addon.bridge.rig").read(rig).skeleton.tips
    drawn = dress(rig)
    foot = drawn.vertex_groups["foot.L"].index
    next(one for one in drawn.data.vertices if one.groups[0].group == foot).co.x = 2.8e38
    assert np.abs(loom("addon.bridge.rig").read(rig).skeleton.tips).max() < 2.0 * np.abs(before).max()


def test_an_end_is_judged_anew_after_the_bone_was_edited(loom):
    rig = walker(length=1.0)
    dress(rig, without=FEET)
    assert tip_of(loom, rig, "foot.L") == 0.0
    bpy.ops.object.mode_set(mode="EDIT")
    foot = rig.data.edit_bones["foot.L"]
    foot.tail = foot.head + 0.3 * foot.vector
    bpy.ops.object.mode_set(mode="OBJECT")
    assert tip_of(loom, rig, "foot.L") == pytest.approx(0.3, rel=1e-4)


@material.needs_shared
def test_a_captured_walk_stands_on_the_floor_of_a_body_whose_feet_have_invented_ends():
    rig = walker(length=1.0)
    drawn = dress(rig, without=FEET)
    action = import_walk(rig)
    material.show(rig, action)
    lowest = []
    for frame in np.linspace(*action.frame_range, 40):
        bpy.context.scene.frame_set(round(float(frame)))
        seen = drawn.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        lowest.append(min(vertex.co.z for vertex in seen.vertices))
    assert abs(np.median(lowest)) < 0.03 * 1.78


@material.needs_shared
@pytest.mark.parametrize("ahead", [0.002, 0.08])
def test_shins_point_as_captured_where_feet_rest_elsewhere_than_their_legs_end(loom, ahead):
    rig = walker(length=0.17, moved=(0.0, -ahead, 0.0))
    dress(rig)
    action = import_walk(rig)
    source = characters.captured()
    frames = range(20, 300, 20)
    ours, theirs = (rig, action, frames), (source, source.animation_data.action, frames)
    assert characters.worst_limb(loom, ours, theirs, without=("upper_arm", "forearm")) < 0.1


@pytest.mark.parametrize("up", [(1.0, 1.0), (1.0, -1.0)], ids=["both up", "one up, one down"])
def test_tails_that_continue_two_feet_differently_are_no_ends(loom, up):
    """As of Unreal's bones, whose axes are mirrored on one side, in a file without a mesh."""
    rig = material.biped()
    bpy.ops.object.mode_set(mode="EDIT")
    for side, way in zip("LR", up, strict=True):
        foot = rig.data.edit_bones[f"foot.{side}"]
        toe = rig.data.edit_bones.new(f"toe.{side}")
        toe.parent, toe.head, toe.tail = foot, foot.tail, foot.tail + Vector((0.0, 0.0, 0.2 * way))
    bpy.ops.object.mode_set(mode="OBJECT")
    skeleton = loom("addon.bridge.rig").read(rig).skeleton
    toes = [skeleton.roles[f"toe.{side}"] for side in "LR"]
    assert skeleton.tips[toes].any() == (up[0] == up[1])
