"""Count the legs of made bodies with known numbers of legs, in poses of their own."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.bodies import carried
from action_loom.core.demo_character import actions
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import leg_count, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton

BONES = 3  # of a leg


def crawler(legs, *, tail=False, height=0.5, names="leg"):
    """A body at some height with legs on both sides, each of three bones that swing, and a head above."""
    joints, parents, offsets = ["body", "neck", "head"], [-1, 0, 1], [[0, 0, height], [0, -0.5, 0.1], [0, -0.1, 0.3]]
    for k in range(legs):
        side, along = (-1.0) ** k, 0.3 * (k // 2)
        for bone in range(BONES):
            joints.append(f"{names}{k}.{bone}")
            parents.append(0 if bone == 0 else len(joints) - 2)
            offsets.append([0.2 * side, along, 0.1] if bone == 0 else [0.1 * side, 0.0, -0.5 * (height + 0.1)])
    if tail:
        for bone in range(3):
            joints.append(f"tail{bone}")
            parents.append(0 if bone == 0 else len(joints) - 2)
            offsets.append([0.0, 0.4, -0.3 * height])
    count = len(joints)
    still = np.tile(quat.IDENTITY, (count, 1))
    skeleton = Skeleton(tuple(joints), np.array(parents), np.array(offsets, float), still, np.zeros((count, 3)))
    frames = 24
    rotations = np.tile(quat.IDENTITY, (frames, count, 1))
    for k in range(legs):
        swing = 0.15 * np.sin(np.linspace(0.0, 2.0 * np.pi, frames) + k)
        rotations[:, skeleton.index(f"{names}{k}.0")] = quat.about_axis("X", swing)
    return Clip("crawler", skeleton, 24.0, rotations, np.zeros((frames, count, 3)))


@pytest.mark.parametrize("legs", [2, 4, 6, 8])
@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("height", [0.3, 1.0])
def test_the_number_of_legs_is_found_without_names(legs, tail, height):
    assert leg_count.count(crawler(legs, tail=tail, height=height)) == legs


@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_the_unit_does_not_matter(unit):
    clip = crawler(6)
    larger = replace(clip, skeleton=replace(clip.skeleton, offsets=unit * clip.skeleton.offsets))
    assert leg_count.count(larger) == 6


def test_persons_have_two():
    for action in (actions.walk, actions.run, actions.sneak, actions.carry, actions.wave):
        assert leg_count.count(action()) == 2
        assert leg_count.of_body(action()).leg_count == 0


def test_a_person_that_crawls_is_still_one():
    walk = actions.walk()
    turned = walk.rotations.copy()
    turned[:, 0] = quat.mul(quat.about_axis("X", np.full(len(walk), 1.4)), turned[:, 0])
    for side in "LR":  # arms hang down to the ground
        turned[:, walk.skeleton.index(f"upper_arm.{side}")] = quat.IDENTITY
    assert leg_count.of_body(replace(walk, rotations=turned)).leg_count == 0


def test_clips_of_people_are_refused_with_the_number():
    skeleton = leg_count.of_body(crawler(6))
    with pytest.raises(SkeletonError, match="Ant has 6 legs: only two-legged bodies take each other's clips"):
        carried.refuse(skeleton, "Ant")
