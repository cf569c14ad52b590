"""Entries in Blender's own menus."""

from typing import Any

import bpy


def _add_demo(menu: Any, _context: Any) -> None:
    menu.layout.operator("action_loom.add_demo", icon="OUTLINER_OB_ARMATURE")


def _import_motion(menu: Any, _context: Any) -> None:
    menu.layout.operator("action_loom.import_motion", text="Motion files for Action Loom (.bvh)")


def _export_motion(menu: Any, _context: Any) -> None:
    menu.layout.operator("action_loom.export_motion", text="Motion files from Action Loom (.bvh)")


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
