"""Progress of `make test`, read from pytest's logs and weighted with the recorded seconds of each test."""

import math
import os
import re
import sys
import threading
import time

# A test that has ended, as pytest -v says it in one process, and in several.
ENDED = re.compile(r"^(?:\[gw\d+\] \[ *\d+%\] [A-Z]+ (\S.*?::.*?) *|(\S.*?::.*?) [A-Z]+(?: \(.*\))? +\[ *\d+%\])$")
SECONDS_BETWEEN_LINES = 30.0  # between lines, if the output is a file
HEAD_START = 60.0  # seconds of work assumed done at the recorded pace, until this machine's pace is known


class Share:
    """How much of one step is done.

    seconds : what it took; tests : how many it has, 0 where it is no pytest; slow : those that take long, a name to
    its seconds
    """

    def __init__(self, seconds, tests=0, slow=None):
        self.seconds, self._tests, self._done = max(0.0, seconds), tests, 0.0
        self._log, self._at, self._began = None, 0, None
        # A step that takes less time than they do runs some of them only: then all tests count alike.
        self._slow = slow if slow and sum(slow.values()) < seconds else {}
        self._each = (self.seconds - sum(self._slow.values())) / max(1, tests - len(self._slow))

    def begin(self, log):
        self._log, self._began = log, time.monotonic()

    def end(self):
        self._log, self._done = None, self.seconds

    @property
    def runs(self):
        return self._log is not None

    def done(self):
        """Seconds of the step's work that are done, at most all of it."""
        if self._log is not None and self._tests:
            self._read_on()
        elif self._log is not None:
            self._done = time.monotonic() - self._began
        return min(self._done, self.seconds)

    def _read_on(self):
        with self._log.open("rb") as log:
            log.seek(self._at)
            new = log.read()
        lines, newline, _ = new.rpartition(b"\n")
        self._at += len(lines + newline)
        for line in lines.decode("utf-8", "replace").splitlines():
            if found := ENDED.match(line):
                self._done += self._slow.get(found[1] or found[2], self._each)


class Progress:
    """Prints the running steps and the time left: on one line of a terminal, or twice a minute in a file.

    shares : a step's name to its Share; cores : how many processors the steps keep busy
    """

    def __init__(self, shares, cores):
        self._shares, self._cores, self._began = shares, cores, time.monotonic()
        self._lock, self._ended, self._line = threading.Lock(), threading.Event(), ""
        self._terminal = sys.stdout.isatty()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._ended.set()
        self._thread.join()
        self._show("")

    def begin(self, name, log):
        self._shares[name].begin(log)

    def end(self, name, text):
        """Print how a step ended."""
        self._shares[name].end()
        with self._lock:
            if self._terminal:
                print(f"\r{' ' * len(self._line)}\r", end="")
            print(text, flush=True)
            self._line = ""

    def left(self):
        """Return the seconds until everything is done, at the present pace."""
        total = sum(share.seconds for share in self._shares.values())
        done = sum(share.done() for share in self._shares.values())
        pace = (done + HEAD_START) / (time.monotonic() - self._began + HEAD_START / self._cores)
        return (total - done) / pace

    def line(self):
        """Return the running steps, their progress and the time left."""
        runs = {name: share for name, share in self._shares.items() if share.runs}
        parts = [f"{name} {100 * share.done() / max(share.seconds, 0.1):3.0f} %" for name, share in runs.items()]
        return f"{', '.join(parts)}: {in_words(self.left())} left" if parts else ""

    def _watch(self):
        while not self._ended.wait(1.0 if self._terminal else SECONDS_BETWEEN_LINES):
            self._show(self.line())

    def _show(self, line):
        with self._lock:
            if self._terminal:
                print(f"\r{line:{len(self._line)}}\r", end="", flush=True)
            elif line:
                print(line, flush=True)
            self._line = line


def other_work(cores):
    """Return words for an estimate where other programs keep the machine busy, or ""."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return f" (longer, as other programs keep {load:.0f} processors busy)" if load > cores / 2 else ""


def in_words(seconds):
    """Return a rough time: "about 3 min"."""
    return f"about {max(1, math.ceil(seconds / 60))} min"
