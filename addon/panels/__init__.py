"""Panels of the sidebar tab "Action Loom": they lay out, and nothing else."""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.options import Option
from .. import meant, properties
from ..blender_types import PanelMixin, present
from ..session import jobs


class SidebarPanel(PanelMixin):
    """Where all our panels are."""

    if TYPE_CHECKING:
        layout: bpy.types.UILayout  # in the stubs it may be None

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Action Loom"

    def layout_for(self, armature: bpy.types.Object | None) -> bpy.types.UILayout:
        """Return the layout, whose buttons are about an armature."""
        meant.mark(self.layout, armature)
        return self.layout


def options_in(layout: bpy.types.UILayout, *, align: bool = False) -> bpy.types.UILayout:
    """Return a column in which options have their names on the left, and no dots to key them."""
    column = layout.column(align=align)
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def draw_options(layout: bpy.types.UILayout, settings: Any, options: list[tuple[str, Option]]) -> None:
    """Draw options from groups of the settings, those that apply."""
    for name, about in options:
        group = getattr(settings, name)
        if properties.applies(group, about):
            layout.prop(group, about.name)


def wrapped(text: str, context: bpy.types.Context) -> list[str]:
    """Return a text in lines that the sidebar has room for."""
    most = max(int(present(context.region).width / (7.0 * _ui_scale())), 16)
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > most and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def draw_job(layout: bpy.types.UILayout) -> bool:
    """Draw how far the work is that goes on, with a button that stops it; says whether there is some."""
    job = jobs.running()
    if job is None:
        return False
    row = layout.row(align=True)
    row.progress(factor=job.fraction, text=f"{job.doing} {job.fraction:.0%}")
    row.operator("action_loom.cancel", text="", icon="X")
    return True


def picture_scale(context: bpy.types.Context) -> float:
    """Return how large a picture fills the panel's width, in units of a button's height."""
    return min(max(present(context.region).width / (20.0 * _ui_scale()) - 3.0, 5.0), 20.0)


def _ui_scale() -> float:
    return present(bpy.context.preferences).system.ui_scale or 1.0  # 0 in background
