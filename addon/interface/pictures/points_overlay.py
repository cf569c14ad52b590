"""Draw dots over the 3D view: the measured points of an import, coloured by their distance from the solved body, and
the ghost's hands on their contacts, red where they miss them.
"""

from typing import Any

import bpy

from ...ground import colors, registrar
from ...ground.blender_types import interface_scale, present, scene_of
from ...model import contact_rows, hand_rows, properties, target_armature
from ...services.preview import measured_points
from . import flat, ghost_overlay

DOT, HAND = 3.0, 6.0  # pixels at an interface scale of 1


def _draw() -> None:
    context = bpy.context
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return
    found = [(*one, DOT) for one in measured_points.dots(context)]
    found += [(place, colors.BAD if off else colors.GOOD, HAND) for place, off in hands(context)]
    if not found:
        return
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region, view = present(context.region), present(context.region_data)
    for place, color, size in found:
        at = location_3d_to_region_2d(region, view, place)
        if at is not None:
            flat.dot(at.x, at.y, size * interface_scale(), colors.of(color, 1.0))


def hands(context: bpy.types.Context) -> "list[tuple[Any, bool]]":
    """Return where hands are in contact at the scene's frame, and whether they miss it.

    The hands are the ghost's. Without a ghost, Show Feet shows the hands of the armature.
    """
    ghost, armature, scene = ghost_overlay.ghost_in(context), target_armature.of_tab(context), scene_of(context)
    if ghost is not None:
        return [] if ghost.hands is None else ghost.hands.at(scene.frame_current_final)
    rig = None if armature is None else properties.rig_of(scene, armature)
    held = contact_rows.of(scene, contact_rows.action_of(armature))
    if armature is None or rig is None or held is None or not properties.settings_of(scene).show_feet:
        return []
    bones, found = {role.name: role.bone for role in rig.roles}, list[tuple[Any, bool]]()
    for side, off in hand_rows.hands_at(held, scene.frame_current).items():
        end = side.replace("foot.", "toe.").replace("knee.", "shin.") if "." in side else f"hand.{side}"
        bone = present(armature.pose).bones.get(bones.get(end) or bones.get(side) or "")
        if bone is not None:
            found.append((armature.matrix_world @ (bone.head if "." in side else 0.5 * (bone.head + bone.tail)), off))
    return found


def register() -> None:
    registrar.add_drawing(bpy.types.SpaceView3D, _draw, "POST_PIXEL")
