"""Mirrored clips: two mirrors cancel, left and right change places, and bodies under other names."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import inheritance, joint_matching, kinematics, mirror, quat, retarget
from action_loom.core.motion.clip import Clip
from numpy.testing import assert_allclose
from oracles import material
from oracles.material import assert_same_clip as same

pytestmark = pytest.mark.both_engines

CAPTURED = ["cmu_asf_16_17", "cmu_mb_49_06"]


def test_twice_is_the_clip_again_for_any_tree(rng):
    for roots in (1, 3):
        clip = material.random_clip(rng, material.random_skeleton(rng, roots=roots))
        clip = replace(clip, scales=1.0 + 0.1 * rng.random(clip.translations.shape))
        twice = mirror.mirror_clip(mirror.mirror_clip(clip))
        same(twice, clip)
        assert_allclose(twice.scales, clip.scales)


def test_a_symmetric_body_stands_where_its_partner_was_seen_in_the_mirror():
    clip = actions.turn_left(60.0)
    partner = joint_matching.across(clip.skeleton)
    normal = joint_matching.sagittal(clip.skeleton, partner)
    _, places = kinematics.world(clip)
    _, seen = kinematics.world(mirror.mirror_clip(clip))
    through = clip.skeleton.rest[1][clip.skeleton.roles["hips"]] @ normal
    reflected = places[:, partner] - 2.0 * (places[:, partner] @ normal - through)[..., None] * normal
    assert_allclose(seen, reflected, atol=1e-9)
    assert mirror.mirror_clip(clip).name == f"{clip.name} mirrored"


@pytest.mark.shared
@pytest.mark.parametrize("name", CAPTURED)
def test_partners_are_mutual_and_hang_on_partners(name):
    skeleton = material.captured(name).skeleton
    partner = joint_matching.across(skeleton)
    assert_allclose(partner[partner], np.arange(len(skeleton)))
    for joint, above in enumerate(skeleton.parents):
        assert above < 0 or skeleton.parents[partner[joint]] == partner[above]
    assert (partner != np.arange(len(skeleton))).sum() >= 24


@pytest.mark.shared
def test_the_same_recording_under_other_names_is_the_same_on_one_body():
    ours, theirs = material.captured("cmu_mb_16_15"), material.captured("cmu_asf_16_15")
    named = joint_matching.rename_joints(theirs, ours.skeleton)
    assert set(named.skeleton.names) == set(ours.skeleton.names)
    fitted = retarget.onto(named, ours.skeleton)
    off = kinematics.points(fitted) - kinematics.points(ours)[: len(fitted)]
    assert np.abs(off).max() < 1e-4


def test_a_body_that_stands_for_another_only_in_part_keeps_its_own_names(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng))
    assert joint_matching.rename_joints(clip, material.figure()).skeleton.names == clip.skeleton.names


def loose(skeleton, free, **settings):
    """A body some of whose joints (J,) do not turn with their parents."""
    every = np.ones(len(skeleton), dtype=bool)
    rules = {"scale": ("FULL",) * len(skeleton), "location": every, "space": quat.IDENTITY} | settings
    return replace(skeleton, inheritance=inheritance.Inheritance(rotation=~free, **rules))


def test_a_body_whose_arms_and_head_do_not_turn_with_the_trunk_stands_as_seen_in_the_mirror(rng):
    plain = actions.turn_left(60.0)
    roles = plain.skeleton.roles
    free = np.zeros(len(plain.skeleton), dtype=bool)
    free[[roles["head"], roles["upper_arm.L"], roles["upper_arm.R"]]] = True
    own_location = np.arange(len(free)) % 2 == 0
    partner = joint_matching.across(plain.skeleton)
    clip = replace(plain, skeleton=loose(plain.skeleton, free, location=own_location | own_location[partner]))
    clip = replace(clip, translations=clip.translations + 0.02 * rng.normal(size=(1, len(free), 3)))
    seen = mirror.mirror_clip(clip)
    same(mirror.mirror_clip(seen), clip)
    normal = joint_matching.sagittal(clip.skeleton, partner)
    places, there = kinematics.world(clip)[1], kinematics.world(seen)[1]
    through = clip.skeleton.rest[1][roles["hips"]] @ normal
    reflected = places[:, partner] - 2.0 * (places[:, partner] @ normal - through)[..., None] * normal
    assert_allclose(there, reflected, atol=1e-9)


def test_a_body_that_inherits_all_is_mirrored_alike_whichever_way_it_says_so():
    clip = actions.wave(60.0)
    every = replace(clip, skeleton=loose(clip.skeleton, np.zeros(len(clip.skeleton), dtype=bool)))
    same(mirror.mirror_clip(every), mirror.mirror_clip(clip))


def test_sides_that_inherit_in_other_ways_are_refused():
    clip = actions.walk(30.0)
    free = np.zeros(len(clip.skeleton), dtype=bool)
    free[clip.skeleton.roles["hand.L"]] = True
    with pytest.raises(SkeletonError, match=r"inherit in other ways, so they can't change places"):
        mirror.mirror_clip(replace(clip, skeleton=loose(clip.skeleton, free)))


@pytest.mark.one_engine
@pytest.mark.parametrize(
    ("name", "middle"), [("Fox", 10), ("RobotExpressive", 7), ("boxman", 6), ("mannequiny", 5), ("godot_player", 9)]
)
def test_left_and_right_of_characters_are_partners(name, middle):
    body = material.character(name)
    partner = joint_matching.across(body)
    assert np.count_nonzero(partner == np.arange(len(body))) == middle
    places = body.rest[1]
    assert_allclose(places[partner], places * (-1.0, 1.0, 1.0), atol=0.12 * body.height)


@pytest.mark.one_engine
def test_a_fox_that_lifts_its_left_paw_lifts_the_right_one_in_the_mirror():
    fox = material.character("Fox")
    turned = np.tile(quat.IDENTITY, (3, len(fox), 1))
    turned[1, fox.index("b_LeftForeArm_010")] = quat.about_axis("X", 0.7)
    clip = Clip("paw", fox, 30.0, turned, np.zeros((3, len(fox), 3)))
    mirrored = mirror.mirror_clip(clip)
    assert_allclose(mirrored.rotations[1, fox.index("b_RightForeArm_07")], quat.about_axis("X", 0.7), atol=1e-12)
    assert_allclose(mirrored.rotations[1, fox.index("b_LeftForeArm_010")], quat.IDENTITY, atol=1e-12)
