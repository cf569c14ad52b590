"""What a second worker of a Dask cluster saves, and what it costs to lose one; a section of docs/farms.md.

By itself, with the clips of ../shared: .venv/bin/python tools/bench/cluster.py. Scheduler and workers are processes of
this machine, one thread each; on a busy machine the ratio says little, so its load is told with the figures.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import page_sections

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from oracles import clusters

CLIPS = ROOT.parent / "shared" / "data" / "cmu"
TITLE = "What a second worker saves"
FROM = (
    "02_01",
    "05_01",
    "07_01",
    "08_01",
    "12_01",
    "26_01",
    "32_01",
    "35_01",
)  # clips that all others are connected to
KILLED_AT = 0.4  # of the files
ASKED = 1.6
CONDITIONS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Run:
    """A run of all jobs: its seconds, the processor's for the busiest worker, the load before it, what it has made."""

    workers: str
    seconds: float
    busiest: float
    load: float
    files: dict[str, bytes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1, help="runs of each; the quickest counts")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        alone = timed(path, 0)
        ones, twos = zip(*((timed(path, 1), timed(path, 2)) for _ in range(times)), strict=True)
        # On a busy machine the quickest run says least of who else was there.
        one, two = (min(runs, key=lambda run: run.seconds) for runs in (ones, twos))
        killed = timed(path, 2, kill=True)
    if not alone.files == one.files == two.files == killed.files:
        sys.exit("the runs have not made the same files")
    lines = section([alone, one, two, killed], one.seconds / two.seconds, one.busiest / two.busiest)
    page_sections.put("farms.md", TITLE, lines)
    print("\n".join(lines))


def job_file(folder: Path, name: str) -> Path:
    """Write a job file whose results go to a folder of that name."""
    each = f"each = '{CLIPS / 'cmu_mb_*.bvh'}'\n"
    text = f"folder = '{name}'\n"
    text += "".join(f'[[job]]\nverb = "{verb}"\n{each}' for verb in ("fewer_keys", "plant"))
    text += "".join(f"[[job]]\nverb = \"connect\"\nclips = ['{CLIPS / f'cmu_mb_{clip}.bvh'}']\n{each}" for clip in FROM)
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def timed(folder: Path, workers: int, *, kill: bool = False) -> Run:
    """Do all jobs by so many workers, 0 for none but this machine's own process."""
    name = f"{workers} workers" + (" one killed" if kill else "") + f" {time.monotonic_ns()}"
    place = folder / name
    (folder / f"{name} farm").mkdir()
    jobs = job_file(folder, name)
    label = {0: "none: one process, without a cluster", 1: "1", 2: "2"}[workers]
    label += f", one killed at {KILLED_AT:.0%}" if kill else ""
    print(f"workers: {label}", flush=True)
    command = [sys.executable, "-P", "-m", "action_loom.core.cli.process", "run", str(jobs), "--quiet"]
    if not workers:
        load, began = os.getloadavg()[0], time.perf_counter()
        subprocess.run(command, check=True, env=os.environ | CONDITIONS)
        seconds, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return Run(label, seconds, used.ru_utime + used.ru_stime, load, contents(place))
    with clusters.Farm(folder / f"{name} farm", **CONDITIONS) as farm:
        for _ in range(workers):
            farm.add_worker()
        wait_for(farm, workers)
        load, began = os.getloadavg()[0], time.perf_counter()
        asked = [*command, "--scheduler", farm.address]
        with subprocess.Popen(asked, env=os.environ | CONDITIONS) as process:
            while kill and (not place.exists() or len(os.listdir(place)) < KILLED_AT * count(jobs)):
                time.sleep(0.05)
            if kill:
                farm.workers[0].kill()
            if process.wait():
                sys.exit(f"the run with {label} workers has failed")
        return Run(label, time.perf_counter() - began, busiest(farm), load, contents(place))


def busiest(farm: clusters.Farm) -> float:
    """Return the seconds of processor time that the busiest worker has taken until now."""
    import psutil

    times = [psutil.Process(worker.pid).cpu_times() for worker in farm.workers if worker.poll() is None]
    return max(time.user + time.system for time in times)


def wait_for(farm: clusters.Farm, workers: int) -> None:
    import distributed

    with closing(distributed.Client(farm.address, set_as_default=False)) as client:
        client.wait_for_workers(workers, timeout=clusters.SECONDS)


def count(jobs: Path) -> int:
    """Return how many jobs a file has."""
    return jobs.read_text(encoding="utf-8").count("[[job]]") * len(list(CLIPS.glob("cmu_mb_*.bvh")))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def section(runs: list[Run], ratio: float, share: float) -> list[str]:
    clips = len(list(CLIPS.glob("cmu_mb_*.bvh")))
    return [
        f"{len(runs[0].files)} jobs on {clips} captured clips of `../shared`: fewer keys and planted feet of each, and",
        f"{len(FROM)} clips connected to each. Scheduler, workers (one thread each) and the calling process are all on",
        f"one machine of {os.cpu_count()} cores; seconds of the whole command, and the machine's load before it.",
        "",
        "| workers | s | processor s of the busiest worker | load before |",
        "|---|---|---|---|",
        *(f"| {run.workers} | {run.seconds:.1f} | {run.busiest:.1f} | {run.load:.1f} |" for run in runs),
        "",
        f"Two are {ratio:.2f} times as quick as one (asked: {ASKED}); with more load than cores, this",
        "tells of who else was there. What the busiest of two computes takes one alone's processor time divided by",
        f"{share:.2f}. All four runs have made the same bytes.",
        "`tools/bench/cluster.py` measures it.",
    ]


if __name__ == "__main__":
    main()
