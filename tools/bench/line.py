"""One line of the table: some work of ours, the same work by others, what it should take, and what came out."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import timing

if TYPE_CHECKING:
    from material import Material


@dataclass(frozen=True)
class Rival:
    """Another way to the same answer.

    work : does it, returns the answer
    apart : the largest difference between our answer and this one; None where they answer another question
    tolerance : the difference that is allowed
    times : how many times the work that was timed makes the whole (where a sample is timed)
    """

    work: Callable[[], Any]
    apart: Callable[[Any, Any], float] | None = None
    tolerance: float = 1e-9
    times: float = 1.0


@dataclass(frozen=True)
class Case:
    """The work of a line, ready to run.

    rivals : by name, each made when its turn comes, since it may not be installed
    moved, operations : the bytes and floating-point operations that no way of doing it can avoid
    """

    ours: Callable[[], Any]
    rivals: Mapping[str, Callable[[], Rival]] = field(default_factory=dict)
    moved: float = 0.0
    operations: float = 0.0


@dataclass(frozen=True)
class Target:
    """At most so many milliseconds (0 for none), and at least so many times as fast as some rivals."""

    most: float = 0.0
    ratios: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """key : what LINE= calls it; about : what the table says of it"""

    key: str
    about: str
    target: Target
    prepare: "Callable[[Material], Case]"


@dataclass(frozen=True)
class Figures:
    """What came out: milliseconds, and differences by rival, as far as they were compared.

    floor : milliseconds, 0 where none is known
    extrapolated : rivals of which a sample was timed; missing : those that could not run
    """

    ours: float
    rivals: Mapping[str, float] = field(default_factory=dict)
    floor: float = 0.0
    apart: Mapping[str, float] = field(default_factory=dict)
    extrapolated: Sequence[str] = ()
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """A line of the table with its figures."""

    key: str
    about: str
    target: Target
    figures: Figures

    @property
    def met(self) -> bool:
        """Whether the target is met, as far as its rivals ran."""
        ours, rivals = self.figures.ours, self.figures.rivals
        in_time = not self.target.most or ours <= self.target.most
        return in_time and all(
            rivals[name] >= ratio * ours for name, ratio in self.target.ratios.items() if name in rivals
        )


class DisagreementError(Exception):
    """Ours and another way gave different answers, so that comparing their times means nothing."""


def measure(case: Case, runs: int, longest: float, clock: Callable[[], float] = time.process_time) -> Figures:
    """Compare the answers, then time all of them; raises DisagreementError. The floor is for the caller to add."""
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
    """Return a rival that is made only when its turn comes."""
    return partial(make, *values)
