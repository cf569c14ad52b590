"""Motion, mesh and weights written from Blender become in `action-loom skin` the mesh that Blender shows."""

import bpy
import material
import numpy as np
import pytest
from test_skin import hang


@pytest.fixture
def rig():
    """A biped that plays a walk."""
    rig = material.biped()
    material.key_walk(rig, "walk", frames=12)
    rig.animation_data.action = bpy.data.actions["walk"]
    return rig


@pytest.mark.parametrize(("units", "up"), [("cm", "y"), ("m", "z")])
@pytest.mark.parametrize("transformed", [False, True], ids=["plain", "moved, turned and scaled"])
def test_the_chain_without_blender_gives_the_mesh_that_blender_shows(rig, loom, tmp_path, units, up, transformed):
    drawn = hang(rig, vertices=80, least=1)
    if transformed:
        rig.location, rig.rotation_euler, rig.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
        drawn.location, drawn.rotation_euler = (0.3, -0.2, 0.1), (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    bpy.ops.action_loom.add_sources()
    motion = tmp_path / "walk.bvh"
    bpy.ops.action_loom.export_motion(filepath=str(motion), units=units, up=up, mesh=True)
    made = tmp_path / "made.npz"
    typed = ["skin", motion, tmp_path / "walk.obj", tmp_path / "walk.weights.txt", "-o", made, "--quiet"]
    assert loom("core.cli.main").main([str(word) for word in typed]) == 0
    ours = np.load(made)["vertices"]
    assert len(ours) == 13
    metres = loom("addon.bridge.rig").read(rig).world_metres / (0.01 if units == "cm" else 1.0)
    for frame in (0, 5, 11):
        bpy.context.scene.frame_set(frame + 1)
        seen = drawn.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array([seen.matrix_world @ vertex.co for vertex in seen.data.vertices]) * metres
        theirs = world[:, [0, 2, 1]] * (1.0, 1.0, -1.0) if up == "y" else world
        assert np.abs(ours[frame] - theirs).max() < 2e-5 * np.ptp(theirs, axis=0).max()


@pytest.mark.parametrize(("units", "up"), [("cm", "y"), ("m", "z")])
def test_the_mesh_posed_outside_comes_back_into_blender(rig, loom, tmp_path, units, up):
    first = hang(rig, vertices=80, least=0)
    bpy.ops.action_loom.add_sources()
    motion = tmp_path / "walk.bvh"
    bpy.ops.action_loom.export_motion(filepath=str(motion), units=units, up=up, mesh=True)
    # `skin` must also pose the mesh of another clip, here the mirrored one.
    main, made = loom("core.cli.main").main, tmp_path / "made.npz"
    turned = tmp_path / "turned.bvh"
    assert main(["mirror", str(motion), "-o", str(turned), "--quiet"]) == 0
    for ending in (".obj", ".weights.txt"):
        turned.with_suffix(ending).write_bytes(motion.with_suffix(ending).read_bytes())
    files = [str(turned), str(turned.with_suffix(".obj")), str(turned.with_suffix(".weights.txt"))]
    assert main(["skin", *files, "-o", str(made), "--quiet"]) == 0
    before = set(bpy.data.objects)
    assert material.import_motion(turned, units=units, up=up, trim=False, mesh=True) == {"FINISHED"}
    drawn = next(one for one in set(bpy.data.objects) - before if one.type == "MESH")
    assert [len(part) for part in (drawn.data.vertices, drawn.data.polygons)] == [80, len(first.data.polygons)]
    assert drawn.parent.type == "ARMATURE"
    assert drawn.parent != rig
    unlike = 0.0
    for frame, ours in enumerate(np.load(made)["vertices"]):
        bpy.context.scene.frame_set(frame + 1)
        seen = drawn.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array([seen.matrix_world @ vertex.co for vertex in seen.data.vertices])
        metres = 0.01 if units == "cm" else 1.0
        there = (ours[:, [0, 2, 1]] * (1.0, -1.0, 1.0) if up == "y" else ours) * metres
        assert np.abs(world - there).max() < 1e-5 * np.ptp(there, axis=0).max()
        unlike = max(unlike, np.abs(world - [vertex.co[:] for vertex in drawn.data.vertices]).max())
    assert unlike > 0.05  # it is posed


def test_a_mesh_that_is_not_beside_is_said_and_the_motion_comes_without(rig, tmp_path, capfd):
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "walk.bvh"))
    material.import_motion(tmp_path / "walk.bvh", mesh=True)
    assert "no mesh comes with it: there is no walk.obj and no walk.weights.txt beside it" in capfd.readouterr().out
    assert len(material.armatures()) == 2


def test_broken_weights_are_refused_with_their_line_and_nothing_is_made(rig, tmp_path):
    hang(rig, vertices=8, least=1)
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "walk.bvh"), mesh=True)
    (tmp_path / "walk.weights.txt").write_text("1 hips 1\n9 hips 1\n")
    before = set(bpy.data.objects), set(bpy.data.meshes)
    with pytest.raises(RuntimeError, match="walk.weights.txt.*2.*vertex is '9'"):
        material.import_motion(tmp_path / "walk.bvh", mesh=True)
    assert (set(bpy.data.objects), set(bpy.data.meshes)) == before


def test_without_a_mesh_that_is_seen_nothing_is_written(rig, tmp_path):
    with pytest.raises(RuntimeError, match="deforms no mesh that is seen: export without the mesh"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "walk.bvh"), mesh=True)
    assert list(tmp_path.iterdir()) == []
