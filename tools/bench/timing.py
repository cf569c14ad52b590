"""How the benchmarks take their times."""

import statistics
import time
from collections.abc import Callable, Mapping

TURNS = 5
LONGEST = 8.0  # s that one is timed for, however few runs that are


def milliseconds(work: Callable[[], object], runs: int) -> float:
    """Return the median time of some runs in this thread, after one that warms up."""
    work()
    return race({"": work}, runs, time.thread_time)[""]


def race(
    works: Mapping[str, Callable[[], object]],
    runs: int,
    clock: Callable[[], float] = time.process_time,
    longest: float = LONGEST,
) -> dict[str, float]:
    """Return the median time of each in milliseconds; they should be warm.

    They take turns, several runs a turn, so that a busy moment hits all of them. The processor's own time is what
    a shared machine distorts least.
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
