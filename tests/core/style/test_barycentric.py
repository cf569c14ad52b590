"""Weights with a point as their mean: scipy's Delaunay weights inside the hull, the nearest place outside."""

import numpy as np
import pytest
from action_loom.core.style import barycentric
from scipy.optimize import minimize
from scipy.spatial import ConvexHull, Delaunay

pytestmark = pytest.mark.both_engines


def cloud(seed, count, size):
    return np.random.default_rng(seed).normal(size=(count, size)) * [1.0, 30.0, 0.2][:size]


@pytest.mark.parametrize(("count", "size"), [(5, 2), (60, 2), (60, 3)])
def test_inside_they_are_of_one_cell_of_the_triangulation(count, size):
    points = cloud(1, count, size)
    spread = points.std(axis=0)
    cells = Delaunay(points / spread)
    for weights in np.random.default_rng(2).dirichlet(np.full(count, 0.2), 40):
        wanted = weights @ points / spread
        found = barycentric.place(points / spread, wanted)
        assert found.away == 0.0
        assert found.weights.min() >= 0.0
        assert found.weights.sum() == pytest.approx(1.0)
        assert np.abs(found.weights @ (points / spread) - wanted).max() < 1e-8
        cell = int(cells.find_simplex(wanted))
        assert set(np.flatnonzero(found.weights > 1e-7)) <= set(cells.simplices[cell])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_outside_it_is_the_nearest_place_of_the_hull(size):
    points = cloud(3, 30, size) / np.array([1.0, 30.0, 0.2])[:size]
    for wanted in 4.0 * np.random.default_rng(4).normal(size=(20, size)):
        found = barycentric.place(points, wanted)
        best = minimize(
            lambda w, wanted=wanted: float(((w @ points - wanted) ** 2).sum()),
            np.full(len(points), 1.0 / len(points)),
            jac=lambda w, wanted=wanted: 2.0 * points @ (w @ points - wanted),
            bounds=[(0.0, 1.0)] * len(points),
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": lambda w: np.ones(len(w))},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert found.away <= np.sqrt(best.fun) + 1e-5
        assert found.weights.min() >= 0.0
        if size > 1 and found.away > 0.0:
            place = found.weights @ points
            hull = ConvexHull(points)
            assert np.abs(hull.equations[:, :-1] @ place + hull.equations[:, -1]).min() < 1e-6
            assert (found.weights > 1e-6).sum() <= size


@pytest.mark.parametrize(
    ("points", "wanted", "weights"),
    [
        ([[1.0, 2.0]], [5.0, 5.0], [1.0]),
        ([[0.0, 0.0], [2.0, 0.0]], [0.5, 0.0], [0.75, 0.25]),
        ([[0.0, 0.0], [2.0, 0.0]], [0.5, 3.0], [0.75, 0.25]),
        ([[0.0], [1.0], [3.0]], [2.0], [0.0, 0.5, 0.5]),
        ([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.0, 1.0], [0.0, 0.0, 1.0]),
        ([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.5, 0.5], [0.0, 0.5, 0.5]),
    ],
)
def test_known_places(points, wanted, weights):
    found = barycentric.place(np.array(points), np.array(wanted))
    assert found.weights == pytest.approx(weights, abs=1e-7)


def test_points_that_are_there_twice_and_points_on_a_line():
    points = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
    found = barycentric.place(points, np.array([0.5, 0.5]))
    assert found.weights @ points == pytest.approx([0.5, 0.5])
    assert found.weights.min() >= 0.0
