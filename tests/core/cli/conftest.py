"""Fixtures for tests of the command line: clips in files, a graph and a path, and an empty folder."""

import pytest
from action_loom.core.demo_character import actions
from oracles import material


@pytest.fixture
def walk(tmp_path):
    return material.write(material.walk(2.0, name="walk"), tmp_path / "walk.bvh")


@pytest.fixture
def slow(tmp_path):
    return material.write(material.walk(3.0, stride=0.7, turn=0.2), tmp_path / "slow.bvh")


@pytest.fixture
def out(tmp_path):
    """An empty folder for output files."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def built(run, tmp_path):
    """A graph in a file, with its clips beside it."""
    clips = actions.walk(30.0, 4), actions.turn_left(30.0)
    files = [material.write(clip, tmp_path / f"{clip.name}.bvh") for clip in clips]
    code, printed, err = run("graph", "build", *files, "-o", tmp_path / "g.npz", "--report", tmp_path / "g.json")
    assert (code, err) == (0, "")
    assert "g: " in printed
    assert "component 1: " in printed
    return tmp_path / "g.npz"


@pytest.fixture
def path(tmp_path):
    """A file with a path to follow."""
    (tmp_path / "p.csv").write_text("x,y\n0,0\n0,3\n-2,5 # over there\n", encoding="utf-8")
    return tmp_path / "p.csv"
