"""Which engine computes the recurrences: numba kernels, or their numpy twins. The only module that names numba.

A package with a recurrence has two private modules with the same functions: `_numba` (numba) and `_numpy`
(numpy). `kernels(__package__)` returns whichever runs. Kernels are compiled for fixed types when `_numba` is
imported, so that everything that can go wrong with a compiler or its cache goes wrong in one place, here.
"""

import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata, util
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .errors import OptionError

if TYPE_CHECKING:
    from .progress import Progress

ENGINES = ("auto", "numba", "numpy")
WEAVING = ("edit", "formats", "graph", "motion", "sync")  # packages whose kernels any verb may need
PACKAGES = (*WEAVING, "edit.segments", "library", "skin")  # that have kernels

_log = logging.getLogger(__name__)
_wanted = os.environ.get("ACTION_LOOM_ENGINE", "auto")
_cache_folder: str | None = None
_loaded: set[str] = set()


def use(engine: str) -> None:
    """Choose the engine for everything that follows: auto, numba or numpy."""
    global _wanted
    _check(engine)
    if engine == "numba" and util.find_spec("numba") is None:
        raise OptionError("The numba engine was asked for, but numba is not installed; use numpy")
    _wanted = engine


def wanted() -> str:
    """Return the engine that was chosen last: auto, numba or numpy."""
    return _wanted


def compiler() -> str:
    """Return the name and the version of the compiler that is installed, "" for none."""
    try:
        return f"numba {metadata.version('numba')}"
    except metadata.PackageNotFoundError:
        return ""


def _check(engine: str) -> None:
    if engine not in ENGINES:
        raise OptionError(f"engine is {engine!r}, but must be one of {', '.join(ENGINES)}")


def keep_compiled_in(folder: str) -> None:
    """Keep compiled kernels in that folder from now on; call before the first kernel is used."""
    global _cache_folder
    _cache_folder = folder


def kernels(package: str) -> ModuleType:
    """Return the package's `_numba`, or its `_numpy` where numba is missing, unwanted or does not work."""
    _check(_wanted)
    if _wanted == "numpy" or (compiled := _compiled(package)) is None:
        return import_module("._numpy", package)
    return compiled


def twin(package: str) -> ModuleType:
    """Return the package's `_numpy`, for what its `_numba` leaves to it."""
    return import_module("._numpy", package)


def at_hand(package: str) -> ModuleType:
    """Return the package's `_numba` where the compiler is wanted and loaded already, else its `_numpy`.

    For what is not worth loading the compiler for. It must give the same numbers to the last bit by either: nobody is
    to see from a result what was loaded before.
    """
    loaded = any(f"{__package__}.{name}._numba" in sys.modules for name in PACKAGES)
    return kernels(package) if loaded else import_module("._numpy", package)


def prepare(progress: "Progress") -> None:
    """Load all that weaves now and say so: a second, or some where it has to be compiled; once is enough."""
    for k, package in enumerate(WEAVING):
        if _wanted != "numpy" and package not in _loaded:
            progress.at(k / len(WEAVING), "Loading the engine (the first time it is compiled)")
        kernels(f"{__package__}.{package}")
        _loaded.add(package)


def kernel(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for the given numba types now, or load it from the cache."""
    import numba

    return numba.njit(signature, cache=True, nogil=True, error_model="numpy")


@cache
def _compiled(package: str) -> ModuleType | None:
    if util.find_spec("numba") is None:
        _log.info("numba is not installed: the slower numpy engine is used")
        return None
    # Whatever numba or its cache raises (version clash, read-only or corrupt cache), numpy still works.
    try:
        _set_cache_folder()
        return import_module("._numba", package)
    except Exception:
        _delete_cache(package)
    try:
        return import_module("._numba", package)
    except Exception as error:
        _log.warning("numba does not work here (%s): the slower numpy engine is used", " ".join(str(error).split()))
        return None


def _set_cache_folder() -> None:
    import numba

    # The setting belongs to the whole process: another add-on may have made it before us.
    settings: Any = numba.config
    if _cache_folder and not settings.CACHE_DIR:
        settings.CACHE_DIR = str(Path(_cache_folder) / f"numba-{numba.__version__}")


def _delete_cache(package: str) -> None:
    """Delete compiled kernels of a package, beside its modules and in numba's folder, and nobody else's."""
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
            _log.info("could not delete %s", file)


def _numba_folders() -> list[str]:
    """Return where numba keeps kernels apart from their modules: the folder that was set, and its own for each user."""
    try:
        settings: Any = import_module("numba").config
        user = import_module("numba.misc.appdirs").AppDirs(appname="numba", appauthor=False).user_cache_dir
        return [folder for folder in (settings.CACHE_DIR, user) if folder]
    except Exception:
        return []
