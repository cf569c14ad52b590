"""The list of actions and what is woven from the ticked ones."""

from typing import Any

import bpy

from .. import properties
from . import SidebarPanel


class ACTION_LOOM_UL_sources(bpy.types.UIList):
    """Lines of the list: tick, action, frame range, weight."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, icon: Any, active_data: Any, active_property: Any
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        if item.action is None:
            row.label(text="Deleted", icon="ERROR")
            return
        first, last = item.action.frame_range
        line = row.split(factor=0.45)
        line.active = item.use
        line.label(text=item.action.name, icon="ACTION")
        right = line.split(factor=0.5)
        right.label(text=f"{first:.0f}–{last:.0f}")
        right.prop(item, "weight", text="")


class ACTION_LOOM_PT_weave(SidebarPanel, bpy.types.Panel):
    bl_label = "Weave"

    def draw(self, context: Any) -> None:
        layout = self.layout
        armature = context.object
        if armature is None or armature.type != "ARMATURE":
            layout.label(text="Select an armature", icon="INFO")
            return
        rig = properties.rig_of(context.scene, armature)
        if rig is not None and len(rig.sources):
            layout.template_list("ACTION_LOOM_UL_sources", "", rig, "sources", rig, "active", rows=4)
        layout.operator("action_loom.add_sources", icon="ADD")
        options = layout.column()
        options.use_property_split = True
        options.use_property_decorate = False
        settings = context.scene.action_loom.blend
        for name in ("ends", "timing", "metric"):
            options.prop(settings, name)
        row = layout.row()
        row.scale_y = 1.4
        row.operator("action_loom.blend", icon="ANIM")


class ACTION_LOOM_PT_weave_more(SidebarPanel, bpy.types.Panel):
    bl_label = "Synchronising"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = context.scene.action_loom.blend
        for name in ("window", "slope", "keep", "smoothing", "trim"):
            layout.prop(settings, name)


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_UL_sources, ACTION_LOOM_PT_weave, ACTION_LOOM_PT_weave_more)
)
