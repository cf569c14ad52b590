"""Cycles registered round the circle: from any start, and with any timing."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import RegistrationError
from action_loom.core.motion import resample
from action_loom.core.sync import registration
from action_loom.core.verbs import Synchronise
from numpy.testing import assert_allclose
from oracles.material import walk

pytestmark = pytest.mark.both_engines

RATE = 60.0


def cycle(period, start=0, turn=0.0):
    """One cycle of `period` frames of a walk, begun `start` frames into it."""
    clip = walk(4.0 * period / RATE, RATE, stride=RATE / period, turn=turn)
    return replace(clip.cut(start, start + period + 1), cyclic=True, name=f"cycle of {period}")


@pytest.mark.parametrize("metric", ["auto", "points", "angles"])
@pytest.mark.parametrize("start", [0, 31])
def test_a_cycle_is_found_again_wherever_it_begins(metric, start):
    found = registration.register_pair(cycle(45), cycle(45, start), Synchronise(metric=metric), cyclic=True)
    assert found.ends == "cyclic"
    away = found.frames - (np.arange(46) - start)
    assert_allclose(away, 45.0 * np.round(away[0] / 45.0), atol=0.05)


@pytest.mark.parametrize(("period", "other"), [(45, 60), (60, 40), (50, 33)])
def test_cycles_of_other_length_meet_in_every_phase(period, other):
    found = registration.register_pair(cycle(period), cycle(other, other // 3), Synchronise(), cyclic=True)
    phases = (found.frames + other // 3) / other - np.arange(period + 1) / period
    assert_allclose(phases, np.round(phases[0]), atol=0.02)
    assert found.frames[-1] - found.frames[0] == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize(("period", "other"), [(45, 45), (45, 24), (24, 60)])
def test_a_window_longer_than_a_cycle_sees_all_of_it(period, other):
    found = registration.register_pair(cycle(period), cycle(other, other // 3), Synchronise(window=1.0), cyclic=True)
    assert found.frames[-1] - found.frames[0] == pytest.approx(other, abs=1e-9)
    assert np.isfinite(found.frames).all()


def test_a_cycle_that_hurries_and_lingers_is_followed():
    even = cycle(60)
    phase = np.arange(61.0)
    frames = phase + 6.0 * np.sin(2.0 * np.pi * phase / 60.0)
    lingering = replace(resample.sample(even, frames), cyclic=True)
    found = registration.register_pair(lingering, even, Synchronise(metric="points"), cyclic=True)
    away = found.frames - frames
    assert_allclose(away - 60.0 * np.round(away[0] / 60.0), 0.0, atol=0.6)


def test_a_curve_goes_on_for_ever_without_a_kink():
    found = registration.register_pair(cycle(45), cycle(60, 17), Synchronise(), cyclic=True)
    fine = np.linspace(-60.0, 110.0, 1701)
    frames = found.at(fine)
    assert_allclose(found.at(fine + 45.0), frames + 60.0, atol=1e-9)
    assert np.diff(frames).min() > 0.0
    assert np.abs(np.diff(frames, n=2)).max() < 0.01  # a kink of a tenth of the slope would be 0.013


@pytest.mark.parametrize("turn", [0.0, 0.8])
def test_auto_goes_round_the_circle_only_where_all_are_cycles(turn):
    one, other = cycle(45), cycle(45, 9, turn)
    assert registration.register([one, other], 0, Synchronise()).cyclic
    assert not registration.register([one, replace(other, cyclic=False)], 0, Synchronise()).cyclic
    assert not registration.register([one, other], 0, Synchronise(ends="pinned")).cyclic


def test_what_is_no_cycle_is_refused_with_its_gap():
    open_clip = replace(cycle(45).cut(0, 30), name="half a walk")
    with pytest.raises(RegistrationError, match=r"half a walk is no cycle: its last pose is \d+\.\d cm from its first"):
        registration.register([cycle(45), open_clip], 0, Synchronise(ends="cyclic"))
