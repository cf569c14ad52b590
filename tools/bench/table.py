"""Rows of the benchmark table: a case, the rivals that compute the same, a target time and the measured figures."""

import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
TURNS = 5
LONGEST = 8.0  # s: no further runs of a function after this total time
MARK = "FIGURES "
WHOLE = "the whole press"  # of which a row times a part
ROUNDS = 375  # of the work that is called a pace: 1 ms on the machine for which the targets were set
SIDE = 1000  # rows of a square matrix of doubles: 8 MB, like the distances of two clips of 1000 frames


@dataclass(frozen=True)
class Rival:
    """Another implementation of the same computation.

    work : runs it and returns its result
    apart : returns the largest difference between our result and this one; None if they are not comparable
    tolerance : the largest difference allowed
    times : factor from the measured time to the whole, if only a sample is measured
    """

    work: Callable[[], Any]
    apart: Callable[[Any, Any], float] | None = None
    tolerance: float = 1e-9
    times: float = 1.0


@dataclass(frozen=True)
class Case:
    """One computation to measure.

    rivals : factories of the alternatives by name; a factory raises ImportError if its library is missing
    moved, operations : bytes and floating-point operations that every implementation needs
    """

    ours: Callable[[], Any]
    rivals: Mapping[str, Callable[[], Rival]] = field(default_factory=dict)
    moved: float = 0.0
    operations: float = 0.0


@dataclass(frozen=True)
class Target:
    """A limit that does not depend on the machine.

    most : in paces (see `Machine`), 0 for none; of rows in MB, the limit itself
    ratios : minimum speed-up over rivals, by name
    reason : why the line stays behind, where it is known
    """

    most: float = 0.0
    ratios: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Figures:
    """Measured times in milliseconds, ours and by rival.

    floor : lower bound in milliseconds, 0 if unknown
    extrapolated : rivals measured on a sample; missing : rivals without an installed library
    """

    ours: float
    rivals: Mapping[str, float] = field(default_factory=dict)
    floor: float = 0.0
    extrapolated: Sequence[str] = ()
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """One row of the table with its figures."""

    about: str
    target: Target
    figures: Figures

    @property
    def is_memory(self) -> bool:
        return "MB" in self.about

    def meets(self, pace: float) -> bool:
        """Return whether the figures meet the target; rivals without figures are ignored."""
        ours, rivals = self.figures.ours, self.figures.rivals
        in_time = not self.target.most or ours <= self.target.most * (1.0 if self.is_memory else pace)
        return in_time and all(
            rivals[name] >= ratio * ours for name, ratio in self.target.ratios.items() if name in rivals
        )


class DisagreementError(Exception):
    """Our result and a rival's differ by more than the tolerance, so their times are not comparable."""


def measure(case: Case, runs: int, longest: float = LONGEST, clock: Callable[[], float] = time.process_time) -> Figures:
    """Compare the results, then time all implementations; raises DisagreementError. The caller adds the floor."""
    rivals, missing = {}, []
    for name, make in case.rivals.items():
        try:
            rivals[name] = make()
        except ImportError:
            missing.append(name)
    answer = case.ours()
    for name, rival in rivals.items():
        other = rival.work()
        apart = 0.0 if rival.apart is None else rival.apart(answer, other)
        if not apart <= rival.tolerance:
            raise DisagreementError(f"{name} is {apart:.3g} from ours ({rival.tolerance:g} allowed)")
    times = race({"": case.ours} | {name: rival.work for name, rival in rivals.items()}, runs, clock, longest)
    return Figures(
        times[""],
        {name: rival.times * times[name] for name, rival in rivals.items()},
        extrapolated=[name for name, rival in rivals.items() if rival.times != 1.0],
        missing=missing,
    )


def time_alone(work: Callable[[], object], runs: int) -> float:
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


@dataclass(frozen=True)
class Machine:
    """How fast a machine is in the moment of a run.

    bandwidth : bytes read plus bytes written per second by a copy; rate : floating-point operations per second
    pace : milliseconds of a fixed piece of work of numpy and Python, the unit of targets
    """

    bandwidth: float
    rate: float
    pace: float

    def floor(self, moved: float, operations: float) -> float:
        """Return the milliseconds for `moved` bytes or for `operations`, whichever takes longer."""
        return 1000.0 * max(moved / self.bandwidth, operations / self.rate)


def measure_machine(runs: int = 30) -> Machine:
    """Measure by the fastest of several runs, since a lower bound needs the best case."""
    a = np.random.default_rng(0).normal(size=(SIDE, SIDE))
    b, out = a.T.copy(), np.empty_like(a)
    row, scaled = np.arange(2.0 * SIDE), np.empty(2 * SIDE)

    def take_pace() -> None:
        for k in range(ROUNDS):
            np.multiply(row, 1.0001, out=scaled)
            np.add(scaled, row, out=scaled)
            sum([k * j for j in range(60)])

    fastest = {}
    works = {"copy": lambda: np.copyto(out, a), "product": lambda: np.matmul(a, b, out=out), "pace": take_pace}
    for name, work in works.items():
        fastest[name] = min(race({"": work}, 1)[""] for _ in range(runs)) / 1000.0
    return Machine(2.0 * a.nbytes / fastest["copy"], 2.0 * SIDE**3 / fastest["product"], 1000.0 * fastest["pace"])


def print_figures(figures: Mapping[str, Figures], blender: str) -> None:
    """Print figures by key, and the version of this Blender, as one marked line of JSON for the parent process."""
    print(MARK + json.dumps([{key: asdict(one) for key, one in figures.items()}, blender]), flush=True)


def read_figures(output: str) -> tuple[dict[str, Figures], str]:
    """Return the figures and version that `print_figures` printed."""
    line = next(line for line in output.splitlines() if line.startswith(MARK))
    figures, blender = json.loads(line.removeprefix(MARK))
    return {key: Figures(**one) for key, one in figures.items()}, blender
