"""The command action-loom as a process of its own: it can be interrupted from its first moment on."""

import sys

from . import interruption


def main() -> int:
    """Run the command line and return its status; Ctrl-C is one line even while libraries are loaded."""
    interruption.listen()
    try:
        from .main import main as run

        return run()
    except BaseException as error:
        if isinstance(error, SystemExit) or not interruption.was_interrupted(error):
            raise
        if sys.stderr is not None:
            print("action-loom: interrupted", file=sys.stderr)
        return interruption.status()
    finally:
        interruption.stop_listening()


if __name__ == "__main__":
    sys.exit(main())
