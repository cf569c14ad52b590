"""Work beside the interface: something computed in a worker thread, with progress, an end, and a way to stop it.

A job knows nothing of Blender's windows: whoever drives it asks how it stands. It must not touch Blender's data;
what it needs is read before, and what it gives is written after, on the main thread.
"""

import threading
from collections.abc import Callable
from typing import Any

from ...core.errors import Cancelled, LoomError
from ...core.progress import Progress

NOTHING = "nothing was changed"  # what is left of most work that is stopped
LONGEST_GOODBYE = 20.0  # s; kernels can't be interrupted, but each ends before that


class BackgroundJob:
    """A piece of work: running, then done (with a result), failed (with an error) or cancelled.

    left : what there is of it where it is stopped, in a few words
    """

    def __init__(self, label: str, work: Callable[[Progress], Any], left: str = NOTHING) -> None:
        self.label, self.left = label, left
        self.fraction, self.doing = 0.0, "Starting"
        self.state = "running"
        self.result: Any = None
        self.error: Exception | None = None
        self._goes_on = True
        self._work = work
        self._thread = threading.Thread(target=self._run, name=f"Action Loom: {label}", daemon=True)

    def start(self) -> "BackgroundJob":
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Ask the work to stop; it does at its next step."""
        self._goes_on = False
        self.doing = "Stopping"

    def wait(self) -> None:
        """Wait until the work has ended, one way or another."""
        self._thread.join(LONGEST_GOODBYE)

    def _run(self) -> None:
        try:
            result = self._work(Progress(self._listen))
        except Cancelled:
            self.state = "cancelled"
        except LoomError as error:
            self.error, self.state = error, "failed"
        except Exception as error:  # a thread ends silently: nobody else would hear of it
            self.error, self.state = error, "failed"
        else:
            self.result, self.state = result, "done" if self._goes_on else "cancelled"

    def _listen(self, fraction: float, doing: str) -> bool:
        if self._goes_on:
            self.fraction, self.doing = fraction, doing
        return self._goes_on


_running: BackgroundJob | None = None


def running() -> BackgroundJob | None:
    """Return the job that runs now; there is never more than one."""
    return _running


def begin(label: str, work: Callable[[Progress], Any], left: str = NOTHING) -> BackgroundJob:
    """Start a job; raises LoomError while another one runs."""
    global _running
    if _running is not None:
        raise LoomError(f"{_running.label} is still going on: wait for it, or cancel it")
    _running = BackgroundJob(label, work, left).start()
    return _running


def forget(job: BackgroundJob) -> None:
    """Let a job that has ended go, so that another one can begin."""
    global _running
    if _running is job:
        _running = None


def stop(why: str) -> None:
    """Stop what runs, wait for its end, and say so on the terminal; silent if nothing ran."""
    job = _running
    if job is None:
        return
    job.cancel()
    job.wait()
    forget(job)
    # Blender quits or opens another file: there is no panel and no report left to say it in.
    print(f"Action Loom: {job.label} was stopped, because {why}; {job.left}", flush=True)  # noqa: T201
