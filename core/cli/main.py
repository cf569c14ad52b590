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
from typing import NoReturn

from .. import extend, files, interruption, jit
from ..errors import OUT_OF_MEMORY, LoomError, OptionError, one_line
from ..verbs import VERBS
from ..version import VERSION
from . import verb_commands
from .host import Host
from .motion_files import MotionFiles


def main(arguments: Sequence[str] | None = None, host: Host | None = None) -> int:
    """Run one command and return its exit code; host : by default motion files."""
    host = host or MotionFiles()
    for stream in (sys.stdout, sys.stderr):
        # Characters that a terminal can't display are printed as escape codes.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        logging.basicConfig(format=f"{host.name}: %(message)s", level=logging.WARNING)
        extend.load_installed()
        options = parser(host, alone=arguments[0] if arguments else "").parse_args(arguments)
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


def parser(host: Host, alone: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands, or only of verbs if the command `alone` is a verb, which is faster."""
    top: argparse.ArgumentParser = _Parser(
        prog=host.usage, description="Weaves new character animation out of the clips you already have."
    )
    top.add_argument("--version", action="version", version=f"action-loom {VERSION}")
    verbs = top.add_subparsers(title="verbs", dest="verb", required=True, metavar="VERB")
    if alone in host.verbs and VERBS[alone].makes == "clip":
        verb_commands.add_verbs(verbs, host)
        return top
    from . import graph_commands, info, library_commands, run, style_commands

    info.add_verb(verbs, host)
    verb_commands.add_verbs(verbs, host)
    graph_commands.add_verb(verbs, host)
    style_commands.add_verb(verbs, host)
    library_commands.add_verb(verbs, host)
    run.add_verb(verbs, host)
    host.add_verbs(verbs)
    return top


if __name__ == "__main__":
    sys.exit(main())
