"""C and D of [Shibuta]: curves whose figures can be worked out by hand, and an independent reckoning of C."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import quat, resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.quality import angles, world_pose
from numpy.testing import assert_allclose
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines


def turning(rate=30.0, **joints):
    """A body at rest but for joints that turn by angles (F,), radians about X."""
    body = material.figure()
    frames = len(next(iter(joints.values())))
    rotations = np.tile(quat.IDENTITY, (frames, len(body), 1))
    for joint, angle in joints.items():
        rotations[:, body.index(joint)] = quat.about_axis("X", angle)
    return Clip("turning", body, rate, rotations, np.zeros((frames, len(body), 3)))


def periodicity(clip):
    return angles.periodicity(world_pose.pose(clip))


def smoothness(clip):
    return angles.smoothness(world_pose.pose(clip))


def swings(*amplitudes, period=20):
    """One cosine from 0 down to −amplitude and back for each."""
    phase = 2.0 * np.pi * np.arange(period) / period
    return np.concatenate([-0.5 * a * (1.0 - np.cos(phase)) for a in amplitudes] + [[0.0]])


def test_c_of_a_sine_is_zero():
    time = np.arange(241) / 40.0
    curves = np.stack([np.sin(2.0 * np.pi * time), 3.0 + 5.0 * np.cos(2.0 * np.pi * time)], axis=1)
    assert_allclose(angles.unevenness(curves), 0.0, atol=1e-12)
    assert periodicity(turning(LeftArm=0.4 * np.sin(2.0 * np.pi * time))) == pytest.approx(0.0, abs=1e-9)


def test_c_of_amplitudes_that_take_turns_is_what_one_reckons_by_hand():
    # The outer halves of the first and last swing lack a maximum beside them: 1, 2, 1, 2 are left.
    curve = swings(5, 1, 2, 1, 2, 5)
    assert angles.unevenness(curve[:, None])[0] == pytest.approx(3.0 / 6.0)
    assert periodicity(turning(Neck=0.1 * curve)) == pytest.approx(3.0 / 6.0)
    # As it grows, the whole change is from the first to the last.
    assert angles.unevenness(swings(1, 1, 2, 4, 7, 1)[:, None])[0] == pytest.approx(6.0 / 14.0)


def test_distances_from_the_lines_are_vertical_and_the_middle_of_a_plateau_counts():
    # Maxima 4, 2, 6 at frames 1, 3, 5; minima 1, 0 lie under 3 and 4.
    zigzag = np.array([0.0, 4.0, 1.0, 2.0, 0.0, 6.0, 0.0])
    # The same with tops of three frames: the maxima stay in the middle, at 2, 6, 10; minima at 4, 8.
    flat = np.array([0.0, 4.0, 4.0, 4.0, 1.0, 2.0, 2.0, 2.0, 0.0, 6.0, 6.0, 6.0, 0.0])
    assert_allclose(angles.unevenness(zigzag[:, None]), (4.0 - 2.0) / (4.0 + 2.0))
    assert_allclose(angles.unevenness(flat[:, None]), (4.0 - 2.0) / (4.0 + 2.0))
    assert_allclose(angles.unevenness(10.0 * flat[:, None] - 3.0), (4.0 - 2.0) / (4.0 + 2.0))


def test_c_needs_two_swings():
    curves = np.stack([swings(1, 1, 1), swings(1, 1, 1)[::-1].cumsum(), np.zeros(61)], axis=1)
    assert np.isnan(angles.unevenness(curves)).all()
    assert not np.isnan(angles.unevenness(swings(1, 1, 1, 1)[:, None])).any()
    assert np.isnan(angles.unevenness(np.zeros((4, 2)))).all()
    assert periodicity(turning(Neck=0.1 * swings(1, 1, 1))) is None
    assert periodicity(turning(Neck=np.zeros(50))) is None


@pytest.mark.one_engine
def test_c_agrees_with_an_independent_reckoning(rng):
    ndimage, signal = pytest.importorskip("scipy.ndimage"), pytest.importorskip("scipy.signal")

    def reckoned(curve):
        # Plateaus, as the middle of a run of equal values.
        top, bottom = signal.find_peaks(curve)[0], signal.find_peaks(-curve)[0]
        bottom = bottom[(bottom > top[0]) & (bottom < top[-1])]
        deep = np.interp(bottom, top, curve[top]) - curve[bottom]
        return np.abs(np.diff(deep)).sum() / deep.sum()

    curves = ndimage.gaussian_filter1d(rng.normal(size=(400, 12)), 3.0, axis=0)
    curves[:, 6:] = np.round(curves[:, 6:], 1)
    assert (np.diff(curves[:, 6:], axis=0) == 0.0).mean() > 0.3
    assert_allclose(angles.unevenness(curves), [reckoned(curve) for curve in curves.T], rtol=1e-9)


def test_flat_channels_are_left_out_of_c():
    even, uneven = swings(1, 1, 1, 1, 1, 1), swings(1, 1, 3, 1, 3, 1)
    alone = periodicity(turning(Neck=0.4 * even))
    assert alone == pytest.approx(0.0, abs=1e-9)
    # A tenth of the largest range is the limit.
    assert periodicity(turning(Neck=0.4 * even, Head=0.012 * uneven)) == pytest.approx(alone, abs=1e-9)
    both = periodicity(turning(Neck=0.4 * even, Head=0.014 * uneven))
    assert both == pytest.approx(0.5 * (alone + 6.0 / 8.0), abs=1e-9)
    # The noise of a standing body does not count either.
    assert periodicity(turning(Head=0.005 * uneven)) is None


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_d_of_a_quadratic_angle_is_its_second_derivative(rate):
    time = np.arange(round(2.0 * rate) + 1) / rate
    # 90 degrees/s²; more than a whole turn in the end.
    angle = np.radians(0.5 * 90.0 * time**2 + 200.0 * time)
    assert smoothness(turning(rate, Neck=angle)) == pytest.approx(90.0 / 30.0**2)
    # Channels that never turn do not count; all others alike.
    both = turning(rate, Neck=angle, LeftArm=-2.0 * angle)
    assert smoothness(both) == pytest.approx(1.5 * 90.0 / 30.0**2)
    assert smoothness(turning(rate, Neck=angle[::-1])) == pytest.approx(90.0 / 30.0**2)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_02_01", "asf_16_41"])
@pytest.mark.parametrize(("measure", "rounding"), [(periodicity, 1e-4), (smoothness, 1e-6)])
def test_both_are_the_same_at_every_rate_that_has_the_frames(measure, rounding, name):
    clip = captured(f"cmu_{name}")
    at_30, *others = (measure(resample.to_rate(clip, rate)) for rate in (30.0, 60.0, 90.0, 120.0))
    assert others == pytest.approx(3 * [at_30], rel=rounding)  # C levels the clip by a heading averaged over frames


def test_a_clip_of_next_to_no_frames_a_second_is_not_filled_up():
    """A foreign file may hold any rate: ten days of three frames would give millions of frames at 30 a second."""
    assert smoothness(turning(1e-5, Neck=np.array([0.0, 0.1, 0.0]))) == pytest.approx(0.0, abs=1e-9)


def test_d_of_steady_turning_is_zero_and_that_of_a_jump_is_known():
    time = np.arange(61) / 30.0
    assert smoothness(turning(Neck=5.0 * time)) == pytest.approx(0.0, abs=1e-9)
    assert smoothness(turning(Neck=np.zeros(61))) == 0.0
    # One step of 10 degrees: there and back again in the steps, out of 59 second differences.
    assert smoothness(turning(Neck=np.radians(10.0) * (time > 1.0))) == pytest.approx(2.0 * 10.0 / 59.0)
    assert smoothness(turning(Neck=time[:2])) is None


def test_a_body_that_rolls_over_measures_as_one_that_does_not():
    time = np.arange(241) / 60.0
    swing = 0.4 * np.sin(2.0 * np.pi * 1.5 * time)
    rolling = turning(60.0, Hips=1.4 * time, Neck=swing)
    assert smoothness(rolling) == pytest.approx(0.5 * smoothness(turning(60.0, Neck=swing)), rel=1e-6)
    # The hips pass half a turn without a jump, and never swing.
    assert periodicity(rolling) == pytest.approx(periodicity(turning(60.0, Neck=swing)), abs=1e-6)


def test_a_walk_is_as_periodic_where_it_turns_and_less_where_it_changes():
    straight = periodicity(actions.walk(60.0))
    for turn, apart in ((0.4, 0.05), (0.8, 0.105)):  # at 60 frames a second the sharper curve was within 0.1, too
        assert periodicity(actions.walk(60.0, turn=turn)) == pytest.approx(straight, abs=apart)
    # Each cycle of the generated walk is the last one's equal, swing by swing.
    walk = actions.walk(60.0, 6)
    fading = np.linspace(1.0, 0.3, len(walk))[:, None, None]
    faded = replace(walk, rotations=quat.exp(fading * quat.log(walk.rotations)))
    assert periodicity(faded) > periodicity(walk) + 0.02


def test_travel_on_a_root_bone_or_on_the_hips_is_the_same_to_both():
    walk = actions.walk(60.0, turn=0.8)
    body = walk.skeleton
    # A root bone above the hips that turns with the heading; the hips take it back.
    rooted = replace(
        body,
        names=("root", *body.names),
        parents=np.concatenate([[-1], body.parents + 1]),
        offsets=np.concatenate([np.zeros((1, 3)), body.offsets]),
        orients=np.concatenate([quat.IDENTITY[None], body.orients]),
        tips=np.concatenate([np.zeros((1, 3)), body.tips]),
        roles={},
    )
    turn = quat.about_axis("Z", np.linspace(0.0, 3.0, len(walk)) ** 2)
    rotations = np.concatenate([turn[:, None], walk.rotations], axis=1)
    orient = body.orients[0]
    rotations[:, 1] = quat.mul(quat.mul(quat.mul(quat.inv(orient), quat.inv(turn)), orient), walk.rotations[:, 0])
    place = quat.rotate(quat.inv(turn), body.offsets[0] + quat.rotate(orient, walk.translations[:, 0]))
    moved = np.concatenate([np.zeros((len(walk), 1, 3)), walk.translations], axis=1)
    moved[:, 1] = quat.rotate(quat.inv(orient), place - body.offsets[0])
    clip = Clip("rooted", rooted, walk.rate, rotations, moved)
    assert_allclose(world_pose.pose(clip).points[:, 1:], world_pose.pose(walk).points, atol=1e-9)
    assert periodicity(clip) == pytest.approx(periodicity(walk), rel=1e-9)
    assert smoothness(clip) == pytest.approx(smoothness(walk), rel=1e-9)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_05_11", "cmu_mb_49_06", "cmu_asf_16_17"])
def test_neither_depends_on_place_facing_or_signs(name, rng):
    clip = captured(name)
    signs = np.where(rng.random(clip.rotations.shape[:2]) < 0.5, -1.0, 1.0)[..., None]
    for same in (
        replace(clip, rotations=signs * clip.rotations),
        root_motion.place_clip(clip, 2.0, np.array([1.0, 4.0])),
    ):
        assert periodicity(same) == pytest.approx(periodicity(clip), rel=1e-6)
        assert smoothness(same) == pytest.approx(smoothness(clip), rel=1e-6)


@pytest.mark.shared
def test_a_walk_is_smoother_than_the_same_with_noise(rng):
    clip = captured("cmu_mb_07_01")
    # From one frame in 30 to the next a walk's joints change their speed by 1.3 degrees: less noise does not show.
    noise = quat.exp(np.radians(1.0) * rng.normal(size=clip.translations.shape))
    noisy = replace(clip, rotations=quat.mul(clip.rotations, noise))
    assert smoothness(noisy) > 1.5 * smoothness(clip)
