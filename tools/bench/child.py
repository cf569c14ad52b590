"""Run one benchmark inside Blender and print its figures as JSON.

Arguments: the name of a row of WORKS, the extension's zip, the number of runs, a folder for Blender's settings and
compiled modules ("" for a temporary one), and a BVH file or "quick" for the works that need one.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import child_motion
import child_rig
import child_tab
import in_blender
from table import Figures, print_figures

WORKS = {
    "bridge": child_motion.time_actions,
    "importing": child_motion.time_import,
    "weights": child_motion.time_weights,
    "register": child_tab.time_register,
    "press": child_tab.time_press,
    "live": child_tab.time_live,
    "long": child_tab.time_long_take,
    "rig": child_rig.time_rig,
    "many": child_tab.time_many_sources,
}


def main(name: str, zip_path: str, runs: int, home: str, *more: str) -> None:
    # Blender writes .pyc files. If the environment forbids that, every start would compile the modules.
    sys.dont_write_bytecode = False
    if name == "start":
        figures = time_start(zip_path, home)
    else:
        with in_blender.extension(zip_path, home) as loom:
            import bpy

            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            figures = WORKS[name](loom, runs, *more)
    import bpy

    print_figures(figures, bpy.app.version_string)
    # After many registrations Blender 4.2 crashes at exit, and it takes long to free hundreds of actions.
    os._exit(0)


def time_start(zip_path: str, home: str) -> dict[str, Figures]:
    """Measure time and memory to enable the extension in a new Blender; the first call only installs it in `home`."""
    if not Path(home).exists():
        with in_blender.extension(zip_path, home):
            return {}
    os.environ["BLENDER_USER_RESOURCES"] = home  # Blender reads it at startup
    import bpy  # noqa: F401

    addon_utils = import_module("addon_utils")
    before, began = read_resident(), time.thread_time()
    addon_utils.enable(in_blender.PACKAGE, default_set=True)
    took, more = 1000.0 * (time.thread_time() - began), read_resident() - before
    return {"register-first": Figures(took)} | ({"register-memory": Figures(more)} if more else {})


def read_resident() -> float:
    """Return the resident memory of this process in MB; 0 on systems without /proc."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20 if pages.exists() else 0.0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
