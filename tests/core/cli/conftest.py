"""What tests of the command line begin with: a command that runs in this process, clips in files, an empty folder."""

from importlib import import_module

import pytest
from action_loom.core import jit
from oracles import material, told


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process: its exit code, what it printed, and what it said on stderr."""
    monkeypatch.setattr(jit, "_wanted", jit._wanted)
    main = import_module(told.MODULE).main

    def command(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            code = stopped.code
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def walk(tmp_path):
    return material.write(material.walk(2.0, name="walk"), tmp_path / "walk.bvh")


@pytest.fixture
def slow(tmp_path):
    return material.write(material.walk(3.0, stride=0.7, turn=0.2), tmp_path / "slow.bvh")


@pytest.fixture
def out(tmp_path):
    """An empty folder for what is written."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder
