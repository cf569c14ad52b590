"""A folder of motion files, and the library made from it."""

from functools import cache

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.library import index, storage
from oracles.material import SHARED

MOTIONS = {
    "walk": lambda: actions.walk(120.0, 4),
    "slow walk": lambda: actions.walk(60.0, 3, speed=1.0, step=0.62),
    "run": lambda: actions.run(120.0, 4),
    "sneak": lambda: actions.sneak(30.0, 3),
    "wave": lambda: actions.wave(24.0),
    "turn": lambda: actions.turn_left(120.0),
}


def write(path, clip):
    path.parent.mkdir(exist_ok=True)
    bvh.write(bvh.from_clip(clip), path)
    return str(path)


@cache
def file_of(name):
    return bvh.compose(MOTIONS[name]())


def write_all(folder):
    folder.mkdir()
    for name in MOTIONS:
        (folder / f"{name}.bvh").write_bytes(file_of(name))
    return folder


@pytest.fixture
def folder(tmp_path):
    """A folder with a motion file of each action of the figure."""
    return write_all(tmp_path / "clips")


@pytest.fixture
def place(tmp_path):
    """Return the path of the new library."""
    return str(tmp_path / "all.loomlib")


def library_of(place, folders):
    index.update(str(place), [str(folder) for folder in folders])
    return storage.read(str(place))


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The library of such a folder."""
    place = tmp_path_factory.mktemp("library")
    return library_of(place / "all.loomlib", [write_all(place / "clips")])


@pytest.fixture(scope="session")
def captures(tmp_path_factory):
    """The library of all captures: takes in two conversions each, and takes of one walk."""
    return library_of(
        tmp_path_factory.mktemp("captures") / "all.loomlib", [SHARED / f for f in ("cmu", "amc", "strides")]
    )
