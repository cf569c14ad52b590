"""action-loom: parses the command line, runs the verb, and turns errors into one line and an exit code.

0 done; 1 the input can't be worked with (one line on stderr); 2 wrong usage.
"""

import argparse
import io
import logging
import os
import sys
from collections.abc import Sequence

from .. import jit
from ..errors import LoomError, OptionError
from . import graph_commands, info, run, verb_commands
from .host import Host
from .motion_files import MotionFiles


def main(arguments: Sequence[str] | None = None, host: Host | None = None) -> int:
    """Run one command, on motion files where no other host is given, and return its exit code."""
    host = host or MotionFiles()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter of a clip's name shows its number instead.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = parser(host).parse_args(arguments)
    logging.basicConfig(format=f"{host.name}: %(message)s", level=logging.WARNING)
    try:
        if options.engine is not None:
            jit.use(options.engine)
        options.run(host, options)
        sys.stdout.flush()  # a reader that has gone is noticed here, not when Python exits
    except OptionError as error:
        print(f"{host.name}: {error}", file=sys.stderr)
        return 2
    except LoomError as error:
        print(f"{host.name}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output has gone (… | head): nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"{host.name}: interrupted", file=sys.stderr)
        return 1
    return 0


def parser(host: Host) -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    top = argparse.ArgumentParser(
        prog=host.usage, description="Weaves new character animation out of the clips you already have."
    )
    verbs = top.add_subparsers(title="verbs", dest="verb", required=True, metavar="VERB")
    info.add_verb(verbs, host)
    verb_commands.add_verbs(verbs, host)
    graph_commands.add_verb(verbs, host)
    run.add_verb(verbs, host)
    host.add_verbs(verbs)
    return top


if __name__ == "__main__":
    sys.exit(main())
