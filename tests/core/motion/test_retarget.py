"""A clip on another body that has the same joints."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import kinematics, quat, retarget, root_motion
from action_loom.core.motion.inheritance import SCALES, Inheritance
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines


def with_turned_rest(skeleton, rng):
    """Return the body with other joint frames at rest: the joints keep their places."""
    _, places = skeleton.rest
    world = material.rotations(rng, len(skeleton))
    parents = skeleton.parents
    roots = parents < 0
    above = np.where(roots[:, None], quat.IDENTITY, world[parents])
    offsets = np.where(roots[:, None], places, places - places[parents])
    return replace(
        skeleton,
        offsets=quat.rotate(quat.inv(above), offsets),
        orients=quat.mul(quat.inv(above), world),
        tips=quat.rotate(quat.inv(world), skeleton.tips),
    )


def permuted(skeleton, order):
    place = np.argsort(order)
    return Skeleton(
        tuple(skeleton.names[j] for j in order),
        np.array([-1 if skeleton.parents[j] < 0 else place[skeleton.parents[j]] for j in order]),
        skeleton.offsets[order],
        skeleton.orients[order],
        skeleton.tips[order],
    )


def backwards(skeleton):
    """Return an order of the joints, parents first, very different from the given one."""
    return np.concatenate([level[::-1] for level in skeleton.levels])


def since_rest(clip):
    """World rotations (F, J, 4) relative to the rest pose."""
    rest, _ = clip.skeleton.rest
    world, _ = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    return quat.mul(world, quat.inv(rest))


def assert_same_rotations(a, b, atol=1e-12):
    assert_allclose(quat.same_side(a, b), b, rtol=0.0, atol=atol)


@pytest.fixture
def moving(rng):
    """A walk in which every joint turns and some move in their parents."""
    clip = material.walk(turn=0.5)
    shape = (len(clip), len(clip.skeleton))
    shaken = quat.mul(clip.rotations, quat.exp(0.3 * rng.normal(size=(*shape, 3))))
    shifts = clip.translations + 0.02 * rng.normal(size=(*shape, 3))
    return replace(clip, rotations=shaken, translations=shifts)


def test_the_same_skeleton_gives_the_same_clip(moving):
    assert retarget.onto(moving, moving.skeleton) is moving


def test_an_equal_skeleton_gives_equal_motion_on_the_other_skeleton(moving):
    equal = material.figure()
    again = retarget.onto(moving, equal)
    assert again.skeleton is equal
    assert again.rotations is moving.rotations
    assert again.translations is moving.translations


def test_a_turned_rest_pose_keeps_every_point_and_every_turn_since_rest(moving, rng):
    turned = with_turned_rest(moving.skeleton, rng)
    again = retarget.onto(moving, turned)
    assert again.skeleton is turned
    assert (again.name, again.rate, len(again)) == (moving.name, moving.rate, len(moving))
    assert_allclose(kinematics.points(again), kinematics.points(moving), rtol=0.0, atol=1e-12)
    assert_same_rotations(since_rest(again), since_rest(moving))


def test_there_and_back_is_the_clip(moving, rng):
    back = retarget.onto(retarget.onto(moving, with_turned_rest(moving.skeleton, rng)), moving.skeleton)
    assert_same_rotations(back.rotations, moving.rotations)
    assert_allclose(back.translations, moving.translations, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("scale", [0.5, 1.0 + 1e-3, 3.0])
def test_a_larger_body_walks_as_much_farther(moving, scale):
    again = retarget.onto(moving, material.figure(scale=scale))
    assert_allclose(kinematics.points(again), scale * kinematics.points(moving), rtol=0.0, atol=1e-12)
    assert_same_rotations(since_rest(again), since_rest(moving))


def test_longer_legs_alone_scale_travel_and_height(moving):
    figure = material.figure()
    offsets = figure.offsets.copy()
    for side in "LR":
        offsets[figure.roles[f"shin.{side}"]] *= 1.2
        offsets[figure.roles[f"foot.{side}"]] *= 1.2
    again = retarget.onto(moving, replace(figure, offsets=offsets))
    _, before = kinematics.forward(figure, moving.rotations, moving.translations)
    _, after = kinematics.forward(again.skeleton, again.rotations, again.translations)
    assert_allclose(after[:, 0], 1.2 * before[:, 0], rtol=0.0, atol=1e-12)
    assert_same_rotations(since_rest(again), since_rest(moving))


def test_a_body_without_known_legs_is_scaled_by_its_height(rng):
    skeleton = material.random_skeleton(rng, roots=2)
    clip = material.random_clip(rng, skeleton)
    larger = replace(skeleton, offsets=2.0 * skeleton.offsets, tips=2.0 * skeleton.tips)
    again = retarget.onto(clip, larger)
    assert_allclose(kinematics.points(again), 2.0 * kinematics.points(clip), rtol=0.0, atol=1e-12)


def test_joints_are_matched_by_name(moving):
    order = backwards(moving.skeleton)
    other = permuted(moving.skeleton, order)
    again = retarget.onto(moving, other)
    _, before = kinematics.forward(moving.skeleton, moving.rotations, moving.translations)
    _, after = kinematics.forward(other, again.rotations, again.translations)
    assert_allclose(after, before[:, order], rtol=0.0, atol=1e-12)
    assert_same_rotations(again.rotations, moving.rotations[:, order])


@pytest.mark.parametrize("seed", range(3))
def test_any_tree_keeps_its_turns_on_any_other_tree_of_the_same_joints(seed):
    rng = np.random.default_rng(seed)
    clip = material.random_clip(rng, material.random_skeleton(rng, roots=2))
    other = material.random_skeleton(rng, roots=1)
    order = rng.permutation(len(other))
    other = replace(other, names=tuple(other.names[j] for j in order))
    again = retarget.onto(clip, other)
    matching = [clip.skeleton.index(name) for name in other.names]
    assert_same_rotations(since_rest(again), since_rest(clip)[:, matching])


def renamed(skeleton, old, new):
    return replace(skeleton, names=tuple(new if name == old else name for name in skeleton.names))


def test_joints_that_only_one_of_the_two_has_are_named(moving):
    other = renamed(moving.skeleton, "Spine1", "Chest")
    with pytest.raises(SkeletonError, match=r"walk: .*it has 'Spine1'; it lacks 'Chest'"):
        retarget.onto(moving, other)


def test_many_missing_joints_are_counted(moving, rng):
    stranger = material.random_skeleton(rng, joints=3)
    with pytest.raises(SkeletonError, match=r"'Hips', .* and 17 more; it lacks 'joint0', 'joint1', 'joint2'$"):
        retarget.onto(moving, stranger)


def test_skeletons_are_the_same_up_to_a_micrometre_and_the_signs_of_quaternions(rng):
    skeleton = material.random_skeleton(rng)
    assert retarget.same(skeleton, replace(skeleton, orients=-skeleton.orients))
    assert retarget.same(skeleton, replace(skeleton, offsets=skeleton.offsets + 5e-7))
    assert not retarget.same(skeleton, replace(skeleton, offsets=skeleton.offsets + 1e-5))
    assert not retarget.same(skeleton, renamed(skeleton, "joint2", "elbow"))
    assert not retarget.same(skeleton, permuted(skeleton, backwards(skeleton)))


def test_bone_settings_are_part_of_a_body_and_are_never_dropped(rng):
    body = material.figure()
    count = len(body)
    turning = np.arange(count) != 3
    settings = Inheritance(turning, ("FULL",) * count, np.ones(count, dtype=bool), quat.IDENTITY)
    clip = material.random_clip(rng, body)
    other = replace(body, inheritance=settings)
    assert not retarget.same(body, other)
    assert retarget.same(other, replace(body, inheritance=replace(settings)))
    with pytest.raises(SkeletonError, match="can't change bodies yet"):
        retarget.onto(clip, other)
    rules = replace(settings, space=quat.about_axis("X", np.array(0.5)), location=np.zeros(count, dtype=bool))
    for loose in (settings, rules, replace(rules, moving_space=True)):
        ruled = replace(clip, skeleton=replace(body, inheritance=loose))
        gone = kinematics.points(root_motion.place_clip(ruled, 0.0, np.array([2.0, -1.0]))) - kinematics.points(ruled)
        assert_allclose(gone, np.broadcast_to([2.0, -1.0, 0.0], gone.shape), atol=1e-12)


@pytest.mark.parametrize("turn_rest", [False, True])
def test_a_body_with_the_same_joints_fits_as_onto_says(moving, rng, turn_rest):
    other = permuted(material.figure(scale=1.3), backwards(moving.skeleton))
    other = with_turned_rest(other, rng) if turn_rest else other
    ours, theirs = retarget.fit_to_skeleton(moving, other), retarget.onto(moving, other)
    assert_same_rotations(ours.rotations, theirs.rotations)
    assert_allclose(ours.translations, theirs.translations, rtol=0.0, atol=1e-12)


def with_further_joints(skeleton, rng):
    """The same body under a root bone of its own, with a joint inside its spine and one beside, all turned at rest."""
    names = ("ground", *skeleton.names, "inside", "beside")
    count, first = len(skeleton), skeleton.index("Spine")
    parents = np.concatenate([[-1], np.where(skeleton.parents < 0, 0, skeleton.parents + 1), [first + 1, 0]])
    child = int(np.flatnonzero(skeleton.parents == first)[0])
    parents[child + 1] = count + 1
    offsets = np.concatenate([[[0.3, 0.1, 0.2]], skeleton.offsets, [0.5 * skeleton.offsets[child], [1.0, 0.0, 0.0]]])
    offsets[child + 1] *= 0.5
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop(0))
        waiting += np.flatnonzero(parents == order[-1]).tolist()
    place = np.argsort(order)
    tips = np.concatenate([np.zeros((1, 3)), skeleton.tips, [[0.0, 0.0, 0.1]] * 2])
    still = np.tile(quat.IDENTITY, (count + 3, 1))
    new_parents = np.array([-1 if parents[j] < 0 else place[parents[j]] for j in order])
    larger = Skeleton(tuple(names[j] for j in order), new_parents, offsets[order], still, tips[order])
    return with_turned_rest(larger, rng)


def test_further_joints_rest_and_the_others_move_as_ever(moving, rng):
    body = moving.skeleton
    steady = replace(moving, translations=np.where(body.parents[:, None] < 0, moving.translations, 0.0))
    other = with_further_joints(body, rng)
    again = retarget.fit_to_skeleton(steady, other)
    for name in ("ground", "inside", "beside"):
        assert_allclose(again.rotations[:, other.index(name)], [quat.IDENTITY] * len(again))
        assert not again.translations[:, other.index(name)].any()
    _, before = kinematics.world(steady)
    _, after = kinematics.world(again)
    order = [other.index(name) for name in body.names]
    assert_allclose(after[:, order], before, rtol=0.0, atol=1e-12)
    assert_same_rotations(since_rest(again)[:, order], since_rest(steady))


@pytest.mark.parametrize("dropped", ["Hips", "LeftToeBase", "Spine1"])
def test_joints_that_rest_need_not_be_there(rng, dropped):
    clip = material.walk()
    joint = clip.skeleton.index(dropped)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, joint], translations[:, joint] = quat.IDENTITY, 0.0
    clip = replace(clip, rotations=rotations, translations=translations)
    assert dropped not in retarget.moving(clip)
    body, kept = clip.skeleton, np.arange(len(clip.skeleton)) != joint
    parents, offsets = body.parents.copy(), body.offsets.copy()
    children = body.parents == joint
    parents[children], offsets[children] = body.parents[joint], offsets[children] + body.offsets[joint]
    parents = np.where(parents > joint, parents - 1, parents)[kept]
    names = tuple(name for name in body.names if name != dropped)
    smaller = Skeleton(names, parents, offsets[kept], body.orients[kept], body.tips[kept])
    again = retarget.fit_to_skeleton(clip, with_turned_rest(smaller, rng))
    assert_allclose(kinematics.world(again)[1], kinematics.world(clip)[1][:, kept], rtol=0.0, atol=1e-12)
    moved = replace(clip, rotations=quat.mul(rotations, quat.about_axis("X", np.full((1, 1), 0.1))))
    with pytest.raises(SkeletonError, match=f"lacks '{dropped}', which it moves"):
        retarget.fit_to_skeleton(moved, smaller)


def test_joints_that_do_not_inherit_all_turn_in_the_world_as_the_clips_do(moving, rng):
    body = with_turned_rest(moving.skeleton, rng)
    count = len(body)
    settings = Inheritance(
        rng.random(count) < 0.5, tuple(rng.choice(SCALES, count)), rng.random(count) < 0.5, quat.IDENTITY
    )
    other = replace(body, inheritance=settings)
    again = retarget.fit_to_skeleton(moving, other)
    assert again.skeleton is other
    ours, theirs = kinematics.world(again), kinematics.world(retarget.onto(moving, body))
    assert_same_rotations(ours[0], theirs[0])
    assert_allclose(ours[1], theirs[1], rtol=0.0, atol=1e-12)


def test_without_legs_made_up_tips_count_for_nothing(rng):
    skeleton = material.random_skeleton(rng, roots=2)
    clip = material.random_clip(rng, skeleton)
    other = replace(skeleton, tips=5.0 * skeleton.tips + 1.0)
    _, before = kinematics.world(clip)
    assert_allclose(kinematics.world(retarget.onto(clip, other))[1], before, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("degrees", [-170.0, 3.0, 180.0])
def test_a_rest_pose_that_faces_another_way_and_stands_elsewhere_changes_nothing_in_the_world(moving, rng, degrees):
    body = moving.skeleton
    turn, roots = quat.about_axis("Z", np.radians(degrees)), body.parents < 0
    offsets, orients = body.offsets.copy(), body.orients.copy()
    offsets[roots] = quat.rotate(turn, offsets[roots]) + np.array([3.0, -2.0, 0.5])
    orients[roots] = quat.mul(turn, orients[roots])
    tips = quat.rotate(turn, body.tips)  # in the world, as the helper takes them
    other = with_turned_rest(replace(body, offsets=offsets, orients=orients, tips=tips), rng)
    again = retarget.fit_to_skeleton(moving, other)
    assert_allclose(kinematics.points(again), kinematics.points(moving), rtol=0.0, atol=1e-12)


def test_arms_held_another_way_at_rest_do_not_turn_the_body(moving):
    body = moving.skeleton
    orients = body.orients.copy()
    for role in ("upper_arm.L", "forearm.R"):
        orients[body.roles[role]] = quat.about_axis("Z", np.array(0.6))
    other = replace(body, orients=orients)
    assert_same_rotations(since_rest(retarget.fit_to_skeleton(moving, other)), since_rest(moving))


@pytest.mark.both_engines
def test_scales_that_differ_from_one_by_rounding_do_not_count():
    """Exporters of FBX key every joint so; real scales are refused by the names of their joints."""
    walk = actions.walk()
    shape = walk.translations.shape
    rounded = replace(walk, scales=1.0 + 3.5e-5 * np.sin(np.arange(walk.translations.size)).reshape(shape))
    small = replace(walk.skeleton, offsets=0.8 * walk.skeleton.offsets, tips=0.8 * walk.skeleton.tips)
    assert_array_equal(
        retarget.fit_to_skeleton(rounded, small).rotations, retarget.fit_to_skeleton(walk, small).rotations
    )
    scales = np.ones(shape)
    scales[:, walk.skeleton.index("head")] = 1.2
    with pytest.raises(SkeletonError, match=r"its joints 'head' are scaled, which can't change bodies yet"):
        retarget.fit_to_skeleton(replace(walk, scales=scales), small)
