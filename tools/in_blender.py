"""Starts Blender's module with the built extension installed in a home of its own, for tools that need both."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

PACKAGE = "bl_ext.user_default.action_loom"


@contextmanager
def extension(zip_path: str, keep: str = "") -> Iterator[Callable[[str], ModuleType]]:
    """Install and enable a zip; yields a function that returns an installed module by its name inside.

    `keep` names a folder where the first call installs the extension and later calls find it.
    """
    home = keep or tempfile.mkdtemp(prefix="action-loom-")
    installed = (Path(home) / "extensions" / "user_default" / "action_loom").is_dir()
    os.environ["BLENDER_USER_RESOURCES"] = home  # read by Blender as it starts
    import bpy

    addon_utils = import_module("addon_utils")
    try:
        if installed:
            addon_utils.enable(PACKAGE, default_set=True)
        else:
            bpy.ops.extensions.package_install_files(
                filepath=str(zip_path), repo="user_default", enable_on_install=True
            )
        if PACKAGE not in bpy.context.preferences.addons:
            raise SystemExit(f"{zip_path} was not enabled: see the lines above")
        yield lambda name: import_module(f"{PACKAGE}.{name}")
    finally:
        # Blender 4.5 never ends while classes are registered.
        addon_utils.disable(PACKAGE, default_set=True)
        if not keep:
            shutil.rmtree(home, ignore_errors=True)
