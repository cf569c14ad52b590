"""What the scripts share that `tools/gui.py` runs inside Blender's window."""

import sys
from importlib import import_module
from types import ModuleType


def loom(name: str) -> ModuleType:
    """An installed module by its name inside the extension."""
    package = next(m for m in sys.modules if m.startswith("bl_ext.") and m.endswith(".action_loom"))
    return import_module(f"{package}.{name}")


def idle() -> bool:
    """Say whether no work goes on beside the interface."""
    return loom("addon.session.jobs").running() is None
