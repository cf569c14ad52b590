"""Show an action at once: fit the preview range to it, keep the figure in view, and play it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...ground.blender_types import present, scene_of


def show(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action, *, play: bool) -> None:
    """Fit the preview range to an armature's action, bring it into view and play it if wanted, where there is a window.

    The range of the scene itself is the artist's, and so is the view as long as the figure is in it.
    """
    scene = scene_of(context)
    first, last = action.frame_range[:]
    scene.use_preview_range = True  # setting the range alone does not switch it on
    scene.frame_preview_start, scene.frame_preview_end = int(first), max(round(last), int(first) + 1)
    window = context.window
    if bpy.app.background or window is None or present(context.screen).is_animation_playing:
        return  # the operator toggles: it would stop a playing animation
    if not first <= scene.frame_current <= last or play:
        scene.frame_set(int(first))
    present(context.view_layer).update()
    with _first_view(window) as view:
        if view is not None and armature.select_get() and not _is_seen(armature, *view):
            bpy.ops.view3d.view_selected()
        if view is not None and play:
            bpy.ops.screen.animation_play()


def stop(context: bpy.types.Context) -> None:
    """Stop a playing animation where it is."""
    if context.screen is not None and context.screen.is_animation_playing:
        bpy.ops.screen.animation_cancel(restore_frame=False)


@contextmanager
def _first_view(window: bpy.types.Window) -> Iterator[tuple[int, bpy.types.Region, bpy.types.RegionView3D] | None]:
    """Let operators work in the first 3D view of a window; yields its free width and region, None without a view."""
    for area in window.screen.areas:
        region = next((one for one in area.regions if one.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            space: Any = area.spaces.active
            sidebar = next((one.width for one in area.regions if one.type == "UI"), 0)  # it lies over the view
            with bpy.context.temp_override(window=window, area=area, region=region):
                yield region.width - sidebar, region, space.region_3d
            return
    yield None


def _is_seen(armature: bpy.types.Object, width: int, region: bpy.types.Region, view: bpy.types.RegionView3D) -> bool:
    """Say whether the middle of a figure is in a view."""
    from bpy_extras import view3d_utils

    heads = [armature.matrix_world @ bone.head for bone in present(armature.pose).bones]
    middle = sum(heads[1:], heads[0]) / len(heads)
    at = view3d_utils.location_3d_to_region_2d(region, view, middle)
    return at is not None and 0.0 <= at.x < width and 0.0 <= at.y < region.height
