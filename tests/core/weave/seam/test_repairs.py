"""Repairs of seams on plain numbers: the required ends, and equality with scipy where it has the same method."""

import numpy as np
import pytest
from action_loom.core.weave.seam import repairs
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

LENGTH, START = 40, 15


@pytest.fixture
def rows(rng):
    """Smooth curves that nearly repeat after LENGTH frames."""
    t = np.arange(80.0)[:, None]
    phase = rng.random((1, 6)) * 6.0
    return np.sin(2.0 * np.pi * t / LENGTH + phase) + 0.004 * t * rng.normal(size=(1, 6))


def jumps(cycle):
    """Step and change of step over the seam, over the largest inside."""
    twice = np.concatenate([cycle, cycle])
    steps, bends = np.abs(np.diff(twice, axis=0)), np.abs(np.diff(twice, n=2, axis=0))
    n = len(cycle)
    return steps[n - 1].max() / steps[5 : n - 5].max(), bends[n - 2 : n].max() / bends[5 : n - 5].max()


@pytest.mark.parametrize(
    "closed",
    [
        lambda rows: repairs.ease_before(rows, START, LENGTH, 10),
        lambda rows: repairs.ease_after(rows, START, LENGTH, 10),
        lambda rows: repairs.offset(rows, START, LENGTH, 10.0),
    ],
    ids=["ease before", "ease after", "offset"],
)
def test_a_closed_cycle_has_no_seam(rows, closed):
    plain = rows[START : START + LENGTH]
    assert jumps(plain)[1] > 2.0
    step, bend = jumps(closed(rows))
    assert step <= 1.05
    assert bend <= 1.6
    assert np.abs(closed(rows) - plain).max() < 0.3


def test_what_repeats_already_stays_as_it_is(rng):
    t = np.arange(100.0)[:, None]
    rows = np.sin(2.0 * np.pi * t / LENGTH + rng.random((1, 4)))
    for closed in (
        repairs.ease_before(rows, START, LENGTH, 10),
        repairs.ease_after(rows, START, LENGTH, 10),
        repairs.offset(rows, START, LENGTH, 10.0),
    ):
        assert_allclose(closed, rows[START : START + LENGTH], atol=1e-12)


@pytest.mark.one_engine
@pytest.mark.parametrize("spacing", [1, 4])
@pytest.mark.parametrize("kind", ["lagrange", "spline"])
def test_a_bridge_is_scipys_curve_through_the_same_points(rng, kind, spacing):
    interpolate = pytest.importorskip("scipy.interpolate")
    before, after = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    half = 6
    points = np.concatenate([before[-1 - spacing * np.arange(3)[::-1]], after[spacing * np.arange(3)]])
    at = np.concatenate([-half - 0.5 - spacing * np.arange(3)[::-1], half + 0.5 + spacing * np.arange(3)])
    wanted = np.arange(-half + 0.5, half)
    if kind == "spline":
        theirs = interpolate.CubicSpline(at, points, bc_type="natural")(wanted)
    else:
        theirs = interpolate.BarycentricInterpolator(at, points)(wanted)
    assert_allclose(repairs.bridge(before, after, half, spacing, kind), theirs, atol=1e-9)


def test_inertia_meets_in_the_middle_and_leaves_the_far_ends_alone(rng):
    reach = 30
    t = np.arange(-reach, reach + 1.0)[:, None]
    before, after = np.sin(0.1 * t) + 0.2, np.sin(0.1 * t + 0.4) - 0.3
    joined = repairs.inertial(before, after, reach, 6.0)
    assert_allclose(joined[[0, -1]], [before[0], after[-1]], atol=2e-3)
    steps, bends = np.abs(np.diff(joined, axis=0)), np.abs(np.diff(joined, n=2, axis=0))
    assert bends[reach - 2 : reach + 1].max() <= 2.0 * np.median(bends)
    assert steps[reach - 1 : reach + 1].max() <= 1.1 * steps.max()
    middle = 0.5 * (before[reach] + after[reach])
    assert_allclose(joined[reach], middle, atol=1e-12)


def test_a_fade_is_even_and_smooth():
    share = repairs.fade(31)
    assert_allclose(share + share[::-1], 1.0)
    assert np.diff(share).min() > 0.0
    assert share[0] < 0.01
