"""Held and anticipated events: the pose is exact to the bit, speeds do not jump, and the total time stays the same."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import time_warp
from action_loom.core.edit.time_curve import BUILD_UP, EASE, FASTEST, SLOWEST, Event
from action_loom.core.errors import OptionError
from action_loom.core.motion import cycles, kinematics, quat, resample
from action_loom.core.verbs import Loop
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines
CLIP = actions.walk(60.0, 4)
LAST = len(CLIP) - 1
SAMPLES = 200  # a frame, of a curve


def played(clip, curve):
    """Return times of a curve, many in a frame, with the frames and the speeds played at them."""
    last = len(clip) - 1
    times = np.linspace(0.0, last, SAMPLES * last + 1)
    frames = curve.at(times)
    return times, frames, np.diff(frames) * SAMPLES


def beside(curve, times, rate):
    """Return which times are outside of all holds and their eases."""
    free = np.ones(len(times), dtype=bool)
    for one in curve.events:
        if one.event.held:
            free &= (times < one.begin - EASE * rate) | (times > one.end + EASE * rate)
    return free


MANY = [
    (Event(100, 100, hold=18),),
    (Event(100, 104, hold=12),),
    (Event(100, 92, hold=6),),
    (Event(100, 100, anticipation=1.0),),
    (Event(100, 100, anticipation=0.4),),
    (Event(100, 100, hold=18, anticipation=1.0),),
    (Event(90, 90, anticipation=0.8), Event(102, 102, hold=12)),
    (Event(60, 60, hold=6), Event(100, 100), Event(140, 138, hold=9, anticipation=0.5)),
    (Event(100, 100, 60.0, 9),),
    (Event(0, 0, hold=12),),
    (Event(LAST, LAST - 10, hold=10),),
    (Event(3, 3, hold=6),),
    (Event(240, 240, hold=5),),
    (Event(80.5, 81, hold=7),),
]


@pytest.mark.parametrize("rows", MANY)
def test_a_hold_shows_one_pose_to_the_bit_and_no_frame_more(rows):
    curve = time_warp.curve(CLIP, rows)
    made = time_warp.warp_clip(CLIP, curve)
    for one in curve.events:
        frame, begin, end = one.event.first, int(one.begin), int(one.end)
        assert (begin, end - begin) == (one.begin, one.event.held)
        poses = made.cut(begin, end + 1)
        for values in (poses.rotations, poses.translations):
            assert_array_equal(values, np.broadcast_to(values[:1], values.shape))
        if frame == int(frame):
            assert_array_equal(poses.rotations[0], CLIP.rotations[int(frame)])
            assert_array_equal(poses.translations[0], CLIP.translations[int(frame)])
        if one.event.held:
            frames = curve.at(np.arange(LAST + 1.0))
            assert np.count_nonzero(frames == frame) == one.event.held + 1


@pytest.mark.parametrize("rows", MANY)
def test_speeds_have_no_jumps_and_keep_their_limits(rows):
    curve = time_warp.curve(CLIP, rows)
    times, _, speed = played(CLIP, curve)
    # Eases last at least a frame: speed jumps between samples only where an ease is.
    assert np.abs(np.diff(speed)).max() < 4.0 / SAMPLES
    free = beside(curve, times[1:], CLIP.rate) & beside(curve, times[:-1], CLIP.rate)
    least, most = curve.speeds
    assert SLOWEST - 1e-9 <= least <= speed[free].min() + 1e-9
    assert speed.max() - 1e-9 <= most <= FASTEST + 1e-9
    held = np.any([(times[:-1] >= one.begin) & (times[1:] <= one.end) for one in curve.events], axis=0)
    assert (speed[held] == 0.0).all()
    assert (speed[~held] > 0.0).all()
    for one in curve.events:
        near = curve.speeds_near(one)
        assert least <= near[0] <= near[1] <= most


@pytest.mark.parametrize("rows", MANY)
def test_total_time_is_kept(rows):
    curve = time_warp.curve(CLIP, rows)
    own = np.arange(LAST + 1.0)
    frames = curve.at(own)
    assert (frames[0], frames[-1]) == (0.0, LAST)
    outside = np.all([(own <= one.window[0]) | (own >= one.window[1]) for one in curve.events], axis=0)
    assert_array_equal(frames[outside], own[outside])
    made = time_warp.warp_clip(CLIP, curve)
    assert len(made) == len(CLIP)
    stays = frames == own
    for before, after in ((CLIP.rotations, made.rotations), (CLIP.translations, made.translations)):
        assert_array_equal(after[stays], before[stays])


def test_speed_is_eased_to_a_hold_and_from_it_in_a_tenth_of_a_second():
    for rate in (24.0, 30.0, 60.0, 120.0):
        clip = actions.walk(rate, 4)
        middle, hold, ease = len(clip) // 2, round(0.3 * rate), EASE * rate
        curve = time_warp.curve(clip, [Event(middle, middle, hold=hold)])
        step = 1e-4
        for side in (-1.0, 1.0):
            edge = middle if side < 0.0 else middle + hold
            shares = np.array([0.2, 0.5, 0.8])
            at = edge + side * ease * shares
            speeds = (curve.at(at + step) - curve.at(at - step)) / (2.0 * step)
            (full,) = np.diff(curve.at(edge + side * ease + side * np.array([0.0, step]))) / (side * step)
            assert_allclose(speeds, full * shares, atol=1e-3)
            assert full > 1.0


def test_anticipated_time_slows_down_evenly_to_half_and_hurries_at_twice():
    """The event is played a third of the reach later; its speed follows straight lines, except right at the event."""
    for rate, reach in ((60.0, None), (30.0, None), (60.0, 60.0)):
        clip = actions.walk(rate, 4)
        middle, own = len(clip) // 2, BUILD_UP * rate if reach is None else reach
        curve = time_warp.curve(clip, [Event(middle, middle, reach, 0.0, 1.0)])
        (one,) = curve.events
        assert one.begin == middle + own / 3.0
        assert curve.speeds == pytest.approx((0.5, 2.0), abs=1e-6)
        times, _, speed = played(clip, curve)
        line = np.interp(times[1:], [middle - own, one.begin, one.begin + 1e-9, middle + own], [1.0, 0.5, 2.0, 1.0])
        away = np.abs(times[1:] - one.begin) > EASE * rate
        assert np.abs(speed - line)[away].max() < 0.12
        right_before, right_after = (np.interp(one.begin + side * EASE * rate, times[1:], speed) for side in (-1, 1))
        assert right_before < 0.6
        assert right_after > 1.7


def test_more_anticipation_comes_later_and_is_slower_before():
    found = [time_warp.curve(CLIP, [Event(100, 100, 60.0, 0.0, s)]) for s in (0.25, 0.5, 0.75, 1.0)]
    assert [one.events[0].begin for one in found] == [106, 112, 116, 120]
    least, most = zip(*(one.speeds for one in found), strict=True)
    assert_allclose(least, [1 / 1.25, 1 / 1.5, 1 / 1.75, 1 / 2.0], atol=0.02)
    assert_allclose(most, [1.25, 1.5, 1.75, 2.0], atol=0.02)


def test_backwards_a_hold_is_as_forwards():
    rows = [Event(60, 62, 40.0, 4), Event(90, 90, 30.0, 4), Event(150, 147, 50.0, 10)]
    back = [Event(LAST - one.first, LAST - one.to - one.held, one.reach, one.hold) for one in rows]
    times = np.linspace(0.0, LAST, 999)
    forwards = time_warp.curve(CLIP, rows).at(times)
    assert_allclose(LAST - time_warp.curve(CLIP, back).at(LAST - times), forwards, atol=1e-10)


def test_alone_a_hold_takes_what_it_needs_and_no_more():
    """By itself the reach lets time go at no more than 1.31 times its speed, wherever there is room."""
    for seconds in (0.05, 0.2, 0.5):
        curve = time_warp.curve(CLIP, [Event(60, 60, hold=60.0 * seconds)])
        assert curve.speeds[0] == 1.0
        assert 1.05 < curve.speeds[1] < 1.32


@pytest.mark.parametrize("first", [0.0, 2.0, 60.0, 250.0])
@pytest.mark.parametrize("hold", [5, 14])
def test_a_cycle_is_held_over_its_seam_and_stays_closed(first, hold):
    clip = verbs.apply(Loop(plant_feet=False), [CLIP]).clip
    last = len(clip) - 1
    first = round(first * last / LAST)
    curve = time_warp.curve(clip, [Event(first, first, 30.0, hold, 0.0)])
    times = np.linspace(0.0, last, 500)
    assert_allclose(curve.at(times + last), curve.at(times) + last, atol=1e-9)
    made = time_warp.warp_clip(clip, curve)
    assert cycles.gap(made) == pytest.approx(cycles.gap(clip), abs=1e-6)
    long = cycles.unroll_cycle(clip, 1, 1)
    again = resample.sample(long, curve.at(np.arange(last + 1.0)) + last)
    assert_allclose(quat.same_side(made.rotations, again.rotations), again.rotations, atol=1e-7)
    held = (first + np.arange(hold + 1)) % last
    joints = made.rotations[held][:, 1:]
    assert_allclose(joints, np.broadcast_to(joints[:1], joints.shape), atol=1e-7)
    for values in (made.rotations[held[held >= first]], made.translations[held[held >= first]]):
        assert_array_equal(values, np.broadcast_to(values[:1], values.shape))


def test_nothing_slides_that_stood():
    """Each joint is where the clip has it at the played frame, so that joints at rest stay at rest."""
    curve = time_warp.curve(CLIP, [Event(100, 100, hold=18, anticipation=0.7)])
    made = time_warp.warp_clip(CLIP, curve)
    frames = curve.at(np.arange(LAST + 1.0))
    places = kinematics.points(CLIP)
    there = resample.curve(places, frames)
    assert np.abs(kinematics.points(made) - there).max() < 2e-3
    whole = frames == np.round(frames)
    assert_array_equal(kinematics.points(made)[whole], places[frames[whole].astype(int)])


# --- errors -----------------------------------------------------------------------------------------------------------


def refused(rows, clip=CLIP):
    with pytest.raises(OptionError) as reported:
        time_warp.curve(clip, rows)
    return str(reported.value)


def seconds_after(text, words):
    return float(text.partition(words)[2].split()[0])


REFUSED = [
    (Event(100, 100, 30.0, 60),),
    (Event(230, 230, hold=30),),
    (Event(100, 100, hold=30), Event(140, 140)),
    (Event(100, 100, hold=50), Event(140, 140)),
    (Event(100, 108, 40.0, 30),),
    (Event(100, 100, hold=600),),
    (Event(60, 60, 20.0), Event(100, 100, 20.0, 20, 1.0)),
]


@pytest.mark.parametrize("rows", REFUSED)
def test_the_hold_that_is_said_can_be_held_and_no_more(rows):
    message = seconds_after(refused(rows), "can be held for ")
    (held,) = (one for one in rows if one.held)
    for more, works in ((0.0, True), (1.0, False)):
        new = [replace(one, hold=message * 60.0 + more) if one is held else one for one in rows]
        if works:
            assert time_warp.curve(CLIP, new).events
        else:
            refused(new)


def test_the_reach_that_is_said_is_long_enough():
    reported = 0
    for hold in (20, 40, 60):
        for strength in (0.0, 0.6, 1.0):
            for move in (0, 6):
                rows = [Event(100, 100 + move, 20.0, hold, strength)]
                reach = seconds_after(refused(rows), "a reach of ") * 60.0
                assert time_warp.curve(CLIP, [replace(rows[0], reach=reach)])
                refused([replace(rows[0], reach=reach - 0.6)])
                reported += 1
    assert reported == 18


def test_a_share_that_is_said_can_be_done():
    for rows in (
        [Event(100, 100, hold=30), Event(140, 140, hold=30)],
        [Event(100, 110, 20.0, 9), Event(150, 150, 10.0, 10)],
        [Event(100, 112, 12.0, 0, 1.0)],
        [Event(100, 112, 12.0, 2, 1.0)],
    ):
        text = refused(rows)
        if "at most" in text and "%" in text:
            part = seconds_after(text, "at most ") / 100.0
            less = [
                Event(one.first, one.first + part * one.move, one.reach, part * one.hold, part * one.anticipation)
                for one in rows
            ]
            assert part > 0.0
            assert time_warp.curve(CLIP, less)
        else:
            assert "can be held for" in text


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [Event(LAST, LAST, hold=9)],
            "nothing comes after its last frame, 256: to hold that, let it come sooner, at 247",
        ),
        ([Event(LAST, LAST - 8, hold=9)], "nothing comes after its last frame"),
        ([Event(LAST, LAST - 8)], "first and last frame stay"),
        ([Event(0, 3, hold=9)], "first and last frame stay"),
        ([Event(230, 230, hold=30)], "held from 230 to 260, 230 leaves no time to its end"),
        ([Event(100, 100, hold=30), Event(130, 130)], "held from 100 to 130 is in the way of the next event"),
    ],
)
def test_what_has_no_time_is_refused(rows, message):
    assert message in refused(rows)


# --- any --------------------------------------------------------------------------------------------------------------


@st.composite
def any_events(draw, cyclic):
    count = draw(st.integers(1, 4))
    firsts = sorted(draw(st.sets(st.integers(0 if cyclic else 1, LAST - 1), min_size=count, max_size=count)))
    reach = draw(st.one_of(st.none(), st.floats(1.0, 120.0)))
    found = []
    for first in firsts:
        to = min(max(first + draw(st.integers(-8, 8)), 1), LAST - 1)
        found.append(Event(first, to, reach, draw(st.integers(0, 20)), draw(st.sampled_from([0.0, 0.0, 0.3, 1.0]))))
    return found


@pytest.mark.parametrize("cyclic", [False, True])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_whatever_is_asked_is_done_whole_or_refused(cyclic, data):
    rows = data.draw(any_events(cyclic))
    clip = replace(CLIP, cyclic=cyclic)
    try:
        curve = time_warp.curve(clip, rows)
    except OptionError as error:
        assert str(error).startswith("walk")
        return
    own = np.arange(LAST + 1.0)
    frames = curve.at(own)
    for one in curve.events:
        assert one.begin >= one.event.to
        assert (curve.at(one.begin + np.arange(one.event.held + 1.0)) == one.event.first).all()
    times = np.linspace(0.0, LAST, 20 * LAST + 1)
    assert (np.diff(curve.at(times)) >= 0.0).all()
    if not cyclic:
        assert (frames[0], frames[-1]) == (0.0, LAST)
    laps = (-1, 0, 1) if cyclic else (0,)
    windows = [(a + lap * LAST, b + lap * LAST) for one in curve.events for a, b in [one.window] for lap in laps]
    outside = np.all([(own <= a) | (own >= b) for a, b in windows], axis=0)
    assert_array_equal(frames[outside], own[outside])
    assert SLOWEST - 1e-9 <= curve.speeds[0] <= curve.speeds[1] <= FASTEST + 1e-9
    speed = np.diff(curve.at(np.linspace(0.0, LAST, SAMPLES * LAST + 1))) * SAMPLES
    assert speed.max() <= FASTEST + 1e-6


@pytest.mark.both_engines
def test_what_is_held_up_to_the_next_event_but_for_rounding_is_refused():
    clip = replace(CLIP, cyclic=True)
    rows = [Event(0.0, 1.0), Event(128.0, 124.0, hold=5.0), Event(129.0, 125.0)]
    with pytest.raises(OptionError, match="is in the way of the next event"):
        time_warp.curve(clip, rows)


# --- captured ---------------------------------------------------------------------------------------------------------


def fist(clip):
    """Return the speed of the right hand relative to the hips between frames, in metres per second."""
    roles = clip.skeleton.roles
    points = kinematics.points(clip)
    away = points[:, roles["hand.R"]] - points[:, roles["hips"]]
    return np.linalg.norm(np.diff(away, axis=0), axis=1) * clip.rate


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_02_05", "cmu_daz_13_18", "cmu_daz_martial_04"])
def test_a_punch_that_is_held_stops_at_its_hit(name):
    """The held frame is the end of a blow: the fist is fastest right before it. The last clip is held out."""
    clip = material.captured(name)
    speed = fist(clip)
    inside = slice(int(clip.rate), len(clip) - int(3 * clip.rate))
    fastest = inside.start + int(np.argmax(speed[inside]))
    hit = fastest + int(np.argmax(speed[fastest:] < 0.3 * speed[fastest]))
    held = round(0.25 * clip.rate)
    curve = time_warp.curve(clip, [Event(hit, hit, hold=held)])
    made = time_warp.warp_clip(clip, curve)
    after = fist(made)
    assert (after[hit : hit + held] == 0.0).all()
    assert after[hit - 1] < speed[hit - 1]
    assert after[: hit - 1].max() <= curve.speeds[1] * speed.max() * 1.01
    begin, end = (int(edge) for edge in curve.events[0].window)
    assert_array_equal(made.rotations[: max(begin, 0)], clip.rotations[: max(begin, 0)])
    assert_array_equal(made.rotations[end + 1 :], clip.rotations[end + 1 :])
    assert_array_equal(made.rotations[-1], clip.rotations[-1])
