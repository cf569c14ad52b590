"""Monotone Hermite curves: equal to scipy's for numbers; for vectors, independent of the axes."""

import numpy as np
import pytest
from action_loom.core.edit import hermite
from action_loom.core.motion import quat
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

pytestmark = pytest.mark.both_engines


def knots(seed, count=9, width=1):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.uniform(0.3, 4.0, count)), rng.normal(size=(count, width))


@pytest.mark.parametrize("seed", range(6))
def test_slopes_inside_are_those_of_pchip(seed):
    times, values = knots(seed)
    if seed % 2:
        values = np.cumsum(np.abs(values), axis=0)
    wanted = PchipInterpolator(times, values[:, 0]).derivative()(times)
    assert_allclose(hermite.monotone_slopes(times, values)[1:-1, 0], wanted[1:-1], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_curves_are_those_of_cubic_hermite_splines(seed):
    times, values = knots(seed, width=3)
    slopes = hermite.monotone_slopes(times, values, (0.5, None))
    at = np.linspace(times[0], times[-1], 301)
    assert_allclose(
        hermite.evaluate(times, values, slopes, at), CubicHermiteSpline(times, values, slopes)(at), atol=1e-12
    )


def test_knots_are_hit_to_the_bit_and_ends_are_held():
    times, values = knots(3, width=3)
    slopes = hermite.monotone_slopes(times, values)
    assert_array_equal(hermite.evaluate(times, values, slopes, times), values)
    held = hermite.evaluate(times, values, slopes, np.array([times[0] - 9.0, times[-1] + 9.0]))
    assert_array_equal(held, values[[0, -1]])
    assert_array_equal(hermite.evaluate(times[:1], values[:1], slopes[:1], np.array([-1.0, 1.0])), values[[0, 0]])


def test_curves_of_many_joints_are_those_of_each():
    times, values = knots(4, width=12)
    many = values.reshape(len(times), 2, 2, 3)
    at = np.linspace(times[0], times[-1], 50)
    found = hermite.evaluate(times, many, hermite.monotone_slopes(times, many), at)
    for i, j in np.ndindex(2, 2):
        one = many[:, i, j]
        assert_array_equal(found[:, i, j], hermite.evaluate(times, one, hermite.monotone_slopes(times, one), at))


@pytest.mark.parametrize("seed", range(4))
def test_curves_are_monotone_where_knots_are(seed):
    times, values = knots(seed)
    values = np.cumsum(np.abs(values), axis=0)
    for ends in ((0.0, 0.0), (1.0, 1.0), (None, None), (100.0, 100.0)):
        curve = hermite.evaluate(
            times, values, hermite.monotone_slopes(times, values, ends), np.linspace(times[0], times[-1], 2000)
        )
        assert np.diff(curve[:, 0]).min() >= -1e-13


@pytest.mark.parametrize("seed", range(4))
def test_vectors_that_are_turned_or_reflected_give_the_curve_turned_or_reflected(seed):
    rng = np.random.default_rng(seed)
    times, values = knots(seed, width=3)
    at = np.linspace(times[0], times[-1], 60)
    curve = hermite.evaluate(times, values, hermite.monotone_slopes(times, values), at)
    axes = quat.to_matrix(material.rotations(rng, 1)[0]) @ np.diag([1.0, 1.0, (-1.0) ** seed])
    moved = values @ axes.T
    assert_allclose(
        hermite.evaluate(times, moved, hermite.monotone_slopes(times, moved), at), curve @ axes.T, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_vectors_on_a_line_go_along_it_as_numbers_do(seed):
    times, values = knots(seed)
    along = np.array([0.6, -0.48, 0.64])
    assert_allclose(
        hermite.monotone_slopes(times, values * along), hermite.monotone_slopes(times, values) * along, atol=1e-12
    )


def test_slopes_change_gently_where_a_turn_passes_a_right_angle():
    times = np.arange(3.0)
    found = [
        np.linalg.norm(hermite.monotone_slopes(times, np.array([[-1.0, 0.0], [0.0, 0.0], [np.cos(a), np.sin(a)]]))[1])
        for a in np.linspace(0.0, np.pi, 721)
    ]
    assert found[0] == pytest.approx(1.0)
    assert max(np.abs(np.diff(found))) < 0.01
    assert_array_equal(found[361:], 0.0)


@pytest.mark.parametrize("tiny", [1e-160, 1e-300, 5e-324])
def test_the_smallest_numbers_give_numbers(tiny):
    values = np.array([[0.0, 0.0], [tiny, 0.0], [2.0 * tiny, tiny], [1.0, 1.0]])
    slopes = hermite.monotone_slopes(np.arange(4.0), values)
    assert np.isfinite(slopes).all()
    assert np.isfinite(hermite.evaluate(np.arange(4.0), values, slopes, np.linspace(0.0, 3.0, 31))).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_least_and_the_greatest_slope_are_those_of_the_curve(seed):
    times, values = knots(seed)
    slopes = np.random.default_rng(seed).normal(size=values.shape)
    least, most = hermite.steepest(times, values, slopes)
    for k in range(len(times) - 1):
        at = np.linspace(times[k], times[k + 1], 4001)
        speed = CubicHermiteSpline(times, values[:, 0], slopes[:, 0]).derivative()(at)
        assert_allclose((least[k], most[k]), (speed.min(), speed.max()), atol=1e-5)
