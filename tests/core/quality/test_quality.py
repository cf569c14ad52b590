"""Measures with known answers, and with the same answers after irrelevant changes."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.quality import contacts, quality, world_pose
from numpy.testing import assert_allclose
from oracles import material

pytestmark = pytest.mark.both_engines

FEET = ("LeftUpLeg", "RightUpLeg")


def gliding(speed, *, feet=None, seconds=2.0, rate=100.0):
    """Return a body at rest that moves forward at a speed, m/s, with feet at a speed of their own."""
    body = material.figure()
    time = np.arange(round(seconds * rate) + 1) / rate
    moved = np.zeros((len(time), len(body), 3))
    moved[:, 0, 1] = speed * time
    for leg in FEET:
        moved[:, body.index(leg), 1] = ((speed if feet is None else feet) - speed) * time
    return Clip("gliding", body, rate, np.tile(quat.IDENTITY, (len(time), len(body), 1)), moved)


def flipped(clip, rng):
    signs = np.where(rng.random(clip.rotations.shape[:2]) < 0.5, -1.0, 1.0)
    return replace(clip, rotations=clip.rotations * signs[..., None])


def test_a_dragged_body_slides_on_both_feet_as_far_as_it_goes():
    figures = quality.measure(gliding(0.1))
    assert figures["slide_cm_s"] == pytest.approx(10.0)
    assert figures["contact_share"] == 1.0
    assert figures["slide_per_metre"] == pytest.approx(2.0)
    assert figures["path_m"] == pytest.approx(0.2)


def test_slide_is_what_feet_do_and_metres_are_what_the_body_does():
    figures = quality.measure(gliding(0.5, feet=0.05))
    assert figures["slide_cm_s"] == pytest.approx(5.0)
    assert figures["slide_per_metre"] == pytest.approx(0.2)
    assert quality.measure(gliding(0.5, feet=0.0))["slide_per_metre"] == 0.0


def test_nothing_slides_by_the_metre_where_nothing_is_travelled_or_no_foot_stands(rng):
    for speed in (0.0, 0.001):
        figures = quality.measure(gliding(speed))
        assert figures["slide_per_metre"] is None
        assert figures["slide_cm_s"] == pytest.approx(100.0 * speed)
    carried = quality.measure(gliding(1.5))
    assert (carried["slide_per_metre"], carried["slide_cm_s"], carried["contact_share"]) == (None, None, 0.0)
    footless = quality.measure(material.random_clip(rng, material.random_skeleton(rng), 20))
    assert (footless["slide_per_metre"], footless["slide_cm_s"], footless["contact_share"]) == (None, None, None)


def test_an_ankle_that_turns_over_a_planted_ball_does_not_slide():
    still = gliding(0.0)
    body = still.skeleton
    pitch = quat.about_axis("X", -0.25 * np.sin(np.arange(len(still)) / 100.0))
    # The foot turns about the joint of its toes, which stay.
    ball = body.offsets[body.index("LeftToeBase")]
    rotations, moved = still.rotations.copy(), still.translations.copy()
    rotations[:, body.index("LeftFoot")] = pitch
    moved[:, body.index("LeftFoot")] = ball - quat.rotate(pitch, ball)
    clip = replace(still, rotations=rotations, translations=moved)
    foot = contacts.standing_feet(world_pose.pose(clip))["L"]
    assert foot.ankle_stands.any()
    assert np.ptp(foot.ankle, axis=0).max() > 0.02
    figures = quality.measure(clip)
    assert (figures["slide_cm_s"], figures["contact_share"]) == (0.0, 1.0)


def test_only_the_ball_counts_where_only_the_heel_is_down():
    still = gliding(0.5, feet=0.0)
    body = still.skeleton
    # The body is on its heels for half of the time, with the balls circling in the air.
    moved = still.translations.copy()
    time = np.arange(len(still)) / 100.0
    in_air = 0.15 * np.stack([np.cos(30.0 * time), np.sin(30.0 * time), np.ones(len(time))], axis=1)
    in_air[time > 1.0] = 0.0
    for side in ("Left", "Right"):
        moved[:, body.index(f"{side}ToeBase")] = in_air
    clip = replace(still, translations=moved)
    figures = quality.measure(clip)
    assert figures["contact_share"] == pytest.approx(0.5, abs=0.03)
    assert figures["slide_cm_s"] < 5.0
    assert figures["slide_per_metre"] < 0.1
    assert all(flags.all() for flags in contacts.detect(clip).values())


def test_acceleration_is_that_of_a_body_that_falls():
    clip = gliding(0.0)
    fallen = clip.translations.copy()
    fallen[:, 0, 2] = -0.5 * 9.81 * (np.arange(len(clip)) / clip.rate) ** 2
    assert quality.measure(replace(clip, translations=fallen))["acceleration_m_s2"] == pytest.approx(9.81)
    assert quality.measure(clip.cut(0, 2))["acceleration_m_s2"] is None


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_the_shortest_clips_are_measured_as_far_as_they_go(frames):
    figures = quality.measure(actions.walk().cut(0, frames))
    assert (figures["acceleration_m_s2"] is None) == (frames < 3)
    assert (figures["smoothness"] is None) == (frames < 3)
    assert figures["periodicity"] is None
    assert figures["seconds"] == pytest.approx((frames - 1) / 30.0, abs=1e-4)


@pytest.mark.parametrize("clip", [actions.walk(60.0, turn=0.4), material.walk(3.0, turn=0.6)], ids=["figure", "swing"])
def test_where_a_clip_stands_and_faces_and_the_signs_of_its_quaternions_do_not_matter(clip, rng):
    figures = quality.measure(clip)
    assert None not in figures.values()
    for same in (root_motion.place_clip(clip, 2.3, np.array([5.0, -7.0])), flipped(clip, rng)):
        assert quality.measure(same) == pytest.approx(figures, rel=1e-6, abs=1.01e-3)


def test_the_posed_body_is_what_kinematics_and_the_heading_say(rng):
    plain = material.random_clip(rng, material.random_skeleton(rng, 9), 7)
    stretched = replace(plain, scales=rng.uniform(0.5, 2.0, plain.translations.shape))
    for clip in (plain, stretched, material.walk(turn=0.5)):
        body = world_pose.pose(clip)
        rotations, positions = kinematics.world(clip)
        assert_allclose(body.rotations, rotations, atol=1e-12)
        assert_allclose(body.points, kinematics.points(clip), atol=1e-12)
        assert_allclose(body.heading, root_motion.heading(clip), atol=1e-12)
        assert_allclose(body.ground, positions[:, root_motion.travelling_joint(clip.skeleton), :2], atol=1e-12)
