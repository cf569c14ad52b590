"""Python in a new process, as a user's shell or Blender would start it."""

import os
import subprocess
import sys
import time

from oracles import console


def clean_environment(**changes):
    """Return the environment without variables for the tests or for this machine's Python."""
    unwanted = ("ACTION_LOOM_", "NUMBA_", "PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return inherited | {name: str(value) for name, value in changes.items()}


def python(*arguments, **environment):
    """Run the interpreter of the tests and return the finished process."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        check=False,
    )


def started(*arguments, **how):
    """Start the command line; it can be interrupted even where this process ignores that, as shells' jobs do."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    code = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"import sys\nfrom {console.MODULE} import main\nsys.exit(main())\n"
    )
    command = [sys.executable, "-P", "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=clean_environment(), **pipes)


def until(happened, seconds=60.0):
    """Wait until something has happened; fail after too long a time."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)
