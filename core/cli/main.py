"""action-loom: parses the command line, runs the verb, and turns errors into one line and an exit code.

0 done; 1 the input can't be used (one line on stderr); 2 wrong usage; 130 interrupted by Ctrl-C.
"""

import argparse
import io
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import NoReturn

from .. import extend, files, interruption, jit
from ..errors import OUT_OF_MEMORY, LoomError, OptionError, one_line
from ..recipes.base import Recipe
from ..version import VERSION
from .host import Command, Host


def main(arguments: Sequence[str] | None = None, host: Host | None = None) -> int:
    """Run one command and return its exit code; host : by default motion files."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if host is None:
        from .motion_files import MotionFiles

        host = MotionFiles()
    for stream in (sys.stdout, sys.stderr):
        # Characters that a terminal can't display are printed as escape codes.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        logging.basicConfig(format=f"{host.name}: %(message)s", level=logging.WARNING)
        extend.load_installed()
        options = parser(host, arguments[0] if arguments else "").parse_args(arguments)
        if options.engine is not None:
            jit.use(options.engine)
        options.run(host, options)
        if sys.stdout is not None:
            sys.stdout.flush()  # a closed pipe is noticed here, not when Python exits
    except OptionError as error:
        return _end_command(host, str(error), 2)
    except LoomError as error:
        return _end_command(host, str(error), 1)
    except MemoryError:
        return _end_command(host, OUT_OF_MEMORY, 1)
    except OSError as error:
        # Our files raise errors of their own, so this is standard output: its pipe is closed (… | head) or its disk is
        # full. Nothing more can be printed there, not even at exit.
        if sys.stdout is not None:
            with suppress(OSError, ValueError):  # closed, or a stream without a file
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1 if isinstance(error, BrokenPipeError) else _end_command(host, f"can't go on ({error})", 1)
    except (KeyboardInterrupt, Exception) as error:
        if not interruption.was_interrupted(error):
            raise
        interruption.stop_listening()
        files.remove_unfinished()
        return _end_command(host, "interrupted", interruption.status())
    return 0


def _end_command(host: Host, why: str, status: int) -> int:
    """Print the reason why a command ends as one line, if there is a standard error, and return the status."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"{host.name}: {why}", file=sys.stderr, flush=True)
    return status


class _Parser(argparse.ArgumentParser):
    """A parser whose error messages are one line of readable length."""

    def error(self, message: str) -> NoReturn:
        super().error(one_line(message))


def parser(host: Host, only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands; only : the command that needs its arguments, which is faster."""
    top: argparse.ArgumentParser = _Parser(
        prog=host.usage, description="Weaves new character animation out of the clips you already have."
    )
    top.add_argument("--version", action="version", version=f"action-loom {VERSION}")
    added = top.add_subparsers(title="verbs", dest="verb", required=True, metavar="VERB")
    for name, command in _commands_of(host).items():
        about = "; ".join(filter(None, (command.summary, command.details)))
        one = added.add_parser(name, help=command.summary, description=about)
        if only in (None, name):
            command.add(one, host)
    return top


def _commands_of(host: Host) -> dict[str, Command]:
    """Return every command by its name; their modules are loaded for their arguments only."""
    verbs = {
        row.recipe.verb: Command(row.recipe.summary, partial(_add_verb, row.recipe))
        for row in host.verbs.values()
        if row.makes == "clip"
    }
    library = "keep many clips as a library, and find in it what is like a stretch of one"
    return {
        "info": Command("frames, rate, joints, height, roles, contacts of clips", _add_info),
        **verbs,
        "graph": Command("connect clips to a motion graph, kept as a file", _add_graph),
        "style": Command("learn how people differ in an action, kept as a file", _add_style),
        "library": Command(library, _add_library),
        "run": Command("do the jobs that a file lists", _add_run, "flags take the place of what the file says"),
        **host.commands,
    }


def _add_verb(recipe: type[Recipe], parser: argparse.ArgumentParser, host: Host) -> None:
    from . import verb_commands

    verb_commands.add_arguments(parser, host, recipe)


def _add_info(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import info

    info.add_arguments(parser, host)


def _add_graph(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import graph_commands

    graph_commands.add_arguments(parser, host)


def _add_style(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import style_commands

    style_commands.add_arguments(parser, host)


def _add_library(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import library_commands

    library_commands.add_arguments(parser, host)


def _add_run(parser: argparse.ArgumentParser, host: Host) -> None:
    from . import run

    run.add_arguments(parser, host)


if __name__ == "__main__":
    sys.exit(main())
