"""External interruption: Ctrl-C, and the signal to terminate a process. Standard library only."""

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN = 1.0  # s after which an interruption is raised again

_signal: int | None = None  # the signal received


def listen() -> None:
    """Let both signals interrupt the work of this process; call it from the main thread.

    Signals ignored at the start of the process (as shells do for background jobs) remain ignored.

    Example:
        >>> import signal, sys
        >>> from action_loom.core import interruption
        >>> numbers, hook = (signal.SIGINT, signal.SIGTERM), sys.unraisablehook
        >>> before = [signal.getsignal(number) for number in numbers]
        >>> interruption.listen()
        >>> signal.getsignal(signal.SIGTERM) == before[1]
        False
        >>> sys.unraisablehook = hook
        >>> _ = [signal.signal(*pair) for pair in zip(numbers, before)]
    """
    for one in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, _interrupt)
    sys.unraisablehook = _report_nothing


def _report_nothing(unraisable: "UnraisableHookArgs") -> None:
    """Report nothing about an interruption during a deletion, since it is raised again."""
    if not (has_arrived() and isinstance(unraisable.exc_value, KeyboardInterrupt)):
        sys.__unraisablehook__(unraisable)


def stop_listening() -> None:
    """Ignore both signals from now on, so that this process exits with the status of its work.

    Example:
        >>> import signal
        >>> from action_loom.core import interruption
        >>> before = signal.getsignal(signal.SIGINT)
        >>> interruption.stop_listening()
        >>> signal.getsignal(signal.SIGINT) == before  # without `listen` nothing changes
        True
    """
    if has_arrived() and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    for one in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(one) is _interrupt:
            signal.signal(one, signal.SIG_IGN)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    global _signal
    _signal = number
    if hasattr(signal, "setitimer"):
        # A library's clean-up may swallow the exception, so it is raised repeatedly until the work has ended.
        signal.signal(signal.SIGALRM, _interrupt_again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    raise KeyboardInterrupt


def _interrupt_again(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def has_arrived() -> bool:
    """Return whether a signal has arrived, even if its exception was swallowed.

    Example:
        >>> from action_loom.core import interruption
        >>> interruption.has_arrived()
        False
    """
    return _signal is not None


def was_interrupted(error: BaseException) -> bool:
    """Return whether an error is an interruption, including errors into which compiled code and libraries convert it.

    Example:
        >>> from action_loom.core import interruption
        >>> interruption.was_interrupted(KeyboardInterrupt()), interruption.was_interrupted(ValueError())
        (True, False)
    """
    return has_arrived() or isinstance(error, KeyboardInterrupt)


def status() -> int:
    """Return the exit status of an interrupted process, by the convention of shells: 130 after Ctrl-C.

    Example:
        >>> from action_loom.core import interruption
        >>> interruption.status()
        130
    """
    return 128 + (_signal or signal.SIGINT)
