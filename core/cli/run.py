"""action-loom run: the jobs of a file, several at a time."""

import argparse
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tqdm import tqdm

from .. import jit
from ..errors import LoomError
from . import common, jobfile, outputs
from .job import Job, Made, make

_MOST = 61  # processes that Windows can wait for

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """What a job has made, or why it has not."""

    made: Made | None
    trouble: str = ""


def add_verb(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    text = "do the jobs that a file lists"
    parser = verbs.add_parser("run", help=text, description=f"{text}; flags take the place of what the file says")
    parser.add_argument("file", metavar="JOB.toml")
    parser.add_argument(
        "--jobs", type=_count, default=1, metavar="N", help="how many at a time; 0: one for each core (default: 1)"
    )
    common.add_common(parser)
    parser.set_defaults(run=run, units=None, up=None)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of jobs")
    return int(text) or os.cpu_count() or 1


def run(arguments: argparse.Namespace) -> None:
    """Do all jobs and say how each went; raises LoomError if any failed."""
    began = time.perf_counter()
    flags = {"units": arguments.units, "up": arguments.up, "force": arguments.force or None}
    listed = jobfile.read(arguments.file, {k: v for k, v in flags.items() if v is not None}, arguments.report)
    quiet, engine = arguments.quiet or listed.quiet, arguments.engine or listed.engine
    if engine is not None:
        jit.use(engine)
    outcomes = _do_all([entry.job for entry in listed.entries], arguments.jobs, engine, quiet)
    done = list(zip(listed.entries, outcomes, strict=True))
    if listed.report is not None:
        report = {"verb": "run", "jobs": [_report(*one) for one in done]}
        seconds = round(time.perf_counter() - began, 4)
        outputs.write({listed.report: outputs.as_json(report | {"seconds_taken": seconds})})
    failed = [f"{entry.label}: {outcome.trouble}" for entry, outcome in done if outcome.made is None]
    if not quiet:
        for entry, outcome in done:
            ended = f"done, {entry.job.output}" if outcome.made is not None else f"failed, {outcome.trouble}"
            print(f"{entry.label}: {ended}", flush=True)
    for line in failed:
        print(f"action-loom: {line}", file=sys.stderr)
    if failed:
        raise LoomError(f"{len(failed)} of {len(done)} jobs failed")


def _report(entry: jobfile.Entry, outcome: Outcome) -> dict[str, Any]:
    about = {"job": entry.number, "name": entry.name}
    if outcome.made is None:
        return about | {"status": "failed", "message": outcome.trouble}
    return about | {"status": "done", "report": outcome.made.report}


def _do_all(jobs: Sequence[Job], at_a_time: int, engine: str | None, quiet: bool) -> list[Outcome]:
    """Do jobs and write what each has made as soon as it is there; files are written by this process only."""
    outcomes = [Outcome(None)] * len(jobs)
    with (
        tqdm(total=len(jobs), unit="job", disable=True if quiet else None, leave=False) as bar,
        closing(_attempts(jobs, min(at_a_time, len(jobs), _MOST), engine)) as attempts,
    ):
        for place, outcome in attempts:
            outcomes[place] = _written(outcome)
            bar.update()
    return outcomes


def _written(outcome: Outcome) -> Outcome:
    """Write the files of a job, and let go of their contents."""
    if outcome.made is None:
        return outcome
    try:
        outputs.write(outcome.made.contents)
    except LoomError as error:
        return Outcome(None, str(error))
    return Outcome(replace(outcome.made, contents={}))


def _attempts(jobs: Sequence[Job], at_a_time: int, engine: str | None) -> Generator[tuple[int, Outcome], None, None]:
    """Yield the place of each job and its outcome, in the order in which they end."""
    if at_a_time == 1:
        for place, job in enumerate(jobs):
            yield place, _attempt(job)
        return
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(
        at_a_time, multiprocessing.get_context("spawn"), initializer=_begin_worker, initargs=(engine,)
    ) as pool:
        try:
            places = _submitted(pool, jobs)
            for future in as_completed(places):
                yield places.pop(future), _outcome(future)
        except BaseException:
            # Whoever stops here does not want to wait for what is being made; workers have no files to finish.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _submitted(pool: ProcessPoolExecutor, jobs: Sequence[Job]) -> dict[Future[Outcome], int]:
    # Workers that are started with Ctrl-C ignored ignore it from their first moment: this process ends them.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return {pool.submit(_attempt, job): place for place, job in enumerate(jobs)}
    finally:
        signal.signal(signal.SIGINT, before)


def _outcome(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return Outcome(None, "a process that does jobs has ended by itself; it may have run out of memory")


def _begin_worker(engine: str | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(format="action-loom: %(message)s", level=logging.WARNING)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if engine is not None:
        jit.use(engine)


def _end_with_parent() -> None:
    """Leave no worker behind when the process that started it is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _attempt(job: Job) -> Outcome:
    try:
        return Outcome(make(job))
    except LoomError as error:
        return Outcome(None, str(error))
    except Exception as error:
        # Ours to mend, but no reason to lose the other jobs.
        _log.exception("%s", job)
        return Outcome(None, f"{type(error).__name__}: {error}")
