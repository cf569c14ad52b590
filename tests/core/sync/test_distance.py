"""Pose distances against numerical minimisation, and what must not matter to them."""

import numpy as np
import pytest
from action_loom.core.motion import figure, kinematics, quat, trajectory
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes import Synchronise
from action_loom.core.sync import metrics
from numpy.testing import assert_allclose


def of(metric, clip, **options):
    return metrics.of(clip, Synchronise(metric=metric, **options))


def noisy(clip, seed, degrees=20.0, metres=0.3):
    rng = np.random.default_rng(seed)
    turns = quat.exp(np.radians(degrees) * rng.normal(size=(*clip.rotations.shape[:2], 3)))
    shifts = np.zeros_like(clip.translations)
    shifts[:, 0] = metres * rng.normal(size=(len(clip), 3))
    return Clip("noisy", clip.skeleton, clip.rate, quat.mul(clip.rotations, turns), clip.translations + shifts)


@pytest.fixture(scope="module")
def walk():
    return figure.walk().cut(0, 40)


def by_minimisation(cloud, other, weights):
    """Σ w ‖p − T p'‖² over all turns and shifts on the ground, by scipy."""
    optimize = pytest.importorskip("scipy.optimize")

    def cost(x):
        c, s = np.cos(x[0]), np.sin(x[0])
        moved = other[:, :2] @ np.array([[c, s], [-s, c]]) + x[1:]
        return (weights * ((cloud[:, :2] - moved) ** 2).sum(axis=1)).sum()

    best = min(
        (optimize.minimize(cost, [a, 0.0, 0.0], method="BFGS", options={"gtol": 1e-12}) for a in (-2.0, 0.0, 2.0)),
        key=lambda found: found.fun,
    )
    return best.fun + (weights * (cloud[:, 2] - other[:, 2]) ** 2).sum()


@pytest.mark.parametrize("window", [0, 1, 3])
def test_points_is_the_minimum_over_all_turns_and_shifts(walk, window):
    a, b = noisy(walk, 1), noisy(walk, 2)
    matrix = of("points", a).matrix(of("points", b), window)
    places_a, places_b = kinematics.points(a), kinematics.points(b)
    weights = np.tile(walk.skeleton.point_weights, 2 * window + 1) / (2 * window + 1)
    for i, j in ((0, 39), (5, 5), (20, 3), (39, 0)):
        around = np.arange(-window, window + 1)
        cloud = places_a[np.clip(i + around, 0, 39)].reshape(-1, 3)
        other = places_b[np.clip(j + around, 0, 39)].reshape(-1, 3)
        assert matrix[i, j] ** 2 == pytest.approx(by_minimisation(cloud, other, weights), abs=1e-9)


@pytest.mark.both_engines
@pytest.mark.parametrize("window", [0, 4])
def test_points_does_not_see_where_a_clip_stands_and_faces(walk, window):
    moved = trajectory.placed(walk, 2.5, np.array([300.0, -40.0]))
    here, there = of("points", walk), of("points", moved)
    matrix = here.matrix(there, window)
    assert (np.diagonal(matrix) ** 2).max() <= 1e-12
    assert_allclose(matrix, here.matrix(here, window), atol=1e-6)


@pytest.mark.both_engines
def test_motion_does_not_see_place_facing_or_size(walk):
    moved = trajectory.placed(walk, -1.2, np.array([5.0, 9.0]))
    here = of("motion", walk)
    assert np.diagonal(here.matrix(of("motion", moved), 3)).max() <= 1e-6
    large = Clip(
        "large",
        type(walk.skeleton)(
            walk.skeleton.names,
            walk.skeleton.parents,
            2.0 * walk.skeleton.offsets,
            walk.skeleton.orients,
            2.0 * walk.skeleton.tips,
        ),
        walk.rate,
        walk.rotations,
        2.0 * walk.translations,
    )
    assert_allclose(here.matrix(of("motion", large), 3), here.matrix(here, 3), atol=1e-6)


@pytest.mark.both_engines
@pytest.mark.parametrize("metric", ["points", "motion"])
def test_a_metric_is_symmetric(walk, metric):
    a, b = noisy(walk, 3, 5.0, 0.02), noisy(walk, 4, 5.0, 0.02)
    one, other = of(metric, a), of(metric, b)
    assert_allclose(one.matrix(other, 2), other.matrix(one, 2).T, atol=1e-9)
