"""Progress of long work: reports to a listener, which can cancel it."""

from collections.abc import Callable

from .errors import Cancelled

Listener = Callable[[float, str], bool]


class Progress:
    """Reports fractions of a piece of work to a listener, which returns whether to continue.

    A part of the work gets a part of the range: ``progress.part(0.2, 0.8)`` is again a Progress from 0 to 1.
    """

    def __init__(self, listener: Listener | None = None, start: float = 0.0, end: float = 1.0) -> None:
        self._listener, self._start, self._end = listener, start, end

    def at(self, fraction: float, doing: str) -> None:
        """Report that `fraction` (0 to 1) is done and the next step; raises Cancelled if the user cancelled."""
        if self._listener is None:
            return
        if not self._listener(self._start + fraction * (self._end - self._start), doing):
            raise Cancelled

    def part(self, start: float, end: float) -> "Progress":
        width = self._end - self._start
        return Progress(self._listener, self._start + start * width, self._start + end * width)


SILENT = Progress()
