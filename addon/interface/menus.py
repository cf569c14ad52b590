"""Add our menus to Blender's, so that search (F3) finds our operators; it lists only menu entries of the editor.

Every operator that works without context is in the menu Action Loom of each animation editor. Buttons for a given row
(`INTERNAL`) are left out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import bpy

from ...core.formats import registry
from ...core.points import registry as point_registry
from ..ground import formats, registrar
from ..ground.blender_types import DrawContext, present
from ..ground.translations.runtime import translate_text
from ..model import intents, preferences, target_armature
from ..services.sources import source_list

AROUND = 7  # entries around a pie; the eighth place holds all others
MODES = ("Pose", "Object Mode")  # keymaps with its shortcut, a key that Blender leaves free there
LINE = ""  # separator between entries

_MODES = tuple(recipe.verb for recipe in intents.MODES)
_EDITS = tuple(recipe.verb for recipe in intents.EDITS)
_BAKES = ("bake_to_bones", "bake_to_controls")


class Row(NamedTuple):
    """A menu's label and its entries: operators, other menus (MT_…) and separators."""

    label: str
    entries: tuple[str, ...]


MENUS = {
    "reading": Row(
        label="Sources",
        entries=(
            *("add_sources", "add_active_source", "add_selected_sources", "add_asset_sources", LINE),
            *("import_motion", "import_points", LINE),
            *("find_roles", "find_controls", "key_weights", "clear_weight_keys", LINE),
            *("analyse", "show_registration", "retime"),
        ),
    ),
    "library": Row(
        label="Library",
        entries=("new_library", "add_to_library", "read_library", LINE, "find_like", "find_doing", "import_found"),
    ),
    "prepare": Row(
        label="Prepare",
        entries=(
            *("find_cycles", "show_scores", "find_transitions", LINE),
            *("steer", "draw_path", "new_curve", "add_stretch", "build_graph", "show_graph", LINE),
            *("learn_style", "keep_style", "load_style", "save_style", LINE),
            *("pick_pose", "clear_poses"),
            *("next_stretch", "lock_stretch", "whole_stretch", "clear_gaps", "move_poses"),
        ),
    ),
    "repair": Row(
        label="Repair",
        entries=(
            *_EDITS,
            LINE,
            *_BAKES,
            LINE,
            "tween",
            "add_event",
            "event_to_here",
            "place_from_cursor",
            LINE,
            "clean_up",
        ),
    ),
    "feet": Row(
        label="Feet",
        entries=("plant", "find_contacts", "add_contact", LINE, "contacts_to_markers", "contacts_from_markers"),
    ),
    "result": Row(
        label="Result",
        entries=(
            *("play_action", "match_rate", LINE, "edit_recipe", "rebuild", "clear_preview", LINE),
            *("push_down", "mark_asset", "export_motion"),
        ),
    ),
    "take": Row(
        label="Take",
        entries=("cut_take", "split_take_row", "join_take_rows", LINE, "push_down_set", "export_set"),
    ),
    "weave": Row(
        label="Action Loom",
        entries=(
            *("MT_reading", "MT_library", "MT_prepare", LINE),
            *(*_MODES, "shortest", "variations", "walks", "retarget", LINE),
            *("MT_take", "MT_repair", "MT_feet", "MT_result", LINE),
            *("check", "add_demo", "manual", "report_problem"),
        ),
    ),
}


# Entries for a right-clicked action: operators for a single action.
OF_ACTION = (
    *("add_source", LINE),
    *(recipe.verb for recipe in intents.MODES if recipe.least == recipe.most == 1 and recipe.verb != "cut_out"),
    LINE,
    *(verb for verb in _EDITS if verb != "bake"),
    LINE,
    *_BAKES,
)


def draw_entries(layout: bpy.types.UILayout, entries: tuple[str, ...]) -> None:
    """Draw operators, menus and separators by their names in `MENUS`."""
    for entry in entries:
        if entry == LINE:
            layout.separator()
        elif entry.startswith("MT_"):
            layout.menu(f"ACTION_LOOM_{entry}")
        else:
            layout.operator(f"action_loom.{entry}")


def _added_to(menu: str) -> tuple[str, ...]:
    """Return the operators of verbs that other add-ons have added, for a menu."""
    return intents.added_verbs(of_action=menu == "repair") if menu in ("repair", "weave") else ()


def _menu(name: str, label: str, entries: tuple[str, ...]) -> type:
    """Return a menu class for the tab's armature, greyed out like the tab's buttons."""

    def draw(self: Any, context: DrawContext) -> None:
        layout = present(self.layout)
        target_armature.mark(layout, target_armature.of_tab(present(context)))
        draw_entries(layout, (*entries, *_added_to(name)))

    about = {"__module__": __name__, "__doc__": label, "bl_label": label, "draw": draw}
    return type(f"ACTION_LOOM_MT_{name}", (bpy.types.Menu,), about)


class ACTION_LOOM_MT_action(bpy.types.Menu):
    """What can be done with an action that is right-clicked."""

    bl_label = "Action Loom"

    def draw(self, context: DrawContext) -> None:
        layout, armature = present(self.layout), target_armature.of_tab(present(context))
        action = target_armature.action(present(context)) or clicked_action(present(context))
        if action is not None:
            target_armature.mark(layout, armature)
            target_armature.mark_action(layout, action)
            draw_entries(layout, (*OF_ACTION, *_added_to("repair")))


def clicked_action(context: bpy.types.Context) -> bpy.types.Action | None:
    """Return the action of a context menu: of a field or line, an outliner row, an editor or a strip."""
    holder, field = getattr(context, "button_pointer", None), getattr(context, "button_prop", None)
    if holder is not None:
        found = [getattr(holder, "action", None)]
        found += [getattr(holder, field.identifier, None)] if field is not None else []
    else:
        found = [target_armature.action(context), *(getattr(context, "selected_ids", None) or ())]
        found += [getattr(context, "active_action", None)]
        found += [getattr(getattr(context, "active_nla_strip", None), "action", None)]
    return next((one for one in found if isinstance(one, bpy.types.Action)), None)


class ACTION_LOOM_MT_repair_pie(bpy.types.Menu):
    """Opened by its shortcut; what does not fit around the mouse is below it."""

    bl_label = "Repair"

    def draw(self, context: DrawContext) -> None:
        pie = present(self.layout).menu_pie()
        for verb in _EDITS[:AROUND]:
            pie.operator(f"action_loom.{verb}")
        if _EDITS[AROUND:]:
            below = pie.column()
            for verb in _EDITS[AROUND:]:
                below.operator(f"action_loom.{verb}")


# --- entries in Blender's own menus ----------------------------------------------------------------------------------


def _add_demo(menu: Any, _context: bpy.types.Context) -> None:
    present(menu.layout).operator("action_loom.add_demo", icon="OUTLINER_OB_ARMATURE")


def _import_motion(menu: Any, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.import_motion",
        text=translate_text(f"Motion files for Action Loom ({', '.join(formats.readable())})"),
    )


def _import_points(menu: Any, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.import_points",
        text=translate_text(f"Points for Action Loom ({', '.join(point_registry.POINT_FORMATS)})"),
    )


def _export_motion(menu: Any, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.export_motion",
        text=translate_text(f"Motion files from Action Loom ({', '.join(registry.writable())})"),
    )


def _feet(menu: Any, _context: bpy.types.Context) -> None:
    layout = present(menu.layout)
    layout.separator()
    layout.menu("ACTION_LOOM_MT_feet", text="Feet (Action Loom)")


def _tools(menu: Any, context: bpy.types.Context) -> None:
    _feet(menu, context)
    present(menu.layout).menu("ACTION_LOOM_MT_repair", text="Repair (Action Loom)")


def _weave(menu: Any, _context: bpy.types.Context) -> None:
    layout = present(menu.layout)
    layout.separator()
    layout.menu("ACTION_LOOM_MT_weave")


def _of_action(menu: Any, context: bpy.types.Context) -> None:
    """Add our menu to a context menu about an action that moves bones of the tab's armature."""
    action, armature = clicked_action(context), target_armature.of_tab(context)
    if action is not None and armature is not None and source_list.moves(action, armature).bones:
        layout = present(menu.layout)
        layout.separator()
        target_armature.mark_action(layout, action)
        layout.menu("ACTION_LOOM_MT_action")


def _strip(menu: Any, context: bpy.types.Context) -> None:
    kept = preferences.read_preferences(context)
    if kept is not None:
        layout = present(menu.layout)
        layout.separator()
        layout.prop(kept, "strip", text="Action Loom Strip")


def _in_header(menu: Any, context: bpy.types.Context) -> None:
    """Add our menu to an editor's header if it shows an armature's action."""
    shown = getattr(context.space_data, "mode", "FCURVES")
    if shown in ("DOPESHEET", "ACTION", "FCURVES") and target_armature.of_tab(context) is not None:
        present(menu.layout).menu("ACTION_LOOM_MT_weave")


_ENTRIES: tuple[tuple[str, Callable[[Any, bpy.types.Context], None]], ...] = (
    ("VIEW3D_MT_object_animation", _weave),
    ("VIEW3D_MT_pose", _weave),
    ("DOPESHEET_MT_editor_menus", _in_header),
    ("GRAPH_MT_editor_menus", _in_header),
    ("NLA_MT_editor_menus", _in_header),
    ("DOPESHEET_MT_context_menu", _of_action),
    ("NLA_MT_context_menu", _of_action),
    ("OUTLINER_MT_context_menu", _of_action),
    ("UI_MT_button_context_menu", _of_action),
    ("DOPESHEET_MT_view", _strip),
    ("TIME_MT_view", _strip),
    ("DOPESHEET_MT_key", _tools),
    ("DOPESHEET_MT_marker", _feet),
    ("VIEW3D_MT_armature_add", _add_demo),
    ("TOPBAR_MT_file_import", _import_motion),
    ("TOPBAR_MT_file_import", _import_points),
    ("TOPBAR_MT_file_export", _export_motion),
)
_MENUS = (*(_menu(name, *row) for name, row in MENUS.items()), ACTION_LOOM_MT_action, ACTION_LOOM_MT_repair_pie)


def register() -> None:
    registrar.add_classes(_MENUS)
    for mode in MODES:
        item = registrar.add_key(mode, "wm.call_menu_pie", "U", shift=True, alt=True)
        if item is not None:
            present(item.properties).name = "ACTION_LOOM_MT_repair_pie"
    for menu, entry in _ENTRIES:
        registrar.append(getattr(bpy.types, menu), entry)
