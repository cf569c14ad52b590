"""Measure time and memory to enable the extension in a Blender that has just started; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs (ignored), a folder for Blender's settings.
The first call installs the extension there and prints nothing; later calls find it with its modules compiled.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from line import Figures
from telling import tell


def main(zip_path: str, home: str) -> None:
    # Blender writes .pyc files. If the environment forbids that, every start would compile the modules.
    sys.dont_write_bytecode = False
    if not Path(home).exists():
        with in_blender.extension(zip_path, home):
            return
    os.environ["BLENDER_USER_RESOURCES"] = home  # Blender reads it at startup
    import bpy

    addon_utils = import_module("addon_utils")
    before, began = resident(), time.thread_time()
    addon_utils.enable(in_blender.PACKAGE, default_set=True)
    took, more = 1000.0 * (time.thread_time() - began), resident() - before
    figures = {"register-first": Figures(took)}
    if more:
        figures["register-memory"] = Figures(more)
    tell(figures, blender=bpy.app.version_string)


def resident() -> float:
    """Return the resident memory of this process in MB; 0 on systems without /proc."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20 if pages.exists() else 0.0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3])
    sys.stdout.flush()
    os._exit(0)
