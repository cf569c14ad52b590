"""Draw the measured points of an import over the 3D view: dots coloured by their distance from the solved body."""

import bpy

from ...ground import colors, registrar
from ...ground.blender_types import interface_scale, present
from ...services.preview import measured_points
from . import flat

DOT = 3.0  # pixels at an interface scale of 1


def _draw() -> None:
    context = bpy.context
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D) or not space.overlay.show_overlays:
        return
    found = measured_points.dots(context)
    if not found:
        return
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region, view = present(context.region), present(context.region_data)
    for place, color in found:
        at = location_3d_to_region_2d(region, view, place)
        if at is not None:
            flat.dot(at.x, at.y, DOT * interface_scale(), colors.of(color, 1.0))


def register() -> None:
    registrar.add_drawing(bpy.types.SpaceView3D, _draw, "POST_PIXEL")
