"""Continuous keys of rotations: the same rotations, each nearest to the one before, and intended spins left alone."""

import numpy as np
import pytest
from action_loom.core.edit import continuous
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation


def applied(found, keys):
    return found.factors * keys + found.turns


def smooth_angles(rng, count=60):
    """Angles that go gently, well within half a turn from key to key, through all quarters."""
    return np.cumsum(0.3 * rng.normal(size=(count, 3)), axis=0)


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_whole_turns_and_other_triples_are_taken_off_and_the_rotation_stays(rng, order):
    middle = "XYZ".index(order[1])
    plain = smooth_angles(rng)
    spoilt, flips = plain.copy(), rng.random(len(plain)) < 0.3
    flips[0] = False
    outer = [axis for axis in range(3) if axis != middle]
    spoilt[np.ix_(flips, outer)] += np.pi
    spoilt[flips, middle] = np.pi - spoilt[flips, middle]
    whole = 2.0 * np.pi * rng.integers(-1, 2, size=plain.shape)
    whole[0] = 0.0
    spoilt += whole
    found = continuous.eulers(np.arange(len(plain), dtype=float), spoilt, middle)
    assert_allclose(applied(found, spoilt), plain, atol=1e-12)
    columns = ["XYZ".index(axis) for axis in order]
    turned = [Rotation.from_euler(order.lower(), keys[:, columns]) for keys in (spoilt, applied(found, spoilt))]
    assert_allclose((turned[0].inv() * turned[1]).magnitude(), 0.0, atol=1e-9)


def test_what_does_not_jump_stays_to_the_bit(rng):
    plain = smooth_angles(rng)
    found = continuous.eulers(np.arange(60.0), plain, 1)
    assert_array_equal(applied(found, plain), plain)
    assert not found.jumps.any()


def test_keys_far_apart_may_spin():
    keys = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0 * np.pi], [0.0, 0.0, 4.0 * np.pi + 0.1]])
    found = continuous.eulers(np.array([1.0, 13.0, 25.0]), keys, 1)
    assert_array_equal(applied(found, keys), keys)
    near = continuous.eulers(np.array([1.0, 2.0, 4.0]), keys, 1)
    assert_allclose(applied(near, keys), [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.1]], atol=1e-12)
    assert_array_equal(near.jumps, [False, True, True])


def test_segments_after_a_jump_go_as_they_went(rng):
    keys = smooth_angles(rng)
    keys[30:] += 2.0 * np.pi
    times = np.arange(60.0)
    times[40:] += 20.0  # a long way from one key to the next, which turns by much
    keys[40:, 0] += 5.0
    made = applied(continuous.eulers(times, keys, 1), keys)
    assert_allclose(np.diff(made[30:], axis=0), np.diff(keys[30:], axis=0), atol=1e-12)
    assert np.abs(np.diff(made[:40], axis=0)).max() < np.pi


def test_one_angle_alone_is_brought_back_by_whole_turns_only():
    keys = np.array([[0.1], [0.2], [0.3 - 2.0 * np.pi], [0.4 - 2.0 * np.pi], [0.5 + np.pi]])
    found = continuous.angle(np.arange(5.0), keys)
    assert_allclose(applied(found, keys)[:4, 0], [0.1, 0.2, 0.3, 0.4], atol=1e-12)
    assert np.abs(np.diff(applied(found, keys)[:, 0])).max() < np.pi + 0.2


def test_neighbouring_quaternions_come_into_one_hemisphere(rng):
    plain = Rotation.from_rotvec(smooth_angles(rng) * 0.5).as_quat()
    plain *= np.where((np.arange(len(plain)) // 7) % 2, -1.0, 1.0)[:, None]
    found = continuous.signs(plain)
    made = applied(found, plain)
    assert ((made[1:] * made[:-1]).sum(axis=1) >= 0.0).all()
    assert_array_equal(np.abs(made), np.abs(plain))
    assert_array_equal(made[0], plain[0])
    assert_array_equal(continuous.signs(made).factors, np.ones_like(made))
