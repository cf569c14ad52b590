"""Splices: unchanged legs, the motion of the trunk, the time of the action, and errors."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError, RegistrationError, SkeletonError
from action_loom.core.motion import cycles, kinematics, quat, resample, retarget, root_motion
from action_loom.core.motion.clip import Channel
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.quality import trunk_swing
from action_loom.core.verbs import Loop, Splice
from action_loom.core.weave.splice import mask
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines

# Boxing, waving, punches and lifts, on walks and a run whose own chests swing against the pelvis.
CASES = [("daz_07_01", "daz_13_18"), ("daz_07_01", "daz_13_26"), ("mb_16_15", "mb_02_05"), ("mb_02_03", "mb_02_06")]
METHODS = ["gaussian", "heck", "copy", "additive"]
MOVED = 1.1, np.array([3.0, -2.0])


def pair(names):
    return [captured(f"cmu_{name}") for name in names]


@cache
def woven(names, method):
    return verbs.apply(Splice(method=method), pair(names))


def apart(one, other):
    """Root mean square and largest distance of the points of two clips, cm."""
    far = 100.0 * np.linalg.norm(kinematics.points(one) - kinematics.points(other), axis=2)
    return float(np.sqrt((far**2).mean())), float(far.max())


def turned(clip):
    return root_motion.place_clip(clip, *MOVED)


@pytest.mark.shared
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("names", [*CASES, ("daz_09_01", "daz_13_18"), ("mb_35_03", "mb_07_01")])
def test_root_hips_and_legs_are_the_locomotions_to_the_bit(names, method):
    locomotion, made = pair(names)[0], woven(names, method).clip
    upper = mask.upper_body(locomotion.skeleton)
    lower = np.setdiff1d(np.arange(len(locomotion.skeleton)), upper.joints)
    assert {"thigh.L", "shin.R", "foot.R", "hips"} <= {
        role for role, joint in locomotion.skeleton.roles.items() if joint in lower
    }
    assert_array_equal(made.rotations[:, lower], locomotion.rotations[:, lower])
    assert_array_equal(made.translations, locomotion.translations)
    assert len(made) == len(locomotion)


@pytest.mark.shared
def test_the_chest_swings_against_the_pelvis_and_a_copied_one_with_it():
    found = {
        method: [woven(names, method).report["splice"]["swing"]["result"] for names in CASES] for method in METHODS[:3]
    }
    assert np.mean(found["gaussian"]) < -0.6
    assert np.mean(found["heck"]) < -0.6
    assert np.mean(found["copy"]) > 0.3
    for k, names in enumerate(CASES):
        own = trunk_swing.counter(captured(f"cmu_{names[0]}"))
        assert abs(found["gaussian"][k] - own) < 0.1
        assert abs(found["heck"][k] - own) < 0.15


@pytest.mark.shared
def test_a_chest_that_swings_with_its_pelvis_goes_on_doing_so():
    reported = verbs.apply(Splice(), pair(("daz_09_01", "daz_13_26"))).report["splice"]["swing"]
    assert abs(reported["result"] - reported["locomotion"]) < 0.1
    assert reported["locomotion"] > 0.3


@pytest.mark.shared
@pytest.mark.parametrize("names", CASES)
def test_arms_are_the_actions(names):
    locomotion, action = pair(names)
    made = verbs.apply(Splice(method="gaussian", keep_hands="off"), [locomotion, action])
    theirs = retarget.onto(action, locomotion.skeleton)
    arms = [locomotion.skeleton.roles[f"{role}.{side}"] for role in ("upper_arm", "forearm", "hand") for side in "LR"]
    assert_allclose(made.clip.rotations[:, arms], theirs.rotations[: len(made.clip)][:, arms], atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("names", CASES)
def test_the_result_is_no_rougher_than_what_it_is_made_of(names):
    report = woven(names, "gaussian").report["quality"]
    before, after = report["before"], report["after"]
    assert after["acceleration_m_s2"] <= 1.3 * max(one["acceleration_m_s2"] for one in before)
    assert (after["slide_cm_s"], after["contact_share"]) == (before[0]["slide_cm_s"], before[0]["contact_share"])


@pytest.mark.shared
@pytest.mark.parametrize("method", METHODS[:3])
@pytest.mark.parametrize("name", ["mb_02_01", "mb_35_17"])
def test_a_walks_own_upper_body_turned_and_moved_returns_the_walk(name, method):
    walk = captured(f"cmu_{name}")
    for timing in ("own", "auto"):
        assert apart(verbs.apply(Splice(method=method, timing=timing), [walk, turned(walk)]).clip, walk)[1] < 0.01


@pytest.mark.shared
@pytest.mark.parametrize("method", ["gaussian", "heck", "copy"])
@pytest.mark.parametrize("name", ["mb_16_15", "mb_26_01"])
def test_a_re_timed_walk_is_found_in_its_step_again(name, method):
    walk = captured(f"cmu_{name}")
    count = round(1.2 * (len(walk) - 1)) + 1
    wobble = 6.0 * np.sin(np.linspace(0.0, 4.0 * np.pi, count))
    frames = np.clip(np.linspace(0.0, len(walk) - 1.0, count) + wobble, 0.0, len(walk) - 1.0)
    made = verbs.apply(Splice(method=method), [walk, resample.sample(turned(walk), frames)])
    reported = made.report["splice"]
    assert reported["timing"] == "sync"
    off = np.interp(reported["action_frame"], np.arange(count), frames) - np.arange(len(walk))
    assert np.median(np.abs(off)) < 0.5
    squares, largest = apart(made.clip, walk)
    assert squares <= 0.2
    assert largest <= 1.0


@pytest.mark.shared
@pytest.mark.parametrize(
    ("names", "kind"),
    [
        *((names, "own") for names in CASES),
        (("mb_35_01", "mb_12_01"), "sync"),
        (("mb_35_03", "mb_07_01"), "sync"),
        (("mb_02_01", "mb_08_07"), "sync"),  # walks of different style: the distance of their legs is 15 cm
        (("mb_35_01", "mb_26_01"), "sync"),
        (("daz_02_01", "daz_09_12"), "sync"),
        (("mb_05_01", "mb_35_17"), "own"),
    ],
)
def test_gaits_are_played_in_step_and_standing_actions_at_their_own_speed(names, kind):
    reported = woven(names, "gaussian").report["splice"]
    assert reported["timing"] == kind
    assert (reported["likeness"] >= 0.5) == (kind == "sync")
    assert f"the legs' likeness is {reported['likeness']:.2f}" in reported["why"]
    if kind == "own" and not reported["repeated"]:
        assert_allclose(np.diff(reported["action_frame"]), 1.0, atol=2e-3)


@pytest.mark.shared
@pytest.mark.parametrize("names", [("mb_02_05", "mb_02_06"), ("mb_02_06", "mb_02_05")])
def test_on_a_body_that_stands_an_action_keeps_its_own_time(names):
    """Two boxers on the spot: legs that stand are near each other at any time."""
    made = woven(names, "gaussian")
    reported = made.report["splice"]
    assert reported["timing"] == "own"
    assert "takes no step to be in step with" in reported["why"]
    quickest = []
    for clip in (made.clip, captured(f"cmu_{names[1]}")):
        hands = kinematics.points(clip)[:, [clip.skeleton.roles[f"hand.{side}"] for side in "LR"]]
        quickest.append(np.linalg.norm(np.diff(hands, axis=0), axis=2).max())
    assert quickest[0] < 1.6 * quickest[1]  # the body under them moves, too; in step it was 1.7 and 2.7


@pytest.mark.shared
def test_legs_that_move_otherwise_but_are_as_near_are_in_step_too():
    """One clip dawdles and turns, so that its legs do not always move like a walk's."""
    made = woven(("mb_26_01", "mb_35_01"), "gaussian")
    reported = made.report["splice"]
    assert reported["timing"] == "sync"
    assert "likeness is 0.47, and they are 8 cm apart, no more than 10" in reported["why"]
    assert not any("hardly alike" in message for message in made.report["warnings"])


@pytest.mark.parametrize("method", ["gaussian", "heck"])
def test_a_known_rotation_of_the_pelvis_joint_is_recovered(method):
    walk = actions.walk(60.0)
    spine = walk.skeleton.roles["spine"]
    known = quat.exp(np.array([0.2, -0.35, 0.5]))
    bent = walk.rotations.copy()
    bent[:, spine] = quat.mul(bent[:, spine], known)
    made = verbs.apply(Splice(method=method, timing="own"), [walk, turned(replace(walk, rotations=bent))])
    if method == "heck":  # the mean is the action's posture, and stays
        assert_allclose(np.abs(made.clip.rotations[:, spine]), np.abs(bent[:, spine]), atol=1e-9)
        return
    off = quat.log(quat.mul(made.corrections, known))
    assert np.abs(off).max() < 1e-9
    assert apart(made.clip, walk)[1] < 1e-6


@pytest.mark.parametrize("scaled", [False, True])
def test_bones_that_do_not_turn_with_their_parents_and_scaled_ones_are_spliced_too(scaled):
    walk = actions.walk(60.0)
    count, spine = len(walk.skeleton), walk.skeleton.roles["spine"]
    turning = np.arange(count) != spine
    loose = Inheritance(turning, ("FULL",) * count, np.ones(count, dtype=bool), quat.IDENTITY)
    size = np.full(walk.translations.shape, 1.1) if scaled else None
    walk = replace(walk, skeleton=replace(walk.skeleton, inheritance=loose, roles=walk.skeleton.roles), scales=size)
    known = quat.exp(np.array([0.2, -0.35, 0.5]))
    made = verbs.apply(Splice(timing="own"), [walk, material.turn_joint(walk, spine, known)])
    assert apart(made.clip, walk)[1] < 1e-6


def test_posture_is_kept_by_its_share():
    walk, box = actions.walk(60.0, 3), actions.carry(60.0, 3)
    leans = []
    for posture in (0.0, 0.25, 0.5, 0.75, 1.0):
        made = verbs.apply(Splice(posture=posture, smoothing=0.0, timing="own"), [walk, box])
        leans.append(np.linalg.norm(quat.log(quat.mean_of_frames(made.corrections[:, None]))))
    assert_allclose(leans, leans[0] * np.array([1.0, 0.75, 0.5, 0.25, 0.0]), atol=2e-3)
    assert leans[0] > 0.1
    heck = verbs.apply(Splice(method="heck", timing="own"), [walk, box]).clip
    assert_allclose(heck.rotations, made.clip.rotations, atol=1e-12)


def test_a_wider_window_lets_more_of_the_actions_own_turning_through():
    walk, box = actions.walk(60.0, 3), actions.run(60.0, 5)
    kept = []
    for smoothing in (0.0, 0.05, 0.125):
        made = verbs.apply(Splice(smoothing=smoothing, timing="own"), [walk, box])
        chests = [trunk_swing.yaws(clip)[1] for clip in (made.clip, made.action)]
        kept.append(np.corrcoef(*chests)[0, 1])
    assert kept[0] < kept[1] < kept[2]


def test_additive_on_someone_who_stands_still_is_the_action_as_seen_from_ahead():
    stand, wave = actions.wave().cut(0, 1), turned(actions.wave())
    still = resample.sample(stand, np.zeros(len(wave)))
    made = verbs.apply(Splice(method="additive", timing="own"), [still, wave])
    assert_allclose(made.corrections[:, 0], 1.0, atol=1e-12)
    chest = wave.skeleton.roles["chest"]
    here, there = (kinematics.world(clip)[0][:, chest] for clip in (made.clip, wave))
    # But for where each faces, which is read off their hips, both chests are turned alike.
    tilts = [quat.mul(quat.about_axis("Z", -quat.yaw(q)), q) for q in (here, there)]
    assert_allclose(np.abs((tilts[0] * tilts[1]).sum(axis=1)), 1.0, atol=1e-3)


def test_strength_goes_from_the_locomotion_to_the_action():
    walk, wave = actions.walk(cycles=3), actions.wave()
    none, half, all_of_it = (verbs.apply(Splice(strength=s), [walk, wave]).clip for s in (0.0, 0.5, 1.0))
    assert_array_equal(none.rotations, walk.rotations)
    made = [quat.mul(quat.inv(walk.rotations), clip.rotations) for clip in (half, all_of_it)]
    ways = [np.linalg.norm(quat.log(turns), axis=2) for turns in made]
    assert_allclose(ways[0], 0.5 * ways[1], atol=1e-9)
    assert ways[1].max() > 1.0


@pytest.mark.parametrize("method", METHODS)
def test_it_does_not_matter_where_clips_stand_and_face(method):
    walk, wave = actions.walk(cycles=3), actions.wave()
    recipe = Splice(method=method)
    plain = verbs.apply(recipe, [walk, wave]).clip
    assert_allclose(verbs.apply(recipe, [walk, turned(wave)]).clip.rotations, plain.rotations, atol=1e-9)
    moved = verbs.apply(recipe, [turned(walk), wave]).clip
    assert_allclose(kinematics.points(moved), kinematics.points(turned(plain)), atol=1e-9)


def test_it_hardly_matters_at_what_rate_the_action_comes():
    walk = actions.walk(60.0, 3)
    plain, other = (verbs.apply(Splice(), [walk, actions.wave(rate)]) for rate in (60.0, 120.0))
    assert apart(plain.clip, other.clip)[1] < 0.2
    assert_allclose(other.report["splice"]["action_frame"], 2.0 * np.array(plain.report["splice"]["action_frame"]))


def test_an_action_of_another_body_is_brought_onto_the_locomotions():
    walk, theirs = material.walk(2.0), material.walk(2.0, skeleton=material.figure(1.2))
    made = verbs.apply(Splice(), [walk, theirs])
    assert made.clip.skeleton is walk.skeleton
    assert apart(made.clip, walk)[1] < 0.1


def test_a_short_action_is_repeated_or_held():
    walk, wave = actions.walk(cycles=6), actions.wave()
    repeated, held = (verbs.apply(Splice(if_shorter=way), [walk, wave]) for way in ("repeat", "hold"))
    frames = np.array(repeated.report["splice"]["action_frame"])
    assert repeated.report["splice"]["repeated"] == len(wave) - 1
    assert_allclose(frames, np.arange(len(walk)) % (len(wave) - 1))
    assert repeated.report["warnings"] == []
    turning = quat.log(quat.mul(quat.inv(repeated.clip.rotations[:-1]), repeated.clip.rotations[1:]))
    largest = np.linalg.norm(turning[:, mask.upper_body(walk.skeleton).joints], axis=2).max(axis=1)
    assert largest[len(wave) - 3 : len(wave) + 3].max() <= 0.5 * largest.max()
    late = np.array(held.report["splice"]["action_frame"])[len(wave) :]
    assert_array_equal(late, len(wave) - 1)
    assert held.report["warnings"] == [f"wave is shorter than walk: it is held for {len(late)} of {len(walk)} frames"]


def test_the_end_of_a_longer_action_that_is_not_played_is_told():
    walk, wave = actions.walk(cycles=1), actions.wave()
    left = (len(wave) - len(walk)) / walk.rate
    warnings = verbs.apply(Splice(timing="own"), [walk, wave]).report["warnings"]
    assert f"wave is longer than walk: its last {left:.1f} s are not played" in warnings


def test_a_short_gait_goes_round_its_cycles_in_step():
    walk, carry = actions.walk(cycles=6), actions.carry(cycles=2)
    reported = verbs.apply(Splice(), [walk, carry]).report
    assert reported["splice"]["timing"] == "sync"
    assert reported["splice"]["repeated"] in (35, 70)
    steps = np.diff(reported["splice"]["action_frame"])
    assert ((steps < 0.0) <= (steps < -30.0)).all()
    registered = reported["registration"][0]
    assert registered["joints"] == "lower"
    assert len(registered["frame"]) == len(walk)
    assert 0.5 < registered["slope_min"] <= registered["slope_max"] < 2.0


def test_the_action_is_played_from_where_it_is_asked_to_be():
    walk, wave = actions.walk(cycles=2), actions.wave()
    reported = verbs.apply(Splice(start=30), [walk, wave]).report["splice"]
    assert_allclose(reported["action_frame"], 30.0 + np.arange(len(walk)))
    with pytest.raises(OptionError, match="wave has no frame 109: its frames are 0 to 108"):
        verbs.apply(Splice(start=109), [walk, wave])


def test_a_single_pose_is_held_all_the_way():
    walk, pose = actions.walk(cycles=2), actions.carry().cut(20, 21)
    made = verbs.apply(Splice(), [walk, pose])
    hands = [walk.skeleton.roles[role] for role in ("forearm.L", "hand.R")]
    assert_allclose(made.clip.rotations[:, hands], np.repeat(pose.rotations[:, hands], len(walk), axis=0))
    assert made.report["splice"]["why"] == "it is a single pose"
    assert made.report["splice"]["swing"]["result"] < -0.9


def test_a_standing_action_can_be_forced_into_step_and_that_is_warned_of():
    made = verbs.apply(Splice(timing="sync"), [actions.walk(cycles=3), actions.wave()])
    assert made.report["splice"]["timing"] == "sync"
    assert any("The legs of wave and walk are hardly alike" in message for message in made.report["warnings"])
    own = verbs.apply(Splice(timing="own"), [actions.walk(cycles=3), actions.carry(cycles=3)]).report["splice"]
    assert (own["timing"], own["likeness"]) == ("own", None)


def test_two_cycles_make_a_cycle():
    walk, carry = (verbs.apply(Loop(), [clip]).clip for clip in (actions.walk(), actions.carry()))
    made = verbs.apply(Splice(), [walk, carry])
    assert made.clip.cyclic
    assert cycles.gap(made.clip) < 1e-9
    upper = mask.upper_body(walk.skeleton).joints
    several = quat.continuous(cycles.unroll_cycle(made.clip, 1, 1).rotations[:, upper])
    change, seam = np.linalg.norm(np.diff(several, n=2, axis=0), axis=(1, 2)), len(made.clip) - 1
    inside = change[seam + 2 : 2 * seam - 3]
    assert change[seam - 3 : seam + 2].max() <= 1.1 * inside.max()
    # A locomotion whose ends meet is a cycle, declared or not; any gesture ends as it began.
    assert verbs.apply(Splice(), [replace(walk, cyclic=False), carry]).clip.cyclic
    assert not verbs.apply(Splice(), [walk, replace(carry, cyclic=False)]).clip.cyclic


def test_a_cycle_with_an_action_that_is_none_is_no_cycle_and_says_so():
    made = verbs.apply(Splice(), [verbs.apply(Loop(repeat=2), [actions.walk()]).clip, actions.wave()])
    assert not made.clip.cyclic
    assert any("walk loop repeats, but not with wave on it" in message for message in made.report["warnings"])


def test_channels_go_with_the_half_of_the_body_that_they_name():
    walk, wave = actions.walk(cycles=2), actions.wave()
    ones, names = np.ones(len(walk)), ('bones["hand.R"].grip', 'bones["foot.L"].ik', "height")
    walk = replace(walk, channels={name: Channel(ones) for name in (*names, "only the walk's")})
    waving = {name: Channel(np.full(len(wave), 3.0)) for name in names}
    steps = Channel((np.arange(len(wave)) > 40).astype(float), discrete=True)
    wave = replace(wave, channels={**waving, "smile": steps})
    made = verbs.apply(Splice(strength=0.5), [walk, wave]).clip.channels
    assert {name: float(channel.values[0]) for name, channel in made.items() if name != "smile"} == {
        'bones["hand.R"].grip': 2.0,
        'bones["foot.L"].ik': 1.0,
        "height": 1.0,
        "only the walk's": 1.0,
    }
    assert_array_equal(made["smile"].values, steps.values[: len(walk)])
    assert made["smile"].discrete


def test_what_is_of_the_upper_body_can_be_edited():
    walk, wave = actions.walk(cycles=2), actions.wave()
    arm = verbs.apply(Splice(upper="clavicle.R", timing="own"), [walk, wave])
    body = walk.skeleton
    changed = {body.names[j] for j in np.flatnonzero((arm.clip.rotations != walk.rotations).any(axis=(0, 2)))}
    assert changed == {"clavicle.R", "upper_arm.R", "forearm.R", "hand.R"}
    assert any("are not in the upper body" in message for message in arm.report["warnings"])
    assert arm.report["splice"]["method"] == "copy"
    chest = verbs.apply(Splice(upper="chest", timing="own"), [walk, wave])
    assert chest.report["splice"]["pelvis"] == "chest"
    assert_array_equal(chest.clip.rotations[:, body.roles["spine"]], walk.rotations[:, body.roles["spine"]])


def test_what_cannot_be_spliced_is_refused():
    walk, wave = actions.walk(), actions.wave()
    with pytest.raises(ClipError, match="takes 2 or more clips; 1 given"):
        verbs.apply(Splice(), [walk])
    limbless = replace(walk.skeleton, roles={role: j for role, j in walk.skeleton.roles.items() if "arm" not in role})
    with pytest.raises(SkeletonError, match="no joint plays the part of upper_arm.L, upper_arm.R"):
        verbs.apply(Splice(), [replace(walk, skeleton=limbless), wave])
    legless = replace(walk.skeleton, roles={role: j for role, j in walk.skeleton.roles.items() if "thigh" not in role})
    with pytest.raises(RegistrationError, match="wave can't be played in step with walk: .*the legs of this body"):
        verbs.apply(Splice(timing="sync"), [replace(walk, skeleton=legless), wave])
    reported = verbs.apply(Splice(), [replace(walk, skeleton=legless), wave]).report["splice"]
    assert reported["timing"] == "own"
    assert "the legs can't be compared" in reported["why"]
    with pytest.raises(ClipError, match="wave has 0.20 s to play, and repeating takes 0.3: hold it"):
        verbs.apply(Splice(start=102), [walk, wave])
    assert verbs.apply(Splice(start=102, if_shorter="hold"), [walk, wave]).report["warnings"]


@pytest.mark.parametrize("timing", ["auto", "own", "sync"])
def test_an_action_can_be_played_from_its_last_frame_at_any_rate(timing):
    # At 40 frames a second the last of these frames lies beyond the last that there is.
    locomotion, action = resample.to_rate(actions.walk(30.0, 3), 40.0), actions.wave(120.0).cut(0, 432)
    made = verbs.apply(Splice(start=len(action) - 1, timing=timing, trim=False), [locomotion, action])
    assert made.report["splice"]["why"] == "it is a single pose"
