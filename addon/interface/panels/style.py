"""Show the examples a style is learnt from, and variations."""

from typing import TYPE_CHECKING

import bpy

from ....core.options import RARE
from ....core.verbs import Restyle
from ...ground import jobs
from ...ground.blender_types import present, scene_of
from ...ground.translations.runtime import translated
from ...model import properties, target_armature
from . import SidebarPanel, draw_options, draw_text, options_in

if TYPE_CHECKING:
    from ...services.styles.styles import KnownStyle


class _OfStyle:
    bl_parent_id = "ACTION_LOOM_PT_weave"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return bool(properties.settings_of(scene_of(context)).mode == Restyle.verb)


class ACTION_LOOM_PT_examples(_OfStyle, SidebarPanel, bpy.types.Panel):
    bl_label = "Examples"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        known = _known(context)
        present(self.layout).label(text=translated("not learnt" if known is None else known.short))

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout_for(target_armature.of_tab(context)), properties.settings_of(scene_of(context))
        options = options_in(layout)
        row = options.row(align=True)
        row.prop(settings, "kept_style")
        row.operator("action_loom.load_style", text="", icon="FILE_FOLDER")
        row.operator("action_loom.save_style", text="", icon="EXPORT")
        if settings.kept_style is not None:
            return  # a kept style does not depend on the ticked actions
        options.prop(settings, "labels")
        draw_options(options, settings, [("style", about) for about in properties.shown("style", RARE)])
        if not jobs.running():
            row = layout.row(align=True)
            row.operator("action_loom.learn_style", icon="VIEWZOOM")
            row.operator("action_loom.keep_style", text="Keep", icon="FILE_TICK")
        known = _known(context)
        if known is None:
            return
        column = layout.column(align=True)
        for line in known.lines:
            draw_text(column, context, line)
        for name, (lowest, highest) in known.ranges.items():
            row = column.split(factor=0.4)
            row.label(text=name.title())
            row.label(text=translated(f"examples {lowest:+.1f} to {highest:+.1f}"))


class ACTION_LOOM_PT_variations(_OfStyle, SidebarPanel, bpy.types.Panel):
    bl_label = "Variations"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout_for(target_armature.of_tab(context)), properties.settings_of(scene_of(context))
        options = options_in(layout)
        options.prop(settings.restyle, "variation_amount")
        if not jobs.running():
            row = layout.row(align=True)
            row.operator("action_loom.variations", icon="DUPLICATE")
            each = present(row.operator("action_loom.variations", text="To Selected", icon="COMMUNITY"))
            each.to_selected = True


def _known(context: bpy.types.Context) -> "KnownStyle | None":
    from ...services.preview import panel_state
    from ...services.styles import styles

    scene, armature = scene_of(context), target_armature.of_tab(context)
    rig = properties.rig_of(scene, armature)
    if armature is None or rig is None or not styles.is_learnt(armature):
        return None
    return styles.style_of(armature, panel_state.asked(scene, rig, "style"))


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_PT_examples, ACTION_LOOM_PT_variations))
