"""What an artist waits for outside Blender: processor seconds and peak memory of each wait, on stdout.

    python tools/bench/waits.py                    # all; or some: ... waits.py loop follow
    python tools/bench/waits.py --beside FOLDER    # in turns with another checkout: both, and the ratio

Every run is a process of its own with one thread, after a warm-up; the least of some runs counts. Engines: numpy alone,
and the one that would be chosen.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT.parent / "shared" / "data"
ENGINES = ("numpy", "auto")
RUNS, ENOUGH, LONG = 5, 6.0, 10.0  # runs at most in a process, and s after which there are no more; s that end turns
TURNS = 2  # processes of each
PATH = "0 0; 5 0; 10 2; 14 4"  # m; 15 m
CURVED = [[0.0, 0.0], [5.0, 0.0], [10.0, 2.0], [14.0, 4.0]]


def captured(name: str, rate: float = 0.0) -> Any:
    from action_loom.core.formats import bvh
    from action_loom.core.motion import resample

    clip = bvh.to_clip(bvh.read(DATA / "cmu" / f"cmu_{name}.bvh"))[0]
    return resample.to_rate(clip, rate) if rate else clip


def of_length(name: str, frames: int) -> Any:
    """A captured clip, played forth and back until it has so many frames."""
    import numpy as np

    clip = captured(name)
    last = len(clip) - 1
    there_and_back = last - np.abs(np.arange(frames) % (2 * last) - last)
    return replace(clip.taken(there_and_back), cyclic=False)


def applying(recipe: Any, clips: list[Any], **known: Any) -> Callable[[], Any]:
    from action_loom.core import verbs

    return lambda: verbs.apply(recipe, clips, **known)


def loop(frames: int) -> Callable[[], Any]:
    from action_loom.core.verbs import Loop

    return applying(Loop(), [of_length("mb_02_06", frames)])


def plant(frames: int) -> Callable[[], Any]:
    from action_loom.core.verbs import Plant

    return applying(Plant(), [captured("daz_13_26").cut(0, frames)])


def keys() -> Callable[[], Any]:
    from action_loom.core.verbs import VERBS

    return applying(VERBS["fewer_keys"].recipe(), [captured("daz_13_26").cut(0, 2466)])


def follow() -> Callable[[], Any]:
    """Its work alone, after reading."""
    from action_loom.core.formats import motion_file
    from action_loom.core.verbs import Follow

    clips = [motion_file.read(path).clip for path in walks()]
    return applying(Follow(path=CURVED), clips)


def walks() -> list[Path]:
    return sorted((DATA / "amc").glob("16_*.amc"))[:42]


def graph(frames: int, *, repetitive: bool) -> Callable[[], Any]:
    import numpy as np
    from action_loom.core.verbs import BuildGraph

    if not repetitive:
        from action_loom.core.formats import motion_file

        clips, left = [], frames
        for path in sorted((DATA / "cmu").glob("cmu_mb_*.bvh")):
            clip = motion_file.read(path).clip
            clips.append(clip.cut(0, min(left, len(clip))))
            left -= len(clips[-1])
            if left < 100:
                break
        return applying(BuildGraph(), clips)
    walk = captured("mb_02_01", 30.0)
    return applying(BuildGraph(), [replace(walk.taken(np.arange(frames) % len(walk)), cyclic=False)])


def sync(frames: int) -> Callable[[], Any]:
    import growth
    from action_loom.core.verbs import VERBS

    return applying(VERBS["sync"].recipe(), growth.alike(frames, 2))


def joints(verb: str) -> Callable[[], Any]:
    import joints as bodies
    from action_loom.core.formats import bvh
    from action_loom.core.verbs import VERBS

    bodies.FRAMES = 300
    with tempfile.TemporaryDirectory() as folder:
        clips = []
        for k in range(2):
            path = Path(folder) / f"{k}.bvh"
            path.write_text(bodies.body(bodies.SHAPES["100 chains of 100"], False, k))
            clips.append(bvh.to_clip(bvh.read(path))[0])
    return applying(VERBS[verb].recipe(), clips)


CASES: dict[str, tuple[str, float, Callable[[], Any]]] = {
    "loop-5": ("Loop, 5 s at 120 Hz", 0.06, lambda: loop(600)),
    "loop-20": ("Loop, 20 s at 120 Hz", 0.3, lambda: loop(2400)),
    "plant": ("Plant Feet, 20 s at 120 Hz, 43 joints", 0.15, lambda: plant(2400)),
    "keys": ("Fewer Keys, 2,466 frames, 43 joints", 0.4, keys),
    "follow": ("Path, 15 m through 42 AMC clips: the work", 0.7, follow),
    "graph-20": ("graph of 20,000 frames of 40 clips", 2.0, lambda: graph(20_000, repetitive=False)),
    "graph-36": (
        "graph of a walk over and over, 36,000 frames",
        10.0,
        lambda: graph(36_000, repetitive=True),
    ),
    "sync-100": ("Synchronise, 100,000 × 100,000 frames", 10.0, lambda: sync(100_000)),
    "joints-sync": ("Synchronise, 10,000 joints, 300 frames", 3.0, lambda: joints("sync")),
    "joints-blend": ("Blend, 10,000 joints, 300 frames", 3.0, lambda: joints("blend")),
}


def work(key: str) -> None:
    """Run one case in this process; print its seconds and megabytes."""
    run = CASES[key][2]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times: list[float] = []
    while len(times) < RUNS and (not times or (times[0] < LONG and sum(times) < ENOUGH)):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([min(times), (most - before) / 1024.0, most / 1024.0]))


def measured(root: Path, key: str, engine: str) -> list[float]:
    environment = os.environ | {"ACTION_LOOM_ENGINE": engine, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = str(root / "build" / "types")
    command = [sys.executable, "-W", "ignore", str(Path(__file__)), "--worker", key]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


def main(asked: list[str]) -> None:
    roots = [ROOT]
    if asked[:1] == ["--beside"]:
        roots, asked = [Path(asked[1]), ROOT], asked[2:]
    for key in asked or CASES:
        about, wanted, _ = CASES[key]
        for engine in ENGINES:
            cells = []
            for _ in range(TURNS):
                cells.append([measured(root, key, engine) for root in roots])
                if max(one[0] for one in cells[0]) > LONG:
                    break
            least = [min(turn[k] for turn in cells) for k in range(len(roots))]
            shown = " → ".join(f"{one[0]:.3f} s, {one[2]:.0f} MB" for one in least)
            ratio = f" ({least[1][0] / least[0][0]:.2f})" if len(least) > 1 else ""
            print(f"{about} | {engine} | {shown}{ratio} | {wanted:g}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2])
    else:
        main(sys.argv[1:])
