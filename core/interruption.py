"""Being stopped from outside: Ctrl-C, and the signal that asks a process to end. Standard library only."""

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN = 1.0  # s

_signal: int | None = None  # that has arrived


def listen() -> None:
    """Make both signals an interruption of the work of this process; call it from the main thread.

    One that whoever started the process has it ignore (a shell, for work in the background) stays ignored.
    """
    for one in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, _interrupt)
    sys.unraisablehook = _swallowed


def _swallowed(unraisable: "UnraisableHookArgs") -> None:
    """Say nothing of an interruption that came while something was deleted: it is raised again."""
    if not (has_arrived() and isinstance(unraisable.exc_value, KeyboardInterrupt)):
        sys.__unraisablehook__(unraisable)


def stop_listening() -> None:
    """Let nothing disturb the end of this process any more: it ends with the status of what it has done."""
    if has_arrived() and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    for one in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(one) is _interrupt:
            signal.signal(one, signal.SIG_IGN)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    global _signal
    _signal = number
    if hasattr(signal, "setitimer"):
        # A library's clean-up may swallow the exception: it is raised again until the work has ended.
        signal.signal(signal.SIGALRM, _interrupt_again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    raise KeyboardInterrupt


def _interrupt_again(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def has_arrived() -> bool:
    """Return whether a signal has arrived, whatever has become of it."""
    return _signal is not None


def was_interrupted(error: BaseException) -> bool:
    """Return whether an error is an interruption; compiled code and libraries make other errors of it."""
    return has_arrived() or isinstance(error, KeyboardInterrupt)


def status() -> int:
    """Return the status of a process that was interrupted, as shells know it: 130 after Ctrl-C."""
    return 128 + (_signal or signal.SIGINT)
