"""Our skinning against Blender's Armature modifier: weights, scales, Preserve Volume, artists' characters."""

from pathlib import Path

import bpy
import material
import numpy as np
import pytest

CHARACTERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "characters"
NEAR = 1e-6  # share of the figure's size
WAYS = [False, True]


def hang(rig, vertices=600, influences=6, seed=3, preserve=False, faces=True, least=0):
    """Return a mesh of random vertices weighted to random bones of a rig."""
    rng = np.random.default_rng(seed)
    mesh = bpy.data.meshes.new("Cloud")
    places = rng.uniform(-1.0, 1.0, (vertices, 3)) * (0.6, 0.4, 1.0) + (0.0, 0.0, 1.0)
    corners = [rng.permutation(vertices)[:4].tolist() for _ in range(vertices)] if faces else []
    mesh.from_pydata(places.tolist(), [], corners)
    drawn = bpy.data.objects.new("Cloud", mesh)
    bpy.context.scene.collection.objects.link(drawn)
    names = [bone.name for bone in rig.data.bones]
    groups = [drawn.vertex_groups.new(name=name) for name in (*names, "no bone")]
    for v in range(vertices):
        for k in rng.permutation(len(groups) - least)[: rng.integers(least, influences + 1)]:
            groups[k].add([v], float(rng.uniform(0.05, 1.0)), "REPLACE")
    modifier = drawn.modifiers.new("Armature", "ARMATURE")
    modifier.object, modifier.use_deform_preserve_volume = rig, preserve
    return drawn


def pose(rig, seed=5, scale=(1.0, 1.0), even=False, wild=1.2):
    rng = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        axis = rng.normal(size=3)
        angle = rng.uniform(-wild, wild)
        bone.rotation_quaternion = (np.cos(angle / 2), *(np.sin(angle / 2) * axis / np.linalg.norm(axis)))
        bone.location = rng.normal(size=3) * 0.05
        size = rng.uniform(*scale, size=1 if even else 3)
        bone.scale = np.broadcast_to(size, 3).tolist()
    bpy.context.view_layer.update()


def as_blender(drawn, rig):
    """Return the evaluated vertices and normals, in the armature's space."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    seen = drawn.evaluated_get(depsgraph)
    towards = np.array(rig.matrix_world.inverted() @ drawn.matrix_world)
    places = np.array([v.co[:] for v in seen.data.vertices]) @ towards[:3, :3].T + towards[:3, 3]
    return places, np.array([v.vector[:] for v in seen.data.vertex_normals])


def as_ours(loom, drawn, rig):
    mesh, skinning = loom("addon.bridge.mesh"), loom("core.skin.skinning")
    read = mesh.read(rig, drawn)
    surface = mesh.in_armature(read, read.towards)
    rest = np.array([rig.data.bones[name].matrix_local for name in read.bones]).reshape(-1, 4, 4)
    posed = np.array([rig.pose.bones[name].matrix for name in read.bones]).reshape(-1, 4, 4)
    if read.preserve_volume:
        return read, *skinning.dual_quaternions(surface, rest, posed)
    return read, *skinning.linear(surface, skinning.moves(rest, posed))


def off(ours, theirs):
    """Return the largest difference as a share of the figure's size."""
    return np.abs(ours - theirs).max() / np.ptp(theirs, axis=0).max()


@pytest.mark.parametrize("preserve", WAYS)
@pytest.mark.parametrize(("scale", "even"), [((1.0, 1.0), True), ((0.7, 1.4), True), ((0.7, 1.4), False)])
def test_the_skin_is_the_modifier_s(loom, preserve, scale, even):
    rig = material.biped()
    drawn = hang(rig, preserve=preserve)
    drawn.location, drawn.rotation_euler, drawn.scale = (0.3, -0.2, 0.1), (0.1, 0.2, 0.3), (1.2, 1.2, 1.2)
    rig.location, rig.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 0.7)
    pose(rig, scale=scale, even=even, wild=0.5)  # quaternions that almost cancel would lose precision
    read, places, _ = as_ours(loom, drawn, rig)
    assert read.surface.most == 6
    assert read.preserve_volume == preserve
    assert off(places, as_blender(drawn, rig)[0]) < NEAR


@pytest.mark.parametrize("preserve", WAYS)
@pytest.mark.parametrize("scale", [(1e-5, 1e-5, 1e-5), (-1.0, 1.0, 1.0)])
def test_a_bone_shrunk_to_next_to_nothing_or_mirrored_is_the_modifier_s_as_well(loom, preserve, scale):
    rig = material.biped()
    drawn = hang(rig, preserve=preserve)
    pose(rig, wild=0.5)
    rig.pose.bones["spine"].scale = scale
    bpy.context.view_layer.update()
    assert off(as_ours(loom, drawn, rig)[1], as_blender(drawn, rig)[0]) < NEAR


def test_normals_of_the_moved_faces_are_blenders(loom):
    rig = material.biped()
    drawn = hang(rig)
    pose(rig)
    read, places, _ = as_ours(loom, drawn, rig)
    made = loom("core.skin.normals").of_faces(places, read.surface.corners, read.surface.faces)
    theirs = as_blender(drawn, rig)[1]
    assert np.percentile(np.abs(made - theirs).max(axis=1), 99) < 1e-3  # random quads are hardly flat


def test_what_blender_skins_otherwise_is_refused_by_name(loom):
    rig = material.biped()
    read = loom("addon.bridge.mesh").read

    def refused(change, words):
        drawn = hang(rig, vertices=12)
        change(drawn)
        with pytest.raises(loom("core.errors").RigError, match=words):
            read(rig, drawn)
        bpy.data.objects.remove(drawn)

    refused(lambda one: setattr(one.modifiers[0], "use_bone_envelopes", True), "have no weights, so bone envelopes")
    refused(lambda one: setattr(one.modifiers[0], "vertex_group", "hips"), "is limited to 'hips'")
    refused(lambda one: one.modifiers.new("Again", "ARMATURE"), "another Armature modifier \\('Again'\\)")

    def smoothed(drawn):
        drawn.modifiers.new("Smooth", "SMOOTH")
        drawn.modifiers.move(1, 0)

    refused(smoothed, "'Smooth' comes before its Armature modifier")
    rig.data.bones["spine"].bbone_segments = 4
    refused(lambda one: one, "bendy bones \\('spine'\\)")


def test_shape_keys_count_as_they_are_and_later_modifiers_are_named(loom):
    rig = material.biped()
    drawn = hang(rig)
    drawn.shape_key_add(name="Basis")
    wide = drawn.shape_key_add(name="Wide", from_mix=False)
    for point in wide.data:
        point.co.x *= 1.5
    wide.value = 0.6
    pose(rig)
    read, places, _ = as_ours(loom, drawn, rig)
    assert read.later == ()
    assert off(places, as_blender(drawn, rig)[0]) < NEAR
    drawn.modifiers.new("Finer", "SUBSURF")
    assert loom("addon.bridge.mesh").read(rig, drawn).later == ("Finer",)


def test_a_mesh_that_is_only_parented_is_skinned_as_well(loom):
    rig = material.biped()
    drawn = hang(rig, least=1)
    drawn.modifiers.clear()
    drawn.parent, drawn.parent_type = rig, "ARMATURE"
    pose(rig)
    assert loom("addon.bridge.mesh").skinned_objects(rig, list(bpy.data.objects)) == [drawn]
    _, places, _ = as_ours(loom, drawn, rig)
    assert off(places, as_blender(drawn, rig)[0]) < NEAR


@pytest.mark.parametrize("name", ["RobotExpressive", "Fox", "boxman", "godot_player", "mannequiny"])
def test_characters_that_others_made_are_skinned_as_blender_does(loom, name):
    bpy.ops.import_scene.gltf(filepath=str(CHARACTERS / f"{name}.glb"))
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = loom("addon.bridge.mesh")
    meshes = mesh.skinned_objects(rig, list(bpy.data.objects))
    assert meshes
    for action in list(bpy.data.actions)[:3]:
        rig.animation_data.action = action
        if hasattr(rig.animation_data, "action_slot"):
            rig.animation_data.action_slot = action.slots[0]
        first, last = action.frame_range
        bpy.context.scene.frame_set(round(first + 0.4 * (last - first)))
        pairs = [(as_ours(loom, drawn, rig)[1], as_blender(drawn, rig)[0]) for drawn in meshes]
        ours, theirs = (np.concatenate(one) for one in zip(*pairs, strict=True))
        assert off(ours, theirs) < NEAR
