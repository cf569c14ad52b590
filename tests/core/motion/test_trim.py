"""Calibration poses and the jumps out of them are cut; a body's own movements are not."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.motion import kinematics, quat, root_motion, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines

RATE = 120.0


def joined(*clips):
    rotations = np.concatenate([clip.rotations for clip in clips])
    translations = np.concatenate([clip.translations for clip in clips])
    return replace(clips[0], rotations=rotations, translations=translations)


def calibration_pose(skeleton, frames):
    shape = (frames, len(skeleton))
    return Clip("", skeleton, RATE, np.tile(quat.IDENTITY, (*shape, 1)), np.zeros((*shape, 3)))


def walk(seconds=3.0):
    """A walk that is far from its rest pose when it begins and when it ends."""
    clip = material.walk(seconds, RATE)
    away = clip.translations + [0.0, 1.0, 0.0] * (np.arange(len(clip.skeleton)) == 0)[:, None]
    return replace(clip, translations=away)


def ball(heights, rate=RATE):
    """A clip of one joint at the given heights."""
    skeleton = Skeleton(("ball",), np.array([-1]), np.zeros((1, 3)), quat.IDENTITY[None], np.zeros((1, 3)))
    places = np.zeros((len(heights), 1, 3))
    places[:, 0, 2] = heights
    return Clip("ball", skeleton, rate, np.tile(quat.IDENTITY, (len(heights), 1, 1)), places)


def dropped(clip):
    trimmed = trim.ends(clip)
    return trimmed.first, trimmed.last


@pytest.mark.parametrize("held", [1, 2, 5, 12, 40, 300])
def test_a_held_pose_and_the_jump_out_of_it_are_left_out(held):
    clip = walk()
    trimmed = trim.ends(joined(calibration_pose(clip.skeleton, held), clip))
    assert (trimmed.first, trimmed.last) == (held, 0)
    assert_array_equal(trimmed.clip.rotations, clip.rotations)
    assert_array_equal(trimmed.clip.translations, clip.translations)


@pytest.mark.parametrize("held", [1, 5, 40])
def test_the_same_holds_at_the_end(held):
    clip = walk()
    trimmed = trim.ends(joined(clip, calibration_pose(clip.skeleton, held)))
    assert (trimmed.first, trimmed.last) == (0, held)
    assert_array_equal(trimmed.clip.translations, clip.translations)


def test_both_ends_are_looked_at():
    clip = walk()
    pose = calibration_pose(clip.skeleton, 3)
    assert dropped(joined(pose, clip, pose)) == (3, 3)


@pytest.mark.parametrize("frames", [2, 4, 6])
def test_a_jump_that_takes_several_frames_is_left_out_whole(frames):
    clip = walk()
    ramp = np.linspace(0.0, 1.0, frames, endpoint=False)[:, None, None]
    moving = calibration_pose(clip.skeleton, frames)
    moving = replace(moving, translations=ramp * clip.translations[0])
    assert dropped(joined(moving, clip)) == (frames, 0)


def test_a_second_jump_shortly_after_the_first_counts_too():
    clip = walk()
    glitch = root_motion.place_clip(clip.cut(0, 4), 0.0, np.array([0.4, 0.0]))
    assert dropped(joined(calibration_pose(clip.skeleton, 1), glitch, clip)) == (5, 0)


def test_a_jump_later_on_is_none_of_its_business():
    clip = walk()
    assert dropped(joined(clip, root_motion.place_clip(clip, 1.0, np.array([9.0, 0.0])))) == (0, 0)


@pytest.mark.parametrize("seconds", [0.2, 1.0, 3.0])
def test_a_walk_is_left_as_it_is(seconds):
    clip = walk(seconds)
    assert dropped(clip) == (0, 0)


@pytest.mark.parametrize("rate", [12.0, 24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("held", [0.1, 0.5, 2.0])
def test_standing_still_before_and_after_a_movement_is_part_of_it(rate, held):
    time = np.arange(round((2.0 * held + 0.6) * rate)) / rate
    eased = 0.5 - 0.5 * np.cos(np.pi * np.clip((time - held) / 0.6, 0.0, 1.0))
    assert dropped(ball(0.8 * eased, rate)) == (0, 0)


@pytest.mark.parametrize("rate", [12.0, 24.0, 30.0])
@pytest.mark.parametrize("hold", [2, 3, 6, 12])
@pytest.mark.parametrize("height", [0.2, 1.0])
def test_poses_that_are_held_from_key_to_key_are_left_as_they_are(rng, rate, hold, height):
    keys = height * rng.uniform(0.5, 1.0, size=12) * (-1.0) ** np.arange(12)
    assert dropped(ball(np.repeat(keys, hold), rate)) == (0, 0)


@pytest.mark.parametrize("rate", [24.0, 120.0])
def test_a_body_that_hardly_moves_is_left_as_it_is(rng, rate):
    assert dropped(ball(np.cumsum(rng.normal(size=200)) * 2e-4, rate)) == (0, 0)
    assert dropped(ball(np.zeros(200), rate)) == (0, 0)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 8])
def test_clips_of_few_frames_are_left_as_they_are(rng, frames):
    assert dropped(ball(rng.normal(size=frames))) == (0, 0)


def test_a_body_in_the_wrong_units_is_left_as_it_is():
    giant = material.figure(scale=100.0)
    clip = walk()
    clip = replace(clip, skeleton=giant, translations=100.0 * clip.translations)
    assert dropped(clip) == (0, 0)


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_a_calibration_pose_is_found_at_any_frame_rate(rate):
    clip = root_motion.place_clip(material.walk(2.0, rate), 0.0, np.array([0.0, 2.0]))
    pose = replace(calibration_pose(clip.skeleton, 2), rate=rate)
    assert dropped(joined(pose, clip)) == (2, 0)


def test_a_calibration_pose_before_a_held_one_is_left_out():
    clip = walk()
    held = clip.cut(0, 1)
    assert dropped(joined(calibration_pose(clip.skeleton, 1), *[held] * 8, clip)) == (1, 0)


def test_what_rings_behind_a_jump_goes_with_it():
    """As in a resampled clip with a calibration pose: speeds fall off, and swing, for some frames."""
    clip = walk()

    def ringing(by):
        return [replace(clip.cut(0, 1), translations=clip.translations[:1] + by * swing) for swing in (9.0, -4.0, 2.0)]

    assert dropped(joined(calibration_pose(clip.skeleton, 1), *ringing(0.01), clip)) == (4, 0)
    # Without a jump nothing is cut: a body may shake.
    assert dropped(joined(*ringing(0.0002), clip)) == (0, 0)


def fastest_step(clip, frames):
    """The largest step (m/s) of any point among the first frames."""
    points = kinematics.points(clip.cut(0, frames))
    return np.linalg.norm(np.diff(points, axis=0), axis=2).max() * clip.rate


@pytest.mark.shared
@pytest.mark.parametrize("path", material.some_captured_files("cmu"), ids=lambda path: path.stem)
def test_captured_clips_begin_after_their_calibration_pose(path):
    clip = material.as_captured(path.stem)
    trimmed = trim.ends(clip)
    kind = path.stem.split("_")[1]
    # Clips resampled once more lose the ringing after the jump, too.
    fewest, most = {"mb": (1, 8), "daz": (6, 10), "asf": (0, 3)}[kind]
    assert fewest <= trimmed.first <= most
    assert trimmed.last == 0
    assert fastest_step(trimmed.clip, 24) < 15.0
    if trimmed.first:
        assert fastest_step(clip, trimmed.first + 1) > 15.0


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("cmu_mb_07_01", 1),
        ("cmu_mb_07_12", 2),  # the pose, and one frame on the way
        ("cmu_mb_08_07", 7),  # the pose, then a second one that is held
        ("cmu_mb_16_15", 3),
        ("cmu_asf_16_15", 2),  # a glitch of the capture itself
        ("cmu_asf_16_03", 0),
        ("cmu_asf_17_03", 0),
    ],
)
def test_what_is_left_out_of_captured_clips(name, first):
    assert dropped(material.as_captured(name)) == (first, 0)


@pytest.mark.shared
@pytest.mark.parametrize("path", material.captured_files("cmu"), ids=lambda path: path.stem)
def test_what_is_left_is_clean(path):
    assert dropped(material.captured(path.stem)) == (0, 0)
