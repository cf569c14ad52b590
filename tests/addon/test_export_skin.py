"""Motion, mesh and weights written from Blender become in `action-loom skin` the mesh that Blender shows."""

import bpy
import material
import numpy as np
import pytest
from test_skin import hang


@pytest.mark.parametrize(("units", "up"), [("cm", "y"), ("m", "z")])
@pytest.mark.parametrize("transformed", [False, True], ids=["plain", "moved, turned and scaled"])
def test_the_chain_without_blender_gives_the_mesh_that_blender_shows(loom, tmp_path, units, up, transformed):
    rig = material.biped()
    material.key_walk(rig, "walk", frames=12)
    rig.animation_data.action = bpy.data.actions["walk"]
    drawn = hang(rig, vertices=80, least=1)
    if transformed:
        rig.location, rig.rotation_euler, rig.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
        drawn.location, drawn.rotation_euler = (0.3, -0.2, 0.1), (0.1, 0.2, 0.3)
    bpy.context.view_layer.objects.active = rig
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


def test_without_a_mesh_that_is_seen_nothing_is_written(tmp_path):
    rig = material.biped()
    material.key_walk(rig, "walk", frames=12)
    rig.animation_data.action = bpy.data.actions["walk"]
    bpy.context.view_layer.objects.active = rig
    with pytest.raises(RuntimeError, match="deforms no mesh that is seen: export without the mesh"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "walk.bvh"), mesh=True)
    assert list(tmp_path.iterdir()) == []
