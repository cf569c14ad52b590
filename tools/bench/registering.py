"""Time registering the extension in a running Blender, and check that numba stays unloaded; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs.
"""

import os
import statistics
import sys
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from line import Figures
from telling import tell

OTHERS = ("io_scene_gltf2", "rigify")  # bundled with Blender, for comparison


def main(zip_path: str, runs: int) -> None:
    # Blender writes .pyc files. If the environment forbids that, every start would compile the modules.
    sys.dont_write_bytecode = False
    with in_blender.extension(zip_path):
        import bpy

        addon_utils = import_module("addon_utils")
        for name in OTHERS:
            if not addon_utils.check(name)[1]:
                addon_utils.enable(name, default_set=True)
        # Alternate, so that a busy moment affects all add-ons.
        times: dict[str, list[float]] = {name: [] for name in (in_blender.PACKAGE, *OTHERS)}
        for _ in range(runs + 1):
            for name, found in times.items():
                found.append(registering(name))
        for name in times:
            sys.modules[name].unregister()
        loaded = {"numba", "llvmlite"} & set(sys.modules)
        if loaded:
            raise SystemExit(f"registering loaded {', '.join(sorted(loaded))}")
        medians = {name: 1000.0 * statistics.median(found[1:]) for name, found in times.items()}
        ours = medians.pop(in_blender.PACKAGE)
        tell({"register": Figures(ours, medians)}, blender=bpy.app.version_string)


def registering(package: str) -> float:
    """Unload an add-on; return the seconds to import it again from its .pyc files and register it."""
    sys.modules[package].unregister()
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    began = time.thread_time()
    import_module(package).register()
    return time.thread_time() - began


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
    # After this many registrations Blender 4.2 crashes at exit, and 4.5 never exits.
    sys.stdout.flush()
    os._exit(0)
