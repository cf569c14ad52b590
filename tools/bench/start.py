"""The first use and later ones: work in new processes, with kernels to compile and with kernels from the cache.

Times are the whole process's own, from the start of Python to its end.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from action_loom.core.motion import bvh
from distances import WINDOW, matrix_of
from line import Figures, Row, Target
from material import Material

SHORT = 600  # frames of the clips that the command line blends

# Each says what the cheapest path through a matrix of distances costs.
WAYS = {
    "": "from action_loom.core.sync import timewarp; print(timewarp.pinned(m, len(m)).cost)",
    "librosa": "from librosa import sequence; print(sequence.dtw(C=m)[0][-1, -1])",
    "tslearn": "from tslearn.metrics import dtw_path_from_metric as dtw; print(dtw(m, metric='precomputed')[1])",
    "dtw-python": "import dtw; print(dtw.dtw(m, step_pattern='symmetric1').distance)",
}
KEYS = ("start", "start-later", "command", "command-later", "command-numpy")


@dataclass(frozen=True)
class Processes:
    """Runs programs whose kernels are kept in a folder of this benchmark's own."""

    cache: Path
    runs: int

    def run(self, command: list[str]) -> str:
        env = os.environ | {"NUMBA_CACHE_DIR": str(self.cache)}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout

    def milliseconds(self, command: list[str], *, cold: bool) -> float:
        times = []
        for _ in range(self.runs):
            if cold:
                shutil.rmtree(self.cache, ignore_errors=True)
            before = _children_seconds()
            self.run(command)
            times.append(_children_seconds() - before)
        return 1000.0 * statistics.median(times)


def rows(material: Material, wanted: Callable[[str], bool], runs: int) -> list[Row]:
    processes = Processes(material.folder / "cache", runs)
    return [
        *(_dtw(material, processes) if wanted("start") or wanted("start-later") else []),
        *(_command(material, processes) if any(map(wanted, KEYS[2:])) else []),
    ]


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _dtw(material: Material, processes: Processes) -> list[Row]:
    path = material.folder / "distances.npy"
    np.save(path, matrix_of(material, "points", WINDOW)())
    commands = {
        name: [sys.executable, "-c", f"import numpy, sys; m = numpy.load(sys.argv[1]); {way}", str(path)]
        for name, way in WAYS.items()
    }
    costs: dict[str, float] = {}
    for name, command in commands.items():
        try:
            costs[name] = float(processes.run(command).split()[-1])
        except subprocess.CalledProcessError:
            if not name:
                raise
    apart = {name: abs(cost - costs[""]) / costs[""] for name, cost in costs.items() if name}
    about = "time warping of 1000 × 1000 in a new process, "
    return [
        Row("start", f"{about}the first time", Target(), _figures(commands, costs, apart, processes, cold=True)),
        Row("start-later", f"{about}later", Target(), _figures(commands, costs, apart, processes, cold=False)),
    ]


def _figures(
    commands: Mapping[str, list[str]],
    ran: Mapping[str, float],
    apart: Mapping[str, float],
    processes: Processes,
    *,
    cold: bool,
) -> Figures:
    times = {name: processes.milliseconds(commands[name], cold=cold) for name in ran}
    return Figures(times.pop(""), times, apart=apart, missing=[name for name in commands if name not in ran])


def _command(material: Material, processes: Processes) -> list[Row]:
    """`action-loom blend` of two clips, as a user would run it."""
    short = []
    for k, path in enumerate(material.files):
        motion = bvh.read(path)
        short.append(material.folder / f"short{k}.bvh")
        bvh.write(bvh.Motion(**{**vars(motion), "values": motion.values[:SHORT]}), short[-1])
    program = shutil.which("action-loom", path=str(Path(sys.executable).parent))
    assert program is not None
    output = str(material.folder / "out.bvh")
    command = [program, "blend", *map(str, short), "-o", output, "--force", "--quiet"]
    about = f"`action-loom blend` of two clips of {SHORT} frames"
    first = processes.milliseconds(command, cold=True)
    later = processes.milliseconds(command, cold=False)
    plain = processes.milliseconds([*command, "--engine", "numpy"], cold=False)
    return [
        Row("command", f"{about}, the first time (kernels compile)", Target(6000.0), Figures(first)),
        Row("command-later", f"{about}, later", Target(1000.0), Figures(later)),
        Row("command-numpy", f"{about}, without numba", Target(), Figures(plain)),
    ]
