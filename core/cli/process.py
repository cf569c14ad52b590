"""The command action-loom as a process of its own: it can be interrupted from its first moment on."""

import atexit
import os
import sys
from contextlib import suppress

from .. import interruption


def main() -> int:
    """Run the command line and return its status; Ctrl-C is one line even while libraries are loaded."""
    interruption.listen()
    # numba looks for scipy, whose linear algebra no kernel of ours uses: that takes 0.2 s or more of every command.
    sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]
    ended: list[int] = []
    atexit.register(_end, ended)  # the first to be registered is the last to be called
    try:
        from .main import main as run

        status = run()
    except BaseException as error:
        if isinstance(error, SystemExit) or not interruption.was_interrupted(error):
            raise
        interruption.stop_listening()
        if sys.stderr is not None:
            print("action-loom: interrupted", file=sys.stderr, flush=True)
        status = interruption.status()
    finally:
        interruption.stop_listening()
    ended.append(status)
    return status


def _end(ended: list[int]) -> None:
    """End by the status that was returned, without taking the compiler apart, which takes 0.2 s.

    Python itself would end as by Ctrl-C if that came in a text that a library runs.
    """
    if ended:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with suppress(OSError, ValueError):  # closed, or its reader has gone
                    stream.flush()
        os._exit(ended[0])


if __name__ == "__main__":
    sys.exit(main())
