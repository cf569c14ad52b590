"""The low-pass filter: against scipy, on both engines, and its effect on ends, waves, lines and rotations."""

import numpy as np
import pytest
from action_loom.core.edit import _numpy, low_pass
from action_loom.core.motion import quat
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from scipy import signal

pytestmark = pytest.mark.both_engines

CUTOFFS = [(8.0, 120.0), (12.0, 120.0), (8.0, 30.0), (0.5, 120.0), (14.9, 30.0), (11.0, 24.0)]


def noise(frames=400, columns=3, seed=1):
    return np.cumsum(np.random.default_rng(seed).normal(size=(frames, columns)), axis=0)


@pytest.mark.parametrize(("cutoff", "rate"), CUTOFFS)
def test_it_is_scipys(cutoff, rate):
    values = noise()
    sections = signal.butter(low_pass.ORDER, cutoff, fs=rate, output="sos")
    expected = signal.sosfiltfilt(sections, values, axis=0, padtype=None)
    assert_allclose(low_pass.forward_and_back(low_pass.sections(cutoff, rate), values), expected, atol=1e-9)
    response = signal.sosfreqz(low_pass.sections(cutoff, rate), worN=200, fs=rate)[1]
    assert_allclose(np.abs(response), np.abs(signal.sosfreqz(sections, worN=200, fs=rate)[1]), atol=1e-9)


@pytest.mark.parametrize("frames", [10, 40, 90, 400])
def test_where_a_clip_begins_and_ends_on_its_lines_its_ends_are_scipys_odd_ones(frames):
    """Its first and last frames lie on lines, so that the line through a quarter of a period begins at the first."""
    values = noise(frames)
    level = round(low_pass.LEVEL * 120.0 / 8.0)
    values[: level + 1] = values[0] + np.arange(level + 1)[:, None] * 0.3
    values[-level - 1 :] = values[-1] + np.arange(-level, 1)[:, None] * 0.7
    reach = 2 * low_pass.padding(8.0, 120.0)
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
    sections = signal.butter(low_pass.ORDER, 8.0, fs=120.0, output="sos")
    expected = signal.sosfiltfilt(sections, padded, axis=0, padtype=None)[reach:-reach]
    assert_allclose(low_pass.both_ways(values, 8.0, 120.0), expected, atol=1e-5)
    if frames > reach:
        odd = signal.sosfiltfilt(sections, values, axis=0, padtype="odd", padlen=reach)
        assert_allclose(low_pass.both_ways(values, 8.0, 120.0), odd, atol=1e-5)


@pytest.mark.one_engine
def test_the_kernel_and_its_twin_agree():
    _numba = pytest.importorskip("action_loom.core.edit._numba")
    sections, values = low_pass.sections(8.0, 120.0), noise()
    steady = low_pass._steady(sections)
    given = (sections, steady, values)
    assert_allclose(_numba.sections_forward(*given), _numpy.sections_forward(*given), atol=1e-12)


def test_waves_come_through_as_far_as_they_are_slow_and_nothing_is_delayed():
    time = np.arange(1200) / 120.0
    for frequency, kept in ((1.0, 1.0), (8.0, 0.5), (30.0, 0.0)):
        wave = np.sin(2.0 * np.pi * frequency * time)[:, None]
        inner = slice(200, -200)
        assert_allclose(low_pass.both_ways(wave, 8.0, 120.0)[inner], kept * wave[inner], atol=3e-3)


@pytest.mark.parametrize("frames", [3, 4, 10, 500])
def test_lines_stay_as_they_are_ends_too(frames):
    line = np.arange(frames)[:, None] * np.array([0.3, -2.0]) + np.array([1.0, 5.0])
    assert_allclose(low_pass.both_ways(line, 8.0, 120.0), line, atol=1e-9 * frames)


def test_backwards_it_is_the_same_backwards():
    values = noise(150)
    assert_allclose(low_pass.both_ways(values[::-1], 8.0, 60.0)[::-1], low_pass.both_ways(values, 8.0, 60.0), atol=1e-5)


@pytest.mark.parametrize("cutoff", [12.0, 15.0, 1000.0])
def test_what_frames_do_not_hold_is_not_taken_off(cutoff):
    values = noise(50)
    assert low_pass.passes_all(cutoff, 24.0)
    assert_array_equal(low_pass.both_ways(values, cutoff, 24.0), values)
    assert not low_pass.passes_all(11.99, 24.0)
    for frames in (0, 1, 2):
        assert_array_equal(low_pass.both_ways(values[:frames], 8.0, 120.0), values[:frames])


@pytest.mark.one_engine
def test_no_cutoff_is_refused():
    for cutoff in (0.0, -1.0, 60.0):
        with pytest.raises(ValueError, match="is no cutoff at 120"):
            low_pass.sections(cutoff, 120.0)


def test_signs_of_rotations_do_not_matter_and_are_kept(rng):
    turns = quat.exp(0.3 * np.cumsum(0.1 * rng.normal(size=(200, 2, 3)), axis=0))
    signs = rng.choice([-1.0, 1.0], size=(200, 2, 1))
    one, other = low_pass.rotations(turns, 8.0, 120.0), low_pass.rotations(signs * turns, 8.0, 120.0)
    assert_allclose(other, signs * one, atol=1e-12)
    assert_allclose(np.linalg.norm(one, axis=-1), 1.0, atol=1e-12)
    about = material.rotations(rng)
    assert_allclose(low_pass.rotations(quat.mul(about, turns), 8.0, 120.0), quat.mul(about, one), atol=1e-12)


def test_who_spins_spins_on():
    angle = np.arange(600) * 0.1
    turns = quat.about_axis("Z", angle)[:, None]
    made = low_pass.rotations(turns, 8.0, 120.0)
    assert_allclose(made[60:-60], turns[60:-60], atol=1e-4)


def test_ends_are_no_worse_than_by_odd_reflection():
    """In noise the first frame has a full error; a line through several frames estimates the start better."""
    rng = np.random.default_rng(5)
    errors = []
    for _ in range(80):
        phase = rng.uniform(0.0, 2.0 * np.pi)
        clean = np.sin(2.0 * np.pi * 1.5 * np.arange(120) / 120.0 + phase)[:, None]
        noisy = clean + 0.1 * rng.normal(size=clean.shape)
        sections = signal.butter(low_pass.ORDER, 8.0, fs=120.0, output="sos")
        odd = signal.sosfiltfilt(sections, noisy, axis=0, padtype="odd", padlen=low_pass.padding(8.0, 120.0))
        ends = np.r_[0:8, -8:0]
        errors.append([((made - clean)[ends] ** 2).mean() for made in (low_pass.both_ways(noisy, 8.0, 120.0), odd)])
    ours, theirs = np.sqrt(np.mean(errors, axis=0))
    assert ours < 0.9 * theirs
