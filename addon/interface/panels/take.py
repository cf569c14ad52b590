"""The rows of a take that was cut into a set, as a list."""

from typing import Any

import bpy

from ...ground.blender_types import DrawContext, interface_scale, present, scene_of
from .. import take_set
from . import ItemList

WIDE = 400.0  # pixels of a sidebar in which frames fit the rows, too


class ACTION_LOOM_UL_take(ItemList, bpy.types.UIList):
    """Rows of a take: tick, kind, name, first and last frame, seconds, whether it is a loop and how good that is."""

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        wide = present(present(context).region).width > WIDE * interface_scale()
        split = row.split(factor=0.5 if wide else 0.62, align=True)
        name = split.row(align=True)
        name.active = item.use
        name.prop(item, "kind", text="", icon_only=True, emboss=False)
        name.prop(item, "name", text="", emboss=False)
        rest = split.row(align=True)
        rest.active = item.use
        if wide:
            rest.label(text=f"{item.start}–{item.end}")
        seconds = (item.end - item.start) / take_set.rate_of(data, scene_of(present(context)))
        rest.label(text=f"{seconds:.1f} s")
        if item.loop:
            rest.label(text=f"{item.score:.0%}" if item.score >= 0.0 else " ", icon="FILE_REFRESH")
        elif item.why:
            rest.label(text="", icon="INFO")


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_UL_take,))
