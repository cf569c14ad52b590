"""How the benchmarks take their times."""

import statistics
import time
from collections.abc import Callable


def milliseconds(work: Callable[[], object], runs: int) -> float:
    """Return the median time of some runs, after one that warms up."""
    work()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1000.0 * statistics.median(times)
