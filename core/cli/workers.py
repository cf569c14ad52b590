"""Run the tasks of a command in this process, in several processes, or on the workers of a cluster."""

import argparse
import logging
import os
from functools import partial
from typing import Any

from .. import cluster, extend, jit, processes
from ..errors import OptionError
from .host import Host


def add_flags(parser: argparse.ArgumentParser, host: Host) -> None:
    """Add the flags that choose how tasks are run."""

    def text(about: str) -> str:
        return about if host.parallel else argparse.SUPPRESS

    several = text("how many at a time; 0: one for each core (default: 1)")
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help=several)
    farm = text("do the work on the workers of a Dask cluster, whose machines all have the files")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help=farm)
    wait = text(f"seconds to wait for a scheduler, or a worker, while there is none (default: {cluster.WAIT:g})")
    parser.add_argument("--wait", type=float, default=cluster.WAIT, metavar="SECONDS", help=wait)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of jobs")
    return int(text)


def check(host: Host, arguments: argparse.Namespace) -> None:
    """Raise OptionError if tasks can't be distributed as requested."""
    if arguments.jobs != 1 and not host.parallel:
        raise OptionError(f"--jobs is {arguments.jobs}, but inside Blender jobs are done one after the other")
    if arguments.scheduler is not None and not host.parallel:
        raise OptionError("--scheduler: inside Blender jobs are done one after the other; --part shares them")
    if arguments.scheduler is not None and arguments.jobs != 1:
        raise OptionError(
            "--jobs is of this machine; with --scheduler there are as many at a time as there are workers"
        )


def attempts(host: Host, arguments: argparse.Namespace) -> processes.Attempts[Any, Any]:
    """Return the function that runs tasks as requested by the flags, with the chosen engine."""
    begin = partial(_begin, jit.read_default_engine(), host.name)
    if arguments.scheduler is not None:
        return partial(cluster.attempts, scheduler=arguments.scheduler, begin=begin, wait=arguments.wait)
    return partial(processes.attempts, at_a_time=arguments.jobs or os.cpu_count() or 1, begin=begin)


def _begin(engine: str, name: str) -> None:
    logging.basicConfig(format=f"{name}: %(message)s", level=logging.WARNING)
    extend.load_installed()
    jit.use(engine)
