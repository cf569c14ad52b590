"""Show an action at once: fit the preview range to it, keep the figure in view, and play it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...ground.blender_types import present, scene_of


def show(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    *,
    play: bool,
    near: bool = False,
) -> None:
    """Fit the preview range to an armature's action, bring it into view and play it if wanted, where there is a window.

    near : whether to zoom in; otherwise the view stays unchanged while the figure's whole path is visible
    """
    scene = scene_of(context)
    first, last = action.frame_range[:]
    scene.use_preview_range = True  # setting the range alone does not switch it on
    scene.frame_preview_start, scene.frame_preview_end = int(first), max(round(last), int(first) + 1)
    window = context.window
    if bpy.app.background or window is None:
        return
    playing = present(context.screen).is_animation_playing
    if not playing and (play or not first <= scene.frame_current <= last):
        scene.frame_set(int(first))
    present(context.view_layer).update()
    with _first_view(window) as view:
        if view is not None and view[1].view_perspective != "CAMERA":
            _bring_into_view(context, armature, action, *view, near=near)
        if view is not None and play and not playing:  # the operator toggles
            bpy.ops.screen.animation_play()


def _bring_into_view(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    free: float,
    view: Any,
    farthest: float,
    *,
    near: bool,
) -> None:
    from . import framing  # numpy is loaded at first use, not when Blender starts

    moments = framing.places(context, armature, action)
    view.update()  # without this its matrices are outdated
    if near or not all(framing.is_seen(points, free, view, farthest) for points in moments):
        framing.bring(moments, free, view)


def stop(context: bpy.types.Context) -> None:
    """Stop a playing animation at the current frame."""
    if context.screen is not None and context.screen.is_animation_playing:
        bpy.ops.screen.animation_cancel(restore_frame=False)


@contextmanager
def _first_view(window: bpy.types.Window) -> Iterator[tuple[float, bpy.types.RegionView3D, float] | None]:
    """Override the context with the first 3D view of a window; yields its free share, it, and its clip end, or None."""
    for area in window.screen.areas:
        region = next((one for one in area.regions if one.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            space: Any = area.spaces.active
            sidebar = next((one.width for one in area.regions if one.type == "UI"), 0)  # it lies over the view
            with bpy.context.temp_override(window=window, area=area, region=region):
                yield max(1.0 - sidebar / max(region.width, 1), 0.2), space.region_3d, space.clip_end
            return
    yield None
