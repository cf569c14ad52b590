"""Poses at times: hit exactly, and interpolated like reference slerp, squad and monotone splines."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.edit import key_poses
from action_loom.core.errors import ClipError, SkeletonError
from action_loom.core.motion import cycles, kinematics, mirror, quat, root_motion
from action_loom.core.motion.clip import Channel, Clip
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.spatial.transform import Rotation, Slerp

pytestmark = pytest.mark.both_engines
WAYS = ("ease", "squad", "monotone")
ARRIVE, LEAVE = np.array([0, 20, 33, 60, 90]), np.array([4, 20, 33, 66, 90])
every_way = pytest.mark.parametrize("way", WAYS)


def near_poses(rng, count=5, largest=1.0, skeleton=None):
    """Poses of which each joint is turned away from the one before by less than an angle."""
    skeleton = skeleton or material.figure()
    turns = quat.exp(largest * rng.uniform(-0.6, 0.6, (count, len(skeleton), 3)))
    for k in range(1, count):
        turns[k] = quat.mul(turns[k - 1], turns[k])
    moved = 0.3 * rng.normal(size=(count, len(skeleton), 3))
    return Clip("poses", skeleton, 30.0, turns, moved)


def away(one, other):
    """Angles (..., ) between rotations, and the distance of translations, at most."""
    turn = np.linalg.norm(quat.log(quat.mul(quat.inv(one.rotations), other.rotations)), axis=-1).max()
    return max(float(turn), float(np.abs(one.translations - other.translations).max()))


def as_scipy(rotations):
    return Rotation.from_quat(np.roll(rotations, -1, axis=-1))


@every_way
@pytest.mark.parametrize("again", [0, 25])
def test_poses_are_hit_and_held(way, again):
    poses = near_poses(np.random.default_rng(1), largest=2.0)
    made = key_poses.interpolate_poses(poses, ARRIVE, LEAVE, way, again)
    assert len(made) == 91 + again
    for k, (first, last) in enumerate(zip(ARRIVE, LEAVE, strict=True)):
        for frame in range(first, last + 1):
            assert away(made.cut(frame, frame + 1), poses.cut(k, k + 1)) <= 1e-12
    assert made.cyclic == bool(again)
    if again:
        assert away(made.cut(len(made) - 1, len(made)), poses.cut(0, 1)) <= 1e-12
        assert cycles.gap(made) < 1e-9
    assert_allclose(np.linalg.norm(made.rotations, axis=-1), 1.0, atol=1e-12)
    assert (np.einsum("fjk,fjk->fj", made.rotations[1:], made.rotations[:-1]) > 0.0).all()


def test_ease_is_slerp_at_a_smooth_step():
    poses = near_poses(np.random.default_rng(2))
    made = key_poses.interpolate_poses(poses, ARRIVE, LEAVE, "ease")
    for k, (first, last) in enumerate(zip(LEAVE[:-1], ARRIVE[1:], strict=True)):
        share = np.linspace(0.0, 1.0, last - first + 1)
        step = 3.0 * share**2 - 2.0 * share**3
        for joint in range(len(poses.skeleton)):
            wanted = Slerp([0.0, 1.0], as_scipy(poses.rotations[k : k + 2, joint]))(step)
            off = (wanted.inv() * as_scipy(made.rotations[first : last + 1, joint])).magnitude()
            assert off.max() < 1e-12
        straight = poses.translations[k] + step[:, None, None] * (poses.translations[k + 1] - poses.translations[k])
        assert_allclose(made.translations[first : last + 1], straight, atol=1e-12)


def slerp(one, other, share):
    """As in Shoemake's paper: on the sphere of quaternions, whichever way is meant by their signs."""
    angle = np.arccos(np.clip(one @ other, -1.0, 1.0))
    return one if angle < 1e-12 else (np.sin((1 - share) * angle) * one + np.sin(share * angle) * other) / np.sin(angle)


def test_squad_is_shoemakes_at_even_times():
    poses = near_poses(np.random.default_rng(3), 6)
    at = np.arange(6) * 10
    made = key_poses.interpolate_poses(poses, at, at, "squad")
    keys = quat.continuous(poses.rotations)
    for joint in range(len(poses.skeleton)):
        q = keys[:, joint]
        inner = q.copy()
        for k in range(1, 5):
            both = [quat.log(quat.mul(quat.inv(q[k]), q[k + side])) for side in (1, -1)]
            inner[k] = quat.mul(q[k], quat.exp(-0.25 * (both[0] + both[1])))
        for k in range(1, 4):
            for step in range(11):
                u = step / 10.0
                wanted = slerp(slerp(q[k], q[k + 1], u), slerp(inner[k], inner[k + 1], u), 2.0 * u * (1.0 - u))
                found = made.rotations[10 * k + step, joint]
                assert_allclose(quat.same_side(found, wanted), wanted, atol=1e-10)


def test_squad_between_two_rests_is_ease():
    poses = near_poses(np.random.default_rng(4), 2, 4.0)
    at = np.array([0, 40])
    one, other = (key_poses.interpolate_poses(poses, at, at, way) for way in ("ease", "squad"))
    assert away(one, other) < 1e-9


@pytest.mark.parametrize("way", ["squad", "monotone"])
@pytest.mark.parametrize("again", [0, 300])
def test_velocity_does_not_jump_at_poses_that_are_passed(way, again):
    """At ten times the frame rate the velocity's steps shrink to about a tenth, so the velocity is continuous."""
    poses = near_poses(np.random.default_rng(5), largest=0.8)
    worst = []
    for fine in (10, 100):
        made = key_poses.interpolate_poses(poses, fine * ARRIVE, fine * LEAVE, way, fine * again // 10)
        laps = replace(poses, rotations=made.rotations, translations=made.translations)
        turn = fine * quat.log(quat.mul(quat.inv(laps.rotations[:-1]), laps.rotations[1:]))
        shift = fine * np.diff(laps.translations, axis=0)
        if again:
            turn, shift = (np.concatenate([steps, steps[:1]]) for steps in (turn, shift))
        worst.append(max(np.abs(np.diff(turn, axis=0)).max(), np.abs(np.diff(shift, axis=0)).max()))
    assert worst[1] < 0.12 * worst[0]


@pytest.mark.parametrize("again", [0, 25])
def test_monotone_is_scipys(again):
    """Places and scales, interpolated number by number, equal scipy's monotone curves, also around a cycle."""
    poses = near_poses(np.random.default_rng(6), 5)
    at = np.array([0, 20, 33, 60, 90])
    made = key_poses.interpolate_poses(poses, at, at, "monotone", again)
    values, times = poses.translations.reshape(5, -1), at.astype(float)
    if again:
        values, times = np.concatenate([values] * 3 + [values[:1]]), np.concatenate([at - 115, at, at + 115, [230]])
    slopes = PchipInterpolator(times, values).derivative()(times)
    if not again:
        slopes[[0, -1]] = 0.0  # it begins and ends at rest
    wanted = CubicHermiteSpline(times, values, slopes)(np.arange(91 + again))
    assert_allclose(made.translations.reshape(len(made), -1), wanted, atol=1e-12)


def test_monotone_keeps_to_the_range_of_its_poses_and_flowing_goes_beyond():
    """A head that nods from pose to pose along one axis."""
    angles = np.array([0.0, 1.0, 1.1, 0.2, 0.9])
    skeleton = material.figure()
    turns = np.tile(quat.IDENTITY, (5, len(skeleton), 1))
    turns[:, 4] = quat.about_axis("X", angles)
    poses = Clip("nod", skeleton, 30.0, turns, np.zeros((5, len(skeleton), 3)))
    at = np.array([0, 10, 20, 30, 40])
    for way, beyond in (("ease", False), ("monotone", False), ("squad", True)):
        found = 2.0 * np.arctan2(*key_poses.interpolate_poses(poses, at, at, way).rotations[:, 4, [1, 0]].T)
        over = [
            max(part.max() - max(ends), min(ends) - part.min())
            for part, ends in ((found[k : k + 11], angles[k // 10 : k // 10 + 2]) for k in range(0, 40, 10))
        ]
        assert (max(over) > 0.01) == beyond, way
        assert not beyond or max(over) < 0.5


def test_turns_go_on_beyond_a_half():
    """A joint that spins by 100 degrees from pose to pose, over two turns in all."""
    skeleton, angles = material.figure(), np.radians(100.0) * np.arange(9)
    turns = np.tile(quat.IDENTITY, (9, len(skeleton), 1))
    turns[:, 0] = quat.about_axis("Z", angles)
    poses = Clip("spin", skeleton, 30.0, turns, np.zeros((9, len(skeleton), 3)))
    at = np.arange(9) * 10
    for way in WAYS:
        made = key_poses.interpolate_poses(poses, at, at, way)
        found = np.unwrap(2.0 * np.arctan2(made.rotations[:, 0, 3], made.rotations[:, 0, 0]), period=2.0 * np.pi)
        assert found[-1] == pytest.approx(angles[-1], abs=1e-9)
        assert np.diff(found).min() > -1e-9


@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-9, np.pi - 1e-5])
@every_way
def test_half_turns_are_gone_through(way, angle):
    skeleton = material.figure()
    turns = np.tile(quat.IDENTITY, (3, len(skeleton), 1))
    turns[1, 2] = quat.about_axis("Y", np.array(angle))
    poses = Clip("half", skeleton, 30.0, turns, np.zeros((3, len(skeleton), 3)))
    at = np.array([0, 30, 60])
    made = key_poses.interpolate_poses(poses, at, at, way)
    steps = np.linalg.norm(quat.log(quat.mul(quat.inv(made.rotations[:-1]), made.rotations[1:])), axis=-1)
    assert steps.max() < 0.25
    assert steps[:, 2].sum() == pytest.approx(2.0 * angle, abs=1e-3)


@pytest.mark.parametrize("way", WAYS)
def test_moved_poses_give_a_moved_clip_and_turned_ones_a_turned_one(way):
    poses = near_poses(np.random.default_rng(8), skeleton=material.figure())
    shift = np.array([3.0, -2.0])
    turn = 0.9 if way != "monotone" else 0.0  # its numbers x and y are monotone, which depends on where they point to
    one = key_poses.interpolate_poses(root_motion.place_clip(poses, turn, shift), ARRIVE, LEAVE, way)
    other = root_motion.place_clip(key_poses.interpolate_poses(poses, ARRIVE, LEAVE, way), turn, shift)
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_mirrored_poses_give_a_mirrored_clip(way):
    poses = near_poses(np.random.default_rng(9))
    one = key_poses.interpolate_poses(mirror.mirror_clip(poses), ARRIVE, LEAVE, way)
    other = mirror.mirror_clip(key_poses.interpolate_poses(poses, ARRIVE, LEAVE, way))
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-9)


@every_way
def test_channels_and_scales_go_along_and_switches_hold(way):
    poses = near_poses(np.random.default_rng(11))
    scales = 1.0 + 0.3 * np.random.default_rng(12).random((5, len(poses.skeleton), 3))
    values = np.array([0.0, 1.0, 0.0, 1.0, 2.0])
    poses = replace(poses, scales=scales, channels={"smile": Channel(values), "hat": Channel(values, discrete=True)})
    made = key_poses.interpolate_poses(poses, ARRIVE, LEAVE, way)
    for k, first in enumerate(ARRIVE):
        assert made.channels["smile"].values[first] == values[k]
        assert_array_equal(made.scales[first], scales[k])
    assert 0.0 < made.channels["smile"].values[10] < 1.0
    hat = made.channels["hat"]
    assert hat.discrete
    assert_array_equal(hat.values, values[np.searchsorted(ARRIVE, np.arange(91), side="right") - 1])


@pytest.mark.parametrize(("arrive", "leave"), [([1, 5], [1, 5]), ([0, 5], [5, 6]), ([0, 4], [0, 3])])
def test_poses_that_overlap_are_refused(arrive, leave):
    poses = near_poses(np.random.default_rng(0), 2)
    with pytest.raises(ClipError, match="one after the other"):
        key_poses.interpolate_poses(poses, np.array(arrive), np.array(leave), "ease")


# --- between two ----------------------------------------------------------------------------------------------------


def test_between_is_slerp_and_goes_beyond():
    poses = near_poses(np.random.default_rng(20), 2, 2.0)
    one, other = poses.cut(0, 1), poses.cut(1, 2)
    assert away(key_poses.between(one, other, 0.0), one) < 1e-15
    assert away(key_poses.between(one, other, 1.0), other) < 1e-12
    for share in (-0.5, 0.25, 0.5, 1.5):
        found = key_poses.between(one, other, share)
        for joint in range(len(poses.skeleton)):
            first, second = as_scipy(poses.rotations[:, joint])
            wanted = first * Rotation.from_rotvec(share * (first.inv() * second).as_rotvec())
            assert (wanted.inv() * as_scipy(found.rotations[0, joint])).magnitude() < 1e-12
        straight = one.translations + share * (other.translations - one.translations)
        assert_allclose(found.translations, straight, atol=1e-15)


def test_between_takes_channels_along_and_scales_that_one_has():
    poses = near_poses(np.random.default_rng(21), 2)
    values = np.array([0.2, 0.6])
    poses = replace(poses, channels={"smile": Channel(values), "hat": Channel(values, discrete=True)})
    one, other = poses.cut(0, 1), replace(poses.cut(1, 2), scales=np.full((1, len(poses.skeleton), 3), 3.0))
    found = key_poses.between(one, other, 1.5)
    assert found.channels["smile"].values[0] == pytest.approx(0.8)
    assert found.channels["hat"].values[0] == 0.6
    assert key_poses.between(one, other, 0.5).channels["hat"].values[0] == 0.2
    assert_allclose(key_poses.between(one, other, 0.5).scales, 2.0)


def test_between_refuses_other_bodies_by_name_and_clips_of_more_frames():
    one = near_poses(np.random.default_rng(22), 1)
    other = near_poses(np.random.default_rng(22), 1, skeleton=material.character("Fox"))
    with pytest.raises(SkeletonError, match="only one of them has 'Hips'"):
        key_poses.between(one, other, 0.5)
    with pytest.raises(ClipError, match="clip of one frame; given 1 and 2"):
        key_poses.between(one, near_poses(np.random.default_rng(22), 2), 0.5)
