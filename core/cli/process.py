"""The command action-loom as a process of its own: it can be interrupted from its first moment on."""

import atexit
import os
import sys

from . import interruption


def main() -> int:
    """Run the command line and return its status; Ctrl-C is one line even while libraries are loaded."""
    interruption.listen()
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
    """End by the status that was returned; Python ends as by Ctrl-C if it came in a text that a library runs."""
    if ended and interruption.has_arrived():
        os._exit(ended[0])


if __name__ == "__main__":
    sys.exit(main())
