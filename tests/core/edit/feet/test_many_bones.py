"""Legs of three bones and more, on bodies with four, six and eight legs: exact solutions, and made walks."""

import re
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.bodies import own_legs
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import legs, many_bones
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import ik, leg_chains, quat, root_motion
from action_loom.core.motion.ik import Limb
from action_loom.core.verbs.plant import Plant
from action_loom.core.verbs.plant.work import plant
from action_loom.core.weave import planting
from numpy.testing import assert_allclose
from oracles import walkers

COUNTS = [(4, 2), (4, 4), (6, 3), (8, 2), (8, 4)]


def bent_alike(angle, frames=3):
    """A leg of three bones of 1 m, bent alike and to the same side at both knees."""
    clip, (chain, *_), _ = walkers.walker(4, 3)
    turned = np.tile(quat.IDENTITY, (frames, len(clip.skeleton), 1))
    turned[:, chain[1:3]] = quat.about_axis("X", angle)
    offsets = clip.skeleton.offsets.copy()
    offsets[chain[1:]] = 0.0, 0.0, -1.0
    body = replace(clip.skeleton, offsets=offsets)
    made = replace(clip, skeleton=body, rotations=turned, translations=np.zeros((frames, len(body), 3)))
    return made, Limb("L", chain[0], chain[1], chain[3], (chain[2],))


@pytest.mark.parametrize("distance", [2.2, 2.5, 2.7, 2.8])
def test_three_bones_bent_alike_span_a_distance_exactly(distance):
    clip, limb = bent_alike(0.6)
    leg = legs.posed(clip, [limb])[1]["L"]
    changes = many_bones.changes(leg, np.full(len(clip), distance), 1.0)
    # 1 + 2 cos(bend): the sum of three unit vectors at −bend, 0 and bend.
    assert_allclose(changes, np.full((2, len(clip)), np.arccos(0.5 * (distance - 1.0)) - 0.6), atol=1e-9)


def test_two_bones_are_bent_by_the_law_of_cosines():
    walk = actions.walk(cycles=1)
    for leg in legs.posed(walk, ik.legs(walk.skeleton))[1].values():
        distance = 0.9 * leg.length
        by_law = np.arccos((distance**2 - sum(size**2 for size in leg.lengths)) / (2.0 * np.prod(leg.lengths, axis=0)))
        (change,) = many_bones.changes(replace(leg, knees=(leg,)), distance, 1e-3)
        assert_allclose(leg.flexion + change, by_law, atol=1e-9)


def test_a_joint_that_never_bends_stays_as_it_is():
    clip, _, _ = walkers.walker(4, 3)
    chain = leg_chains.find(clip)["L"]
    limb = Limb("L", chain[0], chain[1], chain[3], (chain[2],))
    stiff = clip.rotations.copy()
    stiff[:, chain[2]] = quat.about_axis("X", -0.7)
    made = replace(clip, rotations=stiff)
    higher = legs.shifted(made, [limb], {"L": np.full((len(clip), 3), [0.0, 0.0, 0.03])})
    turns = [
        np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(made.rotations[:, j]), higher.rotations[:, j])), axis=1))
        for j in chain[1:3]
    ]
    assert turns[1].max() < 0.2 * turns[0].max()


@pytest.mark.parametrize(("count", "bones"), COUNTS)
def test_feet_of_many_legs_stand_still(count, bones):
    clip, chains, stands = walkers.walker(count, bones)
    made, done = planting.plant_clip(clip)
    slides = [walkers.slide_of(one, chains, stands) for one in (clip, made)]
    assert slides[0] > 0.09 > 1e-4 > slides[1]
    assert not done.refused
    assert {span.foot for span in done.spans} == set(leg_chains.FEET[:count])
    assert done.report["bent"]["degrees"] < 6.0


@pytest.mark.parametrize(("count", "bones"), COUNTS)
def test_legs_are_found_with_every_joint_that_bends(count, bones):
    clip, chains, _ = walkers.walker(count, bones)
    found = leg_chains.find(clip)
    assert sorted(joints[0] for joints in found.values()) == [chain[0] for chain in chains]
    order = [pair for pair in leg_chains.PAIRS[count] for _ in "RL"]
    for k, (chain, pair) in enumerate(zip(chains, order, strict=True)):
        joints = found[f"{pair}{'RL'[k % 2]}"]
        assert joints[0] == chain[0]
        assert joints[-1] == chain[-1]
        assert set(joints) <= set(chain)
    if bones < 4:  # the foot of a leg with four begins lower
        assert all(len(joints) == bones + 2 for joints in found.values())


def test_where_a_body_stands_and_faces_does_not_matter():
    clip, _, _ = walkers.walker(6, 3)
    placed = root_motion.place_clip(clip, 0.8, np.array([2.0, -1.0]))
    one, other = planting.plant_clip(clip)[0], planting.plant_clip(placed)[0]
    assert_allclose(other.rotations[:, 1:], one.rotations[:, 1:], atol=1e-7)
    assert_allclose(root_motion.place_clip(one, 0.8, np.array([2.0, -1.0])).translations, other.translations, atol=1e-7)


def test_a_body_in_the_mirror_is_planted_in_the_mirror():
    clip, _, _ = walkers.walker(6, 3)
    turned, places, offsets = clip.rotations.copy(), clip.translations.copy(), clip.skeleton.offsets.copy()
    turned[..., 2:] *= -1.0
    for values in (places, offsets):
        values[..., 0] *= -1.0
    mirrored = replace(clip, skeleton=replace(clip.skeleton, offsets=offsets), rotations=turned, translations=places)
    found, other = leg_chains.find(clip), leg_chains.find(mirrored)
    assert other == {f"{foot[:-1]}{'LR'[foot[-1] == 'L']}": joints for foot, joints in found.items()}
    one, two = (walkers.places_of(planting.plant_clip(body)[0]) for body in (clip, mirrored))
    assert_allclose(two * [-1.0, 1.0, 1.0], one, atol=1e-7)


def test_a_stance_that_bends_its_leg_too_far_is_left_out_with_the_degrees():
    clip, chains, stands = walkers.walker(6, 3, slide=0.8)
    offsets = clip.skeleton.offsets.copy()
    offsets[1] = 0.0, 1.0, 4.0  # a giraffe: lengths are compared with those of the whole body
    tall = replace(clip, skeleton=replace(clip.skeleton, offsets=offsets))
    made, done = planting.plant_clip(tall)
    whys = [re.fullmatch(r"it would bend its leg by (\d+)° for \d+ cm/s of slide", why) for _, why in done.refused]
    assert whys
    assert all(int(why[1]) > 10 for why in whys)
    assert all(np.degrees(bend.max()) <= 20.0 for bend in done.bends.values())
    slides = [walkers.slide_of(one, chains, stands) for one in (tall, made)]
    assert (slides[1] < slides[0]) if done.spans else (slides[1] == slides[0])


def test_the_verb_plants_a_body_that_no_name_tells():
    clip, chains, stands = walkers.walker(8, 3)
    made = plant([clip], Plant())
    assert walkers.slide_of(made.clip, chains, stands) < 1e-4
    assert made.report["quality"]["after"] is not None


def test_a_body_whose_legs_do_not_bend_is_refused():
    clip, _, _ = walkers.walker(6, 1)
    with pytest.raises(SkeletonError, match="its feet are not known"):
        planting.plant_clip(clip)


def test_a_leg_in_two_chains_is_not_solved():
    clip, chains, _ = walkers.walker(6, 3)
    known = own_legs.with_legs(clip).skeleton
    parents = clip.skeleton.parents.copy()
    parents[chains[0][2]] = 0
    apart = replace(known, parents=parents)
    assert len(ik.known_legs(apart)) == len(ik.known_legs(known)) - 1
