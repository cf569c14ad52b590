"""Bring the path of a figure into view, into the part of a 3D view that the sidebar leaves free."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...ground.blender_types import present, scene_of

MARGIN = 0.85  # largest share of the free part covered by the path
MOMENTS = 3  # number of sampled moments of an action

Points = NDArray[np.float64]


def places(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> Points:
    """Return the positions of bone ends (N, 3) of an armature at some moments of its action."""
    scene = scene_of(context)
    now, (first, last) = (scene.frame_current, scene.frame_subframe), action.frame_range[:]
    found = []
    for frame in np.linspace(first, last, MOMENTS):
        scene.frame_set(int(frame))
        for bone in (bone for bone in present(armature.pose).bones if not bone.bone.hide):
            found += [armature.matrix_world @ bone.head, armature.matrix_world @ bone.tail]
    scene.frame_set(now[0], subframe=now[1])
    return np.array(found)


def is_seen(points: Points, free: float, view: bpy.types.RegionView3D) -> bool:
    """Return whether all points are in the free part of a view, its left share `free` (0 to 1)."""
    x, y, ahead = _projected(points, view)
    return bool(((ahead > 0.0) & (np.abs(y) <= 1.0) & (x >= -1.0) & (x <= 2.0 * free - 1.0)).all())


def frame(points: Points, free: float, view: bpy.types.RegionView3D) -> None:
    """Move a view, without turning it, so that all points are in its free part."""
    turned = np.array(view.view_rotation.to_matrix())
    seen = points @ turned  # right, up, towards the viewer
    middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    wide, high = np.array(view.window_matrix)[[0, 1], [0, 1]]
    x, y, nearer = (seen - middle).T * np.array([[wide], [high], [1.0]])
    # The middle of the free part is this far left of the view's middle.
    if view.is_perspective:
        asked = (x + (2.0 * free - 1.0) * nearer) / free, (nearer - x) / free, np.abs(y) + nearer
        view.view_distance = max(float(np.max(asked)) / MARGIN, 0.1)
        middle[0] += (1.0 - free) * view.view_distance / wide
    else:
        grown = float(np.max((np.abs(x) / free, np.abs(y)))) / MARGIN
        view.view_distance *= grown
        middle[0] += (1.0 - free) * grown / wide
    view.view_location = turned @ middle


def _projected(points: Points, view: bpy.types.RegionView3D) -> tuple[Points, Points, Points]:
    """Project points into a view: −1 to 1 from left to right and from below, and the distance ahead."""
    four = np.column_stack([points, np.ones(len(points))]) @ np.array(view.perspective_matrix).T
    ahead = four[:, 3]
    return four[:, 0] / np.maximum(np.abs(ahead), 1e-9), four[:, 1] / np.maximum(np.abs(ahead), 1e-9), ahead
