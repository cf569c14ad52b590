"""Entries in Blender's own menus."""

import bpy

from ..core.formats import registry
from . import formats, properties
from .blender_types import DrawContext, present
from .translations.told import translated

AROUND = 7  # entries of a pie; the eighth place is for the others
MODES = ("Pose", "Object Mode")  # in which its shortcut opens it; Blender has nothing there itself


def _add_demo(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator("action_loom.add_demo", icon="OUTLINER_OB_ARMATURE")


def _import_motion(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.import_motion", text=translated(f"Motion files for Action Loom ({', '.join(formats.READABLE)})")
    )


def _export_motion(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.export_motion", text=translated(f"Motion files from Action Loom ({', '.join(registry.WRITABLE)})")
    )


class ACTION_LOOM_MT_weave(bpy.types.Menu):
    bl_label = "Action Loom"

    def draw(self, context: DrawContext) -> None:
        layout = present(self.layout)
        layout.operator("action_loom.add_sources")
        layout.operator("action_loom.add_selected_sources")
        layout.separator()
        for recipe in properties.MODES:
            layout.operator(f"action_loom.{recipe.verb}")
        layout.separator()
        layout.operator("action_loom.retarget")
        layout.menu("ACTION_LOOM_MT_repair")
        layout.menu("ACTION_LOOM_MT_feet")
        layout.separator()
        layout.operator("action_loom.rebuild")
        layout.operator("action_loom.edit_recipe")
        layout.operator("action_loom.check")


class ACTION_LOOM_MT_repair(bpy.types.Menu):
    bl_label = "Repair"

    def draw(self, context: DrawContext) -> None:
        layout = present(self.layout)
        for recipe in properties.EDITS:
            layout.operator(f"action_loom.{recipe.verb}")
        layout.separator()
        layout.operator("action_loom.clean_up")


class ACTION_LOOM_MT_repair_pie(bpy.types.Menu):
    """Opened by its shortcut; what does not fit around the mouse is below it."""

    bl_label = "Repair"

    def draw(self, context: DrawContext) -> None:
        pie = present(self.layout).menu_pie()
        for recipe in properties.EDITS[:AROUND]:
            pie.operator(f"action_loom.{recipe.verb}")
        if properties.EDITS[AROUND:]:
            below = pie.column()
            for recipe in properties.EDITS[AROUND:]:
                below.operator(f"action_loom.{recipe.verb}")


class ACTION_LOOM_MT_feet(bpy.types.Menu):
    bl_label = "Feet"

    def draw(self, context: DrawContext) -> None:
        layout = present(self.layout)
        layout.operator("action_loom.plant")
        layout.operator("action_loom.find_contacts")
        layout.separator()
        layout.operator("action_loom.contacts_to_markers")
        layout.operator("action_loom.contacts_from_markers")


def _feet(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = present(menu.layout)
    layout.separator()
    layout.menu("ACTION_LOOM_MT_feet", text="Feet (Action Loom)")


def _tools(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    _feet(menu, context)
    present(menu.layout).menu("ACTION_LOOM_MT_repair", text="Repair (Action Loom)")


def _weave(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Search finds only what is in a menu of the editor under the mouse."""
    layout = present(menu.layout)
    layout.separator()
    layout.menu("ACTION_LOOM_MT_weave")


_MENUS = (ACTION_LOOM_MT_repair, ACTION_LOOM_MT_repair_pie, ACTION_LOOM_MT_feet, ACTION_LOOM_MT_weave)
_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []
_ENTRIES = (
    ("VIEW3D_MT_object_animation", _weave),
    ("VIEW3D_MT_pose", _weave),
    ("DOPESHEET_MT_key", _tools),
    ("DOPESHEET_MT_marker", _feet),
    ("VIEW3D_MT_armature_add", _add_demo),
    ("TOPBAR_MT_file_import", _import_motion),
    ("TOPBAR_MT_file_export", _export_motion),
)


def register() -> None:
    for menu_class in _MENUS:
        bpy.utils.register_class(menu_class)
    config = present(bpy.context.window_manager).keyconfigs.addon
    for mode in MODES if config is not None else ():
        keymap = present(config).keymaps.new(name=mode)
        item = keymap.keymap_items.new("wm.call_menu_pie", "U", "PRESS", shift=True, alt=True)
        present(item.properties).name = "ACTION_LOOM_MT_repair_pie"
        _items.append((keymap, item))
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).append(entry)


def unregister() -> None:
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).remove(entry)
    for menu_class in _MENUS:
        bpy.utils.unregister_class(menu_class)
