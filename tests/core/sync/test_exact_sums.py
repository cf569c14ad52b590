"""Rounded rows: their error is within its bound, and their sums of products do not depend on the order."""

from fractions import Fraction

import numpy as np
import pytest
from action_loom.core.sync import exact_sums
from numpy.testing import assert_allclose, assert_array_equal


@pytest.mark.parametrize("scale", [1e-4, 1.0, 300.0])
def test_sums_of_products_are_exact_over_a_window_of_frames(rng, scale):
    a, b = (exact_sums.round_rows(scale * rng.normal(size=(121, 330))) for _ in range(2))
    exactly = sum(Fraction(x) * Fraction(y) for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True))
    for order in (np.arange(a.size), rng.permutation(a.size)):
        assert Fraction(float(np.cumsum(a.ravel()[order] * b.ravel()[order])[-1])) == exactly
    assert Fraction(float(a.ravel() @ b.ravel())) == exactly


def test_complex_products_are_exact_too(rng):
    rows = exact_sums.round_rows(rng.normal(size=(7, 330)) + 1j * rng.normal(size=(7, 330)))
    order = rng.permutation(330)
    assert_array_equal(rows.conj() @ rows.T, rows[:, order].conj() @ rows[:, order].T)


def test_rounding_is_a_tenth_of_a_millionth_of_the_largest_row(rng):
    rows = rng.normal(size=(40, 60))
    largest = np.linalg.norm(rows, axis=1).max()
    assert_allclose(exact_sums.round_rows(rows), rows, rtol=0.0, atol=2.0**-exact_sums.BITS * largest)


def test_rows_of_nothing_and_rows_that_are_no_numbers_stay_as_they_are():
    assert exact_sums.round_rows(np.zeros((3, 2))).tolist() == np.zeros((3, 2)).tolist()
    assert exact_sums.round_rows(np.empty((0, 2))).shape == (0, 2)
    assert np.isnan(exact_sums.round_rows(np.array([[np.nan, 1.0]]))[0, 0])


def test_single_precision_holds_what_is_rounded(rng):
    """Products of long rows, summed in pieces, equal the products computed at once."""
    rows, others = (scale * rng.normal(size=(5, 3 * exact_sums.WIDE + 7)) for scale in (1.0, 300.0))
    kept = []
    for numbers in (rows, others):
        out = np.empty(numbers.shape, dtype=np.float32)
        exact_sums.write(numbers.copy(), exact_sums.unit_of((numbers**2).sum(axis=1).max()), out)
        assert (out == exact_sums.round_rows(numbers)).all()
        kept.append(out)
    expected = exact_sums.round_rows(rows) @ exact_sums.round_rows(others).T
    assert (exact_sums.products(*kept) == expected).all()
    assert (exact_sums.products(kept[0], exact_sums.ready(kept[1])) == expected).all()
