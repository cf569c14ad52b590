"""Walks of several people: quick generated walks, and captured walks with a style learnt from them."""

from dataclasses import replace

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.recipes.style import StyleOptions
from action_loom.core.style import fit
from oracles import material

WAYS = ((0.9, 0.5), (1.1, 0.6), (1.3, 0.69), (1.5, 0.72), (1.2, 0.55), (1.0, 0.66))
# Nine people; four of them are kept out of tuning.
CAPTURED = "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_10_04 mb_16_15 mb_35_01 mb_08_01 mb_12_01 mb_32_01 mb_35_03"


@pytest.fixture(scope="session")
def walkers():
    """Six generated people, two whole strides or more each."""
    return [
        replace(actions.walk(30.0, 4, speed=speed, step=step), name=f"p{number}")
        for number, (speed, step) in enumerate(WAYS)
    ]


@pytest.fixture(scope="session")
def people():
    return [material.captured(f"cmu_{name}") for name in CAPTURED.split()]


@pytest.fixture(scope="session")
def style(people):
    return fit.fit(people, StyleOptions())
