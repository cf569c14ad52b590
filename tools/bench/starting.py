"""What enabling the extension takes of a Blender that has just started, and of its memory; prints JSON.

Arguments: the extension's zip, the number of runs (of no matter), a folder that keeps Blender's settings: the first
call installs the extension there, and later ones find it, with its modules compiled.
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
    # Blender keeps compiled modules; where the environment forbids that, every start would be a first one.
    sys.dont_write_bytecode = False
    if not Path(home).exists():
        with in_blender.extension(zip_path, home):
            return
    os.environ["BLENDER_USER_RESOURCES"] = home  # read by Blender as it starts
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
    """The memory of this process in megabytes; 0 where the system has no such file."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20 if pages.exists() else 0.0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3])
    sys.stdout.flush()
    os._exit(0)
