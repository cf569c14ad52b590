"""Which joints are the upper body."""

from dataclasses import replace

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError, SkeletonError
from action_loom.core.weave.splice import mask
from oracles import material

pytestmark = pytest.mark.both_engines

BODY = actions.walk().skeleton
LOWER = {"hips", *(f"{role}.{side}" for role in ("thigh", "shin", "foot", "toe") for side in "LR")}


def names_of(upper, skeleton=BODY):
    return {skeleton.names[joint] for joint in upper.joints}


def test_the_upper_body_is_what_hangs_below_the_spine():
    upper = mask.upper_body(BODY)
    assert names_of(upper) == set(BODY.names) - LOWER
    assert [BODY.names[joint] for joint in upper.begins] == ["spine"]
    assert BODY.names[upper.pelvis] == "spine"
    trunk_points = {BODY.names[joint] for joint in upper.trunk}
    assert trunk_points == {"chest", "neck", "clavicle.L", "clavicle.R", "upper_arm.L", "upper_arm.R"}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "pelvis", "count"), [("cmu_mb_02_01", "LowerBack", 20), ("cmu_daz_02_01", "abdomen", 34)]
)
def test_captured_bodies_are_split_at_the_pelvis(name, pelvis, count):
    skeleton = material.captured(name).skeleton
    upper = mask.upper_body(skeleton)
    assert skeleton.names[upper.pelvis] == pelvis
    assert len(upper.joints) == count


@pytest.mark.parametrize(
    ("wanted", "expected", "begins"),
    [
        ("upper_arm.L", {"upper_arm.L", "forearm.L", "hand.L"}, ["upper_arm.L"]),
        ("forearm.L, head", {"forearm.L", "hand.L", "head"}, ["head", "forearm.L"]),
        ("upper_arm.L, -hand.L", {"upper_arm.L", "forearm.L"}, ["upper_arm.L"]),
        ("chest, -neck, -clavicle.L, -clavicle.R", {"chest"}, ["chest"]),
        ("chest, -neck, head, -clavicle.L, -clavicle.R", {"chest", "head"}, ["chest", "head"]),
    ],
)
def test_the_upper_body_can_be_named(wanted, expected, begins):
    upper = mask.upper_body(BODY, wanted)
    assert names_of(upper) == expected
    assert [BODY.names[joint] for joint in upper.begins] == begins
    assert upper.pelvis is None


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("chets", "upper names 'chets', which the body lacks; did you mean chest"),
        ("chest,", "upper names '', which the body lacks"),
        ("hips", "hips is a root"),
        ("thigh.L", "thigh.L is of the lower body"),
        ("chest, -chest", "which leaves no joint"),
    ],
)
def test_what_is_no_upper_body_is_refused(wanted, message):
    with pytest.raises(OptionError, match=message):
        mask.upper_body(BODY, wanted)


def test_a_body_whose_arms_hang_elsewhere_has_to_be_told_where_it_begins():
    parents = BODY.parents.copy()
    parents[BODY.index("clavicle.L")] = 0
    apart = replace(BODY, parents=parents, roles=BODY.roles)
    with pytest.raises(SkeletonError, match="upper_arm.L does not hang below spine"):
        mask.upper_body(apart)
    assert names_of(mask.upper_body(apart, "spine, clavicle.L")) == set(BODY.names) - LOWER


def test_a_body_on_four_feet_has_to_be_told_what_is_spliced():
    fox = material.character("Fox")
    with pytest.raises(SkeletonError, match="name the joints to splice, such as b_Neck_04"):
        mask.upper_body(fox)
    with pytest.raises(OptionError, match="b_LeftUpperArm_09 is a front leg"):
        mask.upper_body(fox, "b_Spine02_03, -b_RightUpperArm_06")
    assert names_of(mask.upper_body(fox, "b_Neck_04"), fox) == {"b_Neck_04", "b_Head_05"}
    apart = mask.upper_body(fox, "b_Spine02_03, -b_RightUpperArm_06, -b_LeftUpperArm_09")
    assert names_of(apart, fox) == {"b_Spine02_03", "b_Neck_04", "b_Head_05"}
