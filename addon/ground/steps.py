"""Work on the main thread in steps, between which Blender's window responds and the user can cancel.

Steps are a generator: it yields the finished fraction and a description of the current work, and returns the result.
"""

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ...core.progress import SILENT, Progress

Result = TypeVar("Result")
Given = ParamSpec("Given")
Steps = Generator[tuple[float, str], None, Result]


def run_steps(steps: Steps[Result], progress: Progress = SILENT) -> Result:
    """Run all steps and return their result."""
    while True:
        try:
            fraction, doing = next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        progress.at(fraction, doing)


def at_once(in_steps: Callable[Given, Steps[Result]]) -> Callable[Given, Result]:
    """Return a function that runs all steps of another one, and returns their result."""

    @wraps(in_steps)
    def taken(*args: Given.args, **how: Given.kwargs) -> Result:
        return run_steps(in_steps(*args, **how))

    return taken


def within(steps: Steps[Result], number: int, count: int) -> Steps[Result]:
    """Return the steps of one of several pieces of work, as steps of the whole."""
    while True:
        try:
            fraction, doing = next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield (number + fraction) / count, doing


def of(begin: Callable[[], Any]) -> Steps[Any]:
    """Return the steps of a function that returns either its result or steps."""
    found = begin()
    if isinstance(found, Generator):
        return (yield from found)
    return found
