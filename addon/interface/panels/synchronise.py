"""Show how the sources are matched: options, figures and pictures of each pair."""

from typing import Literal

import bpy

from ....core.options import PANEL, RARE
from ...ground import registrar
from ...ground.blender_types import present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from ...services.matching import analysis
from . import SidebarPanel, draw_job, draw_options, options_in, picture_scale

SHORT = {analysis.MAY_HAVE_CHANGED: "maybe outdated"}
ICONS: dict[str, Literal["CHECKMARK", "FILE_REFRESH", "QUESTION", "INFO"]] = {
    analysis.UP_TO_DATE: "CHECKMARK",
    analysis.OPTIONS_CHANGED: "FILE_REFRESH",
    analysis.MAY_HAVE_CHANGED: "QUESTION",
    analysis.NOT_ANALYSED: "INFO",
}


LISTED = 24  # pairs; in longer lists a number chooses the displayed pair


class ACTION_LOOM_PT_synchronise(SidebarPanel, bpy.types.Panel):
    bl_label = "Synchronise"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 10

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return target_armature.of_tab(context) is not None and properties.settings_of(scene_of(context)).experts

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        state = analysis.state(scene_of(context), present(target_armature.of_tab(context)))
        self.layout.label(text=SHORT.get(state, state))

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout_for(target_armature.of_tab(context)), properties.settings_of(scene_of(context))
        options = options_in(layout)
        draw_options(options, settings, [("matching", about) for about in properties.shown_options("matching", PANEL)])
        if not draw_job(layout):
            layout.operator("action_loom.analyse", icon="VIEWZOOM")
        self._draw_found(context)

    def _draw_found(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout, properties.settings_of(scene_of(context))
        armature = present(target_armature.of_tab(context))
        state, known = analysis.state(scene_of(context), armature), analysis.analysis_of(armature)
        layout.label(text=translate_text(state.capitalize()), icon=ICONS[state])
        if known is None or state == analysis.NOT_ANALYSED:
            return
        shown, reference = analysis.shown_pair(scene_of(context), known), known.reference
        column = layout.column(align=True)
        many = len(known.pairs) > LISTED
        if many:
            column.prop(settings, "picture")
        for place, pair in enumerate([shown] if many else known.pairs):
            row = column.row(align=True)
            if len(known.pairs) > 1 and not many:
                choose = row.operator(
                    "wm.context_set_int", text="", icon="RADIOBUT_ON" if pair is shown else "RADIOBUT_OFF", emboss=False
                )
                assert choose is not None
                choose.data_path, choose.value = "scene.action_loom.picture", place
            row.label(text=translate_text(f"{pair.name} to {reference}"))
            for line in figures(pair, reference):
                column.label(text=translate_text(line))
        layout.template_icon(analysis.icon_of(known, shown), scale=picture_scale(context))
        layout.operator("action_loom.show_registration", icon="IMAGE_DATA")
        layout.operator("action_loom.retime", icon="TIME")


class ACTION_LOOM_PT_synchronise_more(SidebarPanel, bpy.types.Panel):
    bl_label = "More"
    bl_parent_id = "ACTION_LOOM_PT_synchronise"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = options_in(self.layout), properties.settings_of(scene_of(context))
        draw_options(layout, settings, [("matching", about) for about in properties.shown_options("matching", RARE)])


_STRETCHES = {"pinned": "first frame to last", "open": "the best stretch", "cyclic": "round the cycle"}


def figures(pair: analysis.Pair, reference: str) -> list[str]:
    """Return the figures of a pair, in lines that fit a sidebar."""
    ours, theirs = (f"{100.0 * share:.0f} %" for share in pair.kept)
    stretch = _STRETCHES.get(pair.ends, pair.ends)
    return [f"{max(pair.likeness, 0.0):.0%} alike, {stretch}", f"{ours} of {reference}, {theirs} of {pair.name}"]


register = registrar.registration((ACTION_LOOM_PT_synchronise, ACTION_LOOM_PT_synchronise_more))
