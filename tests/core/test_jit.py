"""The choice of the engine: the user's choice, and numpy if numba does not work."""

import os
import shutil
import sys
from importlib import metadata, util
from pathlib import Path

import numpy as np
import pytest
from action_loom.core import jit
from action_loom.core.errors import OptionError
from action_loom.core.progress import Progress
from oracles import processes

PACKAGE = "action_loom.core.sync"
CORE = Path(jit.__file__).parent
needs_numba = pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")

WHICH = (
    f"from action_loom.core import jit\nmodule = jit.kernels({PACKAGE!r})\nprint(module.__name__.rpartition('.')[2])\n"
)
# Then a result, so that a kernel has been called.
WHICH_AND_USE = WHICH + (
    "import numpy as np\n"
    "from action_loom.core.sync import dtw\n"
    "path = dtw.find_pinned_path(np.abs(np.subtract.outer(np.arange(6.0), np.arange(9.0))), 3)\n"
    "print(path.cells.tolist())\n"
)


@pytest.fixture
def engine(monkeypatch):
    """Let a test choose an engine; the previous choice returns after the test."""
    monkeypatch.setattr(jit, "_wanted", jit._wanted)
    return jit


def name(module):
    return module.__name__.rpartition(".")[2]


@pytest.mark.both_engines
def test_numpy_is_used_where_it_is_asked_for(engine):
    engine.use("numpy")
    assert name(engine.kernels(PACKAGE)) == "_numpy"


@needs_numba
def test_the_choice_can_be_changed_at_any_time(engine):
    found = []
    for wanted in ("numpy", "numba", "numpy"):
        engine.use(wanted)
        found.append(name(engine.kernels(PACKAGE)))
    assert found == ["_numpy", "_numba", "_numpy"]


@needs_numba
@pytest.mark.parametrize("package", jit.PACKAGES)
def test_every_package_has_both(engine, package):
    engine.use("numba")
    compiled = engine.kernels(f"action_loom.core.{package}")
    engine.use("numpy")
    assert (name(compiled), name(engine.kernels(f"action_loom.core.{package}"))) == ("_numba", "_numpy")


def test_all_packages_with_kernels_are_named():
    assert {".".join(path.parent.relative_to(CORE).parts) for path in CORE.rglob("_numba.py")} == set(jit.PACKAGES)


@needs_numba
def test_that_the_engine_is_loaded_is_said_once(engine, monkeypatch):
    monkeypatch.setattr(jit, "_loaded", set())
    engine.use("numba")
    message = []
    for _ in range(2):
        engine.prepare(Progress(lambda fraction, doing: message.append((fraction, doing)) or True))
    assert [fraction for fraction, _ in message] == pytest.approx(np.arange(len(jit.WEAVING)) / len(jit.WEAVING))
    assert {doing for _, doing in message} == {"Loading the engine (the first time it is compiled)"}


@needs_numba
@pytest.mark.skipif(sys.platform != "linux", reason="a limit stands in for a full disk")
def test_on_a_full_disk_numpy_takes_over(compiled, tmp_path):
    full = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    full += "resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))\n"
    done = run_in(compiled, full + keeping_in(tmp_path))
    assert done.stdout == "_numpy 8.0\n"
    assert done.stderr.startswith("numba does not work here (")
    assert len(done.stderr.splitlines()) == 1


AT_HAND = (
    "import sys\n"
    "from action_loom.core import jit\n"
    "def shown(name): print(jit.at_hand(f'action_loom.core.{name}').__name__.rpartition('.')[2])\n"
    "shown('formats')\n"
    "print('numba' in sys.modules)\n"
)


@needs_numba
@pytest.mark.parametrize(("asked", "engine"), [("numba", "numba"), ("numpy", "numpy")])
def test_what_is_not_worth_the_compiler_uses_it_once_it_is_loaded_for_any_package(asked, engine):
    loaded = f"jit.use('numba')\njit.kernels('action_loom.core.sync')\njit.use('{asked}')\n"
    loaded += "for name in jit.PACKAGES: shown(name)\n"
    done = processes.python("-c", AT_HAND + loaded)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["_numpy", "False", *[f"_{engine}"] * len(jit.PACKAGES)]


@needs_numba
def test_a_process_whose_only_work_is_short_is_spared_the_compiler():
    code = (
        "import sys\nfrom action_loom.core import compiling, jit\ncompiling.is_compiled = lambda *_: True\n"
        "def shown(name, frames):\n"
        "    with jit.only_work(frames):\n"
        "        print(jit.kernels(f'action_loom.core.{name}').__name__.rpartition('.')[2], 'numba' in sys.modules)\n"
        "shown('sync', jit.SHORT)\nshown('edit.segments', jit.SHORT)\nshown('sync', jit.SHORT)\n"
        "shown('sync', jit.SHORT + 1)\njit.use('numba')\nshown('sync', jit.SHORT)\n"
    )
    done = processes.python("-c", code, ACTION_LOOM_ENGINE="auto")
    assert done.stderr == ""
    # Fewer Keys takes five times the time with numpy.
    assert done.stdout.splitlines() == ["_numpy False", "_numba True", "_numpy True", "_numba True", "_numba True"]


@pytest.mark.both_engines
def test_an_engine_that_is_none_is_refused(engine):
    with pytest.raises(OptionError, match="engine is 'fortran', but must be one of auto, numba, numpy"):
        engine.use("fortran")


@pytest.mark.both_engines
def test_the_environment_chooses_the_engine_and_numba_is_not_even_loaded():
    code = WHICH_AND_USE + "import sys; print('numba' in sys.modules)"
    done = processes.python("-c", code, ACTION_LOOM_ENGINE="numpy")
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1], done.stderr) == ("_numpy", "False", "")


@pytest.mark.both_engines
def test_an_engine_of_the_environment_that_is_none_is_said():
    done = processes.python("-c", WHICH, ACTION_LOOM_ENGINE="nump")
    assert "'nump'" in done.stderr
    assert "auto, numba, numpy" in done.stderr


@pytest.mark.both_engines
def test_without_numba_numpy_is_used_without_a_warning():
    done = processes.python("-c", "import sys; sys.modules['numba'] = None\n" + WHICH)
    assert (done.stdout, done.stderr) == ("_numpy\n", "")


@pytest.mark.both_engines
def test_numba_is_refused_where_it_is_not_installed():
    code = "import sys; sys.modules['numba'] = None\nfrom action_loom.core import jit\njit.use('numba')"
    done = processes.python("-c", code)
    assert done.stderr.rstrip().endswith("but numba is not installed; use numpy")


@pytest.fixture
def package(tmp_path):
    """A copy of the package, so that a test can damage it without effect on the tested package."""
    root = tmp_path / "package"
    shutil.copytree(CORE, root / "action_loom" / "core", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "action_loom" / "__init__.py").touch()
    return root


@pytest.fixture(scope="module")
def with_numpy():
    """The output with the numpy engine."""
    done = processes.python("-c", WHICH_AND_USE, ACTION_LOOM_ENGINE="numpy")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


BROKEN_NUMBA = {
    "does not import": "raise ImportError('numba needs another numpy')",
    "complains in several lines": "raise RuntimeError('one\\ntwo\\nthree')",
    "complains without words": "raise RuntimeError",
    "has no compiler": "class config: CACHE_DIR = ''",
    "can not compile": "class config: CACHE_DIR = ''\ndef njit(*a, **k): raise TypeError('signature')",
}


@pytest.mark.both_engines
@pytest.mark.parametrize("how", BROKEN_NUMBA)
def test_where_numba_does_not_work_numpy_is_used_and_one_line_says_so(how, package, with_numpy):
    (package / "numba").mkdir()
    (package / "numba" / "__init__.py").write_text("__version__ = '0.1'\n" + BROKEN_NUMBA[how])
    done = processes.python("-c", WHICH_AND_USE, PYTHONPATH=package, ACTION_LOOM_ENGINE="numba")
    assert done.stdout == with_numpy
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("numba does not work here (")
    assert done.stderr.endswith("): the slower numpy engine is used\n")


# A package with one kernel that compiles in a moment; its files behave like any kernel's.
TINY = "action_loom.core.tiny"
KERNEL = """from ..jit import kernel

@kernel("f8(f8)")
def double(x):
    return 2.0 * x
"""
TWIN = "def double(x):\n    return 2.0 * x\n"
DOUBLE = (
    "from action_loom.core import jit\n"
    f"module = jit.kernels({TINY!r})\n"
    "print(module.__name__.rpartition('.')[2], module.double(4.0))\n"
)
COMPILED = "_numba 8.0\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A package that has compiled its kernel, and the folder where it keeps it."""
    root = tmp_path_factory.mktemp("compiled")
    core = root / "package" / "action_loom" / "core"
    (core / "tiny").mkdir(parents=True)
    for file in (core.parent / "__init__.py", core / "__init__.py", core / "tiny" / "__init__.py"):
        file.touch()
    for name in ("compiling.py", "jit.py", "errors.py"):
        shutil.copy(CORE / name, core)
    (core / "tiny" / "_numba.py").write_text(KERNEL)
    (core / "tiny" / "_numpy.py").write_text(TWIN)
    done = run_in(root, NUMBA_CACHE_DIR=root / "kept")
    assert (done.stdout, done.stderr) == (COMPILED, "")
    assert {path.suffix for path in kept_in(root / "kept")} == {".nbi", ".nbc"}
    return root


def run_in(root, before="", after="", **environment):
    environment = {"ACTION_LOOM_ENGINE": "numba", "PYTHONPATH": root / "package"} | environment
    return processes.python("-c", before + DOUBLE + after, **environment)


@pytest.fixture
def beside(compiled):
    """The folder beside the modules, with the compiled kernel in it."""
    folder = compiled / "package" / "action_loom" / "core" / "tiny" / "__pycache__"
    folder.mkdir(exist_ok=True)
    for path in kept_in(compiled / "kept"):
        shutil.copy2(path, folder)
    yield folder
    shutil.rmtree(folder)


def kept_in(folder):
    """The files of compiled kernels: an index (.nbi) and the code (.nbc) of each."""
    return sorted(folder.rglob("_numba.*.nb?"))


def spoil(folder, ending, rubbish):
    for path in kept_in(folder):
        if path.suffix == ending:
            path.write_bytes(rubbish)


def keeping_in(folder):
    return f"from action_loom.core import jit; jit.keep_compiled_in({str(folder)!r})\n"


def assert_compiled_again(folder, names, rubbish, done):
    assert (done.stdout, done.stderr) == (COMPILED, "")
    assert [path.name for path in kept_in(folder)] == names
    assert all(path.read_bytes() != rubbish for path in kept_in(folder))


@needs_numba
def test_a_corrupt_kernel_in_the_users_folder_is_compiled_again_and_other_peoples_left_alone(compiled, tmp_path):
    kept = shutil.copytree(compiled / "kept", tmp_path / "kept")
    names = [path.name for path in kept_in(kept)]
    spoil(kept, ".nbi", b"rubbish")
    theirs = kept / "another_0123" / "_numba.solve-1.py311.nbi"
    theirs.parent.mkdir()
    theirs.write_bytes(b"theirs")
    done = run_in(compiled, NUMBA_CACHE_DIR=kept)
    assert theirs.read_bytes() == b"theirs"
    shutil.rmtree(theirs.parent)
    assert_compiled_again(kept, names, b"rubbish", done)


@needs_numba
def test_a_corrupt_kernel_in_the_folder_we_chose_is_compiled_again(compiled, tmp_path):
    kept = shutil.copytree(compiled / "kept", tmp_path / f"numba-{metadata.version('numba')}")
    names = [path.name for path in kept_in(kept)]
    spoil(kept, ".nbc", b"")
    done = run_in(compiled, keeping_in(tmp_path))
    assert_compiled_again(tmp_path, names, b"", done)


@needs_numba
def test_a_corrupt_kernel_beside_the_modules_is_compiled_again(compiled, beside):
    names = [path.name for path in kept_in(beside)]
    spoil(beside, ".nbi", b"\x80\x05.")
    assert_compiled_again(beside, names, b"\x80\x05.", run_in(compiled))


@needs_numba
@pytest.mark.skipif(sys.platform != "linux", reason="the place of the user's own folder is another one")
def test_a_corrupt_kernel_of_an_installation_that_can_not_be_written_is_compiled_again(compiled, tmp_path):
    in_the_way = compiled / "package" / "action_loom" / "core" / "tiny" / "__pycache__"
    in_the_way.touch()
    try:
        assert run_in(compiled, XDG_CACHE_HOME=tmp_path).stdout == COMPILED
        names = [path.name for path in kept_in(tmp_path)]
        spoil(tmp_path, ".nbi", b"rubbish")
        assert_compiled_again(tmp_path, names, b"rubbish", run_in(compiled, XDG_CACHE_HOME=tmp_path))
    finally:
        in_the_way.unlink()


@needs_numba
def test_kernels_are_kept_in_a_folder_of_numbas_version(compiled, tmp_path):
    done = run_in(compiled, keeping_in(tmp_path))
    assert (done.stdout, done.stderr) == (COMPILED, "")
    assert kept_in(tmp_path) == kept_in(tmp_path / f"numba-{metadata.version('numba')}")
    assert {path.suffix for path in kept_in(tmp_path)} == {".nbi", ".nbc"}
    assert not kept_in(compiled / "package")


@needs_numba
def test_a_folder_that_someone_else_has_chosen_is_left_as_it_is(compiled, tmp_path):
    done = run_in(compiled, keeping_in(tmp_path / "ours"), NUMBA_CACHE_DIR=tmp_path / "theirs")
    assert (done.stdout, done.stderr) == (COMPILED, "")
    assert kept_in(tmp_path / "theirs")
    assert not (tmp_path / "ours").exists()


@needs_numba
def test_a_folder_that_can_not_be_written_does_no_harm(compiled, beside, tmp_path):
    (tmp_path / "a file").touch()
    done = run_in(compiled, keeping_in(tmp_path / "a file" / "folder"))
    assert (done.stdout, done.stderr) == (COMPILED, "")


@pytest.fixture
def few(package):
    """A copy of the package in which compiling takes seconds, since only two rooms have kernels."""
    core = package / "action_loom" / "core"
    text = (core / "jit.py").read_text(encoding="utf-8")
    text = text.replace('WEAVING = ("edit", "formats", "graph", "motion", "sync")', 'WEAVING = ("formats",)')
    (core / "jit.py").write_text(text.replace('(*WEAVING, "edit.segments", "skin")', '(*WEAVING, "skin")'), "utf-8")
    return package


@needs_numba
def test_numpy_computes_while_another_process_compiles_and_the_next_process_has_the_kernels(few, tmp_path):
    code = "from action_loom.core import jit\n"
    code += "print(jit.kernels('action_loom.core.formats').__name__.rpartition('.')[2], jit.read_default_engine())\n"

    def run():
        done = processes.python("-c", code, PYTHONPATH=few, NUMBA_CACHE_DIR=tmp_path)
        assert done.stderr == ""
        return done.stdout

    assert run() == run() == "_numpy numpy\n"  # one process compiles, whoever asks meanwhile
    processes.until(lambda: list(tmp_path.glob("*.compiled")), 110.0)
    before = {path: path.stat().st_mtime_ns for path in kept_in(tmp_path)}
    assert before
    assert run() == "_numba numba\n"
    assert {path: path.stat().st_mtime_ns for path in kept_in(tmp_path)} == before  # loaded, not compiled again
    os.utime(few / "action_loom" / "core" / "formats" / "_numba.py")  # as a new version would be
    assert run() == "_numpy numpy\n"
    processes.until(lambda: len(list(tmp_path.glob("*.compiled"))) == 2, 110.0)


@needs_numba
def test_a_folder_that_cannot_be_written_leaves_numpy(few, tmp_path):
    (tmp_path / "a file").touch()
    code = "from action_loom.core import jit\nprint(jit.read_default_engine())\n"
    done = processes.python("-c", code, PYTHONPATH=few, NUMBA_CACHE_DIR=tmp_path / "a file" / "kept")
    assert (done.stdout, done.stderr) == ("numpy\n", "")


@needs_numba
def test_as_an_extension_kernels_are_compiled_in_its_folder_without_what_is_above_the_core(few, tmp_path):
    (few / "action_loom" / "__init__.py").write_text("import bpy_that_is_missing\n", "utf-8")
    code = "import sys, types\n"
    for name in ("bl_ext", "bl_ext.user_default", "bl_ext.user_default.action_loom"):
        code += f"module = sys.modules[{name!r}] = types.ModuleType({name!r})\nmodule.__path__ = []\n"
    code += f"module.__path__ = [{str(few / 'action_loom')!r}]\n"
    code += "from bl_ext.user_default.action_loom.core import jit, progress\n"
    code += f"jit.keep_compiled_in({str(tmp_path)!r})\njit.prepare(progress.SILENT)\n"
    code += "print(jit.kernels(f'{jit.__package__}.formats').__name__.rpartition('.')[2], 'numba' in sys.modules)\n"

    def run():
        done = processes.python("-c", code, ACTION_LOOM_ENGINE="auto")
        assert done.stderr == ""
        return done.stdout

    assert run() == "_numpy False\n"
    processes.until(lambda: list(tmp_path.glob("*/*.compiled")), 110.0)
    assert not list(tmp_path.glob("*/*.begun"))
    assert run() == "_numba True\n"
    assert kept_in(tmp_path)
