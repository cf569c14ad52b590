"""Draw the set of a take: its rows, omitted ones with reasons, its gaps, and its writing options."""

from typing import Any

import bpy

from ...core.cache import Cache
from ..bitmaps import images
from ..bridge import rates
from ..ground import jobs, memory
from ..ground.blender_types import present
from ..ground.translations.runtime import translate_text
from ..model.take_rows import BETWEEN
from .panels import draw_text, options_in, picture_scale

FILLS = ("mirror", "blend")  # of holes with a button
# The icon of the coverage picture, by the loops in it.
_icons: Cache[tuple[Any, ...], int] = memory.cache(1)


def rate_of(rig: Any, scene: bpy.types.Scene) -> float:
    """Return the frames per second of a list's take."""
    return (rates.rate_of(rig.take) if rig.take is not None else 0.0) or rates.of_scene(scene)


def draw_button(row: bpy.types.UILayout, rig: Any) -> None:
    """Draw the next button: to cut the take, or to weave its rows."""
    if rig is None or not len(rig.take_rows):
        row.operator("action_loom.cut_take", icon="SCULPTMODE_HLT")
        return
    row.operator("action_loom.cut_out", text="Weave Set", icon="ANIM")
    row.operator("action_loom.cut_take", text="", icon="SCULPTMODE_HLT")


def draw(layout: bpy.types.UILayout, context: bpy.types.Context, settings: Any, rig: Any) -> None:
    """Draw the rows, the active row's details, the writing options, and the gaps."""
    if rig is None or not len(rig.take_rows):
        draw_text(layout, context, "Tick or play the take, then cut it; nothing is written yet", "INFO")
        return
    if rig.take is not None:
        layout.label(text=translate_text(f"Frames of {rig.take.name}"), icon="ACTION")
    layout.template_list("ACTION_LOOM_UL_take", "", rig, "take_rows", rig, "take_active", rows=6)
    row = layout.row(align=True)
    row.operator("action_loom.split_take_row", icon="UNLINKED")
    row.operator("action_loom.join_take_rows", icon="LINKED")
    if 0 <= rig.take_active < len(rig.take_rows):
        _draw_active(layout, context, rig.take_rows[rig.take_active])
    layout.row(align=True).prop(settings, "take_roots")
    options = options_in(layout)
    options.prop(settings, "take_mirror")
    options.prop(settings, "take_assets")
    if settings.take_assets:
        options.prop(settings, "take_catalog")
    row = layout.row(align=True)
    row.operator("action_loom.push_down_set", icon="NLA_PUSHDOWN")
    row.operator("action_loom.export_set", icon="EXPORT")
    _draw_coverage(layout, context, rig)


def _draw_active(layout: bpy.types.UILayout, context: bpy.types.Context, row: Any) -> None:
    """Draw the borders and the kind of the active row, the loops it connects, and the reason for its omission."""
    options = options_in(layout.box(), align=True)
    options.prop(row, "kind")
    options.prop(row, "start")
    options.prop(row, "end")
    if row.kind != BETWEEN:
        options.prop(row, "loop")
    if row.kind == BETWEEN or not row.loop:
        options.prop(row, "begins")
        options.prop(row, "ends")
    if row.why:
        draw_text(options, context, f"Left out: {row.why}", "INFO")
    elif row.made is not None:
        options.label(text=translate_text(f"Woven as {row.made.name}"), icon="CHECKMARK")


def _draw_coverage(layout: bpy.types.UILayout, context: bpy.types.Context, rig: Any) -> None:
    """Draw the speeds and turns of the set, and its gaps, with a button if rows or a library can fill one."""
    header, body = layout.panel("action_loom_take_lacks", default_closed=True)
    lacks = f"Missing: {len(rig.take_holes)}" if len(rig.take_holes) else "Nothing is missing"
    header.label(text=translate_text(lacks), icon="QUESTION" if len(rig.take_holes) else "CHECKMARK")
    if body is None:
        return
    icon = _icon(rig)
    if icon:
        body.template_icon(icon, scale=picture_scale(context))
        body.label(text="Up: m/s; across: turns, °/s")
    for index, hole in enumerate(rig.take_holes):
        column = body.column(align=True)
        draw_text(column, context, hole.name)
        if hole.fill in FILLS and not jobs.visible_job():
            text = "Mirror" if hole.fill == FILLS[0] else "Blend"
            present(column.operator("action_loom.fill_hole", text=text)).index = index
        elif hole.seek and not jobs.visible_job():
            present(column.operator("action_loom.find_doing", text="Find in Library")).doing = hole.seek


def _icon(rig: Any) -> int:
    """Return the icon of the coverage picture of ticked loops; 0 without loops, and in background mode."""
    from ..services.takes import set_rows

    loops = set_rows.covered_loops(rig)
    if not loops or bpy.app.background:
        return 0
    known = _icons.get(loops)
    if known is None:
        from ..bitmaps import coverage_bitmap

        known = _icons.keep(loops, images.preview("coverage", coverage_bitmap.draw(loops)))
    return known
