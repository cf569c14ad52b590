"""Draw areas of Blender's windows again."""

import bpy


def redraw_areas(*kinds: str) -> None:
    """Draw all areas of some types again, such as "VIEW_3D"; does nothing without windows."""
    manager = bpy.context.window_manager
    for window in () if manager is None else manager.windows:
        for area in window.screen.areas:
            if area.type in kinds:
                area.tag_redraw()
