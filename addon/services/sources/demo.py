"""Add the demo figure: a skinned armature with generated actions to try every panel."""

from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.demo_character import actions as figure
from ....core.demo_character import skin as figure_skin
from ....core.errors import OptionError
from ....core.motion import retarget
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.motion.skeleton import Skeleton
from ...bridge import bones, curves, rig
from ...bridge import clip as clips
from ...ground.blender_types import as_array, present, scene_of

NAME = "Loom Figure"
FIRST_FRAME = 1.0
_SLOWEST, _FASTEST = 12, 1000  # frames per second
# The figure's clothes: viewport colour, and the bones (without side) whose part of the mesh wears it.
_CLOTHES = {
    "Skin": ((0.72, 0.45, 0.32, 1.0), {"head", "neck", "forearm", "hand"}),
    "Shirt": ((0.75, 0.74, 0.70, 1.0), {"spine", "chest", "clavicle", "upper_arm"}),
    "Trousers": ((0.08, 0.16, 0.30, 1.0), {"hips", "thigh", "shin"}),
    "Shoes": ((0.35, 0.06, 0.03, 1.0), {"foot", "toe"}),
}
_SEAMS = (("hips", "spine", 1.015), ("chest", "neck", 1.455))  # lower and upper bone, and metres above the ground


def add(context: bpy.types.Context) -> bpy.types.Object:
    """Add an armature with its mesh and actions at the 3D cursor, and return it active and selected."""
    scene, layer = scene_of(context), present(context.view_layer)
    made = _clips(scene.render.fps / scene.render.fps_base)
    armature, _ = bones.build(context, NAME, figure.skeleton(), *_ends(figure.skeleton()), connected=True)
    for other in context.selected_objects:
        other.select_set(False)
    armature.select_set(True)
    layer.objects.active = armature
    mesh = bones.link(context, bpy.data.objects.new(f"{NAME} Body", _mesh()))
    _bind(mesh, armature)
    mesh.select_set(True)
    # While the armature is at the origin, travel is the same in its own space and in the world.
    layer.update()
    _write_actions(armature, made)
    armature.location = scene.cursor.location
    return armature


def _ends(skeleton: Skeleton) -> tuple[Array, Array]:
    """Return heads and tails (J, 3) of the figure's bones in the world."""
    heads, tails = bones.ends(skeleton)
    hips = skeleton.roles["hips"]
    # Vertical, so that the travel is in one channel, which accumulates from cycle to cycle.
    tails[hips, :2] = heads[hips, :2]
    return heads, tails


def _mesh() -> bpy.types.Mesh:
    skin = figure_skin.skin()
    mesh = bpy.data.meshes.new(f"{NAME} Body")
    mesh.from_pydata(skin.vertices.tolist(), [], skin.quads.tolist())
    mesh.shade_smooth()
    for garment, (color, _) in _CLOTHES.items():
        mesh.materials.append(_material(f"{NAME} {garment}", color))
    mesh.polygons.foreach_set("material_index", _garments(skin))
    return mesh


def _garments(skin: figure_skin.Skin) -> NDArray[np.int32]:
    """Return the material slot of each quad: that of its heaviest bone."""
    names = figure.skeleton().names
    slots = [next(k for k, (_, worn_by) in enumerate(_CLOTHES.values()) if n.split(".")[0] in worn_by) for n in names]
    worn = np.array(slots, dtype=np.int32)
    heaviest = skin.weights[skin.quads].sum(axis=1).argmax(axis=1)
    garments = worn[heaviest]
    # Around the trunk the heaviest bone varies between front and back, but belt and collar must be level.
    height = skin.vertices[skin.quads].mean(axis=1)[:, 2]
    for lower, upper, level in _SEAMS:
        pair = [names.index(lower), names.index(upper)]
        near = np.isin(heaviest, pair)
        garments[near] = worn[pair][(height[near] > level).astype(int)]
    return garments


def _material(name: str, color: tuple[float, ...]) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.diffuse_color = as_array(color)
    # Since 5.0 new materials have nodes, and renders use those.
    for node in material.node_tree.nodes if material.node_tree else ():
        if node.type == "BSDF_PRINCIPLED":
            base = node.inputs["Base Color"]
            assert isinstance(base, bpy.types.NodeSocketColor)
            base.default_value = as_array(color)
    return material


def _bind(body: bpy.types.Object, armature: bpy.types.Object) -> None:
    body.parent = armature
    weights = figure_skin.skin().weights
    for joint, name in enumerate(figure.skeleton().names):
        group = body.vertex_groups.new(name=name)
        for vertex in np.flatnonzero(weights[:, joint]).tolist():
            group.add((vertex,), float(weights[vertex, joint]), "REPLACE")
    modifier = body.modifiers.new("Armature", "ARMATURE")
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.object = armature


def _write_actions(armature: bpy.types.Object, made: list[tuple[str, Clip, bool]]) -> None:
    body = rig.read(armature)
    actions = {}
    for name, clip, cyclic in made:
        moved = replace(retarget.onto(clip, body.skeleton), name=name, cyclic=cyclic)
        actions[name] = clips.write(armature, moved, body, first_frame=FIRST_FRAME)
    curves.assign(armature, actions["Walk"], curves.choose_slot(actions["Walk"], armature))


def _clips(rate: float) -> list[tuple[str, Clip, bool]]:
    """Return names and clips of all actions, and whether they repeat; these have one cycle with its closing frame."""
    if not _SLOWEST <= rate <= _FASTEST:
        raise OptionError(f"The demo's steps need {_SLOWEST} to {_FASTEST} frames a second; the scene has {rate:g}")
    return [
        ("Walk", figure.walk(rate, 1), True),
        ("Run", figure.run(rate, 1), True),
        ("Sneak", figure.sneak(rate), False),
        ("Turn Left", figure.turn_left(rate), False),
        ("Turn Right", figure.turn_right(rate), False),
        ("Wave", figure.wave(rate), False),
        ("Carry", figure.carry(rate), False),
    ]
