"""A mesh is read once, and again only after a part of it has changed."""

import bpy
import material
import numpy as np
import pytest
from test_skin import hang


@pytest.fixture
def skins(loom):
    loom("addon.ground.memory").forget()
    return loom("addon.services.preview.skins")


@pytest.fixture
def rig():
    return material.biped()


@pytest.fixture
def drawn(rig):
    """A mesh with a shape key; its vertex 500 is not sampled."""
    made = hang(rig, vertices=1000)
    made.shape_key_add(name="Basis")
    made.shape_key_add(name="Wide", from_mix=False).data[7].co.x += 1.0
    return made


def paint(drawn):
    drawn.vertex_groups[0].add([500], 0.123, "REPLACE")


def paint_with_the_brush_s_operator(drawn):
    bpy.context.view_layer.objects.active = drawn
    drawn.select_set(True)
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    bpy.ops.paint.weight_set()
    bpy.ops.object.mode_set(mode="OBJECT")


def move_a_vertex(drawn):
    drawn.data.shape_keys.key_blocks["Basis"].data[500].co.x += 0.5


def rename_a_group(drawn):
    drawn.vertex_groups["hips"].name = "hips of another"


def wear_a_shape(drawn):
    drawn.data.shape_keys.key_blocks["Wide"].value = 0.5


def preserve_volume(drawn):
    drawn.modifiers[0].use_deform_preserve_volume = True


def add_a_modifier(drawn):
    drawn.modifiers.new("Finer", "SUBSURF")


def remove_a_group(drawn):
    drawn.vertex_groups.remove(drawn.vertex_groups["hips"])


def no_longer_deform(drawn):
    drawn.modifiers[0].object.data.bones["hips"].use_deform = False


def have_another_mesh(drawn):
    drawn.data = drawn.data.copy()


def be_painted_while_hidden(drawn):
    drawn.hide_viewport = True
    drawn.vertex_groups[0].add([500], 0.321, "REPLACE")
    drawn.hide_viewport = False


def be_edited(drawn):
    bpy.context.view_layer.objects.active = drawn
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(1.0, 0.0, 0.0))
    bpy.ops.object.mode_set(mode="OBJECT")


CHANGES = [
    paint,
    paint_with_the_brush_s_operator,
    move_a_vertex,
    rename_a_group,
    wear_a_shape,
    preserve_volume,
    add_a_modifier,
    remove_a_group,
    no_longer_deform,
    have_another_mesh,
    be_painted_while_hidden,
    be_edited,
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_read_again(loom, skins, rig, drawn, change):
    before = skins.of(rig, drawn)
    change(drawn)
    after = skins.of(rig, drawn)
    assert after is not before
    fresh = loom("addon.bridge.mesh").read(rig, drawn)
    assert (after.bones, after.later, after.preserve_volume) == (fresh.bones, fresh.later, fresh.preserve_volume)
    for name in ("vertices", "normals", "first", "bones", "weights"):
        assert np.array_equal(getattr(after.surface, name), getattr(fresh.surface, name))
    assert skins.of(rig, drawn) is after


def test_what_did_not_change_is_not_read_again(skins, rig, drawn):
    found = skins.of(rig, drawn)
    other = hang(rig, vertices=50)
    assert skins.of(rig, other) is not found
    rig.pose.bones["hips"].rotation_quaternion = (0.6, 0.8, 0.0, 0.0)
    bpy.context.scene.frame_set(7)
    bpy.data.objects.new("Another", None)
    drawn.select_set(True)
    paint(other)
    assert skins.of(rig, drawn) is found


def test_a_mesh_that_was_moved_stands_elsewhere_and_is_not_read_again(skins, rig, drawn):
    before = skins.of(rig, drawn)
    drawn.location.x = 3.0
    after = skins.of(rig, drawn)
    assert after.towards[0, 3] == pytest.approx(3.0)
    assert after.surface is before.surface


def test_undo_and_redo_are_seen(skins, rig, drawn):
    def of():
        return skins.of(bpy.data.objects[names[0]], bpy.data.objects[names[1]]).surface.weights.copy()

    names = rig.name, drawn.name
    bpy.ops.ed.undo_push(message="as it was")
    bpy.ops.ed.undo_push(message="as it was, still")
    before = of()
    paint(drawn)
    bpy.ops.ed.undo_push(message="painted")
    painted = of()
    assert not np.array_equal(painted, before)
    bpy.ops.ed.undo()
    assert np.array_equal(of(), before)
    bpy.ops.ed.redo()
    assert np.array_equal(of(), painted)


def test_another_file_forgets(loom, skins, rig, drawn):
    skins.of(rig, drawn)
    assert len(skins._known) == 1
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not len(skins._known)


def test_what_is_refused_is_refused_again(loom, skins, rig, drawn):
    skins.of(rig, drawn)
    drawn.modifiers[0].vertex_group = "hips"
    for _ in range(2):
        with pytest.raises(loom("core.errors").RigError, match="is limited to 'hips'"):
            skins.of(rig, drawn)
    drawn.modifiers[0].vertex_group = ""
    assert skins.of(rig, drawn)
