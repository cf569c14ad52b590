"""Blending: invariances, results between the sources, and quality on captured clips."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.motion import kinematics, quat, retarget, root_motion
from action_loom.core.motion.clip import Channel, Clip
from action_loom.core.quality import quality
from action_loom.core.sync.registration_curve import Registration, RegistrationCurve
from action_loom.core.verbs import Blend, Synchronise
from action_loom.core.verbs.blend.weights import BlendWeights
from action_loom.core.verbs.blend.work import again, output_frames
from numpy.testing import assert_allclose
from oracles.material import captured

pytestmark = pytest.mark.both_engines


def naive(a, b):
    """The baseline: frame by frame up to the shorter clip's end; root places averaged in the world."""
    b, count = retarget.onto(b, a.skeleton), min(len(a), len(b))
    half = np.array([0.5, 0.5])[:, None, None]
    rotations = quat.mean([a.rotations[:count], b.rotations[:count]], half)
    return Clip("naive", a.skeleton, a.rate, rotations, 0.5 * (a.translations[:count] + b.translations[:count]))


def hips(clip):
    return kinematics.points(clip)[:, root_motion.travelling_joint(clip.skeleton)]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_07_01", "cmu_mb_05_03"])
def test_a_clip_with_its_own_turned_copy_blends_back_to_itself(name):
    clip = captured(name)
    turned = root_motion.place_clip(clip, 2.1, np.array([3.0, -2.0]))
    woven = verbs.apply(Blend(), [clip, turned]).clip
    assert len(woven) == len(clip)
    assert_allclose(kinematics.points(woven), kinematics.points(clip), rtol=0.0, atol=1e-9)


@pytest.mark.shared
def test_all_weight_on_the_reference_with_pinned_ends_returns_it():
    clip, other = captured("cmu_mb_07_01"), captured("cmu_mb_16_15")
    woven = verbs.apply(Blend(weights=(1.0, 0.0), ends="pinned"), [clip, other]).clip
    assert len(woven) == len(clip)
    assert_allclose(kinematics.points(woven), kinematics.points(clip), rtol=0.0, atol=1e-9)
    assert_allclose(woven.rotations, quat.same_side(clip.rotations, woven.rotations), rtol=0.0, atol=1e-9)


@pytest.mark.shared
def test_a_left_and_a_right_turn_go_straight_on():
    sources = [captured("cmu_asf_16_17"), captured("cmu_asf_16_19")]
    woven = verbs.apply(Blend(), sources)
    before = [one["path_m"] for one in woven.report["quality"]["before"]]
    after = woven.report["quality"]["after"]
    assert abs(after["turn_degrees"]) < 5.0
    assert after["path_m"] == pytest.approx(np.mean(before), rel=0.03)


BLENDS = [
    ("mb_07_01", "mb_16_15"),
    ("mb_07_01", "mb_08_01"),
    ("mb_12_01", "mb_35_01"),
    ("asf_16_17", "asf_16_19"),
    ("mb_35_17", "mb_35_22"),
]


@pytest.mark.shared
@pytest.mark.parametrize(("a", "b"), BLENDS)
def test_feet_slide_no_more_than_the_worse_source_and_stand_as_long(a, b):
    sources = [captured(f"cmu_{a}"), captured(f"cmu_{b}")]
    report = verbs.apply(Blend(), sources).report["quality"]
    slides = [one["slide_cm_s"] for one in report["before"]]
    shares = [one["contact_share"] for one in report["before"]]
    assert report["after"]["slide_cm_s"] <= max(slides) + 0.5
    assert report["after"]["contact_share"] >= 0.8 * np.mean(shares)
    baseline = quality.measure(naive(*sources))
    assert report["after"]["slide_cm_s"] < baseline["slide_cm_s"]
    assert report["after"]["contact_share"] > baseline["contact_share"]


@pytest.mark.shared
def test_weights_over_time_lead_from_one_clip_to_the_other():
    a, b = captured("cmu_mb_07_01"), captured("cmu_mb_08_01")
    woven = verbs.apply(Blend(weight_keys=((0.0, 1.0, 0.0), (1.0, 0.0, 1.0)), plant_feet=False), [a, b])
    one, other = (
        verbs.apply(Blend(weights=weights, timing="reference"), [a, b]).clip for weights in ((1.0, 0.0), (0.0, 1.0))
    )
    assert_allclose(woven.clip.rotations[0], quat.same_side(one.rotations[0], woven.clip.rotations[0]), atol=1e-6)
    last = woven.clip.rotations[-1, 1:]
    assert_allclose(last, quat.same_side(other.rotations[-1, 1:], last), atol=1e-6)
    assert woven.report["weight_keys"] == [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    assert woven.clip.name == "cmu_mb_07_01 + cmu_mb_08_01 100:0 to 0:100"
    # The duration is between the sources' durations, and the acceleration at most a tenth above theirs.
    seconds = sorted(figures["seconds"] for figures in woven.report["quality"]["before"])
    assert seconds[0] - 0.02 <= woven.clip.seconds <= seconds[1] + 0.02
    before = [figures["acceleration_m_s2"] for figures in woven.report["quality"]["before"]]
    assert woven.report["quality"]["after"]["acceleration_m_s2"] <= 1.1 * max(before)


def test_equal_keys_are_the_same_as_weights():
    walk, sneak = actions.walk(), actions.sneak()
    one = verbs.apply(Blend(weights=(1, 3)), [walk, sneak]).clip
    other = verbs.apply(Blend(weight_keys=((0, 1, 3), (1, 2, 6))), [walk, sneak]).clip
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-12)


def test_discrete_channels_follow_the_heaviest_clip_as_weights_change():
    walk = actions.walk()
    sources = [
        replace(walk, name=name, channels={"prop": Channel(np.full(len(walk), value), discrete=True)})
        for name, value in (("empty-handed", 0.0), ("armed", 1.0))
    ]
    woven = verbs.apply(Blend(weight_keys=((0, 1, 0), (1, 0, 1))), sources).clip
    values = woven.channels["prop"].values
    assert (values[0], values[-1]) == (0.0, 1.0)
    assert np.abs(np.diff(values)).sum() == 1.0  # it changes hands once, half-way
    assert abs(np.argmax(values) - 0.5 * len(walk)) <= 2


@pytest.mark.shared
def test_the_mirrored_order_of_clips_gives_the_same_motion():
    a, b, c = (captured(f"cmu_mb_{take}") for take in ("07_01", "08_01", "02_01"))
    one = verbs.apply(Blend(weights=(1, 2, 3), reference="1"), [a, b, c]).clip
    other = verbs.apply(Blend(weights=(3, 1, 2), reference="2"), [c, a, b]).clip
    assert len(one) == len(other)
    assert_allclose(kinematics.points(one), kinematics.points(other), rtol=0.0, atol=1e-6)


@pytest.mark.shared
@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_duration_lies_between_the_sources_by_the_weights(share):
    woven = verbs.apply(Blend(weights=(1.0 - share, share)), [captured("cmu_mb_35_03"), captured("cmu_mb_10_04")])
    one = woven.report["registration"][0]
    rate = woven.clip.rate
    mine = (one["reference_frame"][-1] - one["reference_frame"][0]) / rate
    theirs = (one["frame"][-1] - one["frame"][0]) / rate
    assert woven.clip.seconds == pytest.approx((1.0 - share) * mine + share * theirs, abs=0.51 / rate)


def test_the_reference_sets_timing_place_and_facing():
    walk = root_motion.place_clip(actions.walk(), 0.7, np.array([4.0, 5.0]))
    sneak = root_motion.place_clip(actions.sneak(), -2.0, np.array([-3.0, 1.0]))
    woven = verbs.apply(Blend(timing="reference", ends="pinned", plant_feet=False), [walk, sneak]).clip
    assert len(woven) == len(walk)
    assert_allclose(hips(woven)[0, :2], hips(walk)[0, :2], atol=1e-9)
    turn = root_motion.heading(woven)[0] - root_motion.heading(walk)[0]
    assert abs(turn) < np.radians(10.0)  # the pelvis of a blend is not exactly the reference's
    other = verbs.apply(Blend(timing="reference", ends="pinned", reference="2", plant_feet=False), [walk, sneak]).clip
    assert len(other) == len(sneak)
    assert_allclose(hips(other)[0, :2], hips(sneak)[0, :2], atol=1e-9)


def test_signs_of_quaternions_do_not_matter():
    walk, sneak = actions.walk(), actions.sneak()
    flips = np.where(np.random.default_rng(0).random(sneak.rotations.shape[:2]) < 0.5, -1.0, 1.0)[..., None]
    flipped = replace(sneak, rotations=sneak.rotations * flips)
    one, other = verbs.apply(Blend(), [walk, sneak]).clip, verbs.apply(Blend(), [walk, flipped]).clip
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-9)


def test_clips_of_another_rate_are_put_on_seconds_first():
    fine = verbs.apply(Blend(), [actions.walk(rate=60.0), actions.sneak(rate=60.0)]).clip
    mixed = verbs.apply(Blend(), [actions.walk(rate=60.0), actions.sneak(rate=30.0)]).clip
    assert mixed.rate == 60.0
    assert mixed.seconds == pytest.approx(fine.seconds, abs=0.1)


@pytest.mark.parametrize("ends", ["auto", "open"])
def test_a_blend_with_other_weights_is_the_same_whether_measured_or_not(ends):
    clips = [actions.walk(60.0, 4), actions.sneak(60.0)]
    made = verbs.apply(Blend(ends=ends, weights=(0.5, 0.5)), clips)
    for weights in ((0.2, 0.8), (1.0, 0.0)):
        measured = verbs.apply(Blend(ends=ends, weights=weights), clips)
        quick = again(made, Blend(ends=ends, weights=weights))
        assert np.array_equal(quick.clip.rotations, measured.clip.rotations)
        assert np.array_equal(quick.clip.translations, measured.clip.translations)
        assert np.array_equal(quick.weights, measured.weights)
        assert quick.report is made.report


def test_what_cannot_be_woven_is_refused_by_name():
    walk = actions.walk()
    with pytest.raises(ClipError, match="2 or more clips; 1 given"):
        verbs.apply(Blend(), [walk])
    with pytest.raises(OptionError, match="weights has 3 values, but takes 2"):
        verbs.apply(Blend(weights=(1, 2, 3)), [walk, walk])
    with pytest.raises(OptionError, match="All weights are zero"):
        verbs.apply(Blend(weights=(0, 0)), [walk, walk])
    body = walk.skeleton
    renamed = replace(body, names=("Stone", *body.names[1:]), roles={"head": body.index("head")})
    stranger = replace(walk, name="stranger", skeleton=renamed)
    with pytest.raises(SkeletonError, match=r"stranger: its joints differ.*has 'Stone'.*lacks 'hips'"):
        verbs.apply(Blend(), [walk, stranger])


def test_synchronising_retimes_one_clip_to_the_other():
    walk, sneak = actions.walk(), actions.sneak()
    woven = verbs.apply(Synchronise(ends="pinned"), [walk, sneak])
    assert len(woven.clip) == len(walk)
    assert woven.clip.name == "sneak in time with walk"
    assert_allclose(kinematics.points(woven.clip)[[0, -1]], kinematics.points(sneak)[[0, -1]], atol=1e-9)
    with pytest.raises(ClipError, match="takes 2 clips; 3 given"):
        verbs.apply(Synchronise(), [walk, sneak, walk])


@pytest.mark.parametrize(("frames", "count"), [(10.5, 10), (11.5, 12)])
def test_half_a_frame_is_rounded_alike_whatever_the_last_digits_of_a_sum_say(frames, count):
    def length(end):
        grid = np.arange(21.0)
        curves = [
            RegistrationCurve(0, one, "motion", "pinned", 0.0, 3, 0.0, np.zeros((1, 2), int), None)
            for one in (grid, np.linspace(0.0, end, 21))
        ]
        weights = BlendWeights(np.zeros(1), np.array([[0.0, 1.0]]))
        return len(output_frames(Registration(0, tuple(curves)), weights, "blended")) - 1

    assert {length(frames + off) for off in (-1e-9, -1e-12, 0.0, 1e-12, 1e-9)} == {count}
    assert length(frames - 0.01) == round(frames - 0.01)
    assert length(frames + 0.01) == round(frames + 0.01)
