"""The compiled iterations of motion against their numpy twins, where nothing is left to a public function."""

import importlib
from importlib import util

import numpy as np
import pytest
from action_loom.core.motion import quat
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

PACKAGE = "action_loom.core.motion"
pytestmark = pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")
twins = importlib.import_module(f"{PACKAGE}._numpy")
kernels = importlib.import_module(f"{PACKAGE}._numba") if util.find_spec("numba") else None


def gathered(rng, several, count, spread):
    """Return rotations (several, count, 4) with a spread (rad) about `count` centres, of either sign."""
    centre = material.rotations(rng, count)
    turned = [quat.mul(centre, quat.exp(spread * rng.normal(size=(count, 3)))) for _ in range(several)]
    return np.stack(turned) * rng.choice([-1.0, 1.0], size=(several, count, 1))


def assert_same_means(rotations, weights, atol=1e-12):
    found, wanted = kernels.mean(rotations, weights, 100), twins.mean(rotations, weights, 100)
    assert np.isfinite(found).all()
    assert_allclose(found, wanted, atol=atol)


# Counts below, at and above the number of rotations processed together.
@pytest.mark.parametrize("count", [0, 1, 7, 256, 515])
@pytest.mark.parametrize("several", [1, 2, 5])
def test_means_are_the_twins(rng, several, count):
    weights = rng.dirichlet(np.ones(several), size=count).T.copy()
    for spread in (0.0, 1e-9, 0.1, 0.5):
        assert_same_means(gathered(rng, several, count, spread), weights)


def test_means_of_rotations_that_lie_anywhere_are_the_twins(rng):
    rotations = material.rotations(rng, 4, 2000)
    assert_same_means(rotations, rng.dirichlet(np.ones(4), size=2000).T.copy(), atol=1e-9)


def test_the_mean_of_two_half_a_turn_apart_is_the_twins(rng):
    one = material.rotations(rng, 300)
    other = quat.mul(one, np.array([0.0, 1.0, 0.0, 0.0]))
    for share in (0.5, 0.3, 0.9):
        assert_same_means(np.stack([one, other]), np.repeat([[share], [1.0 - share]], 300, axis=1))


@pytest.mark.parametrize("engine", [kernels, twins], ids=["numba", "numpy"])
def test_without_weights_the_first_rotation_stays(rng, engine):
    rotations = material.rotations(rng, 3, 40)
    assert_allclose(engine.mean(rotations, np.zeros((3, 40)), 100), rotations[0], atol=1e-15)


@pytest.mark.parametrize("engine", [kernels, twins], ids=["numba", "numpy"])
def test_one_rotation_is_its_own_mean_of_either_sign(rng, engine):
    one = material.rotations(rng, 40)
    opposite = np.stack([one, -one, one])
    assert_allclose(engine.mean(opposite, np.full((3, 40), 1.0 / 3.0), 100), one, atol=1e-15)


@pytest.mark.parametrize(("samples", "channels"), [(2, 1), (3, 5), (50, 12), (4, 0)])
def test_curves_are_the_twins_to_the_last_bit(rng, samples, channels):
    values = rng.normal(size=(samples, channels))
    frames = np.concatenate([np.arange(float(samples)), rng.uniform(0.0, samples - 1.0, 200)])
    assert_array_equal(kernels.curve(values, frames), twins.curve(values, frames))
    assert kernels.curve(values, frames[:0]).shape == (0, channels)
