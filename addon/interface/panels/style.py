"""Show the examples a style is learnt from."""

from typing import TYPE_CHECKING

import bpy

from ....core.options import RARE
from ....core.verbs import Restyle
from ...ground import jobs, registrar
from ...ground.blender_types import present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from . import SidebarPanel, draw_options, draw_text, options_in

if TYPE_CHECKING:
    from ...services.styles.styles import KnownStyle


class ACTION_LOOM_PT_examples(SidebarPanel, bpy.types.Panel):
    bl_label = "Examples"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = properties.settings_of(scene_of(context))
        return bool(settings.mode == Restyle.verb and settings.experts)

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        known = _get_known_style(context)
        present(self.layout).label(text=translate_text("not learnt" if known is None else known.short))

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
        draw_options(options, settings, [("style", about) for about in properties.shown_options("style", RARE)])
        if not jobs.visible_job():
            row = layout.row(align=True)
            row.operator("action_loom.learn_style", icon="VIEWZOOM")
            row.operator("action_loom.keep_style", text="Keep", icon="FILE_TICK")
        known = _get_known_style(context)
        if known is None:
            return
        column = layout.column(align=True)
        for line in known.lines:
            draw_text(column, context, line)
        for name, (lowest, highest) in known.ranges.items():
            row = column.split(factor=0.4)
            row.label(text=name.title())
            row.label(text=translate_text(f"examples {lowest:+.1f} to {highest:+.1f}"))


def _get_known_style(context: bpy.types.Context) -> "KnownStyle | None":
    from ...services.preview import panel_state
    from ...services.styles import styles

    scene, armature = scene_of(context), target_armature.of_tab(context)
    rig = properties.rig_of(scene, armature)
    if armature is None or rig is None or not styles.is_learnt(armature):
        return None
    return styles.style_of(armature, panel_state.asked_state(scene, rig, "style"))


register = registrar.registration((ACTION_LOOM_PT_examples,))
