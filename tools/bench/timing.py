"""Time functions with repeated runs."""

import statistics
import time
from collections.abc import Callable, Mapping

TURNS = 5
LONGEST = 8.0  # s: no further runs of a function after this total time


def milliseconds(work: Callable[[], object], runs: int) -> float:
    """Return the median milliseconds of `runs` runs in this thread, after a warm-up run."""
    work()
    return race({"": work}, runs, time.thread_time)[""]


def race(
    works: Mapping[str, Callable[[], object]],
    runs: int,
    clock: Callable[[], float] = time.process_time,
    longest: float = LONGEST,
) -> dict[str, float]:
    """Return the median milliseconds of each function; the caller warms them up.

    The functions alternate, several runs at a time, so that a busy moment affects all of them. The default clock is
    processor time, which depends least on other load of the machine.
    """
    times: dict[str, list[float]] = {name: [] for name in works}
    each = max(1, -(-runs // TURNS))
    for _ in range(min(TURNS, runs)):
        for name, work in works.items():
            for _ in range(each):
                if len(times[name]) < runs and sum(times[name]) < longest:
                    began = clock()
                    work()
                    times[name].append(clock() - began)
    return {name: 1000.0 * statistics.median(found) for name, found in times.items()}
