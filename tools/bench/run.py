"""make bench: how fast the main steps are, in one run on the same clips; written to docs/benchmarks.md.

Medians of several runs after a warm-up. Takes captured clips where ../shared/data is there, else generated ones.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
from action_loom.core import jit
from action_loom.core.motion import bvh, figure, kinematics, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes import Blend, Synchronise
from action_loom.core.sync import metrics, timewarp
from timing import milliseconds

ROOT = Path(__file__).resolve().parent.parent.parent
CAPTURED = [ROOT.parent / "shared" / "data" / "cmu" / f"cmu_mb_{take}.bvh" for take in ("02_05", "02_06")]
FRAMES = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs; docs/ stays as it is")
    parser.add_argument("zip", help="the built extension, for the times in Blender")
    options = parser.parse_args()
    quick, zip_path = options.quick, options.zip
    runs = 3 if quick else 15
    with tempfile.TemporaryDirectory() as folder:
        files = material(Path(folder))
        lines = [*table(files, runs), "", *command_line(files, Path(folder), 2 if quick else 5)]
        lines += ["", *in_blender(zip_path, runs)]
    print("\n".join(lines))
    if not quick:
        (ROOT / "docs").mkdir(exist_ok=True)
        (ROOT / "docs" / "benchmarks.md").write_text("\n".join([*heading(), *lines]) + "\n", encoding="utf-8")


def material(folder: Path) -> list[Path]:
    """Two files of 1000 frames each."""
    files = []
    for k, path in enumerate(CAPTURED):
        if path.exists():
            motion = bvh.read(path)
            short = bvh.Motion(**{**vars(motion), "values": motion.values[100 : 100 + FRAMES]})
        else:
            clip = figure.walk(rate=120.0) if k == 0 else figure.sneak(rate=120.0)
            short = bvh.from_clip(resample.sample(clip, np.linspace(0.0, len(clip) - 1.0, FRAMES)))
        files.append(folder / f"clip{k}.bvh")
        bvh.write(short, files[-1])
    return files


def table(files: list[Path], runs: int) -> list[str]:
    """Times of the steps, each with what it works on."""
    a, b = (bvh.to_clip(bvh.read(path))[0] for path in files)
    points_a, points_b = (metrics.of(clip, Synchronise(metric="points")) for clip in (a, b))
    matrix = points_a.matrix(points_b, 5)
    one = [0.0, *[np.inf] * FRAMES]
    corner = np.array(one)
    steps: list[tuple[str, Callable[[], object]]] = [
        ("read a BVH file", lambda: bvh.read(files[0])),
        ("forward kinematics", lambda: kinematics.points(a)),
        ("pose distance `points`, single frames", lambda: points_a.matrix(points_b, 0)),
        ("pose distance `points`, 11 frames", lambda: points_a.matrix(points_b, 5)),
        ("time warping, slope limit 3, numba", with_engine("numba", lambda: warp(matrix, corner))),
        ("time warping, slope limit 3, numpy", with_engine("numpy", lambda: warp(matrix, corner))),
        ("blend, pinned ends, from clips to clip", lambda: blend(a, b)),
    ]
    size = f"{FRAMES} × {FRAMES} frames, {len(a.skeleton)} joints"
    lines = [f"{size}; median of {runs} runs, warm", "", "| step | ms |", "|---|---|"]
    return lines + [f"| {name} | {milliseconds(work, runs):.1f} |" for name, work in steps]


def warp(matrix: np.ndarray, corner: np.ndarray) -> object:
    return timewarp.accumulate(matrix, corner, corner, 3)


def blend(a: Clip, b: Clip) -> object:
    return Blend(metric="points", ends="pinned", trim=False).apply([a, b])


def with_engine(engine: str, work: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        jit.use(engine)
        try:
            return work()
        finally:
            jit.use("auto")

    return run


def command_line(files: list[Path], folder: Path, runs: int) -> list[str]:
    """Wall-clock times of `action-loom blend` on two clips of 600 frames: kernels to compile, and from the cache."""
    short = []
    for k, path in enumerate(files):
        motion = bvh.read(path)
        short.append(folder / f"short{k}.bvh")
        bvh.write(bvh.Motion(**{**vars(motion), "values": motion.values[:600]}), short[-1])
    command = [shutil.which("action-loom", path=str(Path(sys.executable).parent)), "blend", *map(str, short)]
    command += ["-o", str(folder / "out.bvh"), "--force", "--quiet"]
    cache = folder / "cache"
    first = []
    for _ in range(runs):
        shutil.rmtree(cache, ignore_errors=True)
        first.append(seconds(command, cache))
    later = [seconds(command, cache) for _ in range(runs)]
    plain = [seconds([*command, "--engine", "numpy"], cache) for _ in range(runs)]
    return [
        f"`action-loom blend` of two clips of 600 frames; median of {runs} runs of the whole command",
        "",
        "| | s |",
        "|---|---|",
        f"| the very first time, kernels compile | {statistics.median(first):.2f} |",
        f"| later | {statistics.median(later):.2f} |",
        f"| with `--engine numpy` | {statistics.median(plain):.2f} |",
    ]


def in_blender(zip_path: str, runs: int) -> list[str]:
    """Times of the bridge in every Blender whose environment is there."""
    found = []
    for folder in sorted((ROOT / ".venv-blender").glob("*")):
        script = Path(__file__).with_name("bridge.py")
        command = [str(folder / "bin" / "python"), str(script), zip_path, str(runs)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found.append(json.loads(answer.partition("TIMES")[2].splitlines()[0]))
    steps = found[0]["milliseconds"]
    return [
        f"60 bones × 1000 frames in Blender, ms; median of {runs} runs, warm",
        "",
        f"| | {' | '.join(one['blender'] for one in found)} |",
        f"|---|{'---|' * len(found)}",
        *(f"| {step} | {' | '.join(str(one['milliseconds'][step]) for one in found)} |" for step in steps),
    ]


def seconds(command: list[str], cache: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, env=os.environ | {"NUMBA_CACHE_DIR": str(cache)})
    return time.perf_counter() - began


def heading() -> list[str]:
    return [
        "# Benchmarks",
        "",
        f"`make bench` on {datetime.date.today()}: {platform.machine()}, {processor()}, Python "
        f"{platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}.",
        "",
    ]


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown CPU")
    return f"{name}, {sum(line.startswith('processor') for line in lines)} cores"


if __name__ == "__main__":
    main()
