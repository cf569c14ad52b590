"""Drawn paths by arc length: places, directions, radii, and points beyond their end."""

import numpy as np
import pytest
from action_loom.core.errors import OptionError
from action_loom.core.graph import ground_path
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines


def circle(radius, points=400, part=1.0):
    angle = np.linspace(0.0, 2.0 * np.pi * part, points)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def test_a_line_is_gone_along_at_even_pace_and_goes_straight_on():
    drawn = ground_path.through([(1.0, 2.0), (1.0, 3.0), (1.0, 3.0), (1.0, 5.0)], closed=False)
    assert drawn.length == 3.0
    gone = np.array([0.0, 0.37, 1.0, 2.99, 3.0, 4.5])
    assert_allclose(drawn.at(gone), 1.0 + 1j * (2.0 + gone), atol=1e-9)
    assert_allclose(drawn.facing_at(gone), 0.0, atol=1e-9)
    assert drawn.tightest()[0] == np.inf


@pytest.mark.parametrize("radius", [0.8, 2.0, 5.0])
def test_a_circle_has_its_radius_and_turns_once(radius):
    drawn = ground_path.through(circle(radius, part=1.0), closed=False)
    assert_allclose(drawn.length, 2.0 * np.pi * radius, rtol=1e-3)
    found, where = drawn.tightest()
    assert_allclose(found, radius, rtol=0.02)
    assert 0.0 <= where <= drawn.length
    gone = np.linspace(0.5, drawn.length - 0.5, 30)
    assert_allclose(drawn.at(gone), radius * np.exp(1j * gone / radius), atol=0.02)
    assert_allclose(np.exp(1j * drawn.facing_at(gone)), np.exp(1j * gone / radius), atol=0.02)


def test_a_closed_path_goes_round_again():
    drawn = ground_path.through([(0, 0), (2, 0), (2, 2), (0, 2)], closed=True)
    assert drawn.length == 8.0
    assert_allclose(drawn.at(np.array([7.0, 8.0, 9.0])), [1j, 0.0, 1.0], atol=1e-6)
    again = ground_path.through([(0, 0), (2, 0), (2, 2), (0, 2), (0, 0)], closed=True)
    assert again.length == 8.0


def test_the_tightest_place_is_found():
    rows = [(0.0, 0.0), (0.0, 4.0), (3.0, 4.0), (5.0, 4.5)]
    radius, where = ground_path.through(rows, closed=False).tightest()
    assert abs(where - 4.0) < 0.5
    assert radius < 1.0


def test_facings_do_not_jump():
    drawn = ground_path.through(circle(1.0, part=3.0), closed=False)
    assert np.abs(np.diff(drawn.facing)).max() < 0.2
    back = ground_path.through([(0.0, 0.0), (0.0, 2.0), (0.0, 0.0)], closed=False)
    assert np.isfinite(back.facing).all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((), "the path is 0 m long, but must be 0.1 to 20000 m"),
        (((1.0, 1.0),), "0 m long"),
        (((1.0, 1.0), (1.0, 1.05)), "0.05 m long"),
        (((1.0,), (2.0,)), "path takes rows of x, y"),
        (((0.0, 0.0), (0.0, 3e6)), "m long, but must be"),
    ],
)
def test_what_is_no_path_is_refused(rows, message):
    with pytest.raises(OptionError, match=message):
        ground_path.through(rows, closed=False)
