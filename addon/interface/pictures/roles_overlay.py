"""Write each body role at its bone over the 3D view, while switched on, with guessed roles marked."""

from typing import Any

import bpy

from ...ground import colors, registrar
from ...ground.blender_types import interface_scale, present, scene_of
from ...model import properties, target_armature
from . import flat

DOT, BESIDE = 3.5, 6.0  # pixels at an interface scale of 1


def labels(context: bpy.types.Context) -> list[tuple[str, Any, bool]]:
    """Return each known role in words, its bone's place in the world, and whether it was guessed from the shape."""
    armature, scene = target_armature.of_tab(context), scene_of(context)
    rig = None if armature is None else properties.rig_of(scene, armature)
    if armature is None or rig is None or not properties.settings_of(scene).show_roles:
        return []
    bones = present(present(armature).pose).bones
    return [
        (role.name.replace("_", " "), armature.matrix_world @ bones[role.bone].head, role.found_by == "SHAPE")
        for role in rig.roles
        if role.bone in bones
    ]


def _draw() -> None:
    context = bpy.context
    found = labels(context)
    if not found:
        return
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region, view = present(context.region), present(context.region_data)
    for words, place, guessed in found:
        at = location_3d_to_region_2d(region, view, place)
        if at is None:
            continue
        paint = colors.of(colors.TRANSITION if guessed else colors.GOOD, 1.0)
        flat.dot(at.x, at.y, DOT * interface_scale(), paint)
        # Beside the body; a viewer in front of it sees its right side on the left.
        aside = (
            -flat.width_of(words) - BESIDE * interface_scale() if words.endswith(".R") else BESIDE * interface_scale()
        )
        flat.write(words, at.x + aside, at.y, color=paint)


def register() -> None:
    registrar.add_drawing(bpy.types.SpaceView3D, _draw, "POST_PIXEL")
