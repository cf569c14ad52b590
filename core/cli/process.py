"""The command action-loom as a process of its own: it can be interrupted from its first moment on."""

import os
import sys

from . import interruption


def main() -> int:
    """Run the command line and return its status; Ctrl-C is one line even while libraries are loaded."""
    interruption.listen()
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
    if interruption.has_arrived():
        # Python would end as Ctrl-C ends a process, whatever we return, if it arrived in a text that a library runs.
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
