"""Who does the tasks of a command: this process, or several of them at a time."""

import argparse
import logging
import os
from functools import partial
from typing import Any

from .. import jit, processes
from ..errors import OptionError
from .host import Host


def add_flags(parser: argparse.ArgumentParser, host: Host) -> None:
    """Add the flags that say who does the tasks."""
    several = "how many at a time; 0: one for each core (default: 1)" if host.parallel else argparse.SUPPRESS
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help=several)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of jobs")
    return int(text)


def check(host: Host, arguments: argparse.Namespace) -> None:
    """Raise OptionError for flags that this host does not know."""
    if arguments.jobs != 1 and not host.parallel:
        raise OptionError(f"--jobs is {arguments.jobs}, but inside Blender jobs are done one after the other")


def attempts(host: Host, arguments: argparse.Namespace, engine: str | None) -> processes.Attempts[Any, Any]:
    """Return what does tasks as the flags say."""
    at_a_time = arguments.jobs or os.cpu_count() or 1
    return partial(processes.attempts, at_a_time=at_a_time, begin=partial(_begin, engine, host.name))


def _begin(engine: str | None, name: str) -> None:
    logging.basicConfig(format=f"{name}: %(message)s", level=logging.WARNING)
    if engine is not None:
        jit.use(engine)
