"""Moved events: hit exactly, played at half to twice the speed, with unchanged time beyond their reach."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import time_warp
from action_loom.core.edit.time_curve import FASTEST, SLOWEST, Event
from action_loom.core.errors import OptionError
from action_loom.core.motion import cycles, quat, resample
from action_loom.core.motion.clip import Channel
from action_loom.core.verbs import Loop
from numpy.testing import assert_allclose, assert_array_equal

pytestmark = pytest.mark.both_engines
CLIP = actions.walk(60.0, 4)
LAST = len(CLIP) - 1


def events(*rows, reach=None):
    """Events with a reach for all, or four times the move of each."""
    return [Event(a, b, 4.0 * abs(b - a) if reach is None else reach) for a, b in rows]


def same(one, other, atol=1e-9):
    assert_allclose(quat.same_side(one.rotations, other.rotations), other.rotations, atol=atol)
    assert_allclose(one.translations, other.translations, atol=atol)


def looped():
    return verbs.apply(Loop(plant_feet=False), [CLIP]).clip


MANY = [
    ((100, 110),),
    ((100, 92),),
    ((60, 66), (120, 112), (200, 207)),
    ((40, 44), (60, 63), (80, 85), (81, 86)),
    ((50, 54), (75, 75), (110, 106)),
    ((12.5, 13.75), (180.25, 190)),
    ((30, 31), (34, 35), (38, 38.5), (39, 39.25)),
    ((3, 5),),
    ((LAST - 4, LAST - 5),),
]


@pytest.mark.parametrize("rows", MANY)
@pytest.mark.parametrize("rounds", [False, True])
def test_events_are_hit_and_time_is_as_it_was_beyond(rows, rounds):
    clip = replace(CLIP, cyclic=rounds)
    given = events(*rows)
    curve = time_warp.curve(clip, given)
    assert_allclose(curve.at(np.array([one.to for one in given])), [one.first for one in given], atol=1e-9)
    times = np.linspace(0.0, LAST, 8 * LAST + 1)
    laps = (-1, 0, 1) if rounds else (0,)
    near = [
        (times > min(e.first, e.to) - e.reach + lap * LAST) & (times < max(e.first, e.to) + e.reach + lap * LAST)
        for e in given
        for lap in laps
    ]
    beyond = ~np.any(near, axis=0)
    assert_array_equal(curve.at(times)[beyond], times[beyond])
    steps = np.diff(curve.at(times)) / np.diff(times)
    least, most = curve.speeds
    assert SLOWEST <= least <= steps.min() + 1e-9
    assert steps.max() - 1e-9 <= most <= FASTEST
    made = time_warp.warp_clip(clip, curve)
    whole = beyond[::8]
    assert_array_equal(made.rotations[whole], clip.rotations[whole])
    assert_array_equal(made.translations[whole], clip.translations[whole])
    assert made.cyclic == rounds
    for one in given:
        if float(one.to).is_integer() and float(one.first).is_integer():
            same(made.cut(int(one.to), int(one.to) + 1), clip.cut(int(one.first), int(one.first) + 1), atol=1e-12)


def test_speed_has_no_jumps():
    for rows in MANY:
        curve = time_warp.curve(CLIP, events(*rows))
        times = np.linspace(0.0, LAST, 200 * LAST + 1)
        speed = np.diff(curve.at(times)) * 200.0
        assert np.abs(np.diff(speed)).max() < 0.02, rows


def test_with_four_times_the_move_as_reach_time_goes_at_seven_tenths_to_one_and_four_tenths():
    for move in (2.0, 12.0, -12.0):
        least, most = time_warp.curve(CLIP, events((120, 120 + move))).speeds
        assert (least, most) == pytest.approx((0.704, 1.379), abs=1e-3)


def test_moves_of_half_the_reach_are_possible_and_hardly_more():
    for goal, most in ((140, 140.8), (100, 99.2)):
        assert time_warp.curve(CLIP, events((120, goal), reach=40.0)).speeds[0] < 0.52
        message = rf"speed, beyond 0\.5 to 2: 120 can come at {most} at most; a reach of 0\.71 s is long enough"
        with pytest.raises(OptionError, match=message):
            time_warp.curve(CLIP, events((120, goal + 2 * np.sign(goal - 120)), reach=40.0))


def test_what_is_said_can_be_done():
    for goal in (150, 160, 170, 90, 75):
        with pytest.raises(OptionError) as refused:
            time_warp.curve(CLIP, events((120, goal), reach=30.0))
        message = float(str(refused.value).partition("come at ")[2].split()[0])
        assert time_warp.curve(CLIP, events((120, message), reach=30.0))
        beyond = message + 0.2 * np.sign(goal - 120)
        with pytest.raises(OptionError):
            time_warp.curve(CLIP, events((120, beyond), reach=30.0))
    with pytest.raises(OptionError, match=r"move events by at most (\d+) % of that") as refused:
        time_warp.curve(CLIP, events((100, 110), (115, 112), reach=20.0))
    share = int(str(refused.value).partition("at most ")[2].split()[0]) / 100.0
    assert 0.0 < share < 1.0
    assert time_warp.curve(CLIP, events((100, 100 + 10 * share), (115, 115 - 3 * share), reach=20.0))


@pytest.mark.parametrize(
    ("rows", "rounds", "message"),
    [
        (((100, 300),), False, "walk has no frame 300: its frames are 0 to 256"),
        (((0, 5),), False, "its first and last frame stay where they are, so 0 can't come at 5"),
        (((LAST, LAST - 5),), False, "first and last frame stay"),
        (((20, 0),), False, "first and last frame stay"),
        (((50, 80), (60, 70)), False, "the events at 50 and 60 would change places"),
        (((50, 60), (50, 61)), False, "the events at 50 and 50 would change places or come at once"),
        (((50, 60), (60, 60)), False, "change places or come at once"),
        (((0, 0), (LAST, LAST)), True, "change places or come at once"),
        (((2, 250), (250, 250)), True, "the events at 250 and 2 would change places or come at once"),
    ],
)
def test_what_can_not_be_is_refused(rows, rounds, message):
    with pytest.raises(OptionError, match=message):
        time_warp.curve(replace(CLIP, cyclic=rounds), events(*rows))


@pytest.mark.parametrize(
    "rows", [((2, 6),), ((2, 1), (120, 130)), ((0, 5),), ((4, -3),), ((1, 4), (40, 36), (200, 190))]
)
def test_a_cycle_goes_round_its_seam_and_stays_closed(rows):
    clip = looped()
    last = len(clip) - 1
    rows = [(a * last / 256.0, b * last / 256.0) for a, b in rows]
    given = events(*rows)
    asked = [replace(one, to=one.to % last) for one in given]
    curve = time_warp.curve(clip, asked)
    times = np.linspace(0.0, last, 500)
    assert_allclose(curve.at(times + last), curve.at(times) + last, atol=1e-9)
    assert_allclose(curve.at(np.array([one.to for one in given])), [one.first for one in given], atol=1e-9)
    made = time_warp.warp_clip(clip, curve)
    assert cycles.gap(made) == pytest.approx(cycles.gap(clip), abs=1e-6)
    # Played from laps before and after, the clip repeated is the same.
    long = cycles.unroll_cycle(clip, 1, 1)
    same(made, resample.sample(long, curve.at(np.arange(last + 1.0)) + last), atol=1e-7)


def test_a_cycles_event_goes_the_shorter_way_round():
    clip = looped()
    last = len(clip) - 1
    back = time_warp.curve(clip, events((1.0, last - 1.0), reach=8.0))
    assert_allclose(back.at(np.array([-1.0, last - 1.0])), [1.0, last + 1.0], atol=1e-9)


def test_channels_scales_and_steps_go_along():
    values = np.arange(len(CLIP), dtype=float)
    clip = replace(
        CLIP,
        scales=np.repeat(1.0 + values[:, None, None] / 256.0, 21, axis=1) * np.ones(3),
        channels={"smooth": Channel(values), "steps": Channel(np.floor(values / 10.0), discrete=True)},
    )
    curve = time_warp.curve(clip, events((100, 110)))
    frames = curve.at(values)
    made = time_warp.warp_clip(clip, curve)
    assert_allclose(made.channels["smooth"].values, frames, atol=1e-9)
    assert_array_equal(made.channels["steps"].values, np.floor(np.floor(frames + 1e-6) / 10.0))
    assert made.channels["steps"].discrete
    assert_allclose(made.scales[:, 3, 1], 1.0 + frames / 256.0, atol=1e-9)


def test_signs_of_quaternions_do_not_flip_where_played_frames_meet_others():
    flipped = np.where(np.arange(len(CLIP)) % 2 == 0, 1.0, -1.0)[:, None, None]
    curve = time_warp.curve(CLIP, events((100, 110)))
    plain, made = (
        time_warp.warp_clip(replace(CLIP, rotations=r), curve) for r in (CLIP.rotations, CLIP.rotations * flipped)
    )
    same(made, plain)
    assert ((plain.rotations[1:] * plain.rotations[:-1]).sum(axis=2) > 0.0).all()


def test_what_stays_alone_changes_nothing_and_beside_others_is_held():
    curve = time_warp.curve(CLIP, [Event(100, 100, 0.0)])
    assert time_warp.warp_clip(CLIP, curve) is CLIP
    held = time_warp.curve(CLIP, [*events((100, 110)), Event(130, 130, 0.0)])
    assert held.at(np.array([130.0]))[0] == 130.0
    assert time_warp.curve(CLIP, events((100, 110))).at(np.array([130.0]))[0] != 130.0
