"""Quaternions against scipy, and properties of any rotation."""

import itertools

import numpy as np
import pytest
from action_loom.core.motion import quat, rotation_modes
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]
STRINGS = [*ORDERS, "X", "Y", "Z", "XY", "ZX", "YZ", "ZXZ", "XYX", "ZZ", "ZYXZ"]

angles = st.floats(-10.0, 10.0)
vectors = st.tuples(*[st.floats(-4.0, 4.0)] * 3).map(np.array)
unit = st.tuples(*[st.floats(-1.0, 1.0)] * 4).map(np.array).filter(lambda q: np.linalg.norm(q) > 0.1)
unit = unit.map(quat.normalize)


@pytest.fixture
def scipy_rotation():
    return pytest.importorskip("scipy.spatial.transform").Rotation


def wxyz(rotation):
    return np.roll(rotation.as_quat(), 1, axis=-1)


def angle_between(a, b):
    return np.linalg.norm(quat.log(quat.mul(quat.inv(a), b)), axis=-1)


def assert_same_rotation(a, b, atol=1e-12):
    assert_allclose(quat.same_side(a, b), b, rtol=0.0, atol=atol)


def slerp_half(a, b):
    """Halfway on the great circle: the normalised sum, on the nearer side."""
    return quat.normalize(a + quat.same_side(b, a))


def gathered(rng, count, widest=1.2):
    """Rotations (60, 4) that lie at most `widest` radians from a common centre: their mean is unique."""
    centre = material.rotations(rng, 60)
    axes = rng.normal(size=(count, 60, 3))
    axes *= widest * rng.random((count, 60, 1)) / np.linalg.norm(axes, axis=-1, keepdims=True)
    return [quat.mul(centre, quat.exp(axis)) for axis in axes]


def markley(qs, weights):
    """The largest eigenvector of Σ w q qᵀ (Markley, Cheng, Crassidis, Oshman 2007)."""
    summed = np.einsum("n...,n...i,n...j->...ij", weights, np.stack(qs), np.stack(qs))
    return np.linalg.eigh(summed)[1][..., -1]


@pytest.mark.one_engine
def test_products_agree_with_scipy(rng, scipy_rotation):
    a, b = material.rotations(rng, 200), material.rotations(rng, 200)
    expected = scipy_rotation.from_quat(np.roll(a, -1, axis=-1)) * scipy_rotation.from_quat(np.roll(b, -1, axis=-1))
    assert_same_rotation(quat.mul(a, b), wxyz(expected))


@pytest.mark.one_engine
def test_turned_vectors_agree_with_scipy(rng, scipy_rotation):
    q, v = material.rotations(rng, 200), rng.normal(size=(200, 3))
    assert_allclose(quat.rotate(q, v), scipy_rotation.from_quat(np.roll(q, -1, axis=-1)).apply(v), atol=1e-12)


@pytest.mark.one_engine
def test_exponential_and_logarithm_agree_with_scipy(rng, scipy_rotation):
    lengths = np.concatenate([np.linspace(0.0, np.pi - 1e-3, 100), 10.0 ** -np.arange(1.0, 20.0)])
    axes = rng.normal(size=(len(lengths), 3))
    v = axes / np.linalg.norm(axes, axis=1, keepdims=True) * lengths[:, None]
    assert_same_rotation(quat.exp(v), wxyz(scipy_rotation.from_rotvec(v)))
    q = material.rotations(rng, 300)
    assert_allclose(quat.log(q), scipy_rotation.from_quat(np.roll(q, -1, axis=-1)).as_rotvec(), atol=1e-12)


@pytest.mark.one_engine
def test_matrices_agree_with_scipy(rng, scipy_rotation):
    q = material.rotations(rng, 20, 10)
    expected = scipy_rotation.from_quat(np.roll(q.reshape(-1, 4), -1, axis=-1))
    assert_allclose(quat.to_matrix(q), expected.as_matrix().reshape(20, 10, 3, 3), atol=1e-12)
    assert_same_rotation(quat.from_matrix(quat.to_matrix(q)), q)


@pytest.mark.one_engine
@pytest.mark.parametrize("axis", "XYZ")
def test_half_turns_survive_the_matrix(axis):
    q = quat.about_axis(axis, np.array([np.pi, -np.pi, np.pi - 1e-9]))
    assert_same_rotation(quat.from_matrix(quat.to_matrix(q)), q)


@pytest.mark.one_engine
@pytest.mark.parametrize("axes", STRINGS)
def test_euler_angles_turn_as_scipys_intrinsic_rotations(rng, scipy_rotation, axes):
    angle = rng.uniform(-7.0, 7.0, size=(100, len(axes)))
    # scipy takes three different or alternating axes at most: longer strings are products.
    expected = scipy_rotation.identity(len(angle))
    for k, axis in enumerate(axes):
        expected = expected * scipy_rotation.from_euler(axis, angle[:, k : k + 1])
    assert_same_rotation(quat.from_euler(angle, axes), wxyz(expected))
    if len(axes) == 3:
        assert_same_rotation(quat.from_euler(angle, axes), wxyz(scipy_rotation.from_euler(axes, angle)))


@pytest.mark.parametrize("axes", ORDERS)
def test_euler_angles_give_the_rotation_back(rng, axes):
    q = material.rotations(rng, 500, 3)
    assert_same_rotation(quat.from_euler(quat.to_euler(q, axes), axes), q)


@pytest.mark.one_engine
@pytest.mark.parametrize("axes", ORDERS)
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-8, 1e-7, 1e-6, 1e-4])
def test_euler_angles_give_the_rotation_back_in_and_beside_gimbal_lock(rng, axes, off):
    angle = rng.uniform(-3.0, 3.0, size=(60, 3))
    angle[:, 1] = rng.choice([0.5 * np.pi, -0.5 * np.pi], size=60) - off
    q = quat.from_euler(angle, axes)
    assert_same_rotation(quat.from_euler(quat.to_euler(q, axes), axes), q, atol=1e-9)
    alone = np.concatenate([quat.to_euler(one[None], axes) for one in q])
    assert_same_rotation(quat.from_euler(alone, axes), q, atol=1e-9)


def smooth_angles(rng, frames=400, widest=9.0):
    """Angles that wander through half turns and gimbal lock, from inside the range where Euler angles are unique."""
    time = np.linspace(0.0, 1.0, frames)[:, None]
    waves = rng.uniform(1.0, 3.0, size=3)
    return 0.3 * np.ones(3) + widest * np.sin(waves * time) * np.array([1.0, 0.5, -1.0])


@pytest.mark.parametrize("axes", ORDERS)
def test_smooth_euler_angles_come_back_as_they_went_in(rng, axes):
    angle = smooth_angles(rng)
    assert np.abs(angle).max() > 1.5 * np.pi
    assert_allclose(quat.to_euler(quat.from_euler(angle, axes), axes), angle, atol=1e-9)


@pytest.mark.one_engine
@pytest.mark.parametrize("axes", ORDERS)
@pytest.mark.parametrize("locked_frames", [1, 7])
@pytest.mark.parametrize("beyond", [1.0, -1.0], ids=["through", "back"])
def test_a_path_into_gimbal_lock_has_no_jump_on_either_side(axes, locked_frames, beyond):
    before = np.linspace(0.0, 0.5 * np.pi, 40)[:-1]
    middle = np.concatenate([before, [0.5 * np.pi] * locked_frames, 0.5 * np.pi + beyond * (before + 0.04)])
    angle = np.column_stack([np.full(len(middle), 2.0), middle, np.full(len(middle), -1.0)])
    assert_allclose(quat.to_euler(quat.from_euler(angle, axes), axes), angle, atol=1e-7)


@pytest.mark.one_engine
@pytest.mark.parametrize("axes", ORDERS)
def test_a_path_that_begins_in_gimbal_lock_has_no_jump_when_it_leaves(axes):
    middle = np.concatenate([[0.5 * np.pi] * 5, np.linspace(0.5 * np.pi, 0.0, 40)[1:]])
    angle = np.column_stack([np.full(len(middle), 1.2), middle, np.full(len(middle), -0.8)])
    found = quat.to_euler(quat.from_euler(angle, axes), axes)
    assert np.abs(np.diff(found, axis=0)).max() < 0.05


@pytest.mark.parametrize("axes", ORDERS)
def test_many_turns_about_one_axis_do_not_wrap(axes):
    turning = np.linspace(0.0, 25.0, 400)
    for k in range(3):
        if k == 1:
            continue  # the middle angle locks; it has its own tests
        angle = np.zeros((400, 3))
        angle[:, k] = turning
        assert_allclose(quat.to_euler(quat.from_euler(angle, axes), axes), angle, atol=1e-9)


@pytest.mark.parametrize("axes", ORDERS)
def test_euler_angles_of_many_joints_are_those_of_each_alone(rng, axes):
    q = quat.from_euler(np.stack([smooth_angles(rng) for _ in range(4)], axis=1), axes)
    together = quat.to_euler(q, axes)
    for joint in range(4):
        assert_allclose(together[:, joint], quat.to_euler(q[:, joint], axes), atol=1e-12)


@pytest.mark.one_engine
def test_a_single_frame_has_euler_angles():
    angle = np.array([[0.3, 0.2, -0.4]])
    assert_allclose(quat.to_euler(quat.from_euler(angle, "ZXY"), "ZXY"), angle, atol=1e-12)


@pytest.mark.one_engine
def test_the_mean_is_markleys_for_small_spreads(rng):
    centre = material.rotations(rng, 50)
    qs = [quat.mul(centre, quat.exp(0.01 * rng.normal(size=(50, 3)))) for _ in range(5)]
    weights = rng.dirichlet(np.ones(5), size=50).T
    assert_same_rotation(quat.mean(qs, weights), markley(qs, weights), atol=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_the_mean_of_two_divides_the_angle_by_their_weights(rng, share):
    a, b = material.rotations(rng, 300), material.rotations(rng, 300)
    mean = quat.mean([a, b], np.array([[1.0 - share], [share]]))
    apart = angle_between(a, b)
    assert_allclose(angle_between(a, mean), share * apart, atol=1e-9)
    assert_allclose(angle_between(mean, b), (1.0 - share) * apart, atol=1e-9)


def test_all_weight_on_one_returns_it(rng):
    qs = [material.rotations(rng, 100) for _ in range(3)]
    for k in range(3):
        weights = np.zeros((3, 1))
        weights[k] = 1.0
        assert_same_rotation(quat.mean(qs, weights), qs[k])


def test_the_mean_does_not_depend_on_signs(rng):
    qs = gathered(rng, 4)
    weights = rng.dirichlet(np.ones(4))[:, None]
    flipped = [q * rng.choice([-1.0, 1.0], size=(60, 1)) for q in qs]
    assert_same_rotation(quat.mean(flipped, weights), quat.mean(qs, weights))


def test_the_mean_does_not_depend_on_order(rng):
    qs = gathered(rng, 4)
    weights = np.array([0.3, 0.3, 0.2, 0.2])[:, None]
    for order in itertools.permutations(range(4)):
        again = quat.mean([qs[k] for k in order], weights[list(order)])
        assert_same_rotation(again, quat.mean(qs, weights), atol=1e-10)


@pytest.mark.one_engine
def test_the_mean_is_where_the_weighted_logarithms_cancel(rng):
    qs = gathered(rng, 4)
    weights = rng.dirichlet(np.ones(4))
    mean = quat.mean(qs, weights[:, None])
    left = sum(w * quat.log(quat.mul(quat.inv(mean), q)) for w, q in zip(weights, qs, strict=True))
    assert_allclose(left, 0.0, atol=1e-10)


@pytest.mark.one_engine
def test_the_mean_turns_with_its_rotations(rng):
    turn = material.rotations(rng)
    qs = [quat.exp(0.5 * rng.normal(size=(60, 3))) for _ in range(3)]
    weights = np.array([0.5, 0.3, 0.2])[:, None]
    turned = quat.mean([quat.mul(turn, q) for q in qs], weights)
    assert_same_rotation(turned, quat.mul(turn, quat.mean(qs, weights)), atol=1e-10)


@pytest.mark.one_engine
def test_weights_may_change_from_frame_to_frame(rng):
    a, b = material.rotations(rng, 5, 7), material.rotations(rng, 5, 7)
    share = np.linspace(0.0, 1.0, 5)
    mean = quat.mean([a, b], np.stack([1.0 - share, share])[:, :, None])
    assert_same_rotation(mean[0], a[0])
    assert_same_rotation(mean[2], slerp_half(a[2], b[2]))
    assert_same_rotation(mean[4], b[4])


def test_no_rotations_have_no_mean():
    none = quat.mean([np.empty((0, 3, 4))] * 2, np.array([0.5, 0.5])[:, None, None])
    assert none.shape == (0, 3, 4)


def test_rotations_and_weights_that_must_not_be_written_have_a_mean(rng):
    held = np.broadcast_to(material.rotations(rng, 3), (6, 3, 4))
    weights = np.broadcast_to(np.array([0.5, 0.5])[:, None, None], (2, 6, 3))
    assert_allclose(quat.mean([held, held], weights), held, atol=1e-15)


@given(angle=st.floats(-3.1, 3.1), tilt=angles)
def test_yaw_is_the_turn_about_z_beside_any_tilt(angle, tilt):
    turn = quat.about_axis("Z", np.array(angle))
    across = quat.exp(np.array([np.cos(tilt), np.sin(tilt), 0.0]) * 0.8)
    assert_allclose(np.exp(1j * quat.yaw(quat.mul(turn, across))), np.exp(1j * angle), atol=1e-9)
    assert_allclose(np.exp(1j * quat.yaw(-turn)), np.exp(1j * angle), atol=1e-9)


@given(v=vectors)
def test_the_logarithm_undoes_the_exponential_within_half_a_turn(v):
    back = quat.log(quat.exp(v))
    assert np.linalg.norm(back) <= np.pi + 1e-12
    assert_same_rotation(quat.exp(back), quat.exp(v), atol=1e-12)
    if np.linalg.norm(v) < np.pi - 1e-6:
        assert_allclose(back, v, atol=1e-9)


@given(a=unit, b=unit, v=vectors)
def test_turning_twice_is_turning_by_the_product(a, b, v):
    assert_allclose(quat.rotate(quat.mul(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=1e-12)
    assert_allclose(quat.rotate(quat.inv(a), quat.rotate(a, v)), v, atol=1e-12)


@given(q=unit, v=vectors)
def test_the_matrix_turns_vectors_as_the_quaternion_does(q, v):
    assert_allclose(quat.to_matrix(q) @ v, quat.rotate(q, v), atol=1e-12)


def test_cross_products_are_numpys(rng):
    a, b = rng.normal(size=(4, 5, 3)), rng.normal(size=(5, 3))
    assert_allclose(quat.cross(a, b), np.cross(a, b), atol=1e-15)


def test_a_zero_quaternion_becomes_the_identity():
    q = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 3.0, 4.0, 0.0]])
    assert_array_equal(quat.normalize(q), [[1.0, 0.0, 0.0, 0.0], [0.0, 0.6, 0.8, 0.0]])


def test_signs_are_chosen_so_that_neighbours_are_near(rng):
    path = quat.exp(np.linspace(0.0, 12.0, 200)[:, None, None] * np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]]))
    flipped = path * rng.choice([-1.0, 1.0], size=(200, 2, 1))
    smooth = quat.continuous(flipped)
    assert np.linalg.norm(np.diff(smooth, axis=0), axis=-1).max() < 0.04
    assert_array_equal(np.abs(smooth), np.abs(path))


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_the_signs_of_few_frames_can_be_chosen(frames, rng):
    q = material.rotations(rng, frames, 3)
    assert_array_equal(np.abs(quat.continuous(q)), np.abs(q))


def test_leading_axes_broadcast(rng):
    q, v = material.rotations(rng, 6, 1), rng.normal(size=(4, 3))
    together = quat.rotate(q, v)
    assert together.shape == (6, 4, 3)
    assert_allclose(together[2, 3], quat.rotate(q[2, 0], v[3]), atol=1e-15)


def test_a_quaternion_whose_length_blender_can_not_compute_is_no_rotation():
    huge = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1e30, 0.0, 1e12], [0.0, 3e3, 0.0, 4e3]])
    turns = rotation_modes.to_quaternion(huge, "QUATERNION")
    assert_allclose(turns, [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.6, 0.0, 0.8]])
