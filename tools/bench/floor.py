"""What this machine can do at best: how fast it copies and multiplies, measured on the spot."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SIDE = 1000  # of the square matrices of doubles, 8 MB each: as large as the distances of two usual clips


@dataclass(frozen=True)
class Machine:
    """bandwidth : bytes read and written per second when copying; rate : floating-point operations per second"""

    bandwidth: float
    rate: float

    def floor(self, moved: float, operations: float) -> float:
        """Return the milliseconds that moving so many bytes takes or so many operations take, whichever is more."""
        return 1000.0 * max(moved / self.bandwidth, operations / self.rate)


def measure(runs: int = 30) -> Machine:
    a = np.random.default_rng(0).normal(size=(SIDE, SIDE))
    b, out = a.T.copy(), np.empty_like(a)
    copying = _least(lambda: np.copyto(out, a), runs)
    multiplying = _least(lambda: np.matmul(a, b, out=out), runs)
    return Machine(2.0 * a.nbytes / copying, 2.0 * SIDE**3 / multiplying)


def _least(work: Callable[[], object], runs: int) -> float:
    """Seconds of the fastest run: a floor is what is possible, not what is usual."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
