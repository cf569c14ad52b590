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
        layout.operator("action_loom.plant")
        layout.operator("action_loom.retarget")
        layout.separator()
        layout.operator("action_loom.rebuild")
        layout.operator("action_loom.edit_recipe")
        layout.operator("action_loom.check")


def _weave(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Search finds only what is in a menu of the editor under the mouse."""
    layout = present(menu.layout)
    layout.separator()
    layout.menu("ACTION_LOOM_MT_weave")


_ENTRIES = (
    ("VIEW3D_MT_object_animation", _weave),
    ("VIEW3D_MT_pose", _weave),
    ("VIEW3D_MT_armature_add", _add_demo),
    ("TOPBAR_MT_file_import", _import_motion),
    ("TOPBAR_MT_file_export", _export_motion),
)


def register() -> None:
    bpy.utils.register_class(ACTION_LOOM_MT_weave)
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).append(entry)


def unregister() -> None:
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).remove(entry)
    bpy.utils.unregister_class(ACTION_LOOM_MT_weave)
