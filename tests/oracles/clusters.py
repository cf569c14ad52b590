"""A Dask scheduler and workers, each in a process of its own like on a farm."""

import json
import subprocess
import sys
import time
from contextlib import ExitStack

from oracles import processes

SECONDS = 20.0


class Farm:
    """A scheduler in a folder, and workers with one thread each; all of them end with the `with` block.

    environment : variables of workers and scheduler, besides the tests' own
    """

    def __init__(self, folder, **environment):
        self._folder, self._environment = folder, environment
        self._stack = ExitStack()
        self.workers = []

    def __enter__(self):
        reported = self._folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", reported)
        self.address = self._address(reported)
        return self

    def __exit__(self, *_):
        self._stack.close()

    def add_worker(self, **environment):
        """Start a worker without waiting for it."""
        where = ("--local-directory", self._folder / "scratch")
        self.workers.append(self._start("worker", self.address, "--nthreads", "1", "--no-nanny", *where, **environment))
        return self.workers[-1]

    def _start(self, what, *arguments, **environment):
        command = [sys.executable, "-P", "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *map(str, arguments)]
        environment = processes.clean_environment(**self._environment | environment)
        with open(self._folder / f"{what}.log", "ab") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=self._folder)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def _address(self, reported):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                return json.loads(reported.read_text(encoding="utf-8"))["address"]
            except (FileNotFoundError, ValueError):  # it is written while we look
                time.sleep(0.02)
        raise TimeoutError((self._folder / "scheduler.log").read_text(encoding="utf-8"))
