"""Run work in a worker thread beside the interface, with progress and cancelling.

A job does not depend on Blender's windows: its driver polls the state. It must not touch Blender's data; the main
thread reads the inputs before, step by step, and writes the result after.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import bpy

from ...core.errors import Cancelled, LoomError
from ...core.progress import Progress
from .steps import Steps

NOTHING = "nothing was changed"  # the usual state after a cancel
LONGEST_READING = 0.1  # s, approximately, for which the interface waits
LONGEST_GOODBYE = 20.0  # s; kernels can't be interrupted, but each of them is faster


class BackgroundJob:
    """A piece of work whose state is running, then done (with a result), failed (with an error) or cancelled.

    left : a few words on the remaining state after a cancel
    reading : steps that return the input of the work in addition to its progress; the driver calls `step` for them
    readying : returns further steps on the main thread, from the input and the result of the work
    quiet : whether it runs without progress display, and is cancelled when any other job starts
    """

    def __init__(
        self,
        label: str,
        work: Callable[..., Any],
        left: str = NOTHING,
        reading: Steps[Any] | None = None,
        readying: Callable[[Any, Any], Steps[Any]] | None = None,
        quiet: bool = False,
    ) -> None:
        self.quiet = quiet
        self.label, self.left = label, left
        self.fraction, self.doing = 0.0, "Starting"
        self.state = "running"
        self.inputs: Any = None
        self.result: Any = None
        self.error: Exception | None = None
        self._continues = True
        self._work, self._steps, self._readying = work, reading, readying
        self._then: Callable[[Any], None] = self._take
        self._thread = threading.Thread(target=self._run, name=f"Action Loom: {label}", daemon=True)

    def start(self) -> "BackgroundJob":
        if self._steps is None:
            self._thread.start()
        return self

    def step(self) -> None:
        """Run the next steps on the main thread: first of reading, then the work starts; later of the final steps."""
        until = time.perf_counter() + LONGEST_READING
        while self._steps is not None:
            if not self._continues:
                return self._end_steps("cancelled")
            try:
                self._listen(*next(self._steps))
            except StopIteration as end:
                self._steps = None
                self._then(end.value)
            except ReferenceError:
                self.error = LoomError("What was being read is gone from the file: choose the sources again")
                return self._end_steps("failed")
            except Exception as error:
                self.error = error
                return self._end_steps("failed")
            if time.perf_counter() > until:
                return None
        return None

    def _take(self, inputs: Any) -> None:
        """Start the work with its input."""
        self.inputs = inputs
        self._work = partial(self._work, inputs)
        self._thread.start()

    def _finish(self, _: Any) -> None:
        self.state = "done"

    def _end_steps(self, state: str) -> None:
        if self._steps is not None:
            self._steps.close()
        self._steps, self.state = None, state

    def cancel(self) -> None:
        """Request that the work stops at its next step."""
        self._continues = False
        self.doing = "Stopping"

    def wait(self) -> None:
        """Wait for the end of started work, at most `LONGEST_GOODBYE`."""
        if self._steps is not None and not self._continues:
            self._end_steps("cancelled")
        elif self._thread.ident is not None:
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
            self.result = result
            if not self._continues:
                self.state = "cancelled"
            elif self._readying is None:
                self.state = "done"
            else:
                self._then = self._finish
                self._steps = self._readying(self.inputs, result)

    def _listen(self, fraction: float, doing: str) -> bool:
        if self._continues:
            self.fraction, self.doing = fraction, doing
        return self._continues


_running: BackgroundJob | None = None


def running() -> BackgroundJob | None:
    """Return the running job, or None; there is never more than one."""
    return _running


def is_rendering() -> bool:
    """Return whether Blender renders: its thread reads the file, so a change of the file may crash it."""
    return bpy.app.is_job_running("RENDER")


def is_busy() -> bool:
    """Return whether the main thread must not begin work of its own accord."""
    return _running is not None or is_rendering()


def visible_job() -> BackgroundJob | None:
    """Return the running job unless it is quiet."""
    return None if _running is None or _running.quiet else _running


def begin(
    label: str,
    work: Callable[..., Any],
    left: str = NOTHING,
    reading: Steps[Any] | None = None,
    readying: Callable[[Any, Any], Steps[Any]] | None = None,
    quiet: bool = False,
) -> BackgroundJob:
    """Start a job (see `BackgroundJob`); raises LoomError while another job runs that is not quiet."""
    global _running
    if _running is not None and _running.quiet:
        _running.cancel()
        _running.wait()
        _running = None
    if _running is not None:
        raise LoomError(f"{_running.label} is still running: wait for it, or cancel it")
    _running = BackgroundJob(label, work, left, reading, readying, quiet).start()
    return _running


def forget(job: BackgroundJob) -> None:
    """Drop an ended job, so that another one can begin."""
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
