"""The list of a take's rows after it was cut into a set."""

from typing import Any

import bpy

from ...ground import registrar
from ...ground.blender_types import DrawContext, interface_scale, present, scene_of
from .. import take_set
from . import ItemList

WIDE = 400.0  # pixels of a sidebar in which frames fit the rows, too
LOOP, OTHER, FRAMES = 5.6, 3.4, 4.4  # button heights of a loop's seconds and likeness, of seconds, and of frames


class ACTION_LOOM_UL_take(ItemList, bpy.types.UIList):
    """Rows of a take: tick, kind, name, first and last frame, seconds, whether it is a loop and how good that is."""

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        wide = present(present(context).region).width > WIDE * interface_scale()
        name = row.row(align=True)
        name.active = item.use
        name.prop(item, "kind", text="", icon_only=True, emboss=False)
        name.prop(item, "name", text="", emboss=False)
        rest = row.row(align=True)
        rest.active = item.use
        rest.ui_units_x = (LOOP if item.loop else OTHER) + (FRAMES if wide else 0.0)
        if wide:
            rest.label(text=f"{item.start}–{item.end}")
        # A loop is the best cycle of its frames.
        seconds = (item.end - item.start) / take_set.rate_of(data, scene_of(present(context)))
        cycle = item.seconds if item.loop else seconds
        rest.label(text=f"{cycle:.1f} s" if cycle >= 0.0 else f"≤ {seconds:.1f} s")
        if item.loop and (item.made is None or item.made.use_cyclic):
            rest.label(text=f"{item.score:.0%}" if item.score >= 0.0 else " ", icon="FILE_REFRESH")
        elif item.why:
            rest.label(text="", icon="INFO")


register = registrar.registration((ACTION_LOOM_UL_take,))
