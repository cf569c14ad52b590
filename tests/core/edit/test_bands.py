"""Frequency bands: they sum to the clip, gains of 1 change nothing, and each band holds its own waves."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit import bands
from action_loom.core.motion import quat
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from scipy import ndimage

NOBODY = np.array([False])


def noise(frames=300, columns=4, seed=2):
    return np.cumsum(np.random.default_rng(seed).normal(size=(frames, columns)), axis=0)


def test_bands_are_those_of_kernels_widened_by_zeros():
    """Inside, where no end matters, against scipy's correlation with the kernels written out."""
    values = noise()
    level = values
    for k, band in enumerate(bands.split(values, 4)[:-1]):
        kernel = np.zeros(4 * 2**k + 1)
        kernel[:: 2**k] = bands.KERNEL
        coarser = ndimage.correlate1d(level, kernel, axis=0)
        inner = slice(bands.reach(4), -bands.reach(4))
        assert_allclose(band[inner], (level - coarser)[inner], atol=1e-10)
        level = coarser


@pytest.mark.parametrize("frames", [3, 4, 5, 17, 64, 65, 500])
def test_together_they_are_what_was_split(frames):
    values = noise(frames)
    count = bands.count_bands(frames)
    assert_allclose(np.sum(bands.split(values, count), axis=0), values, atol=1e-12 * np.abs(values).max())
    with pytest.raises(ValueError, match=f"{frames} frames have {count} bands, not {count + 1}"):
        bands.split(values, count + 1)


def test_how_many_bands_a_clip_has():
    assert [bands.count_bands(frames) for frames in (0, 1, 2, 3, 4, 5, 8, 9, 128, 129)] == [
        0,
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        6,
        7,
    ]


def test_gains_of_one_change_nothing_to_the_bit():
    values = noise()
    assert_array_equal(bands.mix_bands(values, [1.0] * 7), values)
    turns = actions.walk(60.0).rotations
    assert_array_equal(bands.rotations(turns, [1.0] * 7, NOBODY, 60.0), turns)
    assert_array_equal(bands.translations(values.reshape(300, -1, 2), [1.0] * 7, 60.0), values.reshape(300, -1, 2))


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_asf_16_17", "cmu_mb_49_06"])
def test_rotations_are_what_they_turn_about_and_by(name):
    """Gains of 1 are the identity even if nothing is skipped; the clips include a cartwheel and turns.

    The thumb of the cartwheel spins too wildly: it stays unchanged for any gains.
    """
    turns = material.captured(name).rotations
    for carriers in (NOBODY, np.arange(turns.shape[1]) < 2):
        about, vectors = bands.rotation_vectors(turns, carriers, 120.0)
        split = bands.split(vectors.reshape(len(turns), -1), bands.count_bands(len(turns)))
        again = quat.mul(about, quat.exp(np.sum(split, axis=0).reshape(vectors.shape)))
        assert_allclose(quat.same_side(again, turns), turns, atol=1e-12)
        within = np.linalg.norm(vectors, axis=-1).max(axis=0) <= np.pi
        assert (~within).sum() <= (name == "cmu_mb_49_06")
        assert np.abs(np.diff(vectors[:, within], axis=0)).max() < np.pi
        assert_array_equal(bands.rotations(turns, [2.0] * 7, carriers, 120.0)[:, ~within], turns[:, ~within])


def test_a_wave_is_in_the_band_of_its_length():
    frames = np.arange(1200)
    for band in range(7):
        length = 5.5 * 2.0**band / np.sqrt(2.0) if band else 4.0
        wave = np.sin(2.0 * np.pi * frames / length)[:, None]
        energy = [np.sqrt((one[300:-300] ** 2).mean()) for one in bands.split(wave, 7)]
        assert int(np.argmax(energy)) == band


def test_a_line_has_no_bands():
    line = np.arange(200.0)[:, None] * np.array([1.0, -0.2])
    assert_allclose(bands.mix_bands(line, [0.0, 3.0, 0.5, 2.0, 0.0, 3.0, 3.0]), line, atol=1e-9)


def test_gains_are_linear():
    one, other = noise(seed=1), noise(seed=2)
    gains = [0.0, 2.0, 1.0, 3.0, 0.3]
    both = bands.mix_bands(one + other, gains)
    assert_allclose(both, bands.mix_bands(one, gains) + bands.mix_bands(other, gains), atol=1e-10)


def test_bands_beyond_the_clip_do_nothing():
    values = noise(10)
    assert_array_equal(bands.mix_bands(values, [1.0, 1.0, 1.0, 3.0, 3.0]), values)
    assert_array_equal(bands.mix_bands(values[:2], [3.0] * 7), values[:2])


@pytest.mark.both_engines
def test_who_spins_does_not_jump():
    """Two turns about the vertical with a nod: the nod is three times as strong, the turning as it was."""
    time = np.arange(600) / 60.0
    spin, nod = quat.about_axis("Z", 4.0 * np.pi * time / time[-1]), quat.about_axis("X", 0.1 * np.sin(9.0 * time))
    turns = quat.mul(spin, nod)[:, None]
    made = quat.mul(quat.inv(spin)[:, None], bands.rotations(turns, [3.0] * 7, NOBODY, 60.0))
    assert_allclose(quat.log(made)[60:-60, 0, 0], 0.3 * np.sin(9.0 * time)[60:-60], atol=0.03)
    assert np.abs(quat.log(made)[60:-60, 0, 1:]).max() < 0.05


@pytest.mark.both_engines
def test_travel_stays():
    time = np.arange(300) / 60.0
    way = np.stack([1.3 * time, 0.5 * time, 0.9 + 0.0 * time], axis=1)
    sway = 0.03 * np.sin(2.0 * np.pi * 2.0 * time)[:, None] * np.array([0.0, 0.0, 1.0])
    made = bands.translations((way + sway)[:, None], [2.0] * 7, 60.0)[:, 0]
    assert_allclose(made[60:-60, :2], way[60:-60, :2], atol=1e-9)
    assert np.ptp(made[60:-60, 2]) > 1.8 * np.ptp(sway)
