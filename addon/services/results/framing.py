"""Bring a figure and its path into view, into the part of a 3D view that the sidebar leaves free."""

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ...bridge import shown_mesh
from ...ground.blender_types import present, scene_of

# Largest share of the free part covered by the path, and the share if the figure would be tiny otherwise
MARGIN, TIGHT = 0.6, 0.9
LEAST, ALONE = 0.15, 0.35  # least share covered by the figure, and its share if the path would make it smaller
MOMENTS = 7  # number of sampled moments of an action

Points = NDArray[np.float64]


def places(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> list[Points]:
    """Return the corners (N, 3) of an armature's meshes at some moments of its action, starting with its first frame.

    Meshes count as they are drawn. Bones, whose tails an importer may have invented, count only without meshes.
    """
    scene, meshes = scene_of(context), shown_mesh.find_meshes(armature).objects
    now, (first, last) = (scene.frame_current, scene.frame_subframe), action.frame_range[:]
    found = []
    for frame in np.linspace(first, last, MOMENTS):
        scene.frame_set(int(frame))
        drawn = context.evaluated_depsgraph_get()
        corners = [
            seen.matrix_world @ Vector(corner)
            for seen in (one.evaluated_get(drawn) for one in meshes if one.visible_get())
            for corner in seen.bound_box
        ]
        found.append(np.array(corners or _ends(armature)))
    scene.frame_set(now[0], subframe=now[1])
    return found


def _ends(armature: bpy.types.Object) -> list[Vector]:
    bones = (bone for bone in present(armature.pose).bones if not bone.bone.hide)
    return [armature.matrix_world @ end for bone in bones for end in (bone.head, bone.tail)]


def bring(moments: Sequence[Points], free: float, view: bpy.types.RegionView3D) -> None:
    """Move a view so that a figure's path is in its free part; only its beginning, if it would be tiny otherwise."""
    for count in range(len(moments), 1, -1):
        for margin in (MARGIN, TIGHT):
            frame(np.concatenate(moments[:count]), free, view, margin=margin)
            if _share(moments[0], free, view) >= LEAST:
                return
    frame(moments[0], free, view, margin=ALONE)


def _share(points: Points, free: float, view: bpy.types.RegionView3D) -> float:
    """Return the larger share of the free part's width and height that points cover."""
    view.update()
    x, y, _ = _project_points(points, view)
    return float(max(np.ptp(x) / (2.0 * free), np.ptp(y) / 2.0))


def is_seen(points: Points, free: float, view: bpy.types.RegionView3D, farthest: float = np.inf) -> bool:
    """Return whether all points are in the free part of a view, its left share `free` (0 to 1).

    farthest : distance from which on the view draws nothing
    """
    x, y, ahead = _project_points(points, view)
    drawn = (ahead > 0.0) & (ahead < farthest) if view.is_perspective else True
    return bool((drawn & (np.abs(y) <= 1.0) & (x >= -1.0) & (x <= 2.0 * free - 1.0)).all())


def frame(points: Points, free: float, view: bpy.types.RegionView3D, *, margin: float = MARGIN) -> None:
    """Move a view, without turning it, so that all points are in its free part and cover the share `margin` of it."""
    turned = np.array(view.view_rotation.to_matrix())
    seen = points @ turned  # right, up, towards the viewer
    middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
    wide, high = np.array(view.window_matrix)[[0, 1], [0, 1]]
    x, y, nearer = (seen - middle).T * np.array([[wide], [high], [1.0]])
    # The middle of the free part is this far left of the view's middle.
    if view.is_perspective:
        asked = (x + (2.0 * free - 1.0) * nearer) / free, (nearer - x) / free, np.abs(y) + nearer
        view.view_distance = max(float(np.max(asked)) / margin, 0.1)
        middle[0] += (1.0 - free) * view.view_distance / wide
    else:
        grown = float(np.max((np.abs(x) / free, np.abs(y)))) / margin
        view.view_distance *= grown
        middle[0] += (1.0 - free) * grown / wide
    view.view_location = turned @ middle


def _project_points(points: Points, view: bpy.types.RegionView3D) -> tuple[Points, Points, Points]:
    """Project points into a view: −1 to 1 from left to right and from below, and the distance ahead."""
    four = np.column_stack([points, np.ones(len(points))]) @ np.array(view.perspective_matrix).T
    ahead = four[:, 3]
    return four[:, 0] / np.maximum(np.abs(ahead), 1e-9), four[:, 1] / np.maximum(np.abs(ahead), 1e-9), ahead
