"""The command action-loom as a process, which can be interrupted from its start."""

import atexit
import os
import sys
from contextlib import suppress

from .. import interruption


def main() -> int:
    """Run the command line and return its status; Ctrl-C prints one line even while libraries are loading."""
    interruption.listen()
    # numba imports scipy for linear algebra that our kernels do not use, which takes 0.2 s or more in every command.
    sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]
    # Matrix products are small here, and waking other threads for them can double their time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ended: list[int] = []
    atexit.register(_end, ended)  # registered first, so called last
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
    """Exit with the returned status at once, because destroying the compiler would take 0.2 s.

    Python itself would exit as after Ctrl-C if that arrived while a library was running code from text.
    """
    if ended:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with suppress(OSError, ValueError):  # the stream or its pipe is closed
                    stream.flush()
        os._exit(ended[0])


if __name__ == "__main__":
    sys.exit(main())
