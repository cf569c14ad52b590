"""Run the add-on's tests against the built zip, installed in a fresh Blender with factory preferences.

Each Blender is the `bpy` module of one environment; `tools/run_tests.py` starts pytest there and names the zip in
ACTION_LOOM_ZIP. Every xdist worker is a Blender with its own home folder. Fixtures shared by several files are here,
too; plain functions are in `material`.
"""

import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import durations
import pytest

PACKAGE = "bl_ext.user_default.action_loom"
EXIT_STATUS = pytest.StashKey[int]()
NEED_SLOTS = {"test_sibling_slots.py", "test_export_faces.py"}  # slots exist since Blender 4.4


def pytest_addoption(parser):
    durations.add_option(parser)


def pytest_configure(config):
    """Start Blender with an empty home, before any test module names bpy or one of Blender's own modules."""
    if only_leads(config):
        return
    folder = tempfile.mkdtemp(prefix="action-loom-test-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ["BLENDER_USER_RESOURCES"] = folder
    # As a module Blender does not remove its own temporary folder. (Python has already chosen its own.)
    os.environ["TMPDIR"] = os.environ["TEMP"] = folder
    import_module("bpy")


def only_leads(config):
    """Return whether this process only leads xdist's workers and runs no tests."""
    return config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")


def pytest_ignore_collect(collection_path, config):
    """Ignore tests that this Blender version cannot run, since CI counts a skipped test as missing."""
    if not only_leads(config) and collection_path.name in NEED_SLOTS and import_module("bpy").app.version < (4, 4):
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    durations.leave_out_slow(config, items, "addon")


def pytest_sessionfinish(session, exitstatus):
    session.config.stash[EXIT_STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Exit without Blender's own shutdown, which crashed once in twenty runs after hundreds of files and undo steps.

    test_install proves that a process which has woven and disabled the extension exits normally.
    """
    if only_leads(config):
        return
    shutil.rmtree(os.environ.get("BLENDER_USER_RESOURCES", ""), ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(config.stash.get(EXIT_STATUS, 3))


@pytest.fixture(scope="session")
def resources():
    """The folder that this Blender takes for its user's home."""
    return Path(os.environ["BLENDER_USER_RESOURCES"])


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The name of the installed and enabled extension's package."""
    zip_path = os.environ.get("ACTION_LOOM_ZIP", "")
    if not Path(zip_path).is_file():
        pytest.exit("ACTION_LOOM_ZIP must name the built zip: `make test` sets it", returncode=2)
    import addon_utils
    import bpy

    bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=True)
    # A zip for another platform is reported as installed, and only printed as an error.
    assert PACKAGE in bpy.context.preferences.addons, "not enabled: the reason is in the captured output"
    yield PACKAGE
    # While classes are still registered, Blender 4.2 may crash at its exit and 4.5 may never end.
    addon_utils.disable(PACKAGE, default_set=True, handle_error=_let_it_fail)


def _let_it_fail(error):
    raise error


@pytest.fixture(scope="session")
def loom(extension):
    """Return an installed module by its name inside the package: `loom("core.motion.quat")`."""
    return lambda name: import_module(f"{extension}.{name}")


@pytest.fixture(autouse=True)
def empty_file():
    """Every test starts with an empty scene; registered classes stay."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture(scope="session")
def once(extension, tmp_path_factory):
    """Return `once(make, *arguments)`, which makes the content of a file only once, and opens that file each time.

    make : a function that fills the empty file; the active object is returned. The opened file has a name.
    """
    import bpy
    import material

    folder, files = tmp_path_factory.mktemp("made"), {}

    def give(make, *arguments):
        key = (make.__module__, make.__qualname__, arguments)
        if key not in files:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            make(*arguments)
            files[key] = material.saved(folder / f"{len(files)}.blend")
        bpy.ops.wm.open_mainfile(filepath=str(files[key]))
        return bpy.context.object

    return give


def _add_demo():
    import bpy

    assert bpy.ops.action_loom.add_demo() == {"FINISHED"}


@pytest.fixture
def bridge(loom):
    """Modules of the bridge, and the core modules used with them, by short names."""

    class Bridge:
        rig, clip, curves = (loom(f"addon.bridge.{name}") for name in ("rig", "clip", "curves"))
        evaluated_action = loom("addon.bridge.evaluated_action")
        bvh = loom("core.formats.bvh")
        kinematics, quat = (loom(f"core.motion.{name}") for name in ("kinematics", "quat"))
        Channel = loom("core.motion.clip").Channel
        RigError = loom("core.errors").RigError
        rates = loom("addon.bridge.rates")

    return Bridge


@pytest.fixture
def play(loom):
    """Assign an action to an armature, with its slot: `play(armature, action)`."""
    curves = loom("addon.bridge.curves")
    return lambda armature, action: curves.assign(armature, action, curves.choose_slot(action, armature))


@pytest.fixture
def analysis(loom):
    return loom("addon.services.matching.analysis")


@pytest.fixture
def listed():
    """An armature with two ticked actions in its list, and the panel's defaults except pinned ends."""
    import bpy
    import material

    rig = material.two_actions()
    material.list_all()
    bpy.context.scene.action_loom.matching.ends = "pinned"
    bpy.context.view_layer.update()
    return rig


@pytest.fixture(scope="session")
def good_file(extension, tmp_path_factory):
    import strangers

    return strangers.good_file(tmp_path_factory.mktemp("strangers"))


@pytest.fixture
def opened(good_file):
    """The armature of an undamaged file, see `strangers.good_file`."""
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(good_file))
    return bpy.data.objects["Biped"]


# --- motion files -------------------------------------------------------------------------------------------------


@pytest.fixture
def walks(bridge, loom, tmp_path):
    """Two files of one body at 60 frames per second."""
    paths = []
    for name in ("walk", "sneak"):
        path = tmp_path / f"{name}.bvh"
        clip = getattr(loom("core.demo_character.actions"), name)(60.0)
        bridge.bvh.write(bridge.bvh.from_clip(clip), path)
        paths.append(path)
    return paths


@pytest.fixture
def small(tmp_path):
    """A file of four joints and three frames."""
    import material

    path = tmp_path / "small.bvh"
    path.write_text(material.SMALL_BVH)
    return path


# --- the command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def command(loom, capsys):
    """Run a command as Blender does and return its exit code, stdout and stderr."""
    run, jit = loom("addon.host.commands").run, loom("core.jit")
    wanted = jit._wanted

    def give(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        # Some Blenders print messages about saving to Python's stdout, too.
        own = [line for line in out.splitlines(True) if not line.startswith(("Info: Saved", "Error: Cannot open"))]
        return code, "".join(own), err

    yield give
    jit.use(wanted)


@pytest.fixture
def figure(once, tmp_path):
    """Save a file with the demo figure and return the figure."""
    import bpy

    once(_add_demo)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    return bpy.context.object


@pytest.fixture
def scene(figure, tmp_path):
    """The opened file."""
    return tmp_path / "scene.blend"


@pytest.fixture
def out(tmp_path):
    """Return an empty folder for the output of a command."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def refused(command, scene, out):
    """Run a command that must fail with one line and create nothing; return its exit code and the line."""
    import bpy

    def give(*arguments):
        before, actions = scene.read_bytes(), set(bpy.data.actions.keys())
        code, printed, err = command(*arguments)
        assert printed == ""
        assert err.startswith("action_loom: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        assert scene.read_bytes() == before
        assert set(bpy.data.actions.keys()) == actions
        assert os.listdir(out) == []
        return code, err.removeprefix("action_loom: ").rstrip("\n")

    return give


# --- the library --------------------------------------------------------------------------------------------------


@pytest.fixture
def here(loom):
    """The panel Library (see `library_panel`), without a library in the preferences before and after."""
    import library_panel

    one = library_panel.Here(loom)
    one.preferences.library = ""
    one.finds.forget()
    yield one
    one.jobs.stop("the test is over")
    one.preferences.library = ""


@pytest.fixture(scope="session")
def indexed(loom, tmp_path_factory):
    """A folder with three files of the generated figure, a copy of it, and a library of the files, indexed once."""
    bvh, actions = loom("core.formats.bvh"), loom("core.demo_character.actions")
    made = tmp_path_factory.mktemp("indexed")
    files, kept, library = made / "files", made / "kept", made / "motion.loomlib"
    kept.mkdir()
    for name in ("walk", "sneak", "wave"):
        bvh.write(bvh.from_clip(getattr(actions, name)(60.0)), kept / f"{name}.bvh")
    shutil.copytree(kept, files)
    loom("core.library.index").update(str(library), [str(files)])
    return files, kept, library


@pytest.fixture
def folder(indexed):
    """Three files of the generated figure: they walk, sneak and wave. A test may change them."""
    files, kept, _ = indexed
    yield files
    shutil.rmtree(files)
    shutil.copytree(kept, files)


@pytest.fixture
def library(here, folder, indexed, tmp_path):
    """Copy the library of these files and choose the copy in the panel."""
    import bpy

    shutil.copytree(indexed[2], tmp_path / "motion.loomlib")
    here.preferences.library = str(tmp_path / "motion.loomlib")
    assert bpy.ops.action_loom.read_library() == {"FINISHED"}
    return tmp_path / "motion.loomlib"


@pytest.fixture
def lame(here, loom, tmp_path):
    """A library of one file that waves with the left hand, the mirror image of the figure's action Wave."""
    import bpy

    bvh, actions = loom("core.formats.bvh"), loom("core.demo_character.actions")
    made = tmp_path / "lame"
    made.mkdir()
    bvh.write(bvh.from_clip(here.mirror.mirror_clip(actions.wave(60.0))), made / "other.bvh")
    here.preferences.library = str(tmp_path / "lame.loomlib")
    bpy.ops.action_loom.add_to_library(directory=str(made))


# --- pages of the manual, planted feet, rigs -----------------------------------------------------------------------


@pytest.fixture
def tab():
    import bpy

    return bpy.context.scene.action_loom


@pytest.fixture
def on_demo(once):
    """The demo as *Add Demo* leaves it."""
    return once(_add_demo)


@pytest.fixture
def sliding():
    """A biped that plays a listed walk with sliding feet."""
    import bpy
    import material

    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=36, stride=1.8)
    bpy.context.scene.render.fps = 24
    bpy.ops.action_loom.add_sources()
    bpy.context.view_layer.update()
    assert rig.animation_data.action == action
    return rig


@pytest.fixture
def rows_of(loom):
    """Return a function that lists the contacts of an action, `rows_of(action)`."""
    import bpy

    service = loom("addon.model.contact_rows")

    def give(action):
        held = service.of(bpy.context.scene, action)
        return [] if held is None else service.contacts_of(held)

    return give


@pytest.fixture
def held_of(loom):
    """Return a function that gets the panel's contact rows of an action."""
    import bpy

    return lambda action: loom("addon.model.contact_rows").of(bpy.context.scene, action)


@pytest.fixture
def find_controls(loom):
    return loom("addon.bridge.rig_controls").find


@pytest.fixture
def find_controls_in(find_controls):
    """Return `opened(path)`: open a file, find the controls of its armature, and return them, also by part name."""
    import bpy
    from hand_rigs import found_parts

    def opened(path):
        bpy.ops.wm.open_mainfile(filepath=str(path))
        rig = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE" and o.name != "metarig")
        return found_parts(find_controls(rig))

    return opened


@pytest.fixture(scope="module")
def cut_file(tmp_path_factory):
    """Save a file with a take that has been cut, so that cutting runs only once."""
    import bpy
    import material

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    material.pressed(material.take(), "cut_take")
    return material.saved(tmp_path_factory.mktemp("take") / "cut.blend")
