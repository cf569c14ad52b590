"""Graphs for several tests: of the demo figure's gaits, and of captured walks, runs and turns."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.verbs import BuildGraph
from oracles import material

# All walks, runs and turns there are; two of them are the same recording.
CAPTURED = """
    mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_08_01 mb_10_04 mb_12_01 mb_16_15 mb_26_01 mb_32_01 mb_35_01 mb_35_03
    mb_07_04 mb_08_04 mb_07_12 mb_08_07 mb_02_03 mb_35_17 mb_35_22 mb_49_04 asf_16_11 asf_16_17 asf_16_19 asf_16_15
    asf_16_41 asf_127_04 asf_16_08
"""


@pytest.fixture(scope="session")
def gaits():
    """A small graph of made-up clips."""
    return verbs.apply(BuildGraph(), [actions.walk(30.0, 5), actions.turn_left(30.0), actions.sneak(30.0)])


@pytest.fixture(scope="session")
def captured():
    """The graph of all captured walks, runs and turns."""
    return verbs.apply(BuildGraph(), [material.as_captured(f"cmu_{name}") for name in CAPTURED.split()])


@pytest.fixture
def turned():
    """Turn and move places (F, 2) on the ground."""

    def move(places, angle, shift):
        c, s = np.cos(angle), np.sin(angle)
        return places @ np.array([[c, s], [-s, c]]) + shift

    return move
