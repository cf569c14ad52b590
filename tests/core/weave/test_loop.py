"""Loops: measured seams on captured clips, original or straightened travel, and errors."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import RegistrationError
from action_loom.core.motion import closing, cycles, kinematics, resample, root_motion
from action_loom.core.sync import cycle_search
from action_loom.core.verbs import Loop
from action_loom.core.verbs.loop import work as loop
from numpy.testing import assert_allclose
from oracles.material import captured, walk

pytestmark = pytest.mark.both_engines

# Captured clips that repeat themselves: walks, runs, turning walks, punch and lift.
CLIPS = [
    "mb_02_01", "mb_07_01", "mb_08_01", "mb_12_01", "mb_07_12", "mb_35_17", "mb_35_22", "mb_02_03", "asf_16_11",
    "mb_02_05",
]  # fmt: skip


@pytest.fixture(scope="module")
def loops():
    """Each clip's loop, made once."""
    return {name: verbs.apply(Loop(), [captured(f"cmu_{name}")]) for name in CLIPS}


@pytest.mark.shared
@pytest.mark.parametrize("name", CLIPS)
def test_the_seam_of_a_captured_loop_does_not_show(loops, name):
    quality = loops[name].report["quality"]
    (before,), after = quality["before"], quality["after"]
    seam = after["seam"]
    assert seam["step"] <= 1.3
    assert seam["acceleration"] <= 2.0
    assert 0.8 <= seam["roughness"] <= 1.3
    assert seam["slide_cm_s"] < before["seam"]["slide_cm_s"]
    assert seam["slide_cm_s"] <= before["slide_cm_s"] + 8.0
    assert after["slide_cm_s"] <= before["slide_cm_s"] + 4.0
    assert before["seam"]["acceleration"] > 2.0 * seam["acceleration"]


@pytest.mark.shared
def test_accelerations_at_seams_are_those_of_the_clips(loops):
    found = [woven.report["quality"]["after"]["seam"]["acceleration"] for woven in loops.values()]
    assert np.median(found) <= 1.4


@pytest.mark.shared
def test_ten_repeats_of_a_straight_walk_go_straight_on(loops):
    made = loops["mb_02_01"]
    assert made.report["loop"]["straightened"]
    ten = verbs.apply(Loop(repeat=10), [captured("cmu_mb_02_01")]).clip
    length = len(made.clip) - 1
    assert len(ten) == 10 * length + 1
    ground = kinematics.points(ten)[::length, root_motion.travelling_joint(ten.skeleton), :2]
    steps = np.diff(ground, axis=0)
    assert_allclose(steps, np.tile(steps[:1], (10, 1)), atol=1e-9)
    assert np.linalg.norm(steps[0]) == pytest.approx(made.report["loop"]["travel_m"], abs=1e-3)


@pytest.mark.shared
def test_straightening_costs_hardly_any_slide():
    for name in ("mb_02_01", "mb_35_03"):
        bent, straight = (
            verbs.apply(Loop(straighten=way), [captured(f"cmu_{name}")]).report["quality"]["after"]["slide_cm_s"]
            for way in ("no", "yes")
        )
        assert straight <= bent + 0.5


@pytest.mark.shared
def test_a_turning_walk_keeps_its_turn_where_asked():
    woven = verbs.apply(Loop(straighten="no"), [captured("cmu_asf_16_11")])
    turn = np.radians(woven.report["loop"]["turn_degrees"])
    heading = root_motion.heading(cycles.unroll_cycle(woven.clip, 1, 1))
    length = len(woven.clip) - 1
    assert heading[2 * length] - heading[length] == pytest.approx(turn, abs=1e-5)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_05_11", "mb_49_06"])
def test_what_does_not_repeat_is_refused_with_its_score(name):
    with pytest.raises(RegistrationError, match=r"does not repeat itself: its best cycle, .* scores -?\d"):
        verbs.apply(Loop(), [captured(f"cmu_{name}")])


@pytest.mark.shared
def test_a_weak_cycle_is_made_with_a_warning():
    report = verbs.apply(Loop(), [captured("cmu_mb_49_04")]).report
    assert 0.45 <= report["loop"]["score"] < 0.6
    assert "hardly repeats itself" in report["warnings"][0]


@pytest.mark.shared
def test_auto_takes_what_measures_best():
    report = verbs.apply(Loop(method="auto"), [captured("cmu_mb_12_01")]).report["loop"]
    costs = {one["name"]: one["K"] for one in report["methods"]}
    assert len(costs) == 4
    assert costs[report["method"]] == min(costs.values())


@pytest.mark.parametrize("method", ["ease", "offset", "lagrange", "spline", "auto"])
def test_every_method_closes_the_cycle(method):
    woven = verbs.apply(Loop(method=method), [actions.walk(cycles=4)])
    assert woven.clip.cyclic
    assert cycles.gap(woven.clip) < 1e-9
    assert woven.report["loop"]["length"] == pytest.approx(32, abs=1)


def test_in_place_the_body_goes_nowhere():
    clip = verbs.apply(Loop(in_place=True), [actions.walk(cycles=4)]).clip
    several = cycles.unroll_cycle(clip, 0, 4)
    ground = kinematics.points(several)[:, 0, :2]
    assert np.ptp(ground, axis=0).max() < 0.1


def test_a_loop_begins_where_its_source_did():
    clip = root_motion.place_clip(actions.walk(cycles=4), 0.7, np.array([4.0, 5.0]))
    woven = verbs.apply(Loop(), [clip])
    start = woven.report["loop"]["start"]
    assert_allclose(kinematics.points(woven.clip)[0, 0, :2], kinematics.points(clip)[start, 0, :2], atol=0.02)


def test_the_phase_moves_the_start_within_the_cycle():
    clip = actions.walk(cycles=4)
    plain, shifted = (verbs.apply(Loop(phase=phase), [clip]).clip for phase in (0.0, 0.5))
    assert len(plain) == len(shifted)
    length = len(plain) - 1
    start = round(0.5 * length)
    twice = kinematics.points(cycles.unroll_cycle(plain, 0, 1))
    assert_allclose(kinematics.points(shifted), twice[start : start + length + 1], atol=1e-9)


def test_start_and_length_can_be_set_by_hand():
    clip = walk(4.0, 60.0)
    recipe = Loop(start=20, length=60)
    report = verbs.apply(recipe, [clip]).report
    assert (report["loop"]["start"], report["loop"]["length"]) == (20, 60)
    assert recipe.figures(report)[0] == "  cycle from frame 20 over 60 frames (1.00 s), set by hand"
    with pytest.raises(RegistrationError, match="a cycle from frame 200 over 60 frames is not in the clip"):
        verbs.apply(Loop(start=200, length=60), [clip])
    for length in (1, 7):
        with pytest.raises(RegistrationError, match=f"a cycle of {length} frames is none; it takes 8 or more"):
            verbs.apply(Loop(start=20, length=length), [clip])
    for method in ("ease", "offset", "lagrange", "spline"):
        assert len(verbs.apply(Loop(start=20, length=8, method=method), [clip]).clip) == 9


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_07_12", "asf_127_04"])
def test_the_cycles_that_are_offered_can_be_taken_by_hand(name):
    clip = captured(f"cmu_{name}")
    found, offered = loop.find([clip], Loop())
    automatic = verbs.apply(Loop(), [clip])
    reported = automatic.report["loop"]
    assert (offered[0].start, offered[0].length) == (reported["start"], reported["length"])
    by_hand = verbs.apply(Loop(start=offered[0].start, length=offered[0].length), [clip])
    assert_allclose(kinematics.points(by_hand.clip), kinematics.points(automatic.clip), atol=1e-12)
    lengths = [cycle.length for cycle in offered]
    assert len(set(lengths)) == len(lengths)
    assert all(cycle.start + cycle.length < len(clip) and cycle.score >= 0.45 for cycle in offered)
    dropped = automatic.report["dropped"]
    assert found.starts[0] == (dropped[0]["first"] if dropped else 0)
    for cycle in offered[1:]:
        verbs.apply(Loop(start=cycle.start, length=cycle.length), [clip])


def test_scores_of_one_length_are_those_of_the_search():
    clip = actions.walk(cycles=4)
    found = cycle_search.find(clip)
    alone = cycle_search.of_length(clip, found.best.length)
    assert alone.best == found.best
    assert_allclose(alone.start_scores, found.start_scores)


@pytest.mark.parametrize("finder", ["cycle", "autocorrelation"])
def test_cycles_of_too_few_frames_are_refused(finder):
    clip = resample.to_rate(actions.walk(30.0, 10), 2.0)
    with pytest.raises(RegistrationError, match="^walk: its cycle has . frames, and takes 8 or more"):
        verbs.apply(Loop(finder=finder), [clip])


def one_cycle(make=actions.walk):
    """A cycle of the figure with its closing frame, like a game's, without a mark that it repeats."""
    return replace(make(30.0, 1), cyclic=False)


@pytest.mark.parametrize("make", [actions.walk, actions.run])
def test_a_clip_that_is_one_cycle_is_given_back(make):
    clip = one_cycle(make)
    woven = verbs.apply(Loop(), [clip])
    assert woven.clip.cyclic
    assert len(woven.clip) == len(clip)
    assert_allclose(kinematics.points(woven.clip), kinematics.points(clip), atol=1e-9)
    assert woven.report["loop"]["closing"]["kind"] == closing.EXACT
    assert not woven.report["warnings"]


def test_a_missing_closing_key_is_added():
    clip = one_cycle()
    woven = verbs.apply(Loop(), [clip.cut(0, len(clip) - 1)])
    assert len(woven.clip) == len(clip)
    assert woven.report["loop"]["closing"]["kind"] == closing.MISSING_KEY
    assert np.abs(kinematics.points(woven.clip) - kinematics.points(clip)).max() < 0.02 * clip.skeleton.height
    assert closing.of(woven.clip).kind == closing.EXACT
    seam = woven.report["quality"]["after"]["seam"]
    assert seam["step"] < 1.3


def with_drift(clip, share):
    """The clip with its head drifting away over the cycle, by a share of the body's height."""
    places = clip.translations.copy()
    places[:, clip.skeleton.roles["head"], 2] += np.linspace(0.0, share * clip.skeleton.height, len(clip))
    return replace(clip, translations=places)


@pytest.mark.one_engine
def test_a_small_gap_is_spread_over_the_cycle():
    clip = with_drift(one_cycle(), 0.002)
    woven = verbs.apply(Loop(), [clip])
    assert woven.report["loop"]["closing"]["kind"] == closing.GAP
    assert closing.of(woven.clip).gap < 1e-9
    assert_allclose(kinematics.points(woven.clip)[0], kinematics.points(clip)[0], atol=1e-9)
    assert np.abs(kinematics.points(woven.clip) - kinematics.points(clip)).max() < 0.0021 * clip.skeleton.height


@pytest.mark.one_engine
def test_what_is_no_cycle_is_closed_all_the_same_if_asked_and_said():
    clip = one_cycle()
    part = clip.cut(0, round(0.6 * len(clip)))
    with pytest.raises(RegistrationError, match=r"take the whole clip, or"):
        verbs.apply(Loop(), [part])
    woven = verbs.apply(Loop(whole="yes"), [part])
    assert len(woven.clip) == len(part)
    assert closing.of(woven.clip).kind == closing.EXACT
    warning, sunk, slides, hovers = woven.report["warnings"]
    assert "cm apart, which is spread over the cycle: check the loop" in warning
    assert "a foot comes 2.7 cm lower" in sunk
    assert "a foot that is not seen to stand moves near the ground" in slides  # as half a pace is spread over the rest
    assert "falls at -2.1 m/s², real ones at -9.8: try Weight" in hovers


@pytest.mark.one_engine
def test_the_whole_is_the_first_of_the_cycles_that_are_offered():
    clip = one_cycle()
    found, offered = loop.find([clip], Loop())
    assert (offered[0].start, offered[0].length, offered[0].score) == (0, len(clip) - 1, 1.0)
    assert found.best.length
    taken = verbs.apply(Loop(start=0, length=len(clip) - 1), [clip])
    assert taken.report["loop"]["closing"]["kind"] == closing.EXACT


@pytest.mark.one_engine
def test_of_several_equal_cycles_one_is_taken():
    several = replace(cycles.unroll_cycle(one_cycle(), 0, 3), cyclic=False)
    assert len(verbs.apply(Loop(), [several]).clip) == len(one_cycle())


@pytest.mark.one_engine
def test_a_whole_cycle_can_stay_on_the_spot_begin_elsewhere_and_repeat():
    clip = one_cycle()
    made = verbs.apply(Loop(in_place=True, phase=0.25, repeat=3), [clip]).clip
    assert len(made) == 3 * (len(clip) - 1) + 1
    hips = kinematics.points(made)[:, clip.skeleton.roles["hips"], :2]
    assert np.ptp(hips, axis=0).max() < 0.1
    assert_allclose(hips[0], hips[-1], atol=1e-9)


@pytest.mark.one_engine
def test_a_clip_can_be_searched_for_cycles_although_it_is_one():
    several = replace(cycles.unroll_cycle(one_cycle(), 0, 3), cyclic=False)
    woven = verbs.apply(Loop(whole="no"), [several])
    assert woven.report["loop"]["closing"] is None
    assert woven.report["loop"]["score"] > 0.9


@pytest.mark.parametrize("make", [actions.walk, actions.run])
def test_one_step_and_its_mirror_image_are_the_cycle(make):
    clip = one_cycle(make)
    step = clip.cut(0, (len(clip) - 1) // 2 + 1)
    assert len(clip) % 2
    woven = verbs.apply(Loop(half=True), [step])
    assert_allclose(kinematics.points(woven.clip), kinematics.points(clip), atol=1e-9)


@pytest.mark.one_engine
def test_a_step_that_does_not_quite_meet_its_image_is_made_to():
    clip = one_cycle()
    step = with_drift(clip.cut(0, (len(clip) - 1) // 2 + 1), 0.01)
    with pytest.raises(RegistrationError, match=r"its last pose is its first in a mirror: take it for half a cycle"):
        verbs.apply(Loop(), [step])
    woven = verbs.apply(Loop(half=True, repeat=2), [step]).clip
    assert closing.of(woven).kind == closing.EXACT
    speeds = np.linalg.norm(np.diff(kinematics.points(woven), axis=0), axis=2).max(axis=1)
    assert speeds.max() < 1.3 * np.linalg.norm(np.diff(kinematics.points(clip), axis=0), axis=2).max()
