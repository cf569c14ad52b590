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

from .. import jit
from ..errors import LoomError, OptionError
from ..options import Option
from . import common, interruption, jobfile, outputs
from .host import Host
from .job import Job, Made, make
from .journal import Journal

OUT_OF_MEMORY = "there is not enough memory for this; take shorter clips or fewer of them"
_MOST = 61  # processes that Windows can wait for

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """What a job has made, or why it has not."""

    made: Made | None
    trouble: str = ""


def add_verb(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    text = "do the jobs that a file lists"
    parser = verbs.add_parser("run", help=text, description=f"{text}; flags take the place of what the file says")
    parser.add_argument("file", metavar="JOB.toml")
    several = "how many at a time; 0: one for each core (default: 1)" if host.parallel else argparse.SUPPRESS
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help=several)
    going_on = "go on with a run that was stopped: leave out the jobs that are done, unless they have changed"
    parser.add_argument("--resume", action="store_true", help=going_on if host.resumes else argparse.SUPPRESS)
    common.add_options(parser, _settings(host))
    common.add_common(parser)
    host.add_output(parser, "run")
    parser.set_defaults(run=run)


def _settings(host: Host) -> dict[str, Option]:
    """Return the settings that can be the same for many results."""
    return {name: about for name, about in host.settings.items() if name not in host.single}


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of jobs")
    return int(text)


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Do all jobs and say how each went; raises LoomError if any failed."""
    began = time.perf_counter()
    if arguments.jobs != 1 and not host.parallel:
        raise OptionError(f"--jobs is {arguments.jobs}, but inside Blender jobs are done one after the other")
    journal = _journal(host, arguments)
    flags = common.given(_settings(host), arguments) | ({"force": True} if arguments.force else {})
    destination = host.destination(arguments)
    outputs.check([destination.copy], arguments.force)
    place = host.place(destination)
    listed = jobfile.read(host, arguments.file, flags, arguments.report, place, journal.is_ours)
    quiet, engine = arguments.quiet or listed.quiet, arguments.engine or listed.engine
    if engine is not None:
        jit.use(engine)
    at_a_time = arguments.jobs or os.cpu_count() or 1
    outcomes = _do_all([entry.job for entry in listed.entries], at_a_time, engine, quiet, journal)
    if any(outcome.made is not None for outcome in outcomes):
        host.save(destination)
    done = list(zip(listed.entries, outcomes, strict=True))
    if listed.report is not None:
        report = {"verb": "run", "jobs": [_report(*one) for one in done]}
        seconds = round(time.perf_counter() - began, 4)
        contents = {listed.report: outputs.as_json(report | {"seconds_taken": seconds})}
        journal.note("", Made("", contents, {}, ""))
        outputs.write(contents, listed.force)
    failed = [f"{entry.label}: {outcome.trouble}" for entry, outcome in done if outcome.made is None]
    if not quiet:
        for entry, outcome in done:
            made = outcome.made
            ended = f"failed, {outcome.trouble}" if made is None else f"done, {entry.job.output or made.name}"
            print(f"{entry.label}: {ended}", flush=True)
    for line in failed:
        print(f"{host.name}: {line}", file=sys.stderr)
    if failed:
        raise LoomError(f"{len(failed)} of {len(done)} jobs failed")


def _journal(host: Host, arguments: argparse.Namespace) -> Journal:
    """Return the journal of the job file, with what earlier runs have made if this one goes on with them."""
    if arguments.resume and not host.resumes:
        raise OptionError("--resume: inside Blender results are saved when all jobs are done, so none are left out")
    journal = Journal(arguments.file, kept=host.resumes)
    if arguments.resume:
        journal.read()
    return journal


def _report(entry: jobfile.Entry, outcome: Outcome) -> dict[str, Any]:
    about = {"job": entry.number, "name": entry.name}
    if outcome.made is None:
        return about | {"status": "failed", "message": outcome.trouble}
    return about | {"status": "done", "report": outcome.made.report}


def _do_all(jobs: Sequence[Job], at_a_time: int, engine: str | None, quiet: bool, journal: Journal) -> list[Outcome]:
    """Do the jobs that are not done, and write what each has made as soon as it is there, in this process only."""
    asked = [journal.asked(job) for job in jobs]
    outcomes = [Outcome(journal.made(*one)) for one in zip(asked, jobs, strict=True)]
    places = [place for place, outcome in enumerate(outcomes) if outcome.made is None]
    if journal.resumes and not quiet:
        print(f"{len(jobs) - len(places)} of {len(jobs)} jobs were done already", flush=True)
    journal.begin()
    waiting = [jobs[place] for place in places]
    with (
        common.bar(quiet, total=len(jobs), initial=len(jobs) - len(waiting), unit="job") as bar,
        closing(_attempts(waiting, min(at_a_time, len(waiting), _MOST), engine)) as attempts,
    ):
        for k, outcome in attempts:
            place = places[k]
            outcomes[place] = _written(outcome, asked[place], jobs[place].force, journal)
            if bar is not None:
                bar.update()
    return outcomes


def _written(outcome: Outcome, asked: str, force: bool, journal: Journal) -> Outcome:
    """Write the files of a job, and let go of their contents."""
    if outcome.made is None:
        return outcome
    try:
        journal.note(asked, outcome.made)
        outputs.write(outcome.made.contents, force)
    except LoomError as error:
        return Outcome(None, str(error))
    return Outcome(replace(outcome.made, contents={}))


def _attempts(jobs: Sequence[Job], at_a_time: int, engine: str | None) -> Generator[tuple[int, Outcome], None, None]:
    """Yield the place of each job and its outcome, in the order in which they end."""
    if at_a_time <= 1:
        for place, job in enumerate(jobs):
            yield place, _attempt(job)
        return
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(
        at_a_time,
        multiprocessing.get_context("spawn"),
        initializer=_begin_worker,
        initargs=(engine, jobs[0].host.name),
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


def _begin_worker(engine: str | None, name: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(format=f"{name}: %(message)s", level=logging.WARNING)
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
    except MemoryError:
        return Outcome(None, OUT_OF_MEMORY)
    except Exception as error:
        if interruption.was_interrupted(error):
            raise KeyboardInterrupt from None
        # Ours to mend, but no reason to lose the other jobs.
        _log.exception("%s", job)
        return Outcome(None, f"{type(error).__name__}: {error}")
