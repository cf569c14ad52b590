"""Measure time and memory to import a take of 36,000 frames, mirror it and plant its feet; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs; `profile` also prints a profile.
"""

import contextlib
import cProfile
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
from line import Figures
from telling import tell

ROOT = Path(__file__).resolve().parent.parent.parent
TAKE = ROOT.parent / "shared" / "data" / "cmu" / "cmu_mb_02_01.bvh"
FRAMES = 36_000
_STATUS = Path("/proc/self/status")


def main(zip_path: str, runs: int) -> None:
    with in_blender.extension(zip_path) as loom, tempfile.TemporaryDirectory() as folder:
        import bpy

        path = Path(folder) / "take.bvh"
        path.write_bytes(long_file(TAKE.read_bytes(), FRAMES))
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        works: dict[str, Callable[[], Any]] = {
            "long-import": lambda: ours.import_motion(files=[{"name": str(path)}]),
            "long-mirror": lambda: ours.mirror(sources=[{"name": "take", "weight": 1.0}]),
            "long-plant": lambda: ours.plant(sources=[{"name": "take", "weight": 1.0}]),
        }
        least, most = dict.fromkeys(works, np.inf), dict.fromkeys(works, np.inf)
        for turn in range(runs):
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            for key, work in works.items():
                for action in [action for action in bpy.data.actions if action.name != "take"]:
                    bpy.data.actions.remove(action)
                loom("addon.ground.memory").forget()  # so that no step reuses cached results
                forget_peak()
                taken = seconds(work, key, profiled="profile" in sys.argv and turn == runs - 1)
                least[key], most[key] = min(least[key], taken), min(most[key], peak())
        figures = {key: Figures(1000.0 * found) for key, found in least.items()}
        figures |= {f"{key}-memory": Figures(found) for key, found in most.items()}
        tell(figures, blender=bpy.app.version_string)


def forget_peak() -> None:
    """Reset the peak memory counter of this process; does nothing on systems without /proc."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak() -> float:
    """Return the peak memory (MB) since `forget_peak`; on systems without /proc since the start of the process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0 if not _STATUS.exists() else _high() / 1024.0


def _high() -> float:
    line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1])


def long_file(file: bytes, frames: int) -> bytes:
    """Return a BVH file that plays forwards and backwards until it has `frames` frames."""
    head, _, rows = file.partition(b"MOTION")
    _, rate, *lines = [line for line in rows.splitlines() if line.strip()]
    last = len(lines) - 1
    there_and_back = last - np.abs(np.arange(frames) % (2 * last) - last)
    longer = [b"Frames: %d" % frames, rate, *(lines[k] for k in there_and_back.tolist())]
    return head + b"MOTION\n" + b"\n".join(longer) + b"\n"


def seconds(work: Callable[[], Any], key: str, *, profiled: bool) -> float:
    """Return the processor seconds of `work`; if `profiled`, run it once more and print its profile."""
    began = time.process_time()
    work()
    taken = time.process_time() - began
    if profiled:
        watch = cProfile.Profile(time.process_time)
        watch.runcall(work)
        print(f"=== {key}")
        watch.print_stats("cumtime")
    return taken


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)
