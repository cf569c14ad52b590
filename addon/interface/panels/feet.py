"""Plant the feet of the armature's action, with its contacts as editable rows."""

from typing import Any

import bpy

from ....core.verbs import Plant
from ...ground import jobs, registrar
from ...ground.blender_types import DrawContext, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import contact_rows, hand_rows, properties, target_armature
from . import ItemList, SidebarPanel, draw_job, draw_options, draw_text


class ACTION_LOOM_UL_contacts(ItemList, bpy.types.UIList):
    """Rows of contacts: foot and part, first and last frame; red if one can't be planted.

    Foot and part are chosen below the list, for the active row: names do not fit the fields, and fields take clicks.
    """

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        row = layout.row(align=True)
        row.alert = bool(item.why)
        names = row.split(factor=0.4)
        names.label(
            text=f"{translate_text(contact_rows.FEET[item.foot][0])} {translate_text(item.part)}",
            icon="ERROR" if item.why else "NONE",
        )
        frames = names.row(align=True)
        frames.prop(item, "first", text="")
        frames.prop(item, "last", text="")


class ACTION_LOOM_UL_hand_contacts(ItemList, bpy.types.UIList):
    """Rows of contacts of hands: a tick, the hands and the part; red where a result misses it. Frames are below."""

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        row = layout.row(align=True)
        row.enabled = hand_rows.can_store(hand_rows.action_of(item))
        row.alert = hand_rows.is_missed(item)
        text = translate_text(item.label)
        row.prop(item, "held", text=text[0].upper() + text[1:], translate=False)


class ACTION_LOOM_PT_feet(SidebarPanel, bpy.types.Panel):
    bl_label = "Feet"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return target_armature.of_tab(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        armature, scene = present(target_armature.of_tab(context)), scene_of(context)
        layout = self.layout_for(armature)
        action = contact_rows.action_of(armature)
        if not draw_job(layout):
            self._draw_buttons(action, scene)
            if action is None or not contact_rows.is_rewoven(action):
                draw_options(layout, properties.settings_of(scene), properties.shown_in_mode(Plant, rare=False))
        if action is None:
            return
        layout.label(text=action.name, icon="ACTION", translate=False)
        held = contact_rows.of(scene, action)
        if held is not None and held.said:
            draw_text(layout, context, held.said[0].upper() + held.said[1:])
        self._draw_rows(context, held)

    def _draw_buttons(self, action: bpy.types.Action | None, scene: bpy.types.Scene) -> None:
        row = self.layout.row(align=True)
        row.scale_y = 1.4
        if action is not None and contact_rows.is_rewoven(action):
            row.operator("action_loom.rebuild", text="Weave Again", icon="FILE_REFRESH")
        else:
            row.operator("action_loom.plant", icon="CON_FLOOR")
        row.prop(properties.settings_of(scene), "show_feet", text="", icon="HIDE_OFF")

    def _draw_rows(self, context: bpy.types.Context, held: Any) -> None:
        layout = self.layout
        known = held is not None and (len(held.rows) > 0 or held.edited)
        if not jobs.visible_job():
            layout.operator("action_loom.find_contacts", icon="FILE_REFRESH" if known else "VIEWZOOM")
        if held is None:
            return
        row = layout.row()
        rows = min(max(len(held.rows), 3), 6)  # the user can drag the list longer
        row.template_list("ACTION_LOOM_UL_contacts", "", held, "rows", held, "active", rows=rows)
        buttons = row.column(align=True)
        buttons.operator("action_loom.add_contact", text="", icon="ADD")
        buttons.operator("action_loom.remove_contact", text="", icon="REMOVE")
        self._draw_active(context, held)
        row = layout.row(align=True)
        row.operator("action_loom.contacts_to_markers", icon="PMARKER_ACT")
        row.operator("action_loom.contacts_from_markers", icon="PMARKER")
        if held.edited:
            layout.label(text="Edited: planted by these rows", icon="INFO")
        self._draw_hands(context, held)

    def _draw_hands(self, context: bpy.types.Context, held: Any) -> None:
        count = len(held.hands)
        if count == 0:
            return
        self.layout.template_list(
            "ACTION_LOOM_UL_hand_contacts", "", held, "hands", held, "active_hand", rows=min(count, 6)
        )
        active = held.hands[min(max(held.active_hand, 0), count - 1)]
        row = self.layout.row(align=True)
        row.enabled = hand_rows.can_store(hand_rows.action_of(active))
        row.prop(active, "first")
        row.prop(active, "last")

    def _draw_active(self, context: bpy.types.Context, held: Any) -> None:
        """Draw the active row's foot, and the reasons for unplanted rows."""
        active = held.rows[held.active] if 0 <= held.active < len(held.rows) else None
        if active is not None:
            row = self.layout.row(align=True)
            row.prop(active, "foot", text="")
            row.prop(active, "part", text="")
        refused = sum(bool(row.why) for row in held.rows)
        if active is not None and active.why:
            draw_text(self.layout, context, f"Not planted: {active.why}", "ERROR")
        elif refused:
            draw_text(self.layout, context, f"{refused} not planted: click a red row to see why", "ERROR")


register = registrar.registration((ACTION_LOOM_UL_contacts, ACTION_LOOM_UL_hand_contacts, ACTION_LOOM_PT_feet))
