"""Adding and removing travel: round trips, options, errors and warnings."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import closing, cycles, kinematics, quat, resample, root_motion
from action_loom.core.motion.clip import Channel, Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.quality import foot_travel
from action_loom.core.verbs import InPlace, Travel
from action_loom.core.verbs.travel import work as travel
from action_loom.core.weave import add_root_motion, root_trajectory
from numpy.testing import assert_allclose
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines

GAITS = {
    "walk": actions.walk(30.0, 3),
    "cycle": actions.run(30.0, 1),
    "arc": actions.walk(60.0, 1, turn=0.6),
    "round": actions.walk(60.0, 3, turn=-0.6),
    "turn": actions.turn_left(30.0),
    "stand": actions.wave(30.0),
}
every_gait = pytest.mark.parametrize("clip", GAITS.values(), ids=GAITS)


def taken(clip):
    return verbs.apply(InPlace(), [clip]).clip


def unkept(clip):
    """The clip without its travel and without the stored record of it."""
    return root_trajectory.without_stored(taken(clip))


def given(clip, **options):
    return verbs.apply(Travel(**options), [clip])


def apart(one, other):
    """The largest distance (m) of joints."""
    return np.abs(kinematics.points(one) - kinematics.points(other)).max()


@pytest.mark.parametrize("rate", [24.0, 29.97, 50.0])
@pytest.mark.parametrize("count", [1, 6])
def test_a_run_that_ends_between_two_frames_stands_as_well_as_at_any_rate(rate, count):
    """At 24 frames a second a cycle of the run takes 17.6; where it was closed, all frames were moved a little."""
    run = replace(resample.to_rate(actions.run(cycles=count), rate), cyclic=False)
    ground = root_motion.ground_frames(run)[0]
    away = np.linspace(0.0, 1.0, len(run))[:, None] * (ground[-1] - ground[0])
    still = root_motion.place_clip(run, 0.0, -away)
    if closing.of(still).kind:
        made = given(still)
        assert made.clip.cyclic
        assert made.report["travel"]["feet"]["slide_cm_s"][1] < 2.0
        assert abs(made.report["travel"]["speed_m_s"] - 3.2) < 0.1


@every_gait
def test_what_was_taken_off_is_given_back_exactly(clip):
    made = given(taken(clip))
    assert apart(made.clip, clip) < 1e-12
    assert made.report["travel"]["direction"] == "as it was"
    assert not made.clip.channels


@pytest.mark.one_engine
@pytest.mark.parametrize("turns", [1, 2, -3])
def test_a_body_that_spins_on_its_straight_way_stays_on_the_spot_and_comes_back(turns):
    """Whole turns do not bend the way, so that no circle goes through its ends."""
    walk = actions.walk(cycles=1)
    about = np.radians(360.0 * turns) * np.linspace(0.0, 1.0, len(walk))
    ground = root_motion.ground_frames(walk)[0] @ np.array([1.0, 1j])
    back = ground - np.exp(1j * about) * ground  # turned about the place where it stands
    spinning = root_motion.place_clip(walk, about, np.column_stack([back.real, back.imag]))
    still = taken(spinning)
    places = root_motion.ground_frames(still)[0]
    assert np.abs(places - places[0]).max() < 0.1
    assert apart(given(still).clip, spinning) < 1e-6


@every_gait
def test_it_is_given_back_by_the_rows_of_the_report_where_channels_were_lost(clip):
    report = verbs.apply(InPlace(), [clip]).report
    assert apart(given(unkept(clip), way=report["way"]).clip, clip) < 1e-9


@pytest.mark.shared
@pytest.mark.parametrize("name", ["asf_16_17", "mb_05_11"])
def test_captured_ways_come_back_exactly_from_keys_in_single_precision(name):
    """Blender keeps keys so: centimetres of a way of metres, and of poses no more."""
    clip = captured(f"cmu_{name}")
    still = taken(clip)
    single = {n: Channel(c.values.astype(np.float32).astype(float)) for n, c in still.channels.items()}
    assert apart(given(still, trim=False).clip, clip) < 1e-11
    assert apart(given(replace(still, channels=single), trim=False).clip, clip) < 1e-6


def test_a_way_that_is_kept_goes_with_a_clip_that_is_moved_turned_and_cut():
    clip = GAITS["turn"]
    still = taken(clip)
    moved = root_motion.place_clip(still, 1.1, np.array([4.0, -2.0]))
    assert apart(given(moved).clip, root_motion.place_clip(clip, 1.1, np.array([4.0, -2.0]))) < 1e-12
    part = given(still.cut(20, 60)).clip
    turn = float(root_motion.ground_frames(still)[1][20] - root_motion.ground_frames(clip)[1][20])
    brought = root_motion.place_clip(clip.cut(20, 60), turn, np.zeros(2))
    shift = root_motion.ground_frames(part)[0][0] - root_motion.ground_frames(brought)[0][0]
    assert apart(part, root_motion.place_clip(brought, 0.0, shift)) < 1e-12


def test_a_body_whose_travel_was_taken_off_stays_where_it_begins():
    for clip in GAITS.values():
        still = taken(clip)
        places, facing = root_motion.ground_frames(still)
        assert np.abs(places - root_motion.ground_frames(clip)[0][0]).max() < 0.15
        assert np.degrees(np.abs(facing - facing[0]).max()) < 30.0
        assert apart(still.cut(0, 1), clip.cut(0, 1)) < 1e-12
        assert set(still.channels) == set(root_trajectory.CHANNELS)


def test_taken_off_twice_it_is_still_the_same_way():
    for clip in GAITS.values():
        again = taken(taken(clip))
        assert apart(again, taken(clip)) < 1e-12
        assert apart(given(again).clip, clip) < 1e-12


def test_a_way_is_not_given_to_what_goes_its_own():
    """A clip made from one in place may have its channels."""
    walk, still = GAITS["walk"], taken(GAITS["walk"])
    made = given(replace(walk, channels=still.channels))
    assert apart(made.clip, walk) == 0.0
    assert "walk travels already" in made.report["warnings"][0]
    assert not made.clip.channels


def test_who_stands_can_be_turned_without_going():
    stand = GAITS["stand"]
    made = given(stand, turn=90.0).clip
    facing = root_motion.ground_frames(made)[1] - root_motion.ground_frames(stand)[1]
    assert np.degrees(facing[-1]) == pytest.approx(90.0, abs=1e-6)
    assert np.ptp(root_motion.ground_frames(made)[0], axis=0).max() < 0.2


def test_by_its_feet_a_walk_comes_out_where_it_was():
    made = given(unkept(GAITS["walk"]))
    assert apart(made.clip, GAITS["walk"]) < 0.001
    reported = made.report["travel"]
    assert reported["direction"] == "ahead"
    assert reported["speed_m_s"] == pytest.approx(1.3, abs=0.005)
    before, after = reported["feet"]["slide_cm_s"]
    assert before == pytest.approx(130.0, abs=1.0)
    assert after < 0.1
    assert made.report["warnings"] == []


def test_a_cycle_stays_one_and_turns_where_it_is_asked_to():
    made = given(unkept(GAITS["cycle"]), turn=30.0).clip
    assert made.cyclic
    assert cycles.gap(made) < 1e-9
    facing = root_motion.ground_frames(made)[1]
    assert np.degrees(facing[-1] - facing[0]) == pytest.approx(30.0, abs=1e-6)
    measured = given(unkept(GAITS["arc"]), measure_turn=True)
    assert measured.report["travel"]["turn_degrees"] == pytest.approx(np.degrees(0.6), abs=0.2)
    assert apart(measured.clip, GAITS["arc"]) < 0.02


@pytest.mark.parametrize("name", ["cycle", "turn"])
def test_a_typed_speed_wins(name):
    reported = given(unkept(GAITS[name]), speed=2.5).report["travel"]
    assert reported["speed_m_s"] == pytest.approx(2.5, rel=1e-3)


def test_a_direction_that_is_asked_for_is_seen_from_the_body():
    """The figure faces −y: its left is +x."""
    still = unkept(GAITS["cycle"])
    for direction, way in {"ahead": -1j, "back": 1j, "left": 1.0, "right": -1.0}.items():
        places, _ = root_motion.ground_frames(given(still, direction=direction).clip)
        gone = (places[-1] - places[0]) @ np.array([1.0, 1j])
        assert abs(np.angle(gone / way)) < 1e-6


def test_nearly_ahead_is_ahead_for_a_cycle_and_measured_where_asked():
    """A run that drifts sideways by 10 degrees."""
    still = unkept(GAITS["cycle"])
    drift = 3.2 * np.tan(np.radians(10.0)) * np.arange(len(still)) / still.rate
    drifting = root_motion.place_clip(still, 0.0, np.column_stack([drift, 0.0 * drift]))
    assert given(drifting).report["travel"]["direction"] == "ahead"
    reported = given(drifting, direction="measured").report["travel"]
    assert abs(reported["direction_degrees"]) == pytest.approx(10.0, abs=0.5)


def test_what_does_not_walk_on_the_spot_is_handed_back_with_a_word():
    for name, words in (("walk", "walk travels already, at 1.30 m/s: nothing"), ("stand", "its feet stand still")):
        made = given(GAITS[name])
        assert apart(made.clip, GAITS[name]) == 0.0
        assert words in made.report["warnings"][0]
    lone = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)), quat.IDENTITY[None], np.zeros((1, 3)))
    still = Clip("joint", lone, 30.0, np.tile(quat.IDENTITY, (31, 1, 1)), np.zeros((31, 1, 3)))
    assert "joint: its feet are not known" in given(still).report["warnings"][0]
    places, _ = root_motion.ground_frames(given(still, speed=2.0).clip)
    assert_allclose(places[-1], [0.0, 2.0], atol=1e-9)


def test_a_dance_that_ranges_over_the_floor_is_not_on_the_spot():
    spot = unkept(actions.walk(30.0, 8))
    for reach, gives in ((0.2, True), (0.85, False)):
        aside = 0.5 * reach * np.sin(2.0 * np.pi * np.arange(len(spot)) / (len(spot) - 1.0))
        dance = root_motion.place_clip(spot.cut(0, len(spot) - 5), 0.0, np.column_stack([aside, 0.0 * aside])[:-5])
        made = given(dance)
        assert (add_root_motion.note(dance) != "") is gives
        assert (made.report["travel"]["speed_m_s"] > 1.0) is gives
        assert any("moves about over 79 cm" in one for one in made.report["warnings"]) is not gives


@pytest.mark.one_engine
def test_what_can_not_be_asked_for_is_refused():
    with pytest.raises(ClipError, match=r"walk travels already, at 1.30 m/s: take its travel off first"):
        given(GAITS["walk"], speed=2.0)
    for recipe in (Travel(), InPlace()):
        with pytest.raises(ClipError, match="takes 1 clip; 2 given"):
            verbs.apply(recipe, [GAITS["walk"], GAITS["walk"]])
    with pytest.raises(OptionError, match="way has 2 values, but takes 97"):
        given(GAITS["walk"], way=((0, 1, 0), (0, 1, 0)))
    with pytest.raises(OptionError, match="way takes rows of right, ahead, turn"):
        given(GAITS["walk"], way=((0, 1), (0, 1)))
    with pytest.raises(OptionError, match="direction is 'up'"):
        Travel(direction="up")


@pytest.mark.shared
def test_captured_clips_slide_less_than_they_did():
    """Each by 3 % more at most, and 8 % less in the mean: feet are followed as they stand."""
    slides = []
    for name in ("mb_02_01", "mb_35_17", "asf_16_11", "mb_12_01", "mb_02_03", "mb_07_12", "asf_16_19"):
        clip = resample.to_rate(captured(f"cmu_{name}"), 60.0)
        before = verbs.apply(InPlace(), [clip]).report["in_place"]["feet"]["slide_cm_s"][0]
        slides.append((before, given(unkept(clip)).report["travel"]["feet"]["slide_cm_s"][1]))
    before, after = np.array(slides).T
    assert (after <= 1.03 * before).all()
    assert after.mean() <= 0.92 * before.mean()


@pytest.mark.one_engine
def test_a_run_that_stops_goes_as_it_was_stored():
    going = actions.walk(60.0, 4)
    ways = root_trajectory.remove_trajectory(going)[1]
    slower = np.linspace(3.0, 0.0, len(going))
    stops = root_trajectory.add_trajectory(
        root_trajectory.remove_trajectory(going)[0], root_trajectory.RootTrajectory(ways.velocity * slower, ways.turn)
    )
    spot = verbs.apply(InPlace(trim=False), [stops]).clip
    shift = np.zeros_like(spot.translations)
    shift[:, 0, 1] = 0.3 * np.arange(len(spot)) / spot.rate  # it still sways on the spot
    made = verbs.apply(Travel(trim=False), [replace(spot, translations=spot.translations + shift)])
    assert made.report["travel"]["direction"] == "as it was"


def pulsing(amplitude):
    """A walk on the spot whose body moves to and fro, so that its standing feet never have one constant speed."""
    spot = unkept(actions.walk(60.0, 1))
    phase = 4.0 * np.pi * np.arange(len(spot)) / (len(spot) - 1)
    sway = np.column_stack([np.zeros(len(spot)), amplitude * np.sin(phase)])
    return root_motion.place_clip(spot, 0.0, sway)


@pytest.mark.one_engine
def test_feet_that_slide_at_any_speed_are_said_with_the_speed():
    assert given(pulsing(0.0)).report["warnings"] == []
    made = given(pulsing(0.08)).report
    slide, speed = made["travel"]["feet"]["slide_cm_s"][1], made["travel"]["feet"]["speed_m_s"]
    assert slide > 25.0 * speed
    (warning,) = made["warnings"]
    assert warning.endswith(f"no speed suits all standing feet, {speed:.1f} m/s the most: plant them")


@pytest.mark.one_engine
def test_a_cycle_goes_at_the_speed_at_which_its_feet_slide_least():
    """The most frequent speed of feet that move to and fro is one of their fastest."""
    clip = pulsing(0.08)
    found = given(clip)
    slid = found.report["travel"]["feet"]["slide_cm_s"][1]
    for share in (0.9, 1.1, 1.2):
        other = given(clip, speed=share * found.report["travel"]["speed_m_s"])
        stands = found.found.stands
        assert 100.0 * foot_travel.slide(other.clip, stands) > slid


@pytest.mark.one_engine
def test_feet_that_slide_more_than_before_are_said_with_both_figures():
    """Feet that rest for a moment in a gait on the spot count as standing before they travel, too."""
    assert travel._slides_more("run", slides(31.0, 33.0)) == []
    assert travel._slides_more("run", slides(None, 41.0)) == []
    (warning,) = travel._slides_more("run", slides(31.0, 41.0))
    assert "slide at 41 cm/s now, at 31 before" in warning


def slides(before, after):
    return {"before": [{"slide_cm_s": before}], "after": {"slide_cm_s": after}}


@pytest.mark.one_engine
def test_hips_that_carried_the_travel_under_a_still_root_lose_it_and_the_root_stays():
    walk = actions.walk(60.0, 2)
    rooted = material.under(walk, "root")
    made = verbs.apply(InPlace(trim=False), [rooted]).clip
    assert_allclose(made.translations[:, 0], rooted.translations[:, 0], atol=1e-12)
    assert np.ptp(kinematics.points(made)[:, made.skeleton.roles["hips"], 1]) < 0.2
    back = verbs.apply(Travel(trim=False), [made]).clip
    assert_allclose(kinematics.points(back)[:, 1:], kinematics.points(rooted)[:, 1:], atol=1e-6)
