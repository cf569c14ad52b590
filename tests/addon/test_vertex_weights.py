"""Bulk reading of vertex weights equals reading one by one, for every mesh, and leaves nothing behind."""

import bpy
import file_state
import material
import numpy as np
import pytest
from test_skin import hang

AWKWARD = ["bone.L", "a b", "Ümlaut", "x" * 63, 'a"b', "a/b", "0", ".hidden", "scale", "UVMap "]


@pytest.fixture
def reader(loom):
    return loom("addon.bridge.vertex_weights")


def both(reader, drawn):
    """Return the weights read by nodes and by vertices, with all groups counting, in the order of the groups."""
    names = [group.name for group in drawn.vertex_groups]
    first, bones, weights = reader.by_vertices(drawn.data, list(range(len(names))))
    kept = weights > 0.0
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))[kept]
    order = np.lexsort((bones[kept], owner))
    counts = np.bincount(owner, minlength=len(first) - 1)
    asked = np.append(0, np.cumsum(counts)), bones[kept][order], weights[kept][order]
    return reader.by_nodes(drawn.data, {name: k for k, name in enumerate(names)}), asked


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def everything():
    """Return {kind: [(name, users)]} of all data."""
    kinds = [one.identifier for one in bpy.data.bl_rna.properties if one.type == "COLLECTION"]
    return {kind: sorted((one.name, one.users) for one in getattr(bpy.data, kind)) for kind in kinds}


def test_all_at_once_is_the_same_as_one_by_one(reader):
    drawn = hang(material.biped())
    for k, name in enumerate(AWKWARD):
        drawn.vertex_groups.new(name=name).add([k, 3], 0.25 + 0.01 * k, "REPLACE")
    drawn.vertex_groups.new(name="nothing hangs on it")
    drawn.vertex_groups[0].add([5, 6], 0.0, "REPLACE")
    drawn.data.uv_layers.new(name="UVMap")
    nodes, asked = both(reader, drawn)
    assert same(nodes, asked)


def test_groups_of_no_bone_are_left_out(reader):
    drawn = hang(material.biped())
    found = [
        reader.read(drawn, drawn.data, ["thigh.L", "hips"], stored_order=stored_order) for stored_order in (False, True)
    ]
    for first, bones, _ in found:
        assert set(bones) == {0, 1}
        assert first[-1] == len(bones)
    assert np.array_equal(found[0][0], found[1][0])


def test_names_that_blender_keeps_to_itself_are_asked_for_one_by_one(reader):
    for name in ("radius", "position", ".corner_vert", "kept"):
        drawn = hang(material.biped(), vertices=20)
        drawn.data.attributes.new("kept", "FLOAT", "POINT")
        drawn.vertex_groups.new(name=name).add([1, 4], 0.5, "REPLACE")
        number = {group.name: k for k, group in enumerate(drawn.vertex_groups)}
        assert reader.by_nodes(drawn.data, number) is None
        first, _, weights = reader.read(drawn, drawn.data, [name], stored_order=False)
        assert np.flatnonzero(np.diff(first)).tolist() == [1, 4]
        assert weights.tolist() == [0.5, 0.5]


def test_the_stored_order_is_kept_where_it_counts(loom, reader):
    rig = material.biped()
    drawn = hang(rig, vertices=8, least=6, faces=False)
    bones = [bone.name for bone in rig.data.bones]
    _, owners, _ = reader.read(drawn, drawn.data, bones, stored_order=True)
    stored = [drawn.vertex_groups[one.group].name for vertex in drawn.data.vertices for one in vertex.groups]
    assert [bones[k] for k in owners] == stored
    assert stored != sorted(stored, key=bones.index)
    drawn.modifiers[0].use_deform_preserve_volume = True
    assert loom("addon.bridge.mesh").read(rig, drawn).surface.bones.tolist() == owners.tolist()


def test_nothing_is_left_behind_and_nothing_is_evaluated_again(reader):
    rig = material.biped()
    rig.animation_data_create()
    drawn = hang(rig)
    drawn.data.materials.append(bpy.data.materials.new("Skin"))
    drawn.shape_key_add(name="Basis")
    wide = drawn.shape_key_add(name="Wide")
    driver = wide.driver_add("value").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, "location.x"
    driver.expression = variable.name
    drawn.data.shape_keys.keyframe_insert("eval_time", frame=1)
    bpy.context.view_layer.update()
    before = file_state.state(), everything(), bpy.data.is_dirty, bpy.context.scene, bpy.context.view_layer
    updated = []

    def listen(scene, depsgraph):
        updated.extend((scene.name, type(one.id).__name__) for one in depsgraph.updates if one.is_updated_geometry)

    bpy.app.handlers.depsgraph_update_post.append(listen)
    try:
        assert reader.read(drawn, drawn.data, ["hips"], stored_order=False)
        assert not updated
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(listen)
    assert not {kind for _, kind in updated} & {"Mesh", "Key", "Object", "Armature"}
    assert (file_state.state(), everything(), bpy.data.is_dirty, bpy.context.scene, bpy.context.view_layer) == before


def test_a_mesh_in_edit_mode_is_asked_for_one_by_one(reader):
    rig = material.biped()
    drawn = hang(rig)
    bpy.context.view_layer.objects.active = drawn
    bpy.ops.object.mode_set(mode="EDIT")
    number = {group.name: k for k, group in enumerate(drawn.vertex_groups)}
    assert reader.by_nodes(drawn.data, number) is None
    assert len(reader.read(drawn, drawn.data, ["hips"], stored_order=False)[1])


def hidden(drawn):
    drawn.hide_viewport = True


def excluded(drawn):
    apart = bpy.data.collections.new("Apart")
    bpy.context.scene.collection.children.link(apart)
    apart.objects.link(drawn)
    bpy.context.scene.collection.objects.unlink(drawn)
    bpy.context.view_layer.layer_collection.children["Apart"].exclude = True


def unlinked(drawn):
    bpy.context.scene.collection.objects.unlink(drawn)


@pytest.mark.parametrize("change", [hidden, excluded, unlinked])
def test_what_the_view_layer_does_not_show_is_read_as_well(reader, change):
    drawn = hang(material.biped())
    change(drawn)
    bpy.context.view_layer.update()
    assert same(*both(reader, drawn))


def test_a_linked_mesh_is_read_as_well(reader, tmp_path):
    file = str(tmp_path / "character.blend")
    hang(material.biped())
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(file, link=True) as (_, asked):
        asked.objects = ["Cloud"]
    (drawn,) = asked.objects
    assert drawn.data.library
    before = everything()
    assert same(*both(reader, drawn))
    assert everything() == before


def test_without_vertices_or_groups_there_are_no_influences(reader):
    drawn = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    for read in (reader.by_nodes(drawn.data, {}), reader.by_vertices(drawn.data, [])):
        assert [one.tolist() for one in read] == [[0], [], []]
