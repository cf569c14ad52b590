"""Filter, the verb: removed noise, kept motion, cycles that stay cycles, and its report."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import filtering
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import cycles, inheritance, kinematics, quat, root_motion
from action_loom.core.quality import contacts
from action_loom.core.verbs import Filter, Loop
from action_loom.core.verbs.filter import BANDS
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material, planted_spikes

pytestmark = pytest.mark.both_engines

OFF = Filter(spikes=False, cutoff=0.0)
ONLY = {"spikes": False, "keep_contacts": False}


def noisy(clip, seed=1, degrees=0.5, millimetres=2.0):
    """A clip with noise on all rotations, and on the places of joints that move."""
    rng = np.random.default_rng(seed)
    moving = (clip.translations != clip.translations[:1]).any(axis=(0, 2))
    shake = 1e-3 * millimetres * rng.normal(size=clip.translations.shape) * moving[:, None]
    rotations = planted_spikes.noisy(clip.rotations, rng, degrees)
    return replace(clip, name=f"{clip.name} noisy", rotations=rotations, translations=clip.translations + shake)


def error(clip, clean):
    """Root mean square over body roles of how far joints are from where they were, mm."""
    joints = sorted(clip.skeleton.roles.values())
    away = kinematics.world(clip)[1][:, joints] - kinematics.world(clean)[1][:, joints]
    return 1000.0 * float(np.sqrt((away**2).sum(axis=2).mean()))


def a_cycle():
    return verbs.apply(Loop(plant_feet=False), [actions.walk(60.0, 4)]).clip


def same(one, other, atol=0.0):
    assert_allclose(quat.same_side(one.rotations, other.rotations), other.rotations, atol=atol, rtol=0.0)
    assert_allclose(one.translations, other.translations, atol=atol, rtol=0.0)


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_02_01", "cmu_mb_08_01", "cmu_mb_35_22"])
def test_noise_is_taken_off_and_feet_stand(name):
    clean = material.captured(name)
    given = noisy(clean)
    made = verbs.apply(Filter(keep_contacts=False), [given]).clip
    assert error(made, clean) < 0.55 * error(given, clean)
    assert error(verbs.apply(Filter(spikes=False), [clean]).clip, clean) < 2.0
    planted = verbs.apply(Filter(keep_contacts=True), [given])
    stands, stood = contacts.detect(planted.clip), contacts.detect(clean)
    both = sum((stands[foot] & stood[foot]).sum() for foot in stood)
    assert both / sum((stands[foot] | stood[foot]).sum() for foot in stood) >= 0.9
    assert planted.report["quality"]["after"]["slide_cm_s"] < planted.report["quality"]["before"][0]["slide_cm_s"]
    assert planted.before is given


def test_nothing_asked_is_the_clip_to_the_bit_and_said():
    clip = actions.walk(60.0)
    made = verbs.apply(OFF, [clip])
    same(made.clip, clip)
    assert made.report["warnings"] == ["walk: nothing was asked for, and nothing else was taken off: it is as it was"]
    found = verbs.apply(Filter(cutoff=0.0), [clip])
    same(found.clip, clip)
    assert "no joint jumps away and back" in found.report["warnings"][0]
    assert found.report["filter"]["moved_cm"] == [0.0, 0.0]


def test_spikes_are_mended_named_and_the_rest_is_as_it_was():
    clip = actions.wave(60.0)
    joint = clip.skeleton.roles["head"]
    turns = clip.rotations.copy()
    turns[[20, 21, 50], joint] = quat.mul(turns[[20, 21, 50], joint], quat.about_axis("X", np.radians(30.0)))
    made = verbs.apply(Filter(cutoff=0.0), [replace(clip, rotations=turns)])
    (one,) = made.report["filter"]["spikes"]
    assert (one["joint"], one["frames"]) == (clip.skeleton.names[joint], [20, 21, 50])
    assert one["worst_degrees"] == pytest.approx(30.0, abs=1.0)
    untouched = np.ones(turns.shape[:2], dtype=bool)
    untouched[[20, 21, 50], joint] = False
    assert_array_equal(made.clip.rotations[untouched], turns[untouched])
    assert planted_spikes.degrees(made.clip.rotations, clip.rotations).max() < 1.0
    # Feet are where they were, so nobody plants them.
    assert made.report["plant"] is None


def test_toes_are_left_out_unless_asked_for():
    clip = actions.walk(60.0)
    toe = clip.skeleton.roles.get("toe.L", clip.skeleton.roles["foot.L"])
    given = material.turn_joint(clip, toe, quat.about_axis("X", np.radians(60.0)), frames=30)
    found = [
        [one["joint"] for one in verbs.apply(Filter(cutoff=0.0, toes=toes), [given]).report["filter"]["spikes"]]
        for toes in (False, True)
    ]
    assert "toe.L" in clip.skeleton.roles
    assert found == [[], [clip.skeleton.names[toe]]]


def test_gains_of_one_are_the_clip_and_of_none_leave_what_is_under_all_bands():
    clip = actions.walk(60.0)
    same(verbs.apply(replace(OFF, band_3=1.0), [clip]).clip, clip)
    recipe = replace(OFF, keep_contacts=False, **{f"band_{k}": 0.0 for k in range(1, BANDS + 1)})
    made = verbs.apply(recipe, [clip]).clip
    head = clip.skeleton.roles["upper_arm.L"]
    swings = [
        np.ptp(quat.log_about(quat.mean_of_frames(one.rotations), one.rotations)[:, head]) for one in (clip, made)
    ]
    assert swings[1] < 0.3 * swings[0]
    assert_allclose(root_motion.path_length(root_motion.ground_frames(made)[0]), 3.9, atol=2.0)


def test_gains_make_bands_stronger_and_the_way_stays():
    clip = actions.turn_left(60.0)
    made = verbs.apply(replace(OFF, keep_contacts=False, band_4=2.0), [clip])
    bands = [band["degrees"] for band in made.report["filter"]["bands"]]
    assert bands[3][1] > 1.3 * bands[3][0]
    assert bands[0][1] == pytest.approx(bands[0][0], rel=0.2)
    ways = [root_motion.ground_frames(one)[0] for one in (clip, made.clip)]
    assert np.abs(ways[1] - ways[0]).max() < 0.02


@pytest.mark.parametrize(
    "recipe", [Filter(), Filter(cutoff=3.0, **ONLY), Filter(band_3=2.0, band_5=0.5), Filter(spikes=False)]
)
def test_cycles_stay_closed_and_do_not_know_where_they_begin(recipe):
    clip = a_cycle()
    made = verbs.apply(recipe, [clip])
    assert made.report["filter"]["cycle"]
    assert made.clip.cyclic
    assert cycles.gap(made.clip) < 1e-6
    later = replace(cycles.sample(clip, np.arange(len(clip)) + 17.0), cyclic=True)
    if not recipe.keep_contacts:
        expected = cycles.sample(made.clip, np.arange(len(clip)) + 17.0)
        # The windows of measured filters have other starts, so the results are only nearly equal.
        same(verbs.apply(recipe, [later]).clip, expected, atol=1e-3 if recipe.cutoff < 0.0 else 1e-6)
    travel = [np.diff(root_motion.ground_frames(one)[0][[0, -1]], axis=0) for one in (clip, made.clip)]
    assert_allclose(travel[1], travel[0], atol=1e-6)


def test_spikes_at_the_seam_of_a_cycle_are_mended_at_both_ends():
    clip = a_cycle()
    turns, joint = clip.rotations.copy(), clip.skeleton.roles["head"]
    turns[[0, -1], joint] = quat.mul(turns[[0, -1], joint], quat.about_axis("X", np.radians(40.0)))
    made = verbs.apply(Filter(cutoff=0.0), [replace(clip, rotations=turns)])
    assert made.report["filter"]["spikes"][0]["frames"] == [0, len(clip) - 1]
    assert planted_spikes.degrees(made.clip.rotations, clip.rotations)[:, joint].max() < 2.0
    assert cycles.gap(made.clip) < 1e-6


def test_only_joints_that_are_named_change():
    clip = noisy(actions.walk(60.0))
    name = clip.skeleton.names[clip.skeleton.roles["hand.L"]]
    made = verbs.apply(Filter(joints=name, cutoff=4.0), [clip])
    others = [joint for joint in range(len(clip.skeleton)) if clip.skeleton.names[joint] != name]
    assert_array_equal(made.clip.rotations[:, others], clip.rotations[:, others])
    assert_array_equal(made.clip.translations, clip.translations)
    assert np.abs(made.clip.rotations - clip.rotations).max() > 1e-4
    with pytest.raises(OptionError, match="joints names 'tail'"):
        verbs.apply(Filter(joints="tail"), [clip])


def test_turned_moved_and_backwards_it_is_the_same():
    clip = noisy(actions.turn_left(60.0))
    made = verbs.apply(Filter(keep_contacts=False, band_3=1.5), [clip]).clip
    turn, shift = 0.7, np.array([3.0, -2.0])
    placed = verbs.apply(Filter(keep_contacts=False, band_3=1.5), [root_motion.place_clip(clip, turn, shift)]).clip
    same(placed, root_motion.place_clip(made, turn, shift), atol=1e-9)
    back = clip.take_frames(np.arange(len(clip))[::-1])
    same(
        verbs.apply(Filter(keep_contacts=False, cutoff=4.0), [back]).clip.take_frames(np.arange(len(clip))[::-1]),
        verbs.apply(Filter(keep_contacts=False, cutoff=4.0), [clip]).clip,
        atol=1e-5,
    )


def test_bodies_that_do_not_inherit_all_are_filtered_too():
    clip = noisy(actions.turn_left(60.0))
    count = len(clip.skeleton)
    every = np.ones(count, dtype=bool)
    free = every.copy()
    free[clip.skeleton.roles["head"]] = False
    rules = inheritance.Inheritance(rotation=free, scale=("FULL",) * count, location=every, space=quat.IDENTITY)
    given = replace(clip, skeleton=replace(clip.skeleton, inheritance=rules))
    same(verbs.apply(Filter(keep_contacts=False), [given]).clip, verbs.apply(Filter(keep_contacts=False), [clip]).clip)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6, 10])
def test_few_frames(frames):
    clip = noisy(actions.walk(30.0)).cut(0, frames)
    made = verbs.apply(Filter(band_2=2.0, band_7=0.0), [clip])
    assert np.isfinite(made.clip.rotations).all()
    if frames < filtering.FEWEST:
        same(made.clip, clip)
    assert any(
        "band_7 did nothing" in sentence or "band_2, band_7 did nothing" in sentence
        for sentence in made.report["warnings"]
    )


@pytest.mark.one_engine
def test_what_is_said():
    clip = actions.walk(24.0)
    reported = verbs.apply(Filter(cutoff=12.0, spikes=False), [clip]).report["warnings"]
    assert reported[0] == (
        "walk: a cutoff of 12 Hz takes nothing off: 24 frames a second hold nothing faster than 12 Hz"
    )
    short = verbs.apply(Filter(cutoff=2.0, keep_contacts=False), [clip.cut(0, 10)]).report["warnings"]
    assert "less than one wave of 2 Hz" in short[0]
    with pytest.raises(ClipError, match="Filter takes 1 clip; 2 given"):
        verbs.apply(Filter(), [clip, clip])
    swung = verbs.apply(replace(OFF, band_4=3.0, band_5=3.0, keep_contacts=True), [actions.walk(60.0)]).report[
        "warnings"
    ]
    assert "not planted" in swung[0]


@pytest.mark.one_engine
def test_a_pose_that_the_take_jumps_from_is_not_smeared_into_it():
    clip = noisy(actions.walk(60.0), millimetres=0.0)
    turns = np.concatenate([np.broadcast_to(quat.IDENTITY, clip.rotations[:1].shape), clip.rotations])
    first = replace(clip, rotations=turns, translations=clip.translations[[0, *range(len(clip))]])
    made = verbs.apply(Filter(), [first])
    assert made.report["filter"]["left_frames"] == [1, 0]
    assert_array_equal(made.clip.rotations[0], first.rotations[0])
    assert_allclose(made.clip.rotations[1:], verbs.apply(Filter(), [clip]).clip.rotations, atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("every", [2, 5])
def test_a_clean_clip_moves_little_and_the_same_with_noise_on_its_feet_does_not(every):
    clean = material.captured("cmu_mb_12_01").decimate(every)
    made = verbs.apply(Filter(spikes=False), [clean]).clip
    away = np.linalg.norm(kinematics.points(made) - kinematics.points(clean), axis=2)
    assert away.max() < 0.005
    rng, turns = np.random.default_rng(1), clean.rotations.copy()
    for side in "LR":
        for part, degrees in (("thigh", 1.0), ("shin", 1.0), ("foot", 2.0)):
            joint = clean.skeleton.roles[f"{part}.{side}"]
            turns[:, joint] = planted_spikes.noisy(turns[:, joint], rng, degrees)
    shaken = replace(clean, rotations=turns)
    smooth = verbs.apply(Filter(spikes=False), [shaken]).clip
    assert error(smooth, clean) < (0.6 if every == 2 else 0.8) * error(shaken, clean)


@pytest.mark.one_engine
def test_a_spike_near_an_end_is_no_pose_that_the_clip_jumps_from():
    clip = actions.walk(120.0)
    joint = clip.skeleton.roles["upper_arm.L"]
    done = verbs.apply(
        Filter(cutoff=0.0, longest_spike=3),
        [material.turn_joint(clip, joint, quat.about_axis("X", np.radians(60.0)), frames=slice(5, 7))],
    ).filtered
    assert done.left == (0, 0)
    assert planted_spikes.degrees(done.mended.rotations, clip.rotations).max() < 1.0
