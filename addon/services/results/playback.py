"""Show a result at once: fit the preview range and play it."""

import bpy

from ...ground.blender_types import present, scene_of


def show(context: bpy.types.Context, action: bpy.types.Action) -> None:
    """Fit the preview range of the scene to an action and play it, where there is a window."""
    scene = scene_of(context)
    first, last = action.frame_range[:]
    scene.use_preview_range = True  # setting the range alone does not switch it on
    scene.frame_preview_start, scene.frame_preview_end = int(first), max(round(last), int(first) + 1)
    window = context.window
    if bpy.app.background or window is None or present(context.screen).is_animation_playing:
        return  # the operator toggles: it would stop a playing animation
    scene.frame_set(int(first))
    for area in window.screen.areas:
        region = next((one for one in area.regions if one.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            with context.temp_override(window=window, area=area, region=region):
                bpy.ops.screen.animation_play()
            return
