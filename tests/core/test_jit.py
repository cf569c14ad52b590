"""Which engine computes: chosen by the user, and numpy wherever numba does not work."""

import shutil
from importlib import metadata, util
from pathlib import Path

import pytest
from action_loom.core import jit
from action_loom.core.errors import OptionError
from oracles import processes

PACKAGE = "action_loom.core.sync"
CORE = Path(jit.__file__).parent
needs_numba = pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")

WHICH = (
    "from action_loom.core import jit\n"
    f"module = jit.kernels({PACKAGE!r})\n"
    "print(module.__name__.rpartition('.')[2])\n"
)
# Then a result, so that a kernel has been called.
WHICH_AND_USE = WHICH + (
    "import numpy as np\n"
    "from action_loom.core.sync import timewarp\n"
    "path = timewarp.pinned(np.abs(np.subtract.outer(np.arange(6.0), np.arange(9.0))), 3)\n"
    "print(path.cells.tolist())\n"
)


@pytest.fixture
def engine(monkeypatch):
    """Whatever engine a test chooses, the next one has the one that was chosen before."""
    monkeypatch.setattr(jit, "_wanted", jit._wanted)
    return jit


def name(module):
    return module.__name__.rpartition(".")[2]


@pytest.mark.both_engines
def test_numpy_is_used_where_it_is_asked_for(engine):
    engine.use("numpy")
    assert name(engine.kernels(PACKAGE)) == "_twins"


@needs_numba
@pytest.mark.parametrize("wanted", ["auto", "numba"])
def test_numba_is_used_where_it_works(engine, wanted):
    engine.use(wanted)
    assert name(engine.kernels(PACKAGE)) == "_kernels"


@needs_numba
def test_the_choice_can_be_changed_at_any_time(engine):
    found = []
    for wanted in ("numpy", "numba", "numpy", "auto"):
        engine.use(wanted)
        found.append(name(engine.kernels(PACKAGE)))
    assert found == ["_twins", "_kernels", "_twins", "_kernels"]


@pytest.mark.both_engines
def test_an_engine_that_is_none_is_refused(engine):
    with pytest.raises(OptionError, match="engine is 'fortran', but must be one of auto, numba, numpy"):
        engine.use("fortran")


@pytest.mark.both_engines
def test_the_environment_chooses_the_engine_and_numba_is_not_even_loaded():
    code = WHICH_AND_USE + "import sys; print('numba' in sys.modules)"
    done = processes.python("-c", code, ACTION_LOOM_ENGINE="numpy")
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1], done.stderr) == ("_twins", "False", "")


@pytest.mark.both_engines
def test_an_engine_of_the_environment_that_is_none_is_said():
    done = processes.python("-c", WHICH, ACTION_LOOM_ENGINE="nump")
    assert "'nump'" in done.stderr
    assert "auto, numba, numpy" in done.stderr


@pytest.mark.both_engines
def test_without_numba_numpy_is_used_without_a_warning():
    done = processes.python("-c", "import sys; sys.modules['numba'] = None\n" + WHICH)
    assert (done.stdout, done.stderr) == ("_twins\n", "")


@pytest.mark.both_engines
def test_numba_is_refused_where_it_is_not_installed():
    code = "import sys; sys.modules['numba'] = None\nfrom action_loom.core import jit\njit.use('numba')"
    done = processes.python("-c", code)
    assert done.stderr.rstrip().endswith("but numba is not installed; use numpy")


@pytest.fixture
def package(tmp_path):
    """A copy of the package, so that nothing that goes wrong reaches the one that is tested."""
    root = tmp_path / "package"
    shutil.copytree(CORE, root / "action_loom" / "core", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "action_loom" / "__init__.py").touch()
    return root


BROKEN_NUMBA = {
    "does not import": "raise ImportError('numba needs another numpy')",
    "is at odds with its compiler": "raise AttributeError('llvmlite has no attribute x')",
    "fails in its own way": "raise SystemError('initialization failed')",
    "complains in several lines": "raise RuntimeError('one\\ntwo\\nthree')",
    "complains without words": "raise RuntimeError",
    "has no compiler": "config = type('config', (), {'CACHE_DIR': ''})",
    "can not compile": "def njit(*a, **k): raise TypeError('signature')\nconfig = type('config', (), {'CACHE_DIR': ''})",
}


@pytest.mark.both_engines
@pytest.mark.parametrize("how", BROKEN_NUMBA)
def test_where_numba_does_not_work_numpy_is_used_and_one_line_says_so(how, package):
    (package / "numba").mkdir()
    (package / "numba" / "__init__.py").write_text("__version__ = '0.1'\n" + BROKEN_NUMBA[how])
    done = processes.python("-c", WHICH_AND_USE, PYTHONPATH=package)
    expected = processes.python("-c", WHICH_AND_USE, PYTHONPATH=package, ACTION_LOOM_ENGINE="numpy")
    assert expected.returncode == 0
    assert done.stdout == expected.stdout
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("numba does not work here (")
    assert done.stderr.endswith("): the slower numpy engine is used\n")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A copy of the package that has compiled its kernels, and the folder where it keeps them."""
    root = tmp_path_factory.mktemp("compiled")
    shutil.copytree(CORE, root / "package" / "action_loom" / "core", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "package" / "action_loom" / "__init__.py").touch()
    done = processes.python("-c", WHICH, PYTHONPATH=root / "package", NUMBA_CACHE_DIR=root / "kept")
    assert (done.stdout, done.stderr) == ("_kernels\n", "")
    assert kept_in(root / "kept")
    return root


@pytest.fixture
def beside(compiled):
    """The folder beside the modules, with the compiled kernels in it."""
    folder = compiled / "package" / "action_loom" / "core" / "sync" / "__pycache__"
    folder.mkdir(exist_ok=True)
    for path in kept_in(compiled / "kept"):
        shutil.copy2(path, folder)
    yield folder
    shutil.rmtree(folder)


def kept_in(folder):
    """The files of compiled kernels: an index (.nbi) and the code (.nbc) of each."""
    return sorted(folder.rglob("_kernels.*.nb?"))


def spoil(folder, ending, rubbish):
    for path in kept_in(folder):
        if path.suffix == ending:
            path.write_bytes(rubbish)


def keeping_in(folder):
    return f"from action_loom.core import jit; jit.keep_compiled_in({str(folder)!r})\n"


def assert_compiled_again(folder, names, rubbish, done):
    assert (done.stdout.splitlines()[0], done.stderr) == ("_kernels", "")
    assert [path.name for path in kept_in(folder)] == names
    assert all(path.read_bytes() != rubbish for path in kept_in(folder))


@needs_numba
def test_corrupt_kernels_in_the_users_folder_are_compiled_again_and_other_peoples_left_alone(compiled, tmp_path):
    kept = shutil.copytree(compiled / "kept", tmp_path / "kept")
    names = [path.name for path in kept_in(kept)]
    spoil(kept, ".nbi", b"rubbish")
    theirs = kept / "another_0123" / "_kernels.solve-1.py311.nbi"
    theirs.parent.mkdir()
    theirs.write_bytes(b"theirs")
    done = processes.python("-c", WHICH_AND_USE, PYTHONPATH=compiled / "package", NUMBA_CACHE_DIR=kept)
    assert theirs.read_bytes() == b"theirs"
    shutil.rmtree(theirs.parent)
    assert_compiled_again(kept, names, b"rubbish", done)


@needs_numba
def test_corrupt_kernels_in_the_folder_we_chose_are_compiled_again(compiled, tmp_path):
    kept = shutil.copytree(compiled / "kept", tmp_path / f"numba-{metadata.version('numba')}")
    names = [path.name for path in kept_in(kept)]
    spoil(kept, ".nbc", b"")
    done = processes.python("-c", keeping_in(tmp_path) + WHICH_AND_USE, PYTHONPATH=compiled / "package")
    assert_compiled_again(tmp_path, names, b"", done)


@needs_numba
def test_corrupt_kernels_beside_the_modules_are_compiled_again(compiled, beside):
    names = [path.name for path in kept_in(beside)]
    spoil(beside, ".nbi", b"\x80\x05.")
    done = processes.python("-c", WHICH_AND_USE, PYTHONPATH=compiled / "package")
    assert_compiled_again(beside, names, b"\x80\x05.", done)


@needs_numba
def test_kernels_are_kept_in_a_folder_of_numbas_version(compiled, tmp_path):
    folder = tmp_path / f"numba-{metadata.version('numba')}"
    shutil.copytree(compiled / "kept", folder)
    code = keeping_in(tmp_path) + WHICH + "import numba; print(numba.config.CACHE_DIR)"
    done = processes.python("-c", code, PYTHONPATH=compiled / "package")
    assert done.stdout == f"_kernels\n{folder}\n"


@needs_numba
def test_a_folder_that_someone_else_has_chosen_is_left_as_it_is(compiled, tmp_path):
    code = keeping_in(tmp_path / "ours") + WHICH
    done = processes.python("-c", code, PYTHONPATH=compiled / "package", NUMBA_CACHE_DIR=compiled / "kept")
    assert (done.stdout, done.stderr) == ("_kernels\n", "")
    assert not (tmp_path / "ours").exists()


@needs_numba
def test_a_folder_that_can_not_be_written_does_no_harm(compiled, beside, tmp_path):
    (tmp_path / "a file").touch()
    code = keeping_in(tmp_path / "a file" / "folder") + WHICH
    done = processes.python("-c", code, PYTHONPATH=compiled / "package")
    assert (done.stdout, done.stderr) == ("_kernels\n", "")
