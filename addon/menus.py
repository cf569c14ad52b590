"""Entries in Blender's own menus."""

from typing import Any

import bpy


def _add_demo(menu: Any, _context: Any) -> None:
    menu.layout.operator("action_loom.add_demo", icon="OUTLINER_OB_ARMATURE")


def register() -> None:
    bpy.types.VIEW3D_MT_armature_add.append(_add_demo)


def unregister() -> None:
    bpy.types.VIEW3D_MT_armature_add.remove(_add_demo)
