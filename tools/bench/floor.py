"""Measure this machine's memory bandwidth and floating-point rate, the lower bounds of the benchmarks."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SIDE = 1000  # rows of a square matrix of doubles: 8 MB, like the distances of two clips of 1000 frames


@dataclass(frozen=True)
class Machine:
    """bandwidth : bytes read plus bytes written per second by a copy; rate : floating-point operations per second"""

    bandwidth: float
    rate: float

    def floor(self, moved: float, operations: float) -> float:
        """Return the milliseconds for `moved` bytes or for `operations`, whichever takes longer."""
        return 1000.0 * max(moved / self.bandwidth, operations / self.rate)


def measure(runs: int = 30) -> Machine:
    a = np.random.default_rng(0).normal(size=(SIDE, SIDE))
    b, out = a.T.copy(), np.empty_like(a)
    copying = _least(lambda: np.copyto(out, a), runs)
    multiplying = _least(lambda: np.matmul(a, b, out=out), runs)
    return Machine(2.0 * a.nbytes / copying, 2.0 * SIDE**3 / multiplying)


def _least(work: Callable[[], object], runs: int) -> float:
    """Return the seconds of the fastest run, since a lower bound needs the best case."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
