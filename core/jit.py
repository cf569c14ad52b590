"""Choose the engine for recurrences: numba kernels, or their numpy twins. No other module imports numba.

A package with a recurrence has two private modules with the same functions: `_numba` and `_numpy`.
`kernels(__package__)` returns the active one. Kernels are compiled for fixed types when `_numba` is imported, so
that problems with the compiler or its cache only occur here. The default engine is numpy until `compiling` has compiled
all kernels in another process. A process does not look for compiled kernels twice.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module, util
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from .errors import OptionError, not_one_of

if TYPE_CHECKING:
    from logging import Logger

    from .progress import Progress

ENGINES = ("auto", "numba", "numpy")
WEAVING = ("edit", "formats", "graph", "motion", "sync")  # packages whose kernels any verb may need
PACKAGES = (*WEAVING, "edit.segments", "skin")  # all packages with kernels

SHORT = 2000  # frames of all clips; below it, loading the compiler takes longer than the kernels of WEAVING save

_wanted = os.environ.get("ACTION_LOOM_ENGINE", "auto")
_short = False
_cache_folder = ""  # "" for the default: beside the modules, or in numba's own folder
_loaded: set[str] = set()


def use(engine: str) -> None:
    """Set the engine: auto, numba or numpy; raises OptionError for a missing one.

    Example:
        >>> from action_loom.core import jit
        >>> before = jit.read_engine()
        >>> jit.use("numpy")
        >>> jit.kernels("action_loom.core.motion").__name__
        'action_loom.core.motion._numpy'
        >>> jit.use(before)
    """
    global _wanted
    _check(engine)
    if engine == "numba" and not _is_installed():
        raise OptionError("The numba engine was asked for, but numba is not installed; use numpy")
    _wanted = engine


def read_engine() -> str:
    """Return the chosen engine: auto, numba or numpy.

    Example:
        >>> from action_loom.core import jit
        >>> jit.read_engine() in jit.ENGINES
        True
    """
    return _wanted


def read_default_engine() -> str:
    """Return the engine that computes here, numba or numpy, so that other processes can use the same.

    Example:
        >>> from action_loom.core import jit
        >>> jit.read_default_engine() in ("numba", "numpy")
        True
    """
    if _wanted != "auto":
        return _wanted
    return "numba" if _is_ready() else "numpy"


def compiler() -> str:
    """Return name and version of the installed compiler, "" without one.

    Example:
        >>> from action_loom.core import jit
        >>> jit.compiler().partition(" ")[0] in ("numba", "")
        True
    """
    from importlib import metadata  # a heavy import, not needed when Blender starts

    try:
        return f"numba {metadata.version('numba')}"
    except metadata.PackageNotFoundError:
        return ""


def _check(engine: str) -> None:
    if engine not in ENGINES:
        raise not_one_of("engine", engine, ENGINES)


def keep_compiled_in(folder: str) -> None:
    """Set the folder for compiled kernels; call it before the first kernel is used.

    Example:
        >>> from action_loom.core import jit
        >>> jit.keep_compiled_in("")  # the default: beside the modules, or in numba's own folder
    """
    global _cache_folder
    _cache_folder = folder


def kernels(package: str) -> ModuleType:
    """Return a package's `_numba`, or its `_numpy` if numba is missing, disabled or broken.

    Example:
        >>> from action_loom.core import jit
        >>> jit.kernels("action_loom.core.formats").__name__.rpartition(".")[2] in ("_numba", "_numpy")
        True
    """
    _check(_wanted)
    spared = _short and package.removeprefix(f"{__package__}.") in WEAVING
    avoided = _wanted == "numpy" or (_wanted == "auto" and (spared or not _is_ready()))
    if avoided or (compiled := _load_compiled(package)) is None:
        return import_module("._numpy", package)
    return compiled


def twin(package: str) -> ModuleType:
    """Return a package's `_numpy`, for cases that its `_numba` does not handle.

    Example:
        >>> from action_loom.core import jit
        >>> jit.twin("action_loom.core.formats").__name__
        'action_loom.core.formats._numpy'
    """
    return import_module("._numpy", package)


def at_hand(package: str) -> ModuleType:
    """Return a package's `_numba` if the compiler is enabled and already loaded, else its `_numpy`.

    For work too short to justify loading the compiler. Both must give the same numbers to the last bit, so that no
    result depends on earlier imports.

    Example:
        >>> from action_loom.core import jit
        >>> jit.at_hand("action_loom.core.formats").__name__.rpartition(".")[2] in ("_numba", "_numpy")
        True
    """
    loaded = any(f"{__package__}.{name}._numba" in sys.modules for name in PACKAGES)
    return kernels(package) if loaded else import_module("._numpy", package)


@contextmanager
def only_work(frames: int) -> Iterator[None]:
    """Use numpy by default for short work that is the only work of the process, instead of loading the compiler.

    Example:
        >>> from action_loom.core import jit
        >>> with jit.only_work(jit.SHORT):
        ...     jit.read_engine() == "numba" or jit.kernels("action_loom.core.sync").__name__.endswith("_numpy")
        True
    """
    global _short
    before, _short = _short, frames <= SHORT
    try:
        yield
    finally:
        _short = before


def prepare(progress: "Progress") -> None:
    """Load the kernels for weaving, with progress: it takes a second, or a minute where numba is asked for by name.

    Example:
        >>> from action_loom.core import jit
        >>> from action_loom.core.progress import SILENT
        >>> before = jit.read_engine()
        >>> jit.use("numpy")  # which has nothing to load
        >>> jit.prepare(SILENT)
        >>> jit.use(before)
    """
    missing = [package for package in WEAVING if package not in _loaded]
    if not missing or read_default_engine() == "numpy":
        return
    for k, package in enumerate(missing):
        progress.at(k / len(missing), "Loading the engine (the first time it is compiled)")
        kernels(f"{__package__}.{package}")
        _loaded.add(package)


def compile_all() -> None:
    """Compile all kernels in this process, and note it."""
    from .compiling import leave_note  # see above

    use("numba")
    if all(kernels(f"{__package__}.{name}").__name__.endswith("._numba") for name in PACKAGES):
        leave_note(PACKAGES)


def kernel(signature: str, *, fused: bool = False, inlined: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for the given numba types, or load it from the cache: a decorator.

    fused : whether to allow fused multiply-add, which rounds once: for long polynomials, and if the last bit does not
        affect decisions
    inlined : whether to inline it into calling kernels, for operations executed millions of times

    Example:
        >>> from action_loom.core.formats import _numba  # whose function has this decorator
        >>> _numba.rows.signatures != []  # compiled already, before the first call
        True
    """
    import numba

    fast = {"contract"} if fused else False
    inline: Literal["always", "never"] = "always" if inlined else "never"
    return numba.njit(signature, cache=True, nogil=True, error_model="numpy", fastmath=fast, inline=inline)


def _log() -> "Logger":
    import logging  # see above

    return logging.getLogger(__name__)


def _is_installed() -> bool:
    if util.find_spec("numba") is not None:
        return True
    _log().info("numba is not installed: the slower numpy engine is used")
    return False


@cache
def _is_ready() -> bool:
    """Return whether kernels are compiled; if they are not, begin to compile them in another process."""
    if not _is_installed():
        return False
    from .compiling import begin, is_compiled  # see above

    try:
        if is_compiled(PACKAGES, _compiled_folder()):
            return True
        begin(PACKAGES, _compiled_folder())
    except Exception as error:
        _log().warning("numba does not work here (%s): the slower numpy engine is used", " ".join(str(error).split()))
    return False


@cache
def _load_compiled(package: str) -> ModuleType | None:
    if not _is_installed():
        return None
    # Any exception from numba or its cache (wrong versions, a read-only or corrupt cache) falls back to numpy.
    try:
        _set_cache_folder()
        return import_module("._numba", package)
    except Exception:
        _delete_cache(package)
    try:
        return import_module("._numba", package)
    except Exception as error:
        _log().warning("numba does not work here (%s): the slower numpy engine is used", " ".join(str(error).split()))
        return None


def _compiled_folder() -> str:
    """Return the folder of this numba's compiled kernels, "" for the default."""
    from importlib import metadata  # see `compiler`

    return _cache_folder and str(Path(_cache_folder) / f"numba-{metadata.version('numba')}")


def _set_cache_folder() -> None:
    import numba

    # The setting is global in the process, and another add-on may have set it already.
    settings: Any = numba.config
    if not settings.CACHE_DIR:
        settings.CACHE_DIR = _compiled_folder()


def _delete_cache(package: str) -> None:
    """Delete the compiled kernels of one package, next to its modules and in numba's folders."""
    spec = util.find_spec("._numba", package)
    if spec is None or spec.origin is None:
        return
    source = Path(spec.origin).parent
    files = list((source / "__pycache__").glob("_numba.*.nb?"))
    for folder in _numba_folders():
        files += Path(folder).glob(f"{source.name}_*/_numba.*.nb?")
    for file in files:
        try:
            file.unlink()
        except OSError:
            _log().info("could not delete %s", file)


def _numba_folders() -> list[str]:
    """Return the folders in which numba may store kernels: the configured one, and its default for the user."""
    try:
        settings: Any = import_module("numba").config
        user = import_module("numba.misc.appdirs").AppDirs(appname="numba", appauthor=False).user_cache_dir
        return [folder for folder in (settings.CACHE_DIR, user) if folder]
    except Exception:
        return []
