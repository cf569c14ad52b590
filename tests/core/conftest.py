"""Tests that need captured clips are marked `shared`, and are skipped with a reason if the clips are absent."""

from importlib import import_module

import numpy as np
import pytest
from action_loom.core import jit
from action_loom.core.formats import bvh
from hypothesis import settings
from oracles import durations, material

# The same examples in every run, however busy the machine is.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


def pytest_addoption(parser):
    durations.add_option(parser)


def pytest_configure(config):
    config.addinivalue_line("markers", "shared: needs the captured clips of ../shared")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    durations.leave_out_slow(config, items, "core")
    for item in items:  # a file's mark `both_engines` leaves out its long tests on captured clips
        if {mark.name for mark in item.own_markers} & {"shared", "both_engines"} == {"shared"}:
            item.add_marker("one_engine")
    if material.SHARED.is_dir():
        return
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(pytest.mark.skip(reason="needs ../shared"))


@pytest.fixture
def record_property(record_property):
    """Values as the report writes them, in words: workers send no other than Python's own."""
    return lambda name, value: record_property(name, str(value))


@pytest.fixture
def rng():
    """A random generator that is the same in every run."""
    return np.random.default_rng(20)


@pytest.fixture
def small(tmp_path):
    """A BVH file of four joints and two frames, as it is read."""
    path = tmp_path / "small.bvh"
    path.write_text(material.SMALL_BVH)
    return bvh.read(path)


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process; return its exit code, its output and its stderr."""
    monkeypatch.setattr(jit, "_wanted", jit._wanted)
    main = import_module("action_loom.core.cli.main").main

    def command(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            code = stopped.code
        out, err = capsys.readouterr()
        return code, out, err

    return command
