"""What an artist waits for: processor seconds and peak memory. Writes a section of docs/measured/benchmarks.md.

    python tools/bench/waits.py                      # all; or some: ... waits.py plant follow
    python tools/bench/waits.py --beside FOLDER ...  # in turns with another checkout: both, and the ratio, on stdout

Every case is a process of its own with one thread, which runs it until it is warm; the least of some runs counts.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import growth
import page_sections

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT.parent / "shared" / "data"
ENGINES = ("numpy", "auto")
RUNS, ENOUGH, LONG = 5, 6.0, 10.0  # runs at most in a process, and s after which there are no more; s that end turns
TURNS = 2  # processes of each
CURVED = [[0.0, 0.0], [5.0, 0.0], [10.0, 2.0], [14.0, 4.0]]  # m; a path of 15 m
POSE = 56.0  # bytes of a joint in a frame: rotation and translation
PAIR = 2.0 * (4 * 48 + 25)  # operations of the bounds of a pair of windows, in single precision: half the time each
PAGE, TITLE = "benchmarks.md", "What an artist waits for"
ABOUT = (
    "Processor seconds and peak memory, one thread, warm: the least of up to ten runs."
    " *Floor*: reading and writing the poses once; of graphs, the bounds of all pairs of windows in single precision."
)
WHY = {  # as profiles tell
    "loop-5": "closing the seam 40 %, planting a quarter, in some thousand small steps",
    "follow": "the graph 60 %, of which preparing and comparing a third each; the search a third",
    "graph-20": "preparing clips and mirror images takes as long as comparing them",
    "graph-36": "a third of all windows are near each other, so bounds leave much open",
    "sync-100": "poses and what is compared of them a half, paths a quarter (numpy alone), measuring a sixth",
    "joints-sync": "comparing and measuring a half each: some 40 passes through 3 million poses, the floor has 3",
    "joints-blend": "as above",
}


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


@dataclass(frozen=True)
class Wait:
    """about : what it is; asked : seconds; moved, operations : bytes and operations no way of doing it can avoid"""

    about: str
    asked: float
    prepare: Callable[[], Callable[[], Any]]
    moved: float = 0.0
    operations: float = 0.0


CASES = {
    "loop-5": Wait("Loop, 5 s at 120 Hz", 0.06, lambda: loop(600), 2 * POSE * 600 * 31),
    "loop-20": Wait("Loop, 20 s at 120 Hz", 0.3, lambda: loop(2400), 2 * POSE * 2400 * 31),
    "plant": Wait("Plant Feet, 20 s at 120 Hz, 43 joints", 0.15, lambda: plant(2400), 2 * POSE * 2400 * 43),
    "keys": Wait("Fewer Keys, 2,466 frames, 43 joints", 0.4, keys, 2 * POSE * 2466 * 43),
    "follow": Wait("Path, 15 m through 42 AMC clips, read before", 0.7, follow, operations=0.5 * PAIR * 2477**2),
    "graph-20": Wait(
        "graph of 20,000 frames of 40 clips",
        2.0,
        lambda: graph(20_000, repetitive=False),
        operations=0.5 * PAIR * 3654**2,
    ),
    "graph-36": Wait(
        "graph of a walk over and over, 36,000 frames",
        10.0,
        lambda: graph(36_000, repetitive=True),
        operations=0.5 * PAIR * 12_000**2,
    ),
    "sync-100": Wait("Synchronise, 100,000 × 100,000 frames", 10.0, lambda: sync(100_000), 3 * POSE * 100_000 * 31),
    "joints-sync": Wait("Synchronise, 10,000 joints, 300 frames", 3.0, lambda: joints("sync"), 3 * POSE * 3_000_000),
    "joints-blend": Wait("Blend, 10,000 joints, 300 frames", 3.0, lambda: joints("blend"), 3 * POSE * 3_000_000),
}


def work(key: str) -> None:
    """Run one case in this process; print its seconds and megabytes."""
    run = CASES[key].prepare()
    times: list[float] = []
    while len(times) < RUNS and (not times or (times[0] < LONG and sum(times) < ENOUGH)):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    print(json.dumps([min(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0]))


def measured(roots: list[Path], key: str, engine: str) -> list[list[float]]:
    """Return for each checkout the least seconds of some processes, and megabytes."""
    turns = []
    while len(turns) < TURNS and (not turns or max(one[0] for one in turns[0]) < LONG):
        turns.append([_process(root, key, engine) for root in roots])
    return [min(turn[k] for turn in turns) for k in range(len(roots))]


def _process(root: Path, key: str, engine: str) -> list[float]:
    environment = os.environ | {"ACTION_LOOM_ENGINE": engine, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = str(root / "build" / "types")
    command = [sys.executable, "-W", "ignore", str(Path(__file__)), "--worker", key]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


def main(asked: list[str]) -> None:
    import floor

    roots, machine, rows = [ROOT], floor.measure(), list[Sequence[str]]()
    abouts = [one.about for one in CASES.values()]
    if asked[:1] == ["--beside"]:
        roots, asked = [Path(asked[1]), ROOT], asked[2:]
    for key in asked or CASES:
        one, cells = CASES[key], []
        for engine in ENGINES:
            found = measured(roots, key, engine)
            cells.append(found[-1])
            ratio = f" ({found[1][0] / found[0][0]:.2f})" if len(found) > 1 else ""
            shown = " → ".join(f"{seconds:.3f} s, {megabytes:.0f} MB" for seconds, megabytes in found)
            print(f"{one.about}: {engine} {shown}{ratio}; asked {one.asked:g}", flush=True)
        least = 1e-3 * machine.floor(one.moved, one.operations)
        met = [seconds <= one.asked for seconds, _ in cells]
        answer = "yes" if all(met) else "with kernels" if met[1] else "**no**"
        memory = f"{cells[0][1]:.0f} / {cells[1][1]:.0f}"
        row = (one.about, *(f"{seconds:.3g}" for seconds, _ in cells), memory, f"{least:.2g}", f"{one.asked:g}", answer)
        rows.append((*row, "" if all(met) else WHY.get(key, "")))
    if len(roots) == 1:
        heads = ("", "numpy alone, s", "with kernels, s", "MB", "floor, s", "asked, s", "met", "what takes it")
        before = page_sections.kept(PAGE, [TITLE]).splitlines()
        rows += [
            row
            for row in (line[2:-2].split(" | ") for line in before)
            if row[0] in set(abouts) - {new[0] for new in rows}
        ]
        rows.sort(key=lambda row: abouts.index(row[0]))
        lines = [*textwrap.wrap(ABOUT, 118), "", "    python tools/bench/waits.py", "", *growth.grid(heads, rows)]
        page_sections.put(PAGE, TITLE, lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2])
    else:
        main(sys.argv[1:])
