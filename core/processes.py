"""Many tasks, one after the other or several at a time in processes of their own; one that fails stops no other."""

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
from .errors import LoomError

MOST = 61  # processes that Windows can wait for
OUT_OF_MEMORY = "there is not enough memory for this; take shorter clips or fewer of them"

_log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Attempt(Generic[R]):
    """What has come of a task: its result, or in a sentence why there is none."""

    result: R | None
    trouble: str = ""


class Attempts(Protocol[T, R]):
    """Does tasks as `attempts` does, with all else settled."""

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
    """Yield the place of each task and what has come of it, in the order in which they end.

    function : a module's own, since other processes know it by its name, with a result that is not None; tasks and
        results go from process to process by pickle
    at_a_time : up to 1 they are done in this process, in their order; never more than there are tasks, or than `MOST`
    begin : is called first in every other process; a module's own function, or a `partial` of one
    Whoever stops early closes the generator (`contextlib.closing`): then all other processes end at once.
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
            places = _submitted(pool, function, tasks)
            for future in as_completed(places):
                yield places.pop(future), _ended(future)
        except BaseException:
            # Whoever stops here does not want to wait for what is being made; these processes have no files to finish.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def attempt(function: Callable[[T], R], task: T) -> Attempt[R]:
    """Do a task in this process; raises nothing but KeyboardInterrupt."""
    try:
        return Attempt(function(task))
    except LoomError as error:
        return Attempt(None, str(error))
    except MemoryError:
        return Attempt(None, OUT_OF_MEMORY)
    except Exception as error:
        if interruption.was_interrupted(error):
            raise KeyboardInterrupt from None
        # Ours to mend, but no reason to lose the other tasks.
        _log.exception("%s", task)
        return Attempt(None, f"{type(error).__name__}: {error}")


def _submitted(
    pool: ProcessPoolExecutor, function: Callable[[T], R], tasks: Sequence[T]
) -> dict[Future[Attempt[R]], int]:
    # Processes that are started with Ctrl-C ignored ignore it from their first moment: this one ends them.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return {pool.submit(attempt, function, task): place for place, task in enumerate(tasks)}
    finally:
        signal.signal(signal.SIGINT, before)


def _ended(future: Future[Attempt[R]]) -> Attempt[R]:
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
    """Leave no process behind when the one that started it is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
