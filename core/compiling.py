"""Compile the kernels in another process, so that nobody waits for the compiler, and note that they are compiled.

The note lies beside the compiled code. Its name depends on the kernels' files, the processor, Python and numba.
"""

import hashlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path

# Imports this package alone, whatever the names above it: in Blender, they belong to the extension, which needs bpy.
_PROGRAM = """
import os, sys, types
if hasattr(os, "nice"):
    os.nice(15)
*above, _ = {package!r}.split(".")
for k in range(len(above)):
    module = types.ModuleType(above[k])
    module.__path__ = [{folder!r}]
    sys.modules.setdefault(".".join(above[: k + 1]), module)
from {package} import jit
jit.compile_all()
"""
LONGEST_SECONDS = 600.0  # of a compilation: a process that began before was ended, and another one may begin


def is_compiled(packages: Sequence[str], folder: str = "") -> bool:
    """Return whether the kernels of packages are compiled; folder : where they are, "" for numba's default.

    Example:
        >>> from action_loom.core import compiling
        >>> compiling.is_compiled(["sync"]) in (True, False)
        True
    """
    return _note(packages, folder).exists()


def begin(packages: Sequence[str], folder: str = "") -> None:
    """Begin to compile all kernels in a process of low priority, unless one has begun; it outlives this process.

    folder : for compiled kernels, "" for numba's default
    """
    begun = _note(packages, folder).with_suffix(".begun")
    with suppress(OSError):  # a folder that cannot be written: no compiled code would stay there
        begun.parent.mkdir(parents=True, exist_ok=True)
        if begun.exists() and time.time() - begun.stat().st_mtime > LONGEST_SECONDS:
            begun.unlink()
        begun.touch(exist_ok=False)
        text = _PROGRAM.format(package=__package__, folder=str(Path(__file__).resolve().parents[1]))
        kept = {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR") or folder} if folder else {}
        program = subprocess.Popen(
            [sys.executable, "-c", text],
            env=os.environ | kept | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=0x08004000 if os.name == "nt" else 0,  # no window, and less urgent than this process
            start_new_session=os.name != "nt",
        )
        program.returncode = 0  # nobody waits for it


def leave_note(packages: Sequence[str]) -> None:
    """Write that the kernels of packages are compiled."""
    note = _note(packages)
    note.touch()
    note.with_suffix(".begun").unlink(missing_ok=True)


def _note(packages: Sequence[str], folder: str = "") -> Path:
    """Return the path of the note for these kernels, this processor, Python and numba; folder : see `begin`."""
    core = Path(__file__).resolve().parent
    files = [core.joinpath(*name.split("."), "_numba.py") for name in packages]
    times = [(str(path), path.stat().st_mtime_ns) for path in files]  # numba, too, compiles again when they change
    content = repr((times, sys.version, metadata.version("numba"), platform.machine(), _features()))
    name = f"kernels-{hashlib.blake2b(content.encode(), digest_size=8).hexdigest()}.compiled"
    if kept := os.environ.get("NUMBA_CACHE_DIR") or folder:
        return Path(kept) / name
    beside = core / "__pycache__"
    if os.access(beside if beside.exists() else core, os.W_OK):
        return beside / name
    users = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(users) / "action-loom" / name


def _features() -> str:
    """Return the features of this processor if the system lists them, because machines may share a folder."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
        return next((line for line in info if line.startswith(("flags", "Features"))), "")
    return platform.processor()
