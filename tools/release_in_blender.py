"""Install the previous version in one Blender from a repository over file://, open its file, update, and remove it.

    python tools/release_in_blender.py BEFORE NOW FILE.blend

BEFORE and NOW are folders with a zip and its index. BEFORE may be "" if the previous version is unavailable; then the
new one is installed at once. A failed check ends the process with a status other than 0.
"""

import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

MODULE, NAME = "release_try", "action_loom"
PACKAGE = f"bl_ext.{MODULE}.{NAME}"
SOURCES = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]


def check(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"does not hold: {what}")


def installed(folder: Path) -> str:
    """Return the version installed in a repository's folder."""
    manifest = (folder / NAME / "blender_manifest.toml").read_text(encoding="utf-8")
    return manifest.partition('\nversion = "')[2].partition('"')[0]


def weaves(bpy: Any, what: str) -> None:
    answer = bpy.ops.action_loom.blend(sources=SOURCES)
    check(answer == {"FINISHED"}, f"{what} weaves")


def main(before: str, now: str, file: str) -> None:
    home = tempfile.mkdtemp(prefix="action-loom-release-")
    os.environ["BLENDER_USER_RESOURCES"] = home
    bpy = import_module("bpy")
    published = Path(tempfile.mkdtemp(prefix="action-loom-repository-"))
    shutil.copytree(before or now, published, dirs_exist_ok=True)
    bpy.context.preferences.system.use_online_access = True  # asked for even by file://
    repos = bpy.context.preferences.extensions.repos
    repo = repos.new(name="Release", module=MODULE, remote_url=f"file://{published}/index.json")
    folder = Path(repo.directory)

    def get() -> None:
        bpy.ops.extensions.repo_sync(repo_directory=str(folder))
        bpy.ops.extensions.package_install(repo_directory=str(folder), pkg_id=NAME, enable_on_install=True)

    get()
    check(PACKAGE in bpy.context.preferences.addons, "it is installed from the index and enabled")
    print(f"installed {installed(folder)}")
    if before:
        bpy.ops.wm.open_mainfile(filepath=file)
        check(hasattr(bpy.context.scene, "action_loom"), "the earlier version reads its own file")
        shutil.copytree(now, published, dirs_exist_ok=True)
        get()
        print(f"updated to {installed(folder)} with {Path(file).name} open")
        check(next(Path(now).glob("*.zip")).stem.endswith(installed(folder)), "it is updated")
        check(bpy.ops.action_loom.rebuild(action="Old Blend") == {"FINISHED"}, "an earlier result is rebuilt")
        weaves(bpy, "the open file")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.action_loom.add_demo()
    weaves(bpy, "a new file")
    bpy.ops.extensions.package_uninstall(repo_directory=str(folder), pkg_id=NAME)
    check(PACKAGE not in bpy.context.preferences.addons, "it is disabled when it is removed")
    check(not hasattr(bpy.types.Scene, "action_loom"), "scenes have no settings of it")
    check(not [name for name in dir(bpy.types) if name.startswith("ACTION_LOOM")], "no class of it is registered")
    left = [str(path) for path in Path(home).rglob("*") if NAME in path.name and "cache" not in str(path)]
    check(not left, f"no file of it is left: {left}")
    print("removed: nothing is left")
    for folder in (home, published):
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    os._exit(0)  # Blender's own end as a module has crashed


if __name__ == "__main__":
    main(*sys.argv[1:4])
