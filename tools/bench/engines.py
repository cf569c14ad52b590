"""Every verb by both engines, numpy alone and the compiled kernels, warm: processor time and its ratio, on stdout.

    .venv-bench/bin/python tools/bench/engines.py              # or only some: ... engines.py sync loop

Each engine has a process of its own with one thread. The two take turns at every run, so that a busy moment hits both;
the least of some runs counts.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import growth

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

ENGINES = ("numpy", "numba")
TARGETS = {1000: 1.5, 3000: 2.5}  # frames of each clip: how many times longer numpy may take
RUNS = (3, 8)  # of a verb, the first one warms up: least and most
ENOUGH = 6.0  # s of both engines; then there are no further runs
# Of verbs that need straight strides, or a root joint of their own: clips of the generated figure.
GAITS = ("style", "restyle", "ask", "root", "shortest")


@dataclass
class Worker:
    """A process with one engine and clips of some length, which runs a verb when it is asked to."""

    process: "subprocess.Popen[str]"

    @classmethod
    def started(cls, engine: str, frames: int) -> "Worker":
        environment = os.environ | {"ACTION_LOOM_ENGINE": engine, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, str(Path(__file__)), "--worker", str(frames)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return cls(subprocess.Popen(command, env=environment, **pipes))

    def seconds(self, verb: str) -> float:
        """Run a verb; return its processor time."""
        self.process.stdin.write(f"{verb}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def ended(self) -> None:
        self.process.stdin.close()
        if self.process.wait():
            sys.exit("engines: a verb failed")


def main(only: list[str]) -> None:
    from action_loom.core import verbs

    names = only or list(verbs.VERBS)
    columns = [measured(frames, names) for frames in TARGETS]
    heads = [head for frames in TARGETS for head in (*(f"{engine}, {frames} frames, s" for engine in ENGINES), "ratio")]
    lines = [[name, *(cell for column in columns for cell in column[name])] for name in names]
    print("\n".join(growth.grid(["verb", *heads], lines)))


def measured(frames: int, names: list[str]) -> dict[str, tuple[str, ...]]:
    """Return for each verb the cells of its row: the times of both engines, and their ratio; bold if beyond TARGETS."""
    workers = [Worker.started(engine, frames) for engine in ENGINES]
    cells = {}
    for name in names:
        runs: list[list[float]] = []
        while len(runs) < RUNS[0] or (len(runs) < RUNS[1] and sum(map(sum, runs)) < ENOUGH):
            runs.append([worker.seconds(name) for worker in workers])
        best = [min(times) for times in zip(*runs[1:], strict=True)]
        ratio = best[0] / best[1]
        shown = f"{ratio:.2f}" if ratio <= TARGETS[frames] else f"**{ratio:.2f}**"
        cells[name] = (*(f"{seconds:.3f}" for seconds in best), shown)
        print(f"{frames} frames: {name} {' '.join(cells[name])}", file=sys.stderr, flush=True)
    for worker in workers:
        worker.ended()
    return cells


def work(frames: int) -> None:
    """Run the verbs whose names are read, one a line; print the seconds of processor time of each."""
    from action_loom.core import jit, verbs

    for package in jit.PACKAGES:
        jit.kernels(f"{jit.__package__}.{package}")
    alike, of_figure = growth.alike(frames, 2), gaits(frames)
    for line in sys.stdin:
        verb = line.strip()
        some = of_figure if verb in GAITS else alike
        recipe = verbs.VERBS[verb].recipe(**options(verb, frames))
        began = time.process_time()
        verbs.apply(recipe, some[: recipe.most or 2])
        print(time.process_time() - began, flush=True)


def options(verb: str, frames: int) -> dict[str, Any]:
    """Return options without which a verb can't be applied, or has nothing to do."""
    from oracles import trials

    others = {
        "ask": {"speed": 1.0},
        "shortest": {"leave": "walk:5", "reach": f"sneak:{frames - 60}", "threshold": 0.3},
    }
    return others.get(verb, trials.examples().get(verb, {}))


def gaits(frames: int) -> list[Any]:
    """Return a walk and a sneak of the generated figure, 120 frames a second."""
    from action_loom.core.figure import actions

    return [make(120.0, frames // 100).cut(0, frames) for make in (actions.walk, actions.sneak)]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(int(sys.argv[2]))
    else:
        main(sys.argv[1:])
