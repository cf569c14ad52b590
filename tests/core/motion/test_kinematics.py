"""Forward kinematics against a walk up the tree with 4×4 matrices, one joint and frame at a time."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.inheritance import SCALES, Inheritance
from action_loom.core.motion.skeleton import DEEP
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines


def moved(offset):
    matrix = np.eye(4)
    matrix[:3, 3] = offset
    return matrix


def turned(q):
    w, x, y, z = q
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return matrix


def world_matrix(clip, frame, joint):
    skeleton = clip.skeleton
    parent = skeleton.parents[joint]
    above = np.eye(4) if parent < 0 else world_matrix(clip, frame, parent)
    rest = moved(skeleton.offsets[joint]) @ turned(skeleton.orients[joint])
    return above @ rest @ moved(clip.translations[frame, joint]) @ turned(clip.rotations[frame, joint])


def world_matrices(clip):
    joints = range(len(clip.skeleton))
    return np.array([[world_matrix(clip, frame, joint) for joint in joints] for frame in range(len(clip))])


def deep_skeleton(rng, depth, others=100):
    """Return a skeleton of `depth` joints in a row, and other joints with random parents."""
    skeleton = material.random_skeleton(rng, depth + others)
    row = np.arange(depth) - 1
    hanging = [int(rng.integers(max(joint - depth, 0), joint)) for joint in range(depth, depth + others)]
    return replace(skeleton, parents=np.array([*row, *hanging]), offsets=0.1 * skeleton.offsets)


def walked_down(skeleton, rotations, translations):
    """World rotations and positions of one frame, joint by joint."""
    turns, places = [], []
    for joint, parent in enumerate(skeleton.parents):
        turn = quat.mul(skeleton.orients[joint], rotations[joint])
        place = skeleton.offsets[joint] + quat.rotate(skeleton.orients[joint], translations[joint])
        if parent >= 0:
            place = places[parent] + quat.rotate(turns[parent], place)
            turn = quat.mul(turns[parent], turn)
        turns.append(turn)
        places.append(place)
    return np.array(turns), np.array(places)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("roots", [1, 3])
def test_every_joint_is_where_the_recursive_reference_puts_it(seed, roots):
    rng = np.random.default_rng(seed)
    clip = material.random_clip(rng, material.random_skeleton(rng, joints=15, roots=roots))
    rotations, positions = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    expected = world_matrices(clip)
    assert_allclose(positions, expected[..., :3, 3], rtol=0.0, atol=1e-12)
    assert_allclose(quat.to_matrix(rotations), expected[..., :3, :3], rtol=0.0, atol=1e-12)


def test_tips_come_after_the_joints_and_move_with_them(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng, joints=12, roots=2))
    skeleton, expected = clip.skeleton, world_matrices(clip)
    with_tip = [j for j in range(12) if skeleton.tips[j].any()]
    assert 0 < len(with_tip) < 12
    tips = np.stack([expected[:, j] @ np.append(skeleton.tips[j], 1.0) for j in with_tip], axis=1)
    together = np.concatenate([expected[..., :3, 3], tips[..., :3]], axis=1)
    assert_allclose(kinematics.points(clip), together, rtol=0.0, atol=1e-12)


def test_a_body_without_tips_has_its_joints_as_points(rng):
    skeleton = material.random_skeleton(rng)
    clip = material.random_clip(rng, replace(skeleton, tips=np.zeros_like(skeleton.tips)))
    assert kinematics.points(clip).shape == (5, 12, 3)


def test_the_rest_pose_is_the_pose_without_rotation_and_translation(rng):
    skeleton = material.random_skeleton(rng, roots=2)
    still = Clip("", skeleton, 30.0, np.tile(quat.IDENTITY, (1, 12, 1)), np.zeros((1, 12, 3)))
    rotations, positions = skeleton.rest
    expected = world_matrices(still)[0]
    assert_allclose(positions, expected[:, :3, 3], rtol=0.0, atol=1e-12)
    assert_allclose(quat.to_matrix(rotations), expected[:, :3, :3], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("depth", [DEEP - 1, DEEP, DEEP + 1, 1500])
def test_deep_trees_are_where_a_walk_down_puts_them(rng, depth):
    skeleton = deep_skeleton(rng, depth)
    clip = material.random_clip(rng, skeleton, frames=3)
    rotations, positions = kinematics.world(clip)
    for frame in range(3):
        turns, places = walked_down(skeleton, clip.rotations[frame], clip.translations[frame])
        assert_allclose(rotations[frame], turns, rtol=0.0, atol=1e-11)
        assert_allclose(positions[frame], places, rtol=0.0, atol=1e-10)
    still = np.tile(quat.IDENTITY, (len(skeleton), 1)), np.zeros((len(skeleton), 3))
    for found, expected in zip(skeleton.rest, walked_down(skeleton, *still), strict=True):
        assert_allclose(found, expected, rtol=0.0, atol=1e-10)


def test_a_frame_does_not_hang_on_others(rng):
    """Frames are computed together, some hundreds at a time."""
    clip = material.random_clip(rng, material.random_skeleton(rng, joints=17, roots=2), frames=1100)
    whole = kinematics.world(clip)
    for frame in (0, 511, 512, 513, 1023, 1024, 1099):
        for alone, among in zip(kinematics.world(clip.cut(frame, frame + 1)), whole, strict=True):
            assert_array_equal(alone[0], among[frame])


def test_the_order_of_joints_does_not_matter(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng, joints=10, roots=2))
    skeleton = clip.skeleton
    # Any order in which parents come first: by depth, and backwards within a depth.
    order = np.concatenate([level[::-1] for level in skeleton.levels])
    place = np.argsort(order)
    parents = np.array([-1 if skeleton.parents[j] < 0 else place[skeleton.parents[j]] for j in order])
    again = replace(
        skeleton,
        names=tuple(skeleton.names[j] for j in order),
        parents=parents,
        offsets=skeleton.offsets[order],
        orients=skeleton.orients[order],
        tips=skeleton.tips[order],
    )
    _, expected = kinematics.forward(skeleton, clip.rotations, clip.translations)
    _, positions = kinematics.forward(again, clip.rotations[:, order], clip.translations[:, order])
    assert_allclose(positions, expected[:, order], rtol=0.0, atol=1e-12)


def test_some_joints_stand_where_they_do_among_all(rng):
    skeleton = material.random_skeleton(rng, joints=20, roots=2)
    clip = material.random_clip(rng, skeleton)
    rotations, positions = kinematics.world(clip)
    for joints in ([19], [3, 11], []):
        some_rotations, some_positions = kinematics.world_of(replace(clip), joints)
        assert_allclose(some_rotations[:, joints], rotations[:, joints], rtol=0.0, atol=0.0)
        assert_allclose(some_positions[:, joints], positions[:, joints], rtol=0.0, atol=0.0)


def test_poses_that_were_asked_for_before_are_the_same(rng):
    """Edits of the returned arrays, and requests for other clips, do not change later answers."""
    clips = [material.random_clip(rng, material.random_skeleton(rng), frames=40) for _ in range(4)]
    stretched = [replace(clip, scales=rng.uniform(0.7, 1.4, clip.translations.shape)) for clip in clips]
    for clip in clips + stretched:
        first = [*kinematics.pose_clip(clip), *kinematics.world(clip)]
        expected = [array.copy() for array in first]
        for array in (*first, kinematics.points(clip), *kinematics.world_of(clip, [3])):
            array += 1.0
        for other in clips + stretched:
            kinematics.points(other)
        assert_array_equal(kinematics.points(clip), expected[1])
        for found, wanted in zip([*kinematics.pose_clip(clip), *kinematics.world(clip)], expected, strict=True):
            assert_array_equal(found, wanted)


def test_poses_that_are_kept_can_not_be_written(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng), frames=4)
    for array in (*kinematics.get_cached_pose(clip), *kinematics.kept_of(clip, [1])):
        with pytest.raises(ValueError, match="read-only"):
            array += 1.0


def test_more_poses_are_kept_while_something_is_done_with_them(rng, monkeypatch):
    skeleton = material.random_skeleton(rng)
    for name, count in (("KEPT_POSES", 1), ("MOST_KEPT", 3)):
        monkeypatch.setattr(kinematics, name, count * 40 * len(skeleton))
    clips = [material.random_clip(rng, skeleton, frames=40) for _ in range(4)]
    with kinematics.keeping():
        for clip in clips:
            kinematics.get_cached_pose(clip)
        kinematics.get_cached_pose(material.random_clip(rng, skeleton, frames=100), keep=False)
        assert [clip in kinematics._kept for clip in clips] == [False, True, True, True]
    assert [clip in kinematics._kept for clip in clips] == [False, False, False, True]


def test_poses_are_kept_of_few_clips_and_while_these_are_used(rng, monkeypatch):
    skeleton = material.random_skeleton(rng)
    kept_before = len(kinematics._kept)
    monkeypatch.setattr(kinematics, "KEPT_POSES", 3 * 40 * len(skeleton))
    clips = [material.random_clip(rng, skeleton, frames=40) for _ in range(5)]
    for clip in clips:
        kinematics.points(clip)
    assert [clip in kinematics._kept for clip in clips] == [False, False, True, True, True]
    kinematics.points(clips[2])
    kinematics.points(material.random_clip(rng, skeleton, frames=500))  # too long to be kept
    del clip, clips
    assert len(kinematics._kept) <= kept_before


@pytest.mark.parametrize("moving_space", [False, True], ids=["in a space", "in a moving space"])
def test_local_values_of_where_joints_stand_are_those_they_stand_by(rng, moving_space):
    skeleton = material.random_skeleton(rng, joints=15, roots=1 if moving_space else 2)
    flags = rng.random((2, 15)) < 0.5
    space = quat.IDENTITY if moving_space else material.rotations(rng)
    rules = Inheritance(flags[0], tuple(rng.choice(SCALES, 15)), flags[1], space, moving_space)
    for body in (skeleton, replace(skeleton, inheritance=rules)):
        clip = material.random_clip(rng, body)
        rotations, translations, scales = kinematics.local(body, *kinematics.matrices(clip))
        assert_allclose(quat.same_side(rotations, clip.rotations), clip.rotations, rtol=0.0, atol=1e-9)
        assert_allclose(translations, clip.translations, rtol=0.0, atol=1e-9)
        assert_allclose(scales, 1.0, rtol=0.0, atol=1e-9)
        stretched = replace(clip, scales=rng.uniform(0.7, 1.4, clip.translations.shape))
        linear, places = kinematics.matrices(stretched)
        again = kinematics.local(body, linear, places)
        put = replace(clip, rotations=again[0], translations=again[1], scales=again[2])
        assert_allclose(kinematics.matrices(put)[1], places, rtol=0.0, atol=1e-9)


def test_joints_below_one_that_is_scaled_to_nothing_stand_where_they_do():
    """Game characters hide props so."""
    walk = actions.walk(cycles=1)
    scales = np.ones(walk.translations.shape)
    scales[5:9, walk.skeleton.index("forearm.L")] = 0.0
    hidden = replace(walk, scales=scales)
    linear, places = kinematics.matrices(hidden)
    again = kinematics.standing_at(hidden, linear, places)
    assert np.isfinite(again.rotations).all()
    assert np.abs(kinematics.matrices(again)[1] - places).max() < 1e-9


def test_joints_with_reversed_axes_stand_where_they_stood():
    walk = actions.walk(cycles=1)
    scales = np.ones_like(walk.translations)
    scales[:, 5] = (-1.0, 1.2, 0.7)
    reversed_one = replace(walk, scales=scales)
    linear, places = kinematics.matrices(reversed_one)
    raised = places + np.array([0.0, 0.0, 0.2])
    again = kinematics.standing_at(reversed_one, linear, raised)
    found, there = kinematics.matrices(again)
    assert_allclose(found, linear, atol=1e-9)
    assert_allclose(there, raised, atol=1e-9)
