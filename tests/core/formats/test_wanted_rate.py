"""Partial reading of files: the frames equal the whole file's, if the file has frames at the wanted rate."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh, motion_file
from action_loom.core.library import feature
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import SHARED

pytestmark = pytest.mark.both_engines


def assert_thinned(path, every):
    whole, some = motion_file.read(path), motion_file.read(path, wanted_rate=30.0)
    assert (some.frames, some.rate) == (whole.frames, whole.rate) == (len(whole.clip), whole.clip.rate)
    assert some.clip.rate == pytest.approx(whole.clip.rate / every, rel=1e-12)
    assert some.convention == whole.convention
    assert_allclose(some.clip.rotations, whole.clip.rotations[::every], atol=1e-14)
    assert_array_equal(some.clip.translations, whole.clip.translations[::every])
    assert_allclose(feature.rows(some.clip), feature.rows(whole.clip), atol=1e-6)


@pytest.mark.parametrize(("rate", "every"), [(120.0, 4), (60.0, 2), (30.0, 1), (25.0, 1), (24.0, 1), (100.0, 1)])
def test_bvh(tmp_path, rate, every):
    path = tmp_path / "walk.bvh"
    bvh.write(bvh.from_clip(actions.walk(rate, 2)), path)
    assert_thinned(path, every)


@pytest.mark.both_engines
@pytest.mark.shared
def test_captured_files():
    assert_thinned(SHARED / "amc" / "16_11.amc", 4)
    assert_thinned(SHARED / "cmu" / "cmu_mb_02_01.bvh", 4)


@pytest.mark.both_engines
@pytest.mark.shared
def test_an_amc_of_another_rate():
    some = motion_file.read(SHARED / "amc" / "16_11.amc", rate=60.0, wanted_rate=30.0)
    assert (some.rate, some.clip.rate) == (60.0, 30.0)
    assert len(some.clip) == int(np.ceil(some.frames / 2))
