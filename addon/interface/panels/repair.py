"""Show the tools for one action: the tool, its options, and its last result."""

from typing import Any

import bpy

from ....core.recipes.base import Recipe
from ....core.verbs import VERBS, MoveEvents, Place, Reach, Warp
from ...ground import registrar
from ...ground.blender_types import DrawContext, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import contact_rows, properties, target_armature
from ...services.preview import tool_handles
from ...services.sources import source_list
from .. import manual
from . import ItemList, SidebarPanel, draw_job, draw_manual, draw_options, draw_partner, draw_text, options_in


def recipe_of(scene: bpy.types.Scene) -> type[Recipe]:
    """Return the recipe of the chosen tool."""
    return VERBS[properties.settings_of(scene).edit].recipe


class ACTION_LOOM_UL_events(ItemList, bpy.types.UIList):
    """Rows of events: the event's frame, its new frame, and how long it is held."""

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        split = layout.split(factor=0.62, align=True)
        row = split.row(align=True)
        row.prop(item, "first", text="")
        row.label(text="", icon="FORWARD")
        row.prop(item, "to", text="")
        held = split.row()
        held.active = item.hold > 0.0
        held.prop(item, "hold", text="")


class ACTION_LOOM_PT_repair(SidebarPanel, bpy.types.Panel):
    bl_label = "Tool"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return target_armature.of_tab(context) is not None and properties.settings_of(scene_of(context)).tool_open

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        draw_manual(self.layout, manual.page_of(recipe_of(scene_of(context)).verb))

    def draw(self, context: bpy.types.Context) -> None:
        scene, armature = scene_of(context), present(target_armature.of_tab(context))
        layout, settings = self.layout_for(armature), properties.settings_of(scene)
        tool_handles.look_soon(context)
        row = layout.row(align=True)
        row.prop(settings, "edit", text="")
        present(row.operator("action_loom.open_tool", text="", icon="X")).tool = ""
        recipe = recipe_of(scene)
        actions = source_list.own_actions(scene, armature, settings.edit_which)
        count = len(actions)
        if not draw_job(layout):
            row = layout.row(align=True)
            row.scale_y = 1.4
            text = translate_text(recipe.label_of(count)) if count > 1 else recipe.label
            row.operator(f"action_loom.{recipe.verb}", text=text, icon="TOOL_SETTINGS")
            preview = present(row.operator(f"action_loom.{recipe.verb}", text="", icon="GHOST_ENABLED"))
            preview.preview = True
        self._draw_last(context, armature, actions)
        if recipe is Warp:
            layout.operator("action_loom.tween", icon="ARROW_LEFTRIGHT")
            self._draw_poses(armature)
        if recipe is MoveEvents:
            self._draw_events(settings)
        options = options_in(layout)
        options.prop(settings, "edit_which")
        options.prop(settings, "edit_replace")
        draw_partner(options, settings, recipe)
        if recipe is Reach and not settings.reach.target.strip():
            options.prop(settings, "reach_object")
        if recipe is Place and settings.place.where in ("auto", "after"):
            options.prop(settings, "place_after")
        if recipe is Place:
            options.operator("action_loom.place_from_cursor", icon="CURSOR")
        rig = properties.rig_of(scene, armature)
        draw_options(options, settings, properties.shown_in_mode(recipe, rare=False), rig)
        rare = properties.shown_in_mode(recipe, rare=True)
        if rare:
            header, body = layout.panel("action_loom_tool_more", default_closed=True)
            header.label(text="More")
            if body is not None:
                draw_options(options_in(body), settings, rare, rig)

    def _draw_poses(self, armature: bpy.types.Object) -> None:
        """Draw the existing poses of the action."""
        from ...services.poses import spread_poses

        column = self.layout.column(align=True)
        for frame, count in spread_poses.poses_in(contact_rows.action_of(armature)):
            row = column.row(align=True)
            bones = f"{count} bone{'s' * (count > 1)}"
            there = row.operator(
                "action_loom.go_to_frame", text=translate_text(f"Frame {frame}: {bones}"), icon="KEYFRAME_HLT"
            )
            present(there).frame = frame
            present(row.operator("action_loom.remove_pose", text="", icon="X")).frame = frame

    def _draw_events(self, settings: Any) -> None:
        """Draw the events with their new frames, holds and approaches."""
        row = self.layout.row()
        row.template_list("ACTION_LOOM_UL_events", "", settings, "events", settings, "active_event", rows=3)
        buttons = row.column(align=True)
        buttons.operator("action_loom.add_event", text="", icon="ADD")
        buttons.operator("action_loom.remove_event", text="", icon="REMOVE")
        self.layout.operator("action_loom.event_to_here", icon="TIME")
        if 0 <= settings.active_event < len(settings.events):
            self.layout.prop(settings.events[settings.active_event], "anticipation", slider=True)

    def _draw_last(
        self, context: bpy.types.Context, armature: bpy.types.Object, actions: list[bpy.types.Action]
    ) -> None:
        """Draw the summary of the last result while it is the armature's action, or the action to change."""
        rig = properties.rig_of(scene_of(context), armature)
        action = contact_rows.action_of(armature)
        if rig is not None and rig.last and action is not None and action.name == rig.last_of:
            draw_text(self.layout, context, rig.last.removeprefix(f"{rig.last_of}: "))
        elif len(actions) == 1:
            self.layout.label(text=actions[0].name, icon="ACTION", translate=False)


register = registrar.registration((ACTION_LOOM_UL_events, ACTION_LOOM_PT_repair))
