"""The character's own mesh as a ghost: the kernels and the graphics card place it like the written action."""

from pathlib import Path

import bpy
import material
import numpy as np
import pytest
from test_skin import as_blender, hang, off

CHARACTERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "characters"
BOTH = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
NEAR = 1e-6  # of the figure's size


def ghost_of(loom, rig):
    return loom("addon.services.preview.previews").of(rig.session_uid)


def places(loom, body, frame):
    """Return a body's vertices (V, 3) in the scene by the kernels, linearly blended ones first."""
    skinning = loom("core.skin.skinning")
    posed, standing = body.at(frame)
    made = []
    if body.linear is not None:
        made.append(skinning.linear(body.linear, skinning.moves(body.rest, posed))[0])
    if body.volume is not None:
        made.append(skinning.dual_quaternions(body.volume, body.rest, posed)[0])
    return np.concatenate(made) @ standing[:3, :3].T + standing[:3, 3]


def seen(rig, meshes, frame):
    """Return the vertices of meshes in the scene as Blender shows them."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
    world = np.array(rig.matrix_world)
    found = np.concatenate([as_blender(drawn, rig)[0] for drawn in meshes])
    return found @ world[:3, :3].T + world[:3, 3]


@pytest.mark.parametrize("preserve", [False, True])
def test_the_mesh_is_where_the_action_that_is_written_has_it(loom, preserve):
    rig = material.biped()
    for name, frames, leads in (("slow", 36, "L"), ("quick", 24, "R")):
        material.key_walk(rig, name, frames=frames, leads=leads)
    rig.location, rig.rotation_euler, rig.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
    drawn = hang(rig, preserve=preserve)
    drawn.location, drawn.rotation_euler = (0.3, -0.2, 0.1), (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    bpy.ops.action_loom.add_sources()
    settings = bpy.context.scene.action_loom
    settings.ghost_mesh = False
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)
    assert ghost_of(loom, rig).body is None
    settings.ghost_mesh = True
    ghost = ghost_of(loom, rig)
    assert ghost.left_out == ()
    bpy.ops.action_loom.blend(sources=BOTH)
    first, last = (round(frame) for frame in rig.animation_data.action.curve_frame_range)
    for frame in (first, (first + last) // 2, last):
        assert off(places(loom, ghost.body, frame), seen(rig, [drawn], frame)) < 2e-5  # the curves are single floats


def test_what_hangs_otherwise_is_said_and_left_out(loom):
    rig = material.biped()
    material.key_walk(rig, "slow", frames=36, leads="L")
    bpy.ops.action_loom.add_sources()
    settings = bpy.context.scene.action_loom
    settings.ghost_mesh = True
    settings.solo = True
    assert ghost_of(loom, rig).left_out == ("No mesh: drawn as lines",)
    hang(rig)
    refused = hang(rig, vertices=12)
    refused.modifiers.new("Smooth", "SMOOTH")
    refused.modifiers.move(1, 0)
    settings.ghost_mesh = False
    settings.ghost_mesh = True
    ghost = ghost_of(loom, rig)
    assert len(ghost.body.linear) == len(hang(rig).data.vertices)
    assert "'Smooth' comes before its Armature modifier" in ghost.left_out[0]


def everything_seen(loom, rig):
    """Return the meshes on a rig, in the order of a ghost's meshes."""
    mesh, visible = loom("addon.bridge.mesh"), [one for one in bpy.context.scene.objects if one.visible_get()]
    return mesh.skinned_objects(rig, visible) + mesh.on_bones(rig, visible)


@pytest.mark.parametrize("name", ["RobotExpressive", "Fox", "boxman", "godot_player", "mannequiny"])
def test_characters_that_others_made_are_seen_as_they_are(loom, name):
    bpy.ops.import_scene.gltf(filepath=str(CHARACTERS / f"{name}.glb"))
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.action_loom.add_sources()
    settings = bpy.context.scene.action_loom
    settings.ghost_mesh = settings.solo = True
    listed = settings.rigs[0]
    for k, line in enumerate(listed.sources):
        if line.apart:
            continue
        listed.active = k
        ghost = ghost_of(loom, rig)
        assert ghost.left_out == ()
        unkeyed = loom("addon.bridge.unkeyed_pose")
        unkeyed.put(rig, unkeyed.find_unkeyed(rig))  # without the leftover pose of the previous action
        material.show(rig, line.action)
        frames = ghost.read.sources[0].frames
        for frame in frames[:: max(len(frames) // 3, 1)]:
            found = seen(rig, everything_seen(loom, rig), float(frame))
            assert off(places(loom, ghost.body, frame), found) < 2e-5, (line.action.name, frame)


# This shader draws vertex n at pixel (n mod width, n / width) of a float image and writes its position there.
AS_PIXELS = """
void main()
{
  vec3 place;
  vec3 direction;
  skinned(place, direction);
  where = vec4(place, 1.0);
  int row = gl_VertexID / 256;
  gl_Position = vec4((float(gl_VertexID - 256 * row) + 0.5) / 128.0 - 1.0, (float(row) + 0.5) / 128.0 - 1.0, 0.0, 1.0);
  gl_PointSize = 1.0;
}
"""


if bpy.app.version >= (5, 2):  # before that nothing is drawn without a window: see tools/gui_ghost.py

    @pytest.mark.parametrize("bones", [12, 341, 500])
    def test_the_graphics_card_moves_vertices_as_the_kernels_do(loom, bones):
        import gpu

        gpu.init()
        ghost_mesh, skinning = loom("addon.interface.pictures.ghost_mesh"), loom("core.skin.skinning")
        surface, moved = random_surface(loom, bones)
        info = ghost_mesh.shader_info(bones > ghost_mesh.IN_BLOCK, AS_PIXELS)
        between = gpu.types.GPUStageInterfaceInfo("as_pixels")
        between.flat("VEC4", "where")
        info.vertex_out(between)
        info.fragment_out(0, "VEC4", "color")
        info.fragment_source("void main() { color = where; }")
        shader = gpu.shader.create_from_info(info)
        target = gpu.types.GPUOffScreen(256, 256, format="RGBA32F")
        with target.bind():
            picture = gpu.state.active_framebuffer_get()
            picture.clear(color=(0.0, 0.0, 0.0, 0.0))
            shader.bind()
            kept = ghost_mesh.give_bones(shader, moved)
            batch = ghost_mesh.batch_of(surface, surface.vertices, surface.normals, hanging=True, points=True)
            batch.draw(shader)
            pixels = picture.read_color(0, 0, 256, 256, 4, 0, "FLOAT")
        del kept
        target.free()
        pixels.dimensions = 256 * 256 * 4
        drawn = np.array(pixels, dtype=np.float32).reshape(-1, 4)[: len(surface)]
        assert (drawn[:, 3] == 1.0).all()
        assert off(drawn[:, :3], skinning.linear(surface, moved)[0]) < NEAR


def random_surface(loom, bones):
    rng = np.random.default_rng(bones)
    count = 5000
    owners = rng.integers(0, bones, (count, 4))
    weights = rng.uniform(0.1, 1.0, (count, 4))
    first = np.arange(0, 4 * count + 1, 4)
    made = loom("core.skin.skin").skin(
        rng.normal(size=(count, 3)), (first, owners.ravel(), weights.ravel()), [], rng.normal(size=(count, 3))
    )
    moved = np.tile(np.eye(4), (bones, 1, 1))
    moved[:, :3, :3] = loom("core.motion.quat").to_matrix(loom("core.motion.quat").exp(rng.normal(size=(bones, 3))))
    moved[:, :3, 3] = rng.normal(size=(bones, 3))
    return made, moved
