"""Entries in Blender's own menus."""

import bpy

from ..core.formats import registry
from . import formats, properties
from .blender_types import DrawContext, present


def _add_demo(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator("action_loom.add_demo", icon="OUTLINER_OB_ARMATURE")


def _import_motion(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.import_motion", text=f"Motion files for Action Loom ({', '.join(formats.READABLE)})"
    )


def _export_motion(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.export_motion", text=f"Motion files from Action Loom ({', '.join(registry.WRITABLE)})"
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


_MENUS = (ACTION_LOOM_MT_repair, ACTION_LOOM_MT_feet, ACTION_LOOM_MT_weave)
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
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).append(entry)


def unregister() -> None:
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).remove(entry)
    for menu_class in _MENUS:
        bpy.utils.unregister_class(menu_class)
