"""A short part of `make fuzz SIGNALS=200` with a fixed seed: a stopped command leaves only whole files."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")
FOLDER = Path(__file__).resolve().parents[2] / "tools" / "fuzz"


def test_a_command_that_is_stopped_or_can_not_write_leaves_nothing_half_done(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    counts, troubles = import_module("signals").tried(3, 7, ["sync"])
    assert troubles == []
    assert sum(counts.values()) >= 6
