"""What a second worker of a Dask cluster saves, and what the loss of one costs; writes a section of docs/farms.md.

Run it alone, with the clips of ../shared: .venv/bin/python tools/bench/cluster.py. Scheduler and workers are processes
of this machine, one thread each. On a busy machine the ratio means little, so the load is in the table.
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
    """A run of all jobs: its seconds, the busiest worker's processor seconds, the load before it, and its files."""

    workers: str
    seconds: float
    busiest: float
    load: float
    files: dict[str, bytes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1, help="runs of each; the fastest counts")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        alone = timed(path, 0)
        ones, twos = zip(*((timed(path, 1), timed(path, 2)) for _ in range(times)), strict=True)
        # On a busy machine the fastest run was disturbed least.
        one, two = (min(runs, key=lambda run: run.seconds) for runs in (ones, twos))
        killed = timed(path, 2, kill=True)
    if not alone.files == one.files == two.files == killed.files:
        sys.exit("the runs did not make the same files")
    lines = section([alone, one, two, killed], one.seconds / two.seconds, one.busiest / two.busiest)
    page_sections.put("../farms.md", TITLE, lines)
    print("\n".join(lines))


def job_file(folder: Path, name: str) -> Path:
    """Write a job file with a folder of that name for its results."""
    each = f"each = '{CLIPS / 'cmu_mb_*.bvh'}'\n"
    text = f"folder = '{name}'\n"
    text += "".join(f'[[job]]\nverb = "{verb}"\n{each}' for verb in ("fewer_keys", "plant"))
    text += "".join(f"[[job]]\nverb = \"connect\"\nclips = ['{CLIPS / f'cmu_mb_{clip}.bvh'}']\n{each}" for clip in FROM)
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def timed(folder: Path, workers: int, *, kill: bool = False) -> Run:
    """Run all jobs on this many workers; 0: in the command's own process."""
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
                sys.exit(f"the run with {label} workers failed")
        return Run(label, time.perf_counter() - began, busiest(farm), load, contents(place))


def busiest(farm: clusters.Farm) -> float:
    """Return the processor time that the busiest worker has used so far, seconds."""
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
        f"{len(runs[0].files)} jobs on {clips} captured clips of `../shared`: each with fewer keys, each with planted",
        f"feet, and {len(FROM)} clips connected to each. The scheduler, the workers (one thread each) and the command",
        f"run on one machine of {os.cpu_count()} cores. Seconds are those of the whole command; the load is the",
        "machine's before it.",
        "",
        "| workers | s | processor s of the busiest worker | load before |",
        "|---|---|---|---|",
        *(f"| {run.workers} | {run.seconds:.1f} | {run.busiest:.1f} | {run.load:.1f} |" for run in runs),
        "",
        f"Two workers are {ratio:.2f} times as fast as one (target: {ASKED}). When the load is higher than the number",
        "of cores, this ratio depends on the other programs as well. The processor time of one worker alone is",
        f"{share:.2f} times that of the busiest of two. All four runs made the same bytes.",
        "`tools/bench/cluster.py` measures this and writes this section.",
    ]


if __name__ == "__main__":
    main()
