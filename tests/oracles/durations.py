"""Durations of tests in tests/durations.json: they select the short run, and predict the time left.

`make test ALL=1 RECORD=1` writes the file from pytest's own reports, best on an idle machine. `make test RECORD=1` adds
the tests found slow in the short run: new tests, and tests that now are the first to need a costly fixture. The file
holds the number of tests and the seconds of every step of `make test`, and each slow test by its name. A test without
an entry counts as quick.
"""

import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "durations.json"
SLOW = 0.5  # seconds; tests that take longer are named in the file, and left out of the short run
FOLDERS = {"core": FILE.parents[1], "addon": FILE.parent / "addon"}  # the folders in which names of tests begin


def recorded():
    """Return the file's content: `steps`, a name to its seconds and tests, and `slow`, groups of files of tests."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"steps": {}, "slow": {}}


def slow(group):
    """The slow tests of a group, core or addon: their names and seconds."""
    files = recorded()["slow"].get(group, {})
    return {f"{file}::{test}": seconds for file, tests in files.items() for test, seconds in tests.items()}


def write(steps, tests):
    """Write the durations of a run; tests : a group to all its tests and their seconds; only slow tests are kept."""
    before = recorded()
    kept = before["slow"]
    for group, seconds in tests.items():
        files = kept[group] = {}
        for name in sorted(name for name in seconds if seconds[name] > SLOW):
            file, _, test = name.partition("::")
            files.setdefault(file, {})[test] = round(seconds[name], 1)
    text = json.dumps({"steps": before["steps"] | steps, "slow": kept}, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")


# --- for both conftest.py -------------------------------------------------------------------------------------------


def add_option(parser):
    """Add pytest's option for a short run."""
    parser.addoption("--short", action="store_true", help="leave out the slow tests of tests/durations.json")


def leave_out_slow(config, items, group):
    """Deselect slow tests in a short run."""
    left_out = slow(group) if config.getoption("short") else {}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def gone(group):
    """Return recorded names whose file or function is gone. A renamed case counts as quick."""
    lost = []
    for name in slow(group):
        path, _, short = name.partition("[")[0].partition("::")
        file = FOLDERS[group] / path
        if not file.exists() or f"def {short}(" not in file.read_text(encoding="utf-8"):
            lost.append(name)
    return lost
