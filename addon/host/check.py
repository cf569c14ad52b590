"""Provide the command line's `check`: compare our computation of actions with Blender's evaluation."""

import argparse
import time
from pathlib import Path

from ...core.cli import common, outputs
from ...core.cli.host import Command
from ...core.errors import RigError
from .opened_file import OpenedFile


def _add_arguments(parser: argparse.ArgumentParser, host: OpenedFile) -> None:
    parser.add_argument("clips", nargs="+", metavar=host.clip)
    common.add_options(parser, host.armature)
    common.add_common(parser)
    parser.set_defaults(run=run)


COMMAND = Command(
    "compare bones and skin of actions with what Blender shows",
    _add_arguments,
    "the exit status is 1 where they differ",
)


def run(host: OpenedFile, arguments: argparse.Namespace) -> None:
    """Check each action and print the findings; raises RigError if one of them differs from Blender's evaluation."""
    began = time.perf_counter()
    settings = common.settings(host.armature, arguments)
    report = None if arguments.report is None else Path(arguments.report)
    outputs.check([report], arguments.force)
    checked = [host.checked(name, settings) for name in arguments.clips]
    if report is not None:
        seconds = round(time.perf_counter() - began, 4)
        figures = {"verb": "check", "results": [one.report() for one in checked], "seconds_taken": seconds}
        outputs.write({report: outputs.as_json(figures)}, arguments.force)
    if not arguments.quiet:
        for one in checked:
            print(one.summary)
            for note in one.notes:
                print(f"  {note}")
    if not all(one.same for one in checked):
        raise RigError("; ".join(one.summary for one in checked if not one.same))
