"""Frames as numbers: equal for equal motion, in any place, at any rate, by any exporter, in any mirror."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import LibraryError
from action_loom.core.formats import motion_file
from action_loom.core.library import basis, feature
from action_loom.core.motion import mirror, resample, root_motion
from numpy.testing import assert_allclose
from oracles.material import SHARED

pytestmark = pytest.mark.both_engines


def of(clip):
    return basis.shorten_rows(feature.rows(clip))


def spread(rows):
    """Return the distance of rows from their mean, root mean square."""
    return float(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).mean()))


def test_turned_and_moved_it_is_the_same():
    walk = actions.walk(30.0, 3, turn=0.4)
    moved = root_motion.place_clip(walk, 2.1, np.array([7.0, -30.0, 1.5]))
    assert_allclose(feature.rows(moved), feature.rows(walk), atol=2e-5)


@pytest.mark.parametrize("rate", [24.0, 25.0, 90.0])
def test_frame_rates_do_not_matter(rate):
    """Values between frames differ by the error of a cubic, which is far below the walk's own variation."""
    walk = actions.walk(120.0)
    known, other = of(walk), of(resample.to_rate(walk, rate))
    count = min(len(known), len(other))
    assert abs(len(known) - len(other)) <= 1
    assert np.abs(known[2 : count - 2] - other[2 : count - 2]).max() < 0.08 * spread(known)


def test_its_mirror_image_is_that_of_the_clip():
    for clip in (actions.walk(30.0, turn=0.5), actions.wave(30.0)):
        assert_allclose(feature.mirror_rows(feature.rows(clip)), feature.rows(mirror.mirror_clip(clip)), atol=1e-4)


@pytest.mark.both_engines
@pytest.mark.shared
def test_two_files_of_one_recording_give_the_same():
    """The ASF/AMC file and a BVH file made of it, whose joints have other names and other rest poses."""
    for take in ("16_11", "16_17", "127_04"):
        amc = of(motion_file.read(SHARED / "amc" / f"{take}.amc").clip)
        bvh = of(motion_file.read(SHARED / "cmu" / f"cmu_asf_{take}.bvh").clip)
        count = min(len(amc), len(bvh))
        assert np.abs(amc[:count] - bvh[:count]).max() < 0.02 * spread(amc), take


@pytest.mark.both_engines
@pytest.mark.shared
def test_a_body_of_other_proportions_is_nearer_than_another_action():
    """Two conversions of one walk, of which one has another trunk and shorter legs."""
    for take in ("07_01", "02_01"):
        ours = of(motion_file.read(SHARED / "cmu" / f"cmu_mb_{take}.bvh").clip)
        theirs = of(motion_file.read(SHARED / "cmu" / f"cmu_daz_{take}.bvh").clip)
        count = min(len(ours), len(theirs))
        run = of(motion_file.read(SHARED / "amc" / "09_01.amc").clip)
        between = np.linalg.norm(ours[:count] - theirs[:count], axis=1).mean()
        assert between < 0.5 * np.linalg.norm(ours[:, None] - run[None], axis=2).min(axis=1).mean(), take


def test_size_does_not_matter():
    walk = actions.walk(30.0)
    skeleton = replace(walk.skeleton, offsets=3.0 * walk.skeleton.offsets, tips=3.0 * walk.skeleton.tips, roles={})
    giant = replace(walk, skeleton=skeleton, translations=3.0 * walk.translations)
    assert_allclose(feature.rows(giant), feature.rows(walk), atol=1e-5)


def test_what_a_body_lacks_is_as_in_the_mean():
    walk = actions.walk(30.0)
    lacking = {role: joint for role, joint in walk.skeleton.roles.items() if not role.startswith(("hand", "forearm"))}
    rows = feature.rows(replace(walk, skeleton=replace(walk.skeleton, roles=lacking)))
    arms = feature.columns_of("arms")
    assert np.isnan(rows[:, arms]).any()
    assert np.isfinite(basis.shorten_rows(rows)).all()
    legs = feature.columns_of("legs")
    assert_allclose(rows[:, legs], feature.rows(walk)[:, legs], atol=1e-6)


def test_without_thighs_it_is_refused_by_name():
    walk = actions.walk(30.0)
    roles = {role: joint for role, joint in walk.skeleton.roles.items() if not role.startswith("thigh")}
    with pytest.raises(LibraryError, match=r"walk: the body has no thigh\.L, thigh\.R"):
        feature.rows(replace(walk, skeleton=replace(walk.skeleton, roles=roles)))


def test_one_frame_is_enough():
    rows = feature.rows(actions.walk(30.0).cut(5, 6))
    assert rows.shape == (1, feature.WIDTH)
    assert np.isfinite(rows).all()


def test_distances_of_a_part_are_those_of_its_numbers():
    """The quadratic form of a part gives the distances of the part's own columns, up to the loss of 24 numbers."""
    rows = basis.shorten_rows(feature.rows(actions.turn_left(30.0)))
    _, directions = basis._load_basis()
    for part in feature.PARTS:
        by_columns = rows @ directions[feature.columns_of(part)].T
        if part == "whole":
            by_columns = rows
        led = rows @ basis.of_part(part)
        expected = np.linalg.norm(by_columns[:, None] - by_columns[None], axis=2)
        assert_allclose(np.linalg.norm(led[:, None] - led[None], axis=2), expected, atol=0.04 * expected.max())


@pytest.mark.both_engines
@pytest.mark.shared
def test_most_of_how_poses_vary_is_kept():
    for path in sorted((SHARED / "strides").glob("*.bvh"))[:6]:
        assert basis.kept_variance(feature.rows(motion_file.read(path).clip)) > 0.9, path.name


def test_places_are_told_by_rows_and_nearly_by_what_is_kept_of_them():
    """Above the hips by one body's bones; a kept pose is near, and in a mirror sides change places."""
    numbers = feature.rows(actions.walk(30.0))
    places = feature.places(numbers)
    for above, joint in feature.BONES:
        bone = feature.JOINTS[joint]
        if bone.above in ("chest", "neck", "upper_arm.L", "forearm.R"):
            assert_allclose(np.linalg.norm(places[:, joint] - places[:, above], axis=1), bone.bone, rtol=1e-4)
    assert_allclose(places[:, feature.ROLES.index("hips"), :2], 0.0, atol=1e-6)
    near = feature.places(basis.expand_rows(basis.shorten_rows(numbers)))
    assert np.abs(near - places).max() < 0.06  # heights of the body
    left, right = feature.ROLES.index("hand.L"), feature.ROLES.index("hand.R")
    image = feature.places(feature.mirror_rows(numbers))
    assert_allclose(image[:, left] * [-1.0, 1.0, 1.0], places[:, right], atol=1e-6)
