"""Panels of the sidebar tab "Action Loom": they lay out, and nothing else."""

from typing import Any

import bpy

from .. import jobs


class SidebarPanel:
    """Where all our panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Action Loom"


def armature_of(context: Any) -> Any:
    """Return the active armature, or None."""
    active = context.object
    return active if active is not None and active.type == "ARMATURE" else None


def options_in(layout: Any, *, align: bool = False) -> Any:
    """Return a column in which options have their names on the left, and no dots to key them."""
    column = layout.column(align=align)
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def wrapped(text: str, context: Any) -> list[str]:
    """Return a text in lines that the sidebar has room for."""
    most = max(int(context.region.width / (7.0 * _ui_scale())), 16)
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > most and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def draw_job(layout: Any) -> bool:
    """Draw how far the work is that goes on, with a button that stops it; says whether there is some."""
    job = jobs.running()
    if job is None:
        return False
    row = layout.row(align=True)
    row.progress(factor=job.fraction, text=f"{job.doing} {job.fraction:.0%}")
    row.operator("action_loom.cancel", text="", icon="X")
    return True


def picture_scale(context: Any) -> float:
    """Return how large a picture fills the panel's width, in units of a button's height."""
    return min(max(context.region.width / (20.0 * _ui_scale()) - 3.0, 5.0), 20.0)


def _ui_scale() -> float:
    return bpy.context.preferences.system.ui_scale or 1.0  # 0 in background
