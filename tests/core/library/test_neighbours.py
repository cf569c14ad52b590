"""The nearest windows against brute force: boxes of any size, equal windows, and windows that overlap."""

from itertools import pairwise

import numpy as np
import pytest
from action_loom.core.library import neighbours
from numpy.testing import assert_array_equal

APART = 30


def by_brute_force(numbers, clips, firsts, count):
    """Return the nearest windows of each, by sums of squares in order; the first one of equals."""
    totals = np.zeros((len(numbers), len(numbers)), np.float32)
    for column in numbers.T:
        away = column[:, None] - column
        totals += away * away
    totals[(clips[:, None] == clips) & (np.abs(firsts[:, None] - firsts) < APART)] = np.inf
    order = np.argsort(totals, axis=1, kind="stable")[:, :count]
    found = np.full((len(numbers), count), -1)
    found[:, : order.shape[1]] = np.where(np.isfinite(np.take_along_axis(totals, order, axis=1)), order, -1)
    return found


def nearest(numbers, clips, firsts, count, bounds=()):
    """Return the same by boxes, in tasks that end at some shares of the boxes."""
    boxes = neighbours.boxes(numbers, clips, firsts, count + 2 * APART)
    last = len(boxes.starts) - 1
    ends = [0, *(int(share * last) for share in bounds), last]
    tasks = [neighbours.nearest(boxes, low, high, count, APART) for low, high in pairwise(ends) if high > low]
    found = np.empty((len(numbers), count), np.int32)
    found[boxes.order] = np.concatenate(tasks)
    return found


def windows(rng, count):
    """Windows of clips of any length, every eight rows; of their numbers the first ones differ most."""
    clips = np.sort(rng.integers(0, max(count // 20, 1), count)).astype(np.int32)
    firsts = (8 * (np.arange(count) - np.searchsorted(clips, clips))).astype(np.int32)
    numbers = rng.normal(size=(count, 32)).astype(np.float32)
    numbers[:, 12:] *= 0.2
    return numbers, clips, firsts


@pytest.mark.parametrize("most", [1, 10])
@pytest.mark.parametrize("count", [1, 9, 65, 1200])
def test_the_nearest_are_those_of_brute_force(rng, count, most):
    """Half of them equal the other half to the last bit."""
    numbers, clips, firsts = windows(rng, count)
    numbers[count // 2 :] = numbers[: count - count // 2]
    wanted = by_brute_force(numbers, clips, firsts, most)
    assert_array_equal(nearest(numbers, clips, firsts, most, (0.2, 0.7)), wanted)


@pytest.mark.parametrize("size", [2, 3, 64, 10_000])
def test_boxes_of_any_size_give_the_same(rng, monkeypatch, size):
    """As of motions, in groups: most boxes are too far for others."""
    numbers, clips, firsts = windows(rng, 700)
    numbers = (0.1 * numbers + rng.normal(size=(8, 32))[rng.integers(0, 8, 700)]).astype(np.float32)
    monkeypatch.setattr(neighbours, "BOX", size)
    monkeypatch.setattr(neighbours, "STAGES", (20, 50))
    assert_array_equal(nearest(numbers, clips, firsts, 10), by_brute_force(numbers, clips, firsts, 10))


def test_boxes_that_are_too_far_are_left_out(rng, monkeypatch):
    """Few windows are compared with windows of other groups if the ten groups are far from each other."""
    numbers, clips, firsts = windows(rng, 2000)
    groups = np.repeat(np.arange(10), 200)
    numbers = (0.01 * numbers + 100.0 * rng.normal(size=(10, 32))[groups]).astype(np.float32)
    compared = []

    def counting(search, others):
        compared.append(len(search._own) * len(others))
        compare(search, others)

    compare = neighbours._Search._compare
    monkeypatch.setattr(neighbours, "STAGES", (150,))
    monkeypatch.setattr(neighbours._Search, "_compare", counting)
    found = nearest(numbers, clips, firsts, 10)
    assert (groups[found] == groups[:, None]).all()
    assert sum(compared) < 0.2 * 2000 * 2000


def test_of_many_that_are_equal_the_first_ones_are_compared(rng):
    """Bodies that stand still, in clips of any length and between others that move."""
    numbers, clips, firsts = windows(rng, 2000)
    for still in rng.normal(size=(3, 32)).astype(np.float32):
        numbers[rng.random(2000) < 0.3] = still
    boxes = neighbours.boxes(numbers, clips, firsts, 10 + 2 * APART)
    assert 800 < boxes.spare.sum() < 1300
    assert_array_equal(nearest(numbers, clips, firsts, 10), by_brute_force(numbers, clips, firsts, 10))


def test_windows_that_are_all_equal_have_the_first_ones(rng):
    count = 500
    clips = np.arange(count, dtype=np.int32)
    found = nearest(np.ones((count, 32), np.float32), clips, np.zeros(count, np.int32), 3)
    wanted = [[k for k in range(4) if k != row][:3] for row in range(count)]
    assert_array_equal(found, wanted)
