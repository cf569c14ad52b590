"""Python started afresh, as a user's shell or Blender would start it."""

import os
import subprocess
import sys


def python(*arguments, **environment):
    """Run the interpreter of the tests and return the finished process; what is set for the tests is not passed on."""
    unwanted = ("ACTION_LOOM_", "NUMBA_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=inherited | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
