"""Run many tasks on the machines of a Dask cluster, with the same results as on this machine.

Dask (`distributed`) is only imported when a cluster is requested. A worker runs one task at a time, regardless of its
number of threads, because not all libraries are thread-safe. Every worker must have the same program as this run, which
is checked before any task.
"""

import hashlib
import logging
import pickle
import platform
import queue
import re
import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from . import jit, processes
from .errors import LoomError, OptionError
from .processes import Attempt

WAIT = 15.0  # s to wait for an unresponsive scheduler, and for a first worker
_LOOK = 1.0  # s between checks for workers
_FETCHING = 60.0  # s for the result of one task to arrive

_alone = threading.Lock()  # in a worker: one task at a time

T = TypeVar("T")
R = TypeVar("R")


def attempts(
    function: Callable[[T], R],
    tasks: Sequence[T],
    scheduler: str,
    *,
    begin: Callable[[], None] | None = None,
    wait: float = WAIT,
) -> Generator[tuple[int, Attempt[R]], None, None]:
    """Yield the index of each task and its attempt, in the order of completion, like `processes.attempts`.

    function, begin : as there; files that they read must be on a disk shared by all machines, under the same name.
        `begin` is called before every task, because a worker may serve others in between
    scheduler : its address, such as tcp://farm:8786
    wait : seconds to wait for an unresponsive scheduler, and for a worker if there is none Tasks of a lost worker are
        run by another. To stop early, close the generator, which drops tasks that have not started.
    Raises LoomError without Dask, without the scheduler, without workers, or if a worker has another program than this
    one, and OptionError for an invalid address.

    Example:
        >>> from action_loom.core import cluster
        >>> list(cluster.attempts(len, [], "tcp://farm:8786"))  # without tasks nothing is connected
        []
        >>> next(cluster.attempts(len, ["walk"], "farm"))
        Traceback (most recent call last):
        action_loom.core.errors.OptionError: scheduler is 'farm', but must be an address such as tcp://farm:8786
    """
    if not tasks:
        return
    with _connect_client(scheduler, wait) as client:
        _check_programs(client, scheduler)
        run, work = secrets.token_hex(8), partial(_Work, program(), function, begin)
        # A task that can't be unpickled would end the worker, so workers receive bytes and unpickle them as the task.
        futures = [
            client.submit(pickle.loads, pickle.dumps(work(task)), key=f"action-loom-{run}-{place}")
            for place, task in enumerate(tasks)
        ]
        yield from _yield_attempts(client, futures, scheduler, wait)


@cache
def program() -> str:
    """Return a text that must be equal on all machines: a hash of our sources, and versions of Python and libraries."""
    here, digest = Path(__file__).parent, hashlib.sha256()
    for path in sorted(path for ending in ("*.py", "*.npz") for path in here.rglob(ending)):
        digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    python = ".".join(platform.python_version_tuple()[:2])
    compiler = jit.compiler() or "no numba"
    return f"action-loom {digest.hexdigest()[:12]}, Python {python}, numpy {np.__version__}, {compiler}"


@dataclass(frozen=True)
class _Work(Generic[T, R]):
    """A task for a worker, which runs when it is unpickled."""

    program: str
    function: Callable[[T], R]
    begin: Callable[[], None] | None
    task: T

    def __reduce__(self) -> tuple[Any, ...]:
        return _do, (self.program, self.function, self.begin, self.task)


def _do(wanted: str, function: Callable[[T], R], begin: Callable[[], None] | None, task: T) -> Attempt[R]:
    if program() != wanted:
        return Attempt(None, f"the worker on {platform.node()} has {program()}, but this run is of {wanted}")
    with _alone:
        tried = processes.attempt(partial(_begin_task, function, begin), task)
    return tried if not tried.trouble else Attempt(None, f"{tried.trouble} (on {platform.node()})")


def _begin_task(function: Callable[[T], R], begin: Callable[[], None] | None, task: T) -> R:
    if begin is not None:
        begin()
    return function(task)


@contextmanager
def _connect_client(scheduler: str, wait: float) -> Iterator[Any]:
    """Yield a client of a scheduler; raises LoomError kinds."""
    if not re.fullmatch(r"(tcp|tls)://\S+:[0-9]{1,5}", scheduler):
        raise OptionError(f"scheduler is {scheduler!r}, but must be an address such as tcp://farm:8786")
    try:
        import distributed
    except ImportError:
        raise LoomError('Dask is not installed here: pip install "action-loom[cluster]"') from None
    _quiet()
    try:
        client = distributed.Client(scheduler, timeout=wait, set_as_default=False)
    except (OSError, ValueError) as error:
        why = str(error).partition("\n")[0]
        raise LoomError(f"{scheduler}: no Dask scheduler has answered within {wait:g} s ({why})") from None
    try:
        yield client
    finally:
        client.close(timeout=_LOOK)


def _quiet() -> None:
    """Silence the logs of Dask and tornado about interruptions and lost workers, which are reported elsewhere."""
    for name in ("distributed", "tornado"):
        children = [each for each in logging.root.manager.loggerDict if each.startswith(f"{name}.")]
        for each in (name, *children):  # Dask sets the level of some children
            logging.getLogger(each).setLevel(logging.CRITICAL)


def _check_programs(client: Any, scheduler: str) -> None:
    """Raise LoomError for a worker with another program than this one, or without it."""
    ours = program()
    try:
        programs = client.run(program, on_error="return")
    except OSError as error:
        raise LoomError(f"{scheduler}: the scheduler has ended ({error})") from None
    for worker, theirs in programs.items():
        if isinstance(theirs, OSError):
            continue  # the worker has just left
        if isinstance(theirs, Exception):
            raise LoomError(f"worker {worker} has no action-loom like this one ({theirs})")
        if theirs != ours:
            raise LoomError(f"worker {worker} has {theirs}, but here it is {ours}; they must be the same")


def _yield_attempts(
    client: Any, futures: Sequence[Any], scheduler: str, wait: float
) -> Generator[tuple[int, Attempt[Any]], None, None]:
    """Yield indices and attempts of tasks while there are workers."""
    places = {future.key: place for place, future in enumerate(futures)}
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for future in futures:
        future.add_done_callback(ended.put)
    seen = time.monotonic()
    while places:
        future = None
        try:
            future = ended.get(timeout=_LOOK)
            tried = _fetch_attempt(future, scheduler)
        except (queue.Empty, TimeoutError):
            if future is not None:
                ended.put(future)  # its worker is lost, and another runs the task again
            why = _missing(client)
            seen = seen if why else time.monotonic()
            if time.monotonic() - seen > wait:
                raise LoomError(f"{scheduler}: {why} for {wait:g} s; what was done until now stays") from None
            continue
        yield places.pop(future.key), tried
        seen = time.monotonic()
        future.release()


def _fetch_attempt(future: Any, scheduler: str) -> Attempt[Any]:
    """Return the attempt of a completed task; raises TimeoutError if it must be run again."""
    from asyncio import CancelledError

    from distributed.scheduler import KilledWorker

    try:
        tried: Attempt[Any] = future.result(timeout=_FETCHING)
        return tried
    except TimeoutError:
        raise
    except CancelledError:
        raise LoomError(f"{scheduler}: the scheduler has ended, or let go of this run") from None
    except KilledWorker:
        return Attempt(
            None, "the workers that did this have ended, one after the other; they may have run out of memory"
        )
    except Exception as error:
        return Attempt(None, f"{type(error).__name__}: {error}")


def _missing(client: Any) -> str:
    """Return a phrase on the reason why the run can't continue, or ""."""
    if client.status != "running":
        return "the scheduler has not answered"
    try:
        return "" if client.nthreads() else "there has been no worker"
    except OSError:
        return "the scheduler has not answered"
