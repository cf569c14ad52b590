"""Provide the command line's `rebuild`: make results again from their recipes and current sources."""

import argparse
import time
from pathlib import Path
from typing import Any

from ...core.cli import common, job, outputs
from ...core.cli.host import Command
from .opened_file import OpenedFile


def _add_arguments(parser: argparse.ArgumentParser, host: OpenedFile) -> None:
    parser.add_argument("clips", nargs="+", metavar=host.clip)
    parser.add_argument("--overwrite-edits", action="store_true", help="even those that were edited by hand")
    common.add_options(parser, host.armature | host.exporting)
    common.add_common(parser)
    host.add_output(parser, "rebuild")
    parser.set_defaults(run=run)


COMMAND = Command(
    "make results anew from their sources as they are now", _add_arguments, "whoever uses them goes on doing so"
)


def run(host: OpenedFile, arguments: argparse.Namespace) -> None:
    """Make each result again, then save and write the outputs; save nothing if one result can't be made."""
    began = time.perf_counter()
    settings = common.settings(host.armature | host.exporting, arguments)
    destination = host.destination(arguments)
    report = None if arguments.report is None else Path(arguments.report)
    planned = [_plan_job(host, name, settings, arguments) for name in arguments.clips]
    files = [output for one in planned for output in one.outputs]
    folders = frozenset().union(*(one.folders for one in planned))
    outputs.check([*files, report, destination.copy], arguments.force, folders)
    contents: dict[Path, bytes] = {}
    done = []
    for name, one in zip(arguments.clips, planned, strict=True):
        # A result that is only exported leaves the action and its edits unchanged.
        unharmed = arguments.overwrite_edits or one.kept_in is None
        with common.progress(arguments.quiet) as progress:
            made = job.make_of(host.result(name, settings, overwrite_edits=unharmed), one, progress)
        contents |= made.contents
        done.append(made)
    host.save(destination)
    if report is not None:
        figures = {"verb": "rebuild", "results": [made.report for made in done]}
        seconds = round(time.perf_counter() - began, 4)
        contents[report] = outputs.as_json(figures | {"seconds_taken": seconds})
    outputs.write(contents, arguments.force)
    if not arguments.quiet:
        for made in done:
            print(made.summary)


def _plan_job(host: OpenedFile, name: str, settings: dict[str, Any], arguments: argparse.Namespace) -> job.Job:
    destination = host.destination(arguments)
    return job.plan(
        host,
        host.recipe(name),
        [name],
        settings,
        title=name,
        output=destination.export,
        kept_in=host.place(destination),
        force=arguments.force,
    )
