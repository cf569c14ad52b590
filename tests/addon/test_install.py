"""The built zip installs, registers lightly, and leaves Blender and its numpy as they were."""

import json
import os
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import addon_utils
import bpy
import pytest

# Modules that a fresh Blender loads when the extension is enabled, and modules that the extension itself imports:
# Blender loads numpy by itself since 4.5, so the first list alone would prove nothing.
REGISTER = """
import builtins, json, sys
import bpy, addon_utils

package, asked_for, plain_import = sys.argv[1], set(), builtins.__import__

def noting_import(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if level == 0 and (importer + ".").startswith(package + "."):
        asked_for.add(name.partition(".")[0])
    return plain_import(name, globals, locals, fromlist, level)

before = set(sys.modules)
builtins.__import__ = noting_import
module = addon_utils.enable(package, default_set=True)
builtins.__import__ = plain_import
loaded = set(sys.modules) - before
addon_utils.disable(package, default_set=True)
print("ANSWER", json.dumps({
    "enabled": module is not None, "loaded": sorted(loaded), "asked_for": sorted(asked_for)
}))
"""


@pytest.fixture(scope="module")
def fresh_process(extension):
    """Return the finished process that enables and disables the extension."""
    command = [sys.executable, "-P", "-c", REGISTER, extension]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def registered(fresh_process):
    assert "ANSWER" in fresh_process.stdout, fresh_process.stdout + fresh_process.stderr
    return json.loads(fresh_process.stdout.partition("ANSWER")[2].splitlines()[0])


def test_it_is_enabled(extension):
    assert extension in bpy.context.preferences.addons
    assert addon_utils.check(extension) == (True, True)


def test_every_name_in_blender_is_its_own(extension):
    every = [getattr(bpy.types, name, None) for name in dir(bpy.types)]
    ours = {one.__name__ for one in every if getattr(one, "__module__", "").startswith(extension)}
    assert len(ours) > 50
    assert {name for name in ours if not name.lower().startswith("action_loom")} == set()


def test_the_repository_is_not_imported_beside_it():
    strangers = {name.partition(".")[0] for name in sys.modules}
    assert not [name for name in strangers if name.startswith("action_loom")]


def test_a_fresh_process_can_enable_it(registered, extension):
    assert registered["enabled"]
    assert extension in registered["loaded"]


@pytest.mark.parametrize("heavy", ["numpy", "numba", "llvmlite"])
def test_registering_does_not_load(registered, heavy):
    assert heavy not in registered["loaded"]
    assert heavy not in registered["asked_for"]


def test_a_process_that_enabled_and_disabled_it_ends_well(fresh_process):
    assert fresh_process.returncode == 0, fresh_process.stderr


def test_it_can_be_disabled_and_enabled_again_and_again(extension):
    failures = []
    for _ in range(2):
        addon_utils.disable(extension, default_set=True, handle_error=failures.append)
        assert extension not in bpy.context.preferences.addons
        addon_utils.enable(extension, default_set=True, handle_error=failures.append)
        assert extension in bpy.context.preferences.addons
    assert failures == []


def test_the_zip_brings_no_library():
    with zipfile.ZipFile(os.environ["ACTION_LOOM_ZIP"]) as archive:
        assert {name.partition(".")[2] for name in archive.namelist()} <= {
            "py",
            "toml",
            "md",
            "npz",
            "po",
            "html",
            "png",
            "webp",
            "",
        }


def test_numpy_is_blenders_own(resources):
    numpy = import_module("numpy")
    assert not Path(numpy.__file__).is_relative_to(resources)
    assert not list(resources.rglob("numpy"))


WEAVE = """
import sys
import bpy, addon_utils

addon_utils.enable(sys.argv[1], default_set=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.action_loom.add_demo()
sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
print("ANSWER", bpy.ops.action_loom.blend(sources=sources))
addon_utils.disable(sys.argv[1], default_set=True)
"""


def test_a_process_that_has_woven_ends_well(extension):
    command = [sys.executable, "-P", "-c", WEAVE, extension]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "ANSWER {'FINISHED'}" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0


PREVIEW = """
import sys
import bpy, addon_utils

def listening():
    every = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {name: len(there) for name, there in every.items() if isinstance(there, list)}

before = listening()
addon_utils.enable(sys.argv[1], default_set=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.action_loom.add_demo()
settings, quiet = bpy.context.scene.action_loom, listening()
settings.ghost_mesh = settings.solo = True
sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
bpy.ops.action_loom.blend(sources=sources, preview=True)
assert listening() != quiet, "a preview listens to nothing"
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
assert listening() == quiet, "another file: something still listens"
bpy.ops.action_loom.add_demo()
bpy.ops.action_loom.blend(sources=sources, preview=True)
addon_utils.disable(sys.argv[1], default_set=True)
assert listening() == before, (before, listening())
print("ANSWER as before")
"""


def test_a_preview_leaves_nothing_behind_when_a_file_is_opened_and_when_it_is_disabled(extension):
    command = [sys.executable, "-P", "-c", PREVIEW, extension]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "ANSWER as before" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
