"""The place of the mouse on the floor of a 3D view."""

from typing import Any

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from ...ground.blender_types import present

LEVEL = 1e-3  # sine of an angle: a flatter view direction does not meet the floor


def ray(context: bpy.types.Context, event: Any) -> tuple[Vector, Vector]:
    """Return the origin and direction of the ray under the mouse."""
    area = present(context.area)
    region = next(one for one in area.regions if one.type == "WINDOW")
    space: Any = area.spaces.active
    at = (event.mouse_x - region.x, event.mouse_y - region.y)
    origin = view3d_utils.region_2d_to_origin_3d(region, space.region_3d, at)
    return origin, view3d_utils.region_2d_to_vector_3d(region, space.region_3d, at)


def place_below(context: bpy.types.Context, event: Any, height: float) -> Vector | None:
    """Return the place below the mouse on a floor at a height; None for the sky."""
    origin, along = ray(context, event)
    space: Any = present(context.area).spaces.active
    if abs(along.z) < LEVEL:
        return None
    away = (height - origin.z) / along.z
    return origin + along * away if away > 0.0 or not space.region_3d.is_perspective else None
