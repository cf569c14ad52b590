"""Work for other processes, which find it by its name."""

import os
import time

begun = []


def begin(what):
    begun.append(what)


def what_has_begun(_task):
    return os.getpid(), list(begun)


def bring_down(_task):
    """End the process, like the system when memory runs out."""
    os._exit(9)


def end_or_wait(path):
    """Name the process in a file and wait for long; without a file, end at once."""
    if path is not None:
        path.write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(60.0)
    return os.getpid()
