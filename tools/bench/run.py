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
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
from action_loom.core import jit
from action_loom.core.motion import bvh, figure, kinematics, quat, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.recipes import Blend, Synchronise
from action_loom.core.sync import metrics, registration, timewarp
from action_loom.core.sync.distance import Metric
from action_loom.core.sync.registered import Registration
from action_loom.core.weave import blend as weave
from action_loom.core.weave import shares
from action_loom.core.weave.matched import Matched
from action_loom.core.weave.prepare import Prepared
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
    of = {
        metric: [metrics.of(clip, Synchronise(metric=metric)) for clip in (a, b)]
        for metric in ("points", "angles", "chordal")
    }
    matrix = distances(of["points"], 5)()
    several, matched = several_clips()
    rotations, shares = [clip.rotations for clip in several], np.full((len(several), 1, 1), 1.0 / len(several))
    # What is done, the most milliseconds it should take (where that was laid down), and how it is done.
    steps: list[tuple[str, str, Callable[[], object]]] = [
        ("read a BVH file", "8", lambda: bvh.read(files[0])),
        ("forward kinematics", "", lambda: kinematics.points(a)),
        ("pose distance `points`, single frames", "10", distances(of["points"], 0)),
        ("pose distance `points`, 11 frames", "35", distances(of["points"], 5)),
        ("pose distance `angles`, single frames", "100", distances(of["angles"], 0)),
        ("pose distance `chordal`, single frames", "15", distances(of["chordal"], 0)),
        ("time warping with path, slope limit 3, numba", "4", with_engine("numba", warp(matrix, 3))),
        ("time warping with path, slope limit 3, numpy", "", with_engine("numpy", warp(matrix, 3))),
        ("time warping with path, no limit, numba", "2", with_engine("numba", warp(matrix, FRAMES))),
        ("weighted mean of rotations, 5 × 1000 × 60", "25", lambda: quat.mean(rotations, shares)),
        ("blend 5 × 1000 × 60, registration known", "60", lambda: mix(several, matched)),
        ("the same, with its report", "", lambda: Blend().apply(several, matched=matched)),
        ("blend, pinned ends, from clips to clip", "", lambda: blend(a, b)),
    ]
    size = f"{FRAMES} × {FRAMES} frames, {len(a.skeleton)} joints"
    lines = [f"{size}; median of {runs} runs, warm", "", "| step | ms | target |", "|---|---|---|"]
    return lines + [f"| {name} | {milliseconds(work, runs):.1f} | {target} |" for name, target, work in steps]


def distances(pair: list[Metric], window: int) -> Callable[[], np.ndarray]:
    return lambda: pair[0].matrix(pair[1], window)


def warp(matrix: np.ndarray, limit: int) -> Callable[[], object]:
    return lambda: timewarp.pinned(matrix, limit)


def several_clips() -> tuple[list[Clip], Matched]:
    """Five clips of 1000 frames and 60 joints whose rotations lie about 30° apart, each to be read unevenly."""
    rng, joints = np.random.default_rng(0), 60
    parents = np.array([-1, *(max(0, k - 1) if k % 12 else 0 for k in range(1, joints))])
    offsets, still = np.tile([0.0, 0.02, 0.08], (joints, 1)), np.tile(quat.IDENTITY, (joints, 1))
    names = tuple(f"joint{k}" for k in range(joints))
    skeleton = Skeleton(names, parents, offsets, still, np.zeros((joints, 3)))
    translations = np.zeros((FRAMES, joints, 3))
    translations[:, 0] = 0.01 * np.arange(FRAMES)[:, None]

    def wandering() -> np.ndarray:
        steps = rng.normal(size=(FRAMES, joints, 3)) / np.sqrt(FRAMES)
        return quat.exp(0.3 * np.cumsum(steps, axis=0) + 0.2 * rng.normal(size=(joints, 3)))

    common = wandering()
    clips = [
        Clip(f"clip{k}", skeleton, 120.0, quat.mul(common, wandering()), translations.copy()) for k in range(5)
    ]
    straight, uneven = registration.identity(clips[0]), 3.0 * np.sin(np.linspace(0.0, np.pi, FRAMES))
    curves = [straight, *(replace(straight, frames=straight.frames + uneven) for _ in clips[1:])]
    matched = Matched(Prepared(tuple(clips), 0, [], (0,) * 5, (1.0,) * 5), Registration(0, tuple(curves)), True)
    return clips, matched


def mix(clips: list[Clip], matched: Matched) -> Clip:
    equal = shares.constant((), len(clips))
    at = weave.output_frames(matched.registration, equal, "blended")
    return weave.weave(clips, matched.registration, at, equal.at(matched.registration.way(at)))


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
