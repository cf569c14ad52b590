"""Show an action at once: fit the preview range to it, keep the figure in view, and play it."""

from typing import Any

import bpy

from ...ground.blender_types import present, scene_of


def show(context: bpy.types.Context, action: bpy.types.Action, *, play: bool) -> None:
    """Fit the preview range of the scene to an action, and play it if wanted, where there is a window.

    The range of the scene itself is the artist's.
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
    if play:
        _in_view(window, bpy.ops.screen.animation_play)


def _in_view(window: bpy.types.Window, operator: Any) -> None:
    """Call an operator in the first 3D view of a window."""
    for area in window.screen.areas:
        region = next((one for one in area.regions if one.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            with bpy.context.temp_override(window=window, area=area, region=region):
                operator()
            return
