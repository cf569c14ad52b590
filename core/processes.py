"""Run many tasks sequentially or in several processes; a failed task does not stop the others."""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from . import interruption
from .errors import OUT_OF_MEMORY, LoomError

MOST = 61  # processes; Windows can't wait for more
THREADS = "OPENBLAS_NUM_THREADS"  # for matrix products; read at the start of a process

_log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Attempt(Generic[R]):
    """The outcome of a task: its result, or None and a sentence with the reason."""

    result: R | None
    trouble: str = ""


class Attempts(Protocol[T, R]):
    """A function like `attempts` with all other arguments bound."""

    def __call__(
        self, function: Callable[[T], R], tasks: Sequence[T], /
    ) -> Generator[tuple[int, Attempt[R]], None, None]: ...


def attempts(
    function: Callable[[T], R],
    tasks: Sequence[T],
    at_a_time: int,
    *,
    begin: Callable[[], None] | None = None,
) -> Generator[tuple[int, Attempt[R]], None, None]:
    """Yield the index of each task and its attempt, in the order of completion.

    function : of a module, because other processes import it by name; its result is never None. Tasks and results are
        pickled
    at_a_time : number of processes, at most `MOST`; up to 1 the tasks run in this process, in order
    begin : called first in every other process; a function of a module, or a `partial` of one
    To stop early, close the generator (`contextlib.closing`), which ends all other processes at once.

    Example:
        >>> from action_loom.core import processes
        >>> [(place, tried.result) for place, tried in processes.attempts(len, ["walk", "run"], 1)]
        [(0, 4), (1, 3)]
    """
    at_a_time = min(at_a_time, len(tasks), MOST)
    if at_a_time <= 1:
        for place, task in enumerate(tasks):
            yield place, attempt(function, task)
        return
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(
        at_a_time, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(begin,)
    ) as pool:
        try:
            places = _submit_tasks(pool, function, tasks)
            for future in as_completed(places):
                yield places.pop(future), _await_attempt(future)
        except BaseException:
            # A caller that stops here does not wait for unfinished tasks; these processes write no files.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def attempt(function: Callable[[T], R], task: T) -> Attempt[R]:
    """Return the attempt of a task in this process; raises only KeyboardInterrupt.

    Example:
        >>> from action_loom.core import processes
        >>> from action_loom.core.verbs import from_json
        >>> processes.attempt(from_json, "walk").trouble
        'This is not a recipe (a JSON object with the name of a verb): walk'
    """
    try:
        return Attempt(function(task))
    except LoomError as error:
        return Attempt(None, str(error))
    except MemoryError:
        return Attempt(None, OUT_OF_MEMORY)
    except Exception as error:
        if interruption.was_interrupted(error):
            raise KeyboardInterrupt from None
        # A bug of ours must not lose the other tasks.
        _log.exception("%s", task)
        return Attempt(None, f"{type(error).__name__}: {error}")


def _submit_tasks(
    pool: ProcessPoolExecutor, function: Callable[[T], R], tasks: Sequence[T]
) -> dict[Future[Attempt[R]], int]:
    # Processes started while Ctrl-C is ignored also ignore it, so that only this process ends them.
    before, threads = signal.signal(signal.SIGINT, signal.SIG_IGN), os.environ.get(THREADS)
    # Several processes with several threads each would mostly wait for each other.
    os.environ[THREADS] = threads or "1"
    try:
        return {pool.submit(attempt, function, task): place for place, task in enumerate(tasks)}
    finally:
        signal.signal(signal.SIGINT, before)
        if threads is None:
            del os.environ[THREADS]


def _await_attempt(future: Future[Attempt[R]]) -> Attempt[R]:
    try:
        return future.result()
    except BrokenProcessPool:
        return Attempt(None, "a process that does jobs has ended by itself; it may have run out of memory")


def _begin(begin: Callable[[], None] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin()


def _end_with_parent() -> None:
    """End this process when its parent process is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
