"""Benchmarks of a new process, with an empty and with a filled kernel cache.

Times are processor times of the complete process, from the start of Python to its exit.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from action_loom.core.formats import bvh
from distances import WINDOW, matrix_of
from line import DisagreementError, Figures, Row, Target
from material import Material

SHORT = 600  # frames of the clips for the command line

# Programs that print the cost of the cheapest path through a distance matrix.
WAYS = {
    "": "from action_loom.core.sync import dtw; print(dtw.pinned(m, len(m)).cost)",
    "librosa": "from librosa import sequence; print(sequence.dtw(C=m)[0][-1, -1])",
    "tslearn": "from tslearn.metrics import dtw_path_from_metric as dtw; print(dtw(m, metric='precomputed')[1])",
    "dtw-python": "import dtw; print(dtw.dtw(m, step_pattern='symmetric1').distance)",
}
KEYS = ("start", "start-later", "command", "command-later", "command-numpy")


@dataclass(frozen=True)
class Processes:
    """Runs programs with a kernel cache of their own.

    cache : folder of the compiled kernels
    runs : number of runs of each program
    """

    cache: Path
    runs: int

    def first(self, command: list[str]) -> tuple[float, str]:
        """Return the median milliseconds of runs with an empty cache, and the output of the last run."""
        times, message = [], ""
        for _ in range(self.runs):
            shutil.rmtree(self.cache, ignore_errors=True)
            taken, message = self._timed(command)
            times.append(taken)
        return statistics.median(times), message

    def later(self, command: list[str]) -> float:
        """Run once to fill the cache; return the median milliseconds of the following runs."""
        self._timed(command)
        return statistics.median([self._timed(command)[0] for _ in range(self.runs)])

    def _timed(self, command: list[str]) -> tuple[float, str]:
        env, before = os.environ | {"NUMBA_CACHE_DIR": str(self.cache)}, _children_seconds()
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise every start would compile the modules
        message = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
        return 1000.0 * (_children_seconds() - before), message


def rows(material: Material, wanted: Callable[[str], bool], runs: int, *, quick: bool) -> list[Row]:
    processes = Processes(material.folder / "cache", runs)
    rows = []
    if wanted("start") or wanted("start-later"):
        rows += _dtw(material, processes, [""] if quick else list(WAYS))
    if any(map(wanted, KEYS[2:])):
        rows += _command(material, processes)
    return [row for row in rows if wanted(row.key)]


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _dtw(material: Material, processes: Processes, names: Sequence[str]) -> list[Row]:
    path = material.folder / "distances.npy"
    np.save(path, matrix_of(material, "points", WINDOW)())
    first: dict[str, float] = {}
    later: dict[str, float] = {}
    costs: dict[str, float] = {}
    for name in names:
        print(f"a new process: {name or 'Action Loom'}", flush=True)
        code = f"import numpy, sys; m = numpy.load(sys.argv[1]); {WAYS[name]}"
        command = [sys.executable, "-c", code, str(path)]
        try:
            first[name], message = processes.first(command)
        except subprocess.CalledProcessError:
            if not name:
                raise
            continue  # the library is not installed
        costs[name] = float(message.split()[-1])
        later[name] = processes.later(command)
    ours = costs.pop("")
    apart = {name: abs(cost - ours) / ours for name, cost in costs.items()}
    if max(apart.values(), default=0.0) > 1e-9:
        raise DisagreementError(f"start: paths cost different sums: {apart}")
    missing = [name for name in names if name not in first]
    about = "time warping of 1000 × 1000 in a new process, "
    return [
        Row(key, about + when, Target(), Figures(times.pop(""), times, apart=apart, missing=missing))
        for key, when, times in (("start", "the first time (kernels compile)", first), ("start-later", "later", later))
    ]


def _command(material: Material, processes: Processes) -> list[Row]:
    """Time `action-loom blend` with two clips, run like a user would."""
    short: list[Path] = []
    for k, path in enumerate(material.files):
        motion = bvh.read(path)
        short.append(material.folder / f"short{k}.bvh")
        bvh.write(bvh.BvhMotion(**{**vars(motion), "values": motion.values[:SHORT]}), short[-1])
    program = shutil.which("action-loom", path=str(Path(sys.executable).parent))
    assert program is not None
    output = str(material.folder / "out.bvh")
    command = [program, "blend", *map(str, short), "-o", output, "--force", "--quiet"]
    about = f"`action-loom blend` of two clips of {SHORT} frames"
    print("a new process: action-loom", flush=True)
    first, _ = processes.first(command)
    later, plain = processes.later(command), processes.later([*command, "--engine", "numpy"])
    return [
        Row("command", f"{about}, the first time (kernels compile)", Target(6000.0), Figures(first)),
        Row("command-later", f"{about}, later", Target(600.0), Figures(later)),
        Row("command-numpy", f"{about}, without numba", Target(600.0), Figures(plain)),
    ]
