"""Entries in Blender's own menus."""

import bpy

from ..core.formats import registry
from .blender_types import present


def _add_demo(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator("action_loom.add_demo", icon="OUTLINER_OB_ARMATURE")


def _import_motion(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.import_motion", text=f"Motion files for Action Loom ({', '.join(registry.READABLE)})"
    )


def _export_motion(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    present(menu.layout).operator(
        "action_loom.export_motion", text=f"Motion files from Action Loom ({', '.join(registry.WRITABLE)})"
    )


_ENTRIES = (
    ("VIEW3D_MT_armature_add", _add_demo),
    ("TOPBAR_MT_file_import", _import_motion),
    ("TOPBAR_MT_file_export", _export_motion),
)


def register() -> None:
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).append(entry)


def unregister() -> None:
    for menu, entry in _ENTRIES:
        getattr(bpy.types, menu).remove(entry)
