"""The list of a take's rows after it was cut into a set."""

from typing import Any

import bpy

from ...ground import registrar
from ...ground.blender_types import DrawContext, interface_scale, present, scene_of
from .. import take_set
from . import ItemList

WIDE, AROUND = 400.0, 80.0  # pixels of a sidebar in which frames fit the rows, too, and beside a row
SECONDS, MARK, LIKENESS, FRAMES = 50.0, 34.0, 40.0, 90.0  # pixels of a row's parts


class ACTION_LOOM_UL_take(ItemList, bpy.types.UIList):
    """Rows of a take: tick, kind, name, first and last frame, seconds, whether it is a loop and how good that is."""

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        width = present(present(context).region).width / interface_scale()
        wide, marked = width > WIDE, item.loop or item.why
        room = SECONDS + (MARK if marked else 0.0) + ((FRAMES + LIKENESS * item.loop) if wide else 0.0)
        parts = layout.split(factor=1.0 - room / max(width - AROUND, 2.0 * room), align=True)
        row = parts.row(align=True)
        row.prop(item, "use", text="")
        name = row.row(align=True)
        name.active = item.use
        name.prop(item, "kind", text="", icon_only=True, emboss=False)
        name.prop(item, "name", text="", emboss=False)
        rest = parts.row(align=True)
        rest.active, rest.alignment = item.use, "RIGHT"
        if wide:
            rest.label(text=f"{item.start}–{item.end}")
        # A loop is the best cycle of its frames.
        seconds = (item.end - item.start) / take_set.rate_of(data, scene_of(present(context)))
        cycle = item.seconds if item.loop else seconds
        rest.label(text=f"{cycle:.1f} s" if cycle >= 0.0 else f"≤ {seconds:.1f} s")
        if item.loop and (item.made is None or item.made.use_cyclic):
            rest.label(text=f"{item.score:.0%}" if wide and item.score >= 0.0 else "", icon="FILE_REFRESH")
        elif item.why:
            rest.label(text="", icon="INFO")


register = registrar.registration((ACTION_LOOM_UL_take,))
