"""Show the library, the search and its results."""

from typing import Any

import bpy

from ...ground import registrar, troubles
from ...ground.blender_types import DrawContext, scene_of
from ...ground.translations.runtime import translate_text
from ...model import preferences, properties, target_armature
from ...services.library import library_finds
from ...services.preview import previews
from . import ItemList, SidebarPanel, draw_job, draw_text, options_in

ROW = 2.0  # row height, in button heights


class ACTION_LOOM_UL_found(ItemList, bpy.types.UIList):
    """Rows of results: tick, picture and file; below, the duration, the distance and whether it is mirrored."""

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        row.template_icon(item.icon, scale=ROW)
        details = row.column(align=True)
        details.label(text=item.name, translate=False)
        figures = details.row(align=True)
        figures.enabled = False  # read-only
        figures.label(text=f"{item.seconds:.1f} s")
        if item.done:
            figures.label(text=item.done)
        else:
            figures.prop(item, "distance", text="", emboss=False)
        figures.label(text="", icon="MOD_MIRROR" if item.mirrored else "BLANK1")


class ACTION_LOOM_PT_library(SidebarPanel, bpy.types.Panel):
    bl_label = "Library"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        armature = target_armature.of_tab(context)
        layout, finder = self.layout_for(armature), library_finds.finder()
        self._draw_library(context)
        if not draw_job(layout):
            layout.operator("action_loom.find_like", icon="VIEWZOOM")
        row = layout.row(align=True)
        row.prop(finder, "doing", text="", icon="VIEWZOOM", placeholder="slow walk turning left")
        row.operator("action_loom.find_doing", text="", icon="PLAY")
        asked = None if armature is None else library_finds.asked_stretch(scene_of(context), armature)
        if asked is not None:
            why = f", {asked.why}" if asked.why else ""
            draw_text(layout, context, f"{asked.source.name}: frames {asked.first:g}–{asked.last:g}{why}")
        options = options_in(layout)
        for name in ("part", "words", "most", "mirror"):
            options.prop(finder, name)
        if len(finder.found):
            self._draw_found(context, finder)

    def _draw_library(self, context: bpy.types.Context) -> None:
        """Draw the library's path, and its size or its error."""
        from ...services.library import libraries

        kept, layout = preferences.read_preferences(context), self.layout
        if kept is None:
            layout.label(text="Enable the extension to choose a library", icon="INFO")
            return
        row = layout.row(align=True)
        row.prop(kept, "library", text="")
        row.operator("action_loom.new_library", text="", icon="ADD")
        row.operator("action_loom.read_library", text="", icon="FILE_REFRESH")
        wrong, known = troubles.of(*libraries.TROUBLES), libraries.find_known(preferences.library(context))
        if wrong is not None:
            draw_text(layout, context, wrong.text, "ERROR", alert=True)
        elif known is not None:
            layout.label(text=translate_text(known.summary))
        elif preferences.library(context):
            layout.label(text="Not read yet")
        layout.operator("action_loom.add_to_library", icon="FILE_FOLDER")

    def _draw_found(self, context: bpy.types.Context, finder: Any) -> None:
        layout, active = self.layout, library_finds.row(finder)
        layout.template_list("ACTION_LOOM_UL_found", "", finder, "found", finder, "active", rows=5)
        if active is not None:
            seen = " mirrored" if active.mirrored else ""
            draw_text(layout, context, f"{active.name}: frames {active.first}–{active.last}{seen}")
            if active.copies:
                draw_text(layout, context, f"Other files of the same take: {active.copies}")
            if active.label:
                draw_text(layout, context, active.label)
        layout.operator("action_loom.import_found", icon="IMPORT")
        armature = target_armature.of_tab(context)
        ghost = None if armature is None else previews.of(armature.session_uid)
        if ghost is not None and ghost.mode == previews.FOUND:
            row = layout.row(align=True)
            row.label(text=translate_text(ghost.summary), icon="GHOST_ENABLED")
            row.prop(properties.settings_of(scene_of(context)), "ghost_mesh", text="", icon="MESH_DATA")
            row.operator("action_loom.clear_preview", text="", icon="X")
            for why in ghost.left_out:
                draw_text(layout, context, why, "INFO")


register = registrar.registration((ACTION_LOOM_UL_found, ACTION_LOOM_PT_library))
