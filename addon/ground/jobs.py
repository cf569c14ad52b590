"""Run work in a worker thread beside the interface, with progress and cancelling.

A job knows nothing of Blender's windows: its driver polls the state. It must not touch Blender's data; the main thread
reads the input before and writes the result after.
"""

import threading
from collections.abc import Callable
from typing import Any

from ...core.errors import Cancelled, LoomError
from ...core.progress import Progress

NOTHING = "nothing was changed"  # what most cancelled work leaves behind
LONGEST_GOODBYE = 20.0  # s; kernels can't be interrupted, but each takes less than that


class BackgroundJob:
    """A piece of work whose state is running, then done (with a result), failed (with an error) or cancelled.

    left : a few words on what remains of the work after cancelling
    """

    def __init__(self, label: str, work: Callable[[Progress], Any], left: str = NOTHING) -> None:
        self.label, self.left = label, left
        self.fraction, self.doing = 0.0, "Starting"
        self.state = "running"
        self.result: Any = None
        self.error: Exception | None = None
        self._continues = True
        self._work = work
        self._thread = threading.Thread(target=self._run, name=f"Action Loom: {label}", daemon=True)

    def start(self) -> "BackgroundJob":
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Ask the work to stop at its next step."""
        self._continues = False
        self.doing = "Stopping"

    def wait(self) -> None:
        """Wait until the work has ended, but at most `LONGEST_GOODBYE`."""
        self._thread.join(LONGEST_GOODBYE)

    def _run(self) -> None:
        try:
            result = self._work(Progress(self._listen))
        except Cancelled:
            self.state = "cancelled"
        except LoomError as error:
            self.error, self.state = error, "failed"
        except Exception as error:  # otherwise the thread would end silently
            self.error, self.state = error, "failed"
        else:
            self.result, self.state = result, "done" if self._continues else "cancelled"

    def _listen(self, fraction: float, doing: str) -> bool:
        if self._continues:
            self.fraction, self.doing = fraction, doing
        return self._continues


_running: BackgroundJob | None = None


def running() -> BackgroundJob | None:
    """Return the running job, or None; there is never more than one."""
    return _running


def begin(label: str, work: Callable[[Progress], Any], left: str = NOTHING) -> BackgroundJob:
    """Start a job; raises LoomError while another one runs."""
    global _running
    if _running is not None:
        raise LoomError(f"{_running.label} is still going on: wait for it, or cancel it")
    _running = BackgroundJob(label, work, left).start()
    return _running


def forget(job: BackgroundJob) -> None:
    """Drop a job that has ended, so that another one can begin."""
    global _running
    if _running is job:
        _running = None


def stop(why: str) -> None:
    """Cancel the running job if any, wait for its end, and print a line to the terminal."""
    job = _running
    if job is None:
        return
    job.cancel()
    job.wait()
    forget(job)
    # Blender quits or opens another file, so no panel or report can show this.
    print(f"Action Loom: {job.label} was stopped, because {why}; {job.left}", flush=True)  # noqa: T201
