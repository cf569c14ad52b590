"""action-loom run: the jobs of a file, several at a time."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from .. import jit, processes
from ..errors import LoomError, OptionError
from ..options import Option
from ..processes import Attempt
from ..progress import SILENT, Progress
from ..recipes.points import FromPoints
from . import common, jobfile, outputs, parts, point_jobs, take_jobs, workers
from .host import Destination, FilePath, Host
from .job import Job, Made, make
from .journal import Journal
from .parts import Part
from .take_command import Sets


def add_arguments(parser: argparse.ArgumentParser, host: Host) -> None:
    parser.add_argument("file", metavar="JOB.toml")
    workers.add_flags(parser, host)
    going_on = "go on with a run that was stopped: leave out the jobs that are done, unless they have changed"
    turns = "do every N-th job only, beginning with the K-th: one of N parts, for as many machines"
    parser.add_argument("--part", metavar="K/N", help=turns)
    parser.add_argument("--resume", action="store_true", help=going_on if host.resumes else argparse.SUPPRESS)
    common.add_options(parser, _settings(host))
    common.add_common(parser)
    host.add_output(parser, "run")
    parser.set_defaults(run=run)


def _settings(host: Host) -> dict[str, Option]:
    """Return the settings that several results can share."""
    return {name: about for name, about in host.settings.items() if name not in host.single}


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Run all jobs and print the outcome of each; raises LoomError if any failed."""
    began = time.perf_counter()
    workers.check(host, arguments)
    part = None if arguments.part is None else parts.read(arguments.part)
    journal = _journal(host, arguments, part)
    flags = _flags(host, arguments)
    destination = _destination(host, arguments, part)
    outputs.check([destination.copy], arguments.force)
    place = host.place(destination)
    file = arguments.file if arguments.scheduler is None else os.path.abspath(arguments.file)
    listed = jobfile.read(host, file, flags, arguments.report, place, journal.is_ours, part)
    quiet, engine = arguments.quiet or listed.quiet, arguments.engine or listed.engine
    if engine is not None:
        jit.use(engine)
    if part is not None and not quiet:
        print(f"part {part}: {len(listed.entries)} of {listed.of_all} jobs", flush=True)
    outcomes = _do_all([entry.job for entry in listed.entries], workers.attempts(host, arguments), quiet, journal)
    if any(outcome.result is not None for outcome in outcomes):
        host.save(destination)
    done = list(zip(listed.entries, outcomes, strict=True))
    if listed.report is not None:
        which = {} if part is None else {"part": str(part)}
        report = {"verb": "run", **which, "jobs": [_report(*one) for one in done]}
        seconds = round(time.perf_counter() - began, 4)
        contents = {listed.report: outputs.as_json(report | {"seconds_taken": seconds})}
        journal.note("", Made("", contents, {}, ""))
        outputs.write(contents, listed.force)
    failed = [f"{entry.label}: {outcome.trouble}" for entry, outcome in done if outcome.result is None]
    if not quiet:
        for entry, outcome in done:
            made = outcome.result
            ended = f"failed, {outcome.trouble}" if made is None else f"done, {entry.job.output or made.name}"
            print(f"{entry.label}: {ended}", flush=True)
    for line in failed:
        print(f"{host.name}: {line}", file=sys.stderr)
    if failed:
        raise LoomError(f"{len(failed)} of {len(done)} jobs failed")


def _flags(host: Host, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings on the command line; file names become absolute if jobs go to other machines."""
    settings = _settings(host)
    flags = common.read_flags(settings, arguments)
    if arguments.scheduler is not None:
        named = {name for name in flags if isinstance(settings[name], FilePath) and flags[name]}
        flags |= {name: os.path.abspath(flags[name]) for name in named}
    return flags | ({"force": True} if arguments.force else {})


def _destination(host: Host, arguments: argparse.Namespace, part: Part | None) -> Destination:
    """Return the destination of results; each part has its own copy of the opened file."""
    destination = host.destination(arguments)
    if part is None:
        return destination
    if destination.save:
        raise OptionError("--part: each part would save the opened file over the others; -o COPY.blend saves copies")
    return replace(destination, copy=None if destination.copy is None else part.part_path(destination.copy))


def _journal(host: Host, arguments: argparse.Namespace, part: Part | None) -> Journal:
    """Return the journal of the job file, with the entries of earlier runs if this one resumes them."""
    if arguments.resume and not host.resumes:
        raise OptionError("--resume: inside Blender results are saved when all jobs are done, so none are left out")
    journal = Journal(arguments.file, kept=host.resumes, part=part)
    if arguments.resume:
        journal.read()
    return journal


def _report(entry: jobfile.Entry, outcome: Attempt[Made]) -> dict[str, Any]:
    about = {"job": entry.number, "name": entry.name}
    if outcome.result is None:
        return about | {"status": "failed", "message": outcome.trouble}
    return about | {"status": "done", "report": outcome.result.report}


def _do_all(
    jobs: Sequence[Job], attempts: processes.Attempts[Job, Made], quiet: bool, journal: Journal
) -> list[Attempt[Made]]:
    """Run the jobs not done yet; only this process writes files, as soon as each job has ended."""
    asked = [journal.asked(job) for job in jobs]
    outcomes = [Attempt(journal.made(*one)) for one in zip(asked, jobs, strict=True)]
    places = [place for place, outcome in enumerate(outcomes) if outcome.result is None]
    if journal.resumes and not quiet:
        print(f"{len(jobs) - len(places)} of {len(jobs)} jobs were done already", flush=True)
    journal.begin()
    waiting = [jobs[place] for place in places]
    with (
        common.bar(quiet, total=len(jobs), initial=len(jobs) - len(waiting), unit="job") as bar,
        closing(attempts(_make, waiting)) as ended,
    ):
        for k, outcome in ended:
            place = places[k]
            outcomes[place] = _write_outcome(outcome, asked[place], jobs[place].force, journal)
            if bar is not None:
                bar.update()
    return outcomes


def _make(job: Job, progress: Progress = SILENT) -> Made:
    if isinstance(job.recipe, FromPoints):
        return point_jobs.finish_job(job, progress)
    return take_jobs.finish_job(job, progress) if isinstance(job.recipe, Sets) else make(job, progress)


def _write_outcome(outcome: Attempt[Made], asked: str, force: bool, journal: Journal) -> Attempt[Made]:
    """Write the files of a job, and return its outcome without their contents, to save memory."""
    if outcome.result is None:
        return outcome
    try:
        journal.note(asked, outcome.result)
        outputs.write(outcome.result.contents, force)
    except LoomError as error:
        return Attempt(None, str(error))
    return Attempt(replace(outcome.result, contents={}))
