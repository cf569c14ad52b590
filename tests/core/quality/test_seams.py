"""Seams: clean seams measure 1, and broken seams measure the size of their damage."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import ClipError
from action_loom.core.motion import quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.quality import quality, seams, world_pose
from oracles import material
from oracles.material import captured

RATE, COUNT, SEAM = 60.0, 181, 90
TURN, RADIUS = 0.05, 2.0  # radians a frame; m
RATIOS = ("step", "velocity", "roughness", "acceleration", "acceleration_peak")
pytestmark = pytest.mark.both_engines


def measured(clip, frame):
    return seams.measure_pose(world_pose.pose(clip), frame)


def circling():
    """A body that moves round a circle at one speed; its head turns faster and faster, about its own line.

    All measures of a seam are equal in every frame.
    """
    body = material.figure()
    offsets = body.offsets.copy()
    offsets[body.index("Head")] = (0.0, 0.0, 0.1)
    body = replace(body, offsets=offsets)
    frame = np.arange(COUNT)
    moved = np.zeros((COUNT, len(body), 3))
    moved[:, 0, :2] = RADIUS * np.stack([np.cos(TURN * frame), np.sin(TURN * frame)], axis=1)
    rotations = np.tile(quat.IDENTITY, (COUNT, len(body), 1))
    rotations[:, body.index("Head")] = quat.about_axis("Z", 0.5 * 1e-4 * frame**2)
    return Clip("circling", body, RATE, rotations, moved)


def chord(frames=1):
    return 2.0 * RADIUS * np.sin(0.5 * TURN * frames)


def shifted(clip, shift, seam=SEAM):
    moved = clip.translations.copy()
    moved[seam:, 0] += shift
    return replace(clip, translations=moved)


def tangent(frame):
    """Direction (3,) from a frame to the next."""
    angle = TURN * (frame + 0.5)
    return np.array([-np.sin(angle), np.cos(angle), 0.0])


@pytest.mark.parametrize("frame", [2, 3, 20, SEAM, COUNT - 2])
def test_every_place_of_a_steady_motion_is_natural(frame):
    seam = measured(circling(), frame)
    assert {key: seam[key] for key in RATIOS} == pytest.approx(dict.fromkeys(RATIOS, 1.0), abs=1e-3)
    assert seams.composite(seam, None) == pytest.approx(0.0, abs=3e-3)


@pytest.mark.parametrize("shift", [0.05, 0.3])
def test_a_clip_cut_and_shifted_shows_the_step(shift):
    clip = shifted(circling(), shift * tangent(SEAM - 1))
    seam = measured(clip, SEAM)
    assert seam["step"] == pytest.approx((chord() + shift) / chord(), rel=1e-3)
    # The motion before and after the shift is undisturbed.
    assert seam["velocity"] == pytest.approx(1.0, abs=1e-3)
    assert seam["roughness"] == pytest.approx(1.0, abs=1e-3)
    # Second differences hold the step twice, with opposite signs, nearly square to their inward part.
    inward = 2.0 * chord() * np.sin(0.5 * TURN)
    expected = np.sqrt(inward**2 + shift**2 + 2.0 * inward * shift * np.sin(0.5 * TURN)) / inward
    assert seam["acceleration"] == pytest.approx(expected, rel=1e-3)
    assert seam["acceleration_peak"] == seam["acceleration"]
    assert seams.composite(seam, None) > 1.0


def test_a_seam_is_seen_where_it_is_and_nowhere_else():
    clip = shifted(circling(), (0.0, 0.0, 0.1))
    steps = {frame: measured(clip, frame)["step"] for frame in (SEAM - 1, SEAM, SEAM + 1)}
    assert steps[SEAM] > 1.3
    assert steps[SEAM - 1] == steps[SEAM + 1] == pytest.approx(1.0, abs=1e-3)
    accelerations = {frame: measured(clip, frame)["acceleration"] for frame in (SEAM - 2, SEAM, SEAM + 2)}
    assert accelerations[SEAM] > 5.0
    assert accelerations[SEAM - 2] == accelerations[SEAM + 2] == pytest.approx(1.0, abs=1e-3)
    # Four frames farther it is still the largest near by, and beyond that no more.
    peaks = [measured(clip, SEAM + away)["acceleration_peak"] for away in (-6, -5, 5, 6)]
    assert peaks == pytest.approx([1.0, accelerations[SEAM], accelerations[SEAM], 1.0], abs=1e-3)


def test_a_change_of_speed_is_no_step():
    clip = circling()
    # The clip plays at double speed after the seam: the pose is continuous, the velocity is not.
    frame = np.arange(COUNT)
    angle = TURN * np.where(frame < SEAM, frame, 2 * frame - (SEAM - 1))
    moved = clip.translations.copy()
    moved[:, 0, :2] = RADIUS * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    clip = replace(clip, translations=moved).cut(0, SEAM + 30)
    seam = measured(clip, SEAM)
    before, after = chord() * tangent(SEAM - 2), chord(2) * tangent(angle[SEAM] / TURN + 0.5)
    assert seam["step"] == pytest.approx(2.0, rel=1e-2)
    assert seam["velocity"] == pytest.approx(np.linalg.norm(after - before) / (2.0 * chord() * np.sin(TURN)), rel=1e-2)
    assert seam["roughness"] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_roughness_is_the_mean_within_a_twentieth_of_a_second(rate):
    clip = replace(circling(), rate=rate)
    jump = 0.02
    head = clip.skeleton.index("Head")
    seam = measured(
        material.turn_joint(clip, head, quat.about_axis("Z", np.array(jump)), frames=slice(SEAM, None)), SEAM
    )
    count = 2 * round(0.05 * rate) + 2
    # Second differences of 1e-4; at the jump, 1e-4 ± the jump.
    expected = ((count - 2) * 1e-4 + 2.0 * jump) / (count * 1e-4)
    assert seam["roughness"] == pytest.approx(expected, rel=1e-3)
    assert seam["step"] == pytest.approx(1.0, abs=1e-3)


def test_slide_is_that_of_standing_feet_within_a_tenth_of_a_second():
    body = material.figure()
    time = (np.arange(201) - 100.5) / 100.0
    moved = np.zeros((201, len(body), 3))
    # The body stands, and a push moves it at 0.2 m/s in the 0.3 s about the seam.
    moved[:, 0, 1] = 0.2 * np.clip(time, -0.15, 0.15)
    clip = Clip("pushed", body, 100.0, np.tile(quat.IDENTITY, (201, len(body), 1)), moved)
    seam = measured(clip, 101)
    assert seam["slide_cm_s"] == pytest.approx(20.0)
    assert seam["contact_share"] == 1.0
    assert measured(clip, 50)["slide_cm_s"] == 0.0
    # The push takes one half, then one quarter, of the measured time.
    assert measured(clip, 116)["slide_cm_s"] == pytest.approx(10.0)
    assert measured(clip, 121)["slide_cm_s"] == pytest.approx(5.0)


def test_what_is_not_there_is_none():
    body = material.figure()
    still = Clip("still", body, 30.0, np.tile(quat.IDENTITY, (20, len(body), 1)), np.zeros((20, len(body), 3)))
    seam = measured(still, 10)
    assert [seam[key] for key in RATIOS] == [None] * 5
    assert seam["slide_cm_s"] == 0.0
    assert seams.composite(seam, 0.0) is None
    footless = replace(
        still, skeleton=replace(body, names=tuple(f"joint{k}" for k in range(len(body))), roles={"hips": 0})
    )
    seam = measured(footless, 10)
    assert (seam["slide_cm_s"], seam["contact_share"]) == (None, None)


@pytest.mark.parametrize("frame", [-1, 0, 1, COUNT - 1, COUNT])
def test_a_seam_needs_two_frames_on_each_side(frame):
    with pytest.raises(ClipError, match=f"circling: no seam can be measured at frame {frame} of {COUNT}"):
        measured(circling(), frame)


def seam_of(roughness=1.0, acceleration=1.0, peak=1.0, slide=None):
    return {"roughness": roughness, "acceleration": acceleration, "acceleration_peak": peak, "slide_cm_s": slide}


@pytest.mark.parametrize(
    ("seam", "source", "expected"),
    [
        (seam_of(), None, 0.0),
        (seam_of(roughness=2.0), None, 1.0),
        (seam_of(roughness=0.25), None, 2.0),
        (seam_of(acceleration=8.0), None, 1.5),
        (seam_of(acceleration=0.1), None, 0.0),
        (seam_of(peak=1.5), None, 0.0),
        (seam_of(peak=6.0), None, 1.0),
        (seam_of(slide=15.0), 10.0, 1.0),
        (seam_of(slide=5.0), 10.0, 0.0),
        (seam_of(slide=15.0), None, 0.0),
        (seam_of(0.5, 2.0, 3.0, 12.5), 10.0, 1.0 + 0.5 + 0.5 + 0.5),
    ],
)
def test_the_composite_is_what_methods_say(seam, source, expected):
    assert seams.composite(seam, source) == pytest.approx(expected)


def test_a_frozen_seam_costs_much_and_is_still_a_number():
    assert 5.0 < seams.composite(seam_of(roughness=0.0, acceleration=0.0, peak=0.0), None) < 20.0


def test_place_facing_and_signs_do_not_matter(rng):
    clip = material.walk(2.0, 60.0, turn=0.5)
    clip = clip.cut(0, 100)
    broken = shifted(clip, (0.1, 0.05, 0.0), 50)
    signs = np.where(rng.random(clip.rotations.shape[:2]) < 0.5, -1.0, 1.0)[..., None]
    expected = measured(broken, 50)
    for same in (
        replace(broken, rotations=signs * broken.rotations),
        root_motion.place_clip(broken, 2.0, np.array([3.0, 1.0])),
    ):
        assert measured(same, 50) == pytest.approx(expected, abs=2e-3)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_02_01", "cmu_mb_35_03"])
def test_a_captured_walk_is_natural_and_cut_and_repeated_it_is_not(name):
    clip = captured(name)
    slide = quality.measure(clip)["slide_cm_s"]
    places = [measured(clip, frame) for frame in range(20, len(clip) - 20, 12)]
    for key in RATIOS[:4]:
        assert np.median([seam[key] for seam in places]) == pytest.approx(1.0, abs=0.25)
    natural = [seams.composite(seam, slide) for seam in places]
    # Half a second left out: feet and pose jump, whatever the phase.
    start, end = len(clip) // 3, len(clip) // 3 + 60
    kept = np.r_[0:start, end : len(clip)]
    cut = replace(clip, rotations=clip.rotations[kept], translations=clip.translations[kept])
    seam = measured(cut, start)
    assert seam["step"] > 5.0
    assert seam["acceleration"] > 5.0
    assert seams.composite(seam, slide) > np.max(natural)
