"""Registration curves: smooth, increasing, within their slopes, through their ends."""

import tracemalloc

import numpy as np
import pytest
from action_loom.core.sync import curve_fit
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines


def test_midpoints_take_the_middle_of_what_waits_and_keep_the_ends():
    cells = np.array([[2, 5], [3, 6], [3, 7], [3, 8], [4, 9], [5, 9], [6, 10], [6, 11]])
    rows, middle = curve_fit.midpoints(cells)
    assert rows.tolist() == [2, 3, 4, 5, 6]
    assert middle.tolist() == [5.0, 7.0, 9.0, 9.0, 11.0]


def test_a_spline_keeps_parabolas_and_ends():
    t = np.arange(200.0)
    parabola = 3.0 + 0.5 * t + 0.002 * t**2
    assert_allclose(curve_fit.spline(parabola, 20.0), parabola, atol=1e-9)


@pytest.mark.one_engine
def test_a_spline_is_the_least_squares_one_of_scipy():
    interpolate = pytest.importorskip("scipy.interpolate")
    rng = np.random.default_rng(0)
    t = np.arange(301.0)
    values = t + np.cumsum(rng.normal(size=301)) * 0.2
    ours = curve_fit.spline(values, 20.0)
    assert ours[0] == values[0]
    assert ours[-1] == values[-1]
    pieces = 15
    knots = np.concatenate([[0.0] * 2, np.linspace(0.0, 300.0, pieces + 1), [300.0] * 2])
    heavy = np.ones(301)
    heavy[[0, -1]] = 1e5  # pins the ends, as ours are
    theirs = interpolate.make_lsq_spline(t, values, knots, k=2, w=heavy)(t)
    assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("periodic", [False, True])
def test_a_long_spline_takes_memory_as_there_are_samples(periodic):
    count = 100_000
    t = np.arange(float(count))
    values = t + 5.0 * np.sin(t * (2.0 * np.pi * 50 / count))
    noise = 0.5 * np.random.default_rng(1).normal(size=count)
    tracemalloc.start()
    smooth = curve_fit.spline(values - t + noise, 20.0, periodic=periodic)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500 * count
    assert np.sqrt(np.mean((smooth + t - values) ** 2)) < 0.2


@given(st.lists(st.floats(0.0, 8.0), min_size=3, max_size=60), st.integers(2, 6))
def test_slopes_are_limited_and_ends_kept(steps, limit):
    values = np.concatenate([[4.0], 4.0 + np.cumsum(steps)])
    mean = (values[-1] - values[0]) / len(steps)
    if not 1.0 / limit <= mean <= limit:
        return
    out = curve_fit.limit_slopes(values, 1.0 / limit, float(limit))
    assert out[0] == values[0]
    assert out[-1] == values[-1]
    assert np.diff(out).min() >= 1.0 / limit - 1e-6
    assert np.diff(out).max() <= limit + 1e-6


def test_slopes_within_the_limits_stay_as_they_are_and_excess_stays_local():
    t = np.arange(100.0)
    fine = t + 5.0 * np.sin(t / 20.0)
    assert_allclose(curve_fit.limit_slopes(fine, 1 / 3, 3.0), fine, atol=1e-12)
    jump = t + np.where(t > 50, 4.0, 0.0)
    out = curve_fit.limit_slopes(jump, 1 / 3, 3.0)
    assert_allclose(out[:40], jump[:40], atol=1e-3)
    assert_allclose(out[62:], jump[62:], atol=1e-3)


@given(st.lists(st.floats(0.05, 6.0), min_size=1, max_size=40))
def test_between_frames_the_curve_increases_and_at_frames_it_is_exact(steps):
    values = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, len(steps), 20 * len(steps) + 1)
    between = curve_fit.evaluate(values, at)
    assert_allclose(between[::20], values, atol=1e-9)
    assert np.diff(between).min() > -1e-12


@pytest.mark.parametrize("periodic", [False, True])
def test_a_moving_average_is_the_mean_over_its_radius(periodic):
    values = np.random.default_rng(2).random(50)
    found = curve_fit.average(values, 4, periodic=periodic)
    assert_allclose(found[20], values[16:25].mean())
    if periodic:
        assert_allclose(found[1], np.concatenate([values[-3:], values[:6]]).mean())
    else:
        assert_allclose(found[[0, -1]], values[[0, -1]], atol=1e-12)


@pytest.mark.parametrize(("smoothing", "reach"), [(curve_fit.spline, 8), (curve_fit.average, 3)])
def test_periodic_smoothing_does_not_know_where_the_period_begins(smoothing, reach):
    def smooth(values):
        return smoothing(values, reach, periodic=True)

    values = np.sin(np.arange(48) * 2.0 * np.pi / 48) + 0.2 * np.random.default_rng(3).random(48)
    assert_allclose(np.roll(smooth(values), 8), smooth(np.roll(values, 8)), atol=1e-12)
    assert np.abs(smooth(values) - values).max() < 0.3


@given(st.integers(0, 10**6))
def test_periodic_slopes_are_limited_and_span_the_same_period(seed):
    rng = np.random.default_rng(seed)
    values = np.cumsum(np.append(0.0, rng.random(40) * 4.0))
    limited = curve_fit.limit_slopes(values, 0.5, 3.0, periodic=True)
    assert np.diff(limited).min() >= 0.5 - 1e-9
    assert np.diff(limited).max() <= 3.0 + 1e-9
    assert limited[-1] - limited[0] == pytest.approx(values[-1] - values[0])
