"""Data types of the benchmark table: a case, its alternatives, its target time and its measured figures."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import timing

if TYPE_CHECKING:
    from material import Material

WHOLE = "the whole press"  # of which a row times a part


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
    """most : limit in milliseconds, 0 for none; ratios : minimum speed-up over rivals, by name"""

    most: float = 0.0
    ratios: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """key : name for `--line`; about : description in the table"""

    key: str
    about: str
    target: Target
    prepare: "Callable[[Material], Case]"


@dataclass(frozen=True)
class Figures:
    """Measured times in milliseconds, ours and by rival.

    floor : lower bound in milliseconds, 0 if unknown
    apart : largest difference from our result, by compared rival
    extrapolated : rivals measured on a sample; missing : rivals without an installed library
    """

    ours: float
    rivals: Mapping[str, float] = field(default_factory=dict)
    floor: float = 0.0
    apart: Mapping[str, float] = field(default_factory=dict)
    extrapolated: Sequence[str] = ()
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """One row of the table with its figures."""

    key: str
    about: str
    target: Target
    figures: Figures

    @property
    def met(self) -> bool:
        """Whether the figures meet the target; rivals without figures are ignored."""
        ours, rivals = self.figures.ours, self.figures.rivals
        in_time = not self.target.most or ours <= self.target.most
        return in_time and all(
            rivals[name] >= ratio * ours for name, ratio in self.target.ratios.items() if name in rivals
        )


class DisagreementError(Exception):
    """Our result and a rival's differ by more than the tolerance, so their times are not comparable."""


def measure(case: Case, runs: int, longest: float, clock: Callable[[], float] = time.process_time) -> Figures:
    """Compare the results, then time all implementations; raises DisagreementError. The caller adds the floor."""
    rivals, missing = {}, []
    for name, make in case.rivals.items():
        try:
            rivals[name] = make()
        except ImportError:
            missing.append(name)
    answer, apart = case.ours(), {}
    for name, rival in rivals.items():
        other = rival.work()
        if rival.apart is not None:
            apart[name] = rival.apart(answer, other)
            if not apart[name] <= rival.tolerance:
                raise DisagreementError(f"{name} is {apart[name]:.3g} from ours ({rival.tolerance:g} allowed)")
    works = {"": case.ours} | {name: rival.work for name, rival in rivals.items()}
    times = timing.race(works, runs, clock, longest)
    return Figures(
        times[""],
        {name: rival.times * times[name] for name, rival in rivals.items()},
        apart=apart,
        extrapolated=[name for name, rival in rivals.items() if rival.times != 1.0],
        missing=missing,
    )


def later(make: Callable[..., Rival], *values: Any) -> Callable[[], Rival]:
    """Return a factory that makes a rival on demand."""
    return partial(make, *values)
