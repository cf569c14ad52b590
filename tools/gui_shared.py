"""What the scripts share that `tools/gui.py` runs inside Blender's window."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import bpy


def loom(name: str) -> ModuleType:
    """An installed module by its name inside the extension."""
    package = next(m for m in sys.modules if m.startswith("bl_ext.") and m.endswith(".action_loom"))
    return import_module(f"{package}.{name}")


def idle() -> bool:
    """Say whether no work goes on beside the interface."""
    return loom("addon.session.jobs").running() is None


def begin_open(panel: Any) -> None:
    """Let a panel begin open; once it has been drawn nothing but a click opens it."""
    bpy.utils.unregister_class(panel)
    panel.bl_options = set()
    bpy.utils.register_class(panel)
