"""How the trunk of a splice is turned: onto other points, and smoothly."""

import numpy as np
import pytest
from action_loom.core.motion import quat
from action_loom.core.weave.splice import torso
from numpy.testing import assert_allclose


def test_points_are_carried_onto_others_as_an_oracle_does_it(rng):
    transform = pytest.importorskip("scipy.spatial.transform")
    points, wanted = rng.normal(size=(2, 6, 5, 3))
    ours = quat.to_matrix(torso.onto(wanted, points))
    for mine, one, other in zip(ours, wanted, points, strict=True):
        assert_allclose(mine, transform.Rotation.align_vectors(one, other)[0].as_matrix(), atol=1e-9)


@pytest.mark.both_engines
def test_corrections_are_smoothed_as_in_the_paper():
    """q_M(t) = Σ w(k) q(t+k) / Σ w(k), w(k) = exp(−k²/50), 60 frames of data at 120 a second [Heck]."""
    time = np.arange(240) / 120.0
    turns = np.stack([0.4 * np.sin(3.0 * time), 0.2 * np.cos(9.0 * time), 0.6 * np.sin(1.0 + 5.0 * time)], axis=1)
    q = quat.exp(turns)
    k = np.arange(-30, 31)
    w = np.exp(-(k**2) / 50.0)
    paper = np.stack([(w[:, None] * q[t + k]).sum(axis=0) / w.sum() for t in range(30, 210)])
    smoothed = torso.smooth_rotations(q, 5.0)[30:210]
    assert_allclose(smoothed, quat.normalize(paper), atol=1e-4)


@pytest.mark.both_engines
def test_what_turns_evenly_stays_as_it_is_to_the_very_ends():
    q = quat.exp(np.linspace(0.0, 0.3, 60)[:, None] * np.array([0.0, 0.0, 1.0]))
    assert np.abs(quat.log(quat.mul(quat.inv(q), torso.smooth_rotations(q, 5.0)))).max() < 1e-3
    flipped = q * np.where(np.arange(60) % 7 == 0, -1.0, 1.0)[:, None]
    assert_allclose(
        np.abs((torso.smooth_rotations(flipped, 5.0) * torso.smooth_rotations(q, 5.0)).sum(axis=1)), 1.0, atol=1e-12
    )
