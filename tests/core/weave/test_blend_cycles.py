"""Cycles blend into one cycle that repeats without a seam."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.errors import OptionError
from action_loom.core.motion import cycles, kinematics, root_motion
from action_loom.core.verbs import Blend, Synchronise
from numpy.testing import assert_allclose
from oracles.material import walk

pytestmark = pytest.mark.both_engines


def cycle(period, rate=60.0, start=0, turn=0.0):
    """One cycle of `period` frames of a walk, from frame `start` of it; verbs detect the cycle by its ends."""
    clip = walk(4.0 * period / rate, rate, stride=rate / period, turn=turn)
    return replace(clip.cut(start, start + period + 1), name=f"cycle of {period}")


def seam(clip, order):
    """Largest `order`-th difference of any point across the seams of three cycles, over the largest inside."""
    points = kinematics.points(cycles.unroll_cycle(clip, 1, 1))
    size = np.linalg.norm(np.diff(points, n=order, axis=0), axis=2).max(axis=1)
    one = len(clip) - 1
    across = [k for s in (one, 2 * one) for k in range(s - order, s + 1)]
    inside = np.delete(size, across)
    return size[across].max() / inside.max()


@pytest.mark.parametrize("turn", [0.0, 0.8, -1.5])
def test_two_cycles_of_other_length_and_start_give_one_without_a_seam(turn):
    sources = [cycle(50), cycle(70, start=31, turn=turn)]
    woven = verbs.apply(Blend(), sources)
    clip = woven.clip
    assert clip.cyclic
    assert len(clip) == 61  # the mean of 50 and 70, and the closing frame
    assert cycles.gap(clip) < 1e-9
    for order in (1, 2):
        assert seam(clip, order) <= 1.0 + 1e-6
    turned = root_motion.heading(cycles.unroll_cycle(clip, 2, 2))
    per_cycle = (turned[-1] - turned[0]) / 5.0
    assert per_cycle == pytest.approx(0.5 * turn * 70 / 60, abs=0.02)
    assert woven.report["registration"][0]["ends"] == "cyclic"
    assert woven.report["registration"][0]["kept"] == [1.0, 1.0]


def test_the_result_begins_where_the_reference_does():
    reference = root_motion.place_clip(cycle(50, start=10), 0.7, np.array([4.0, 5.0]))
    woven = verbs.apply(Blend(plant_feet=False), [reference, cycle(60, turn=0.5)]).clip
    places = kinematics.points(woven)[0, 0, :2], kinematics.points(reference)[0, 0, :2]
    assert_allclose(places[0], places[1], atol=1e-9)
    assert root_motion.heading(woven)[0] == pytest.approx(root_motion.heading(reference)[0], abs=np.radians(3.0))


def test_a_cycle_blended_with_itself_begun_elsewhere_is_itself():
    one = cycle(48)
    other = root_motion.place_clip(cycle(48, start=29), 1.2, np.array([2.0, 0.0]))
    woven = verbs.apply(Blend(plant_feet=False), [one, other]).clip
    assert_allclose(kinematics.points(woven), kinematics.points(one), atol=0.005)


def test_three_cycles_in_any_order_give_the_same():
    a, b, c = cycle(48), cycle(56, start=11), cycle(64, start=40)
    one = verbs.apply(Blend(weights=(1, 2, 3), reference="1"), [a, b, c]).clip
    other = verbs.apply(Blend(weights=(3, 1, 2), reference="2"), [c, a, b]).clip
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-6)


def test_cycles_of_other_rates_are_put_on_seconds_first():
    woven = verbs.apply(Blend(), [cycle(60, rate=60.0), cycle(24, rate=30.0, start=5)])
    assert woven.clip.cyclic
    assert woven.clip.rate == 60.0
    assert len(woven.clip) == 55  # the mean of 60 frames and of 48
    frames = woven.report["registration"][0]["frame"]
    assert frames[-1] - frames[0] == pytest.approx(24.0, abs=1e-3)  # in frames of the clip as given


def test_synchronising_cycles_gives_a_cycle():
    woven = verbs.apply(Synchronise(), [cycle(50), cycle(70, start=20)]).clip
    assert woven.cyclic
    assert len(woven) == 51
    assert cycles.closes(woven)
    assert seam(woven, 2) <= 1.05


def test_weights_of_a_cycle_may_change_but_must_end_as_they_begin():
    sources = [cycle(50), cycle(70, start=31)]
    with pytest.raises(OptionError, match="must end as they begin"):
        verbs.apply(Blend(weight_keys=((0, 1, 0), (1, 0, 1)), ends="cyclic"), sources)
    assert not verbs.apply(Blend(weight_keys=((0, 1, 0), (1, 0, 1))), sources).clip.cyclic
    woven = verbs.apply(Blend(weight_keys=((0, 1, 0), (0.5, 0, 1), (1, 1, 0))), sources).clip
    assert woven.cyclic
    assert seam(woven, 1) <= 1.0 + 1e-6


def test_what_was_made_to_repeat_but_does_not_close_is_taken_as_it_is_and_said():
    cut_short = replace(cycle(50).cut(0, 44), cyclic=True, name="cut short")
    report = verbs.apply(Blend(), [cut_short, cycle(70)]).report
    assert report["registration"][0]["ends"] != "cyclic"
    (warning,) = (w for w in report["warnings"] if w.startswith("cut short was made to repeat"))
    assert "cm from its first" in warning
