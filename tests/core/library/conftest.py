"""A folder of motion files, and the library made from it."""

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.library import index, storage

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


@pytest.fixture
def folder(tmp_path):
    """A folder with a motion file of each action of the figure."""
    for name, make in MOTIONS.items():
        write(tmp_path / "clips" / f"{name}.bvh", make())
    return tmp_path / "clips"


@pytest.fixture
def place(tmp_path):
    """Return the path of the new library."""
    return str(tmp_path / "all.loomlib")


@pytest.fixture
def library(folder, place):
    index.update(place, [str(folder)])
    return storage.read(place)
