"""Clips from BVH files and files from clips, against files from the wild and a reader's own forward kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import SkeletonError
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def points_in_file(motion, frame):
    """Joints, then tips, in the file's own units and axes: one 4×4 matrix after the other."""
    turns = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}
    worlds, tips, column = [], [], 0
    for joint, channels in enumerate(motion.channels):
        local = np.eye(4)
        local[:3, 3] = motion.offsets[joint]
        for channel in channels:
            value = motion.values[frame, column]
            column += 1
            axis, kind = channel[0], channel[1:]
            if kind == "position":
                local[:3, 3]["XYZ".index(axis)] = value
                continue
            a, b = turns[axis]
            turn = np.eye(4)
            turn[a, a] = turn[b, b] = np.cos(np.radians(value))
            turn[b, a] = np.sin(np.radians(value))
            turn[a, b] = -turn[b, a]
            local = local @ turn
        parent = motion.parents[joint]
        worlds.append(local if parent < 0 else worlds[parent] @ local)
        if np.isfinite(motion.tips[joint]).all() and motion.tips[joint].any():
            tips.append((worlds[-1] @ np.append(motion.tips[joint], 1.0))[:3])
    return np.array([world[:3, 3] for world in worlds] + tips)


def in_metres(points, convention):
    """Return a file's points in metres and Z up."""
    if convention.up == "y":
        points = np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)
    return convention.metres * points


def test_the_points_of_a_clip_are_the_files(small):
    for up in ("y", "z"):
        clip, convention = bvh.to_clip(small, unit="cm", up=up)
        expected = np.array([points_in_file(small, frame) for frame in range(2)])
        assert_allclose(kinematics.points(clip), in_metres(expected, convention), rtol=0.0, atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("path", material.some_captured_files(), ids=lambda path: path.stem)
def test_the_points_of_a_captured_clip_are_the_files(path):
    motion = bvh.read(path)
    clip, convention = bvh.to_clip(motion)
    frames = np.unique(np.linspace(0, len(clip) - 1, 6).astype(int))
    expected = np.array([points_in_file(motion, frame) for frame in frames])
    found = kinematics.points(clip)[frames]
    assert_allclose(found, in_metres(expected, convention), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_of_channels_is_understood(small, order):
    channels = tuple(
        (*small.channels[0][:3], *(f"{axis}rotation" for axis in order)) if k == 0 else channel
        for k, channel in enumerate(small.channels)
    )
    motion = replace(small, channels=channels)
    clip, convention = bvh.to_clip(motion, unit="cm", up="y")
    expected = np.array([points_in_file(motion, frame) for frame in range(2)])
    assert_allclose(kinematics.points(clip), in_metres(expected, convention), rtol=0.0, atol=1e-12)
    again = bvh.from_clip(clip, motion, convention)
    assert_allclose(again.values, motion.values, atol=1e-7)


@pytest.mark.parametrize(
    "channels",
    [
        (),
        ("Xrotation",),
        ("Zrotation", "Yrotation"),
        ("Yposition",),
        ("Zposition", "Xposition"),
        ("Xrotation", "Yrotation", "Zrotation", "Zposition", "Yposition", "Xposition"),
        ("Xposition", "Zrotation", "Yposition", "Xrotation", "Zposition", "Yrotation"),
    ],
)
def test_joints_may_have_any_channels(small, channels, rng):
    together = (small.channels[0], small.channels[1], channels, small.channels[3])
    width = sum(len(names) for names in together)
    motion = replace(small, channels=together, values=rng.uniform(-80.0, 80.0, size=(4, width)))
    clip, convention = bvh.to_clip(motion, unit="cm", up="y")
    expected = np.array([points_in_file(motion, frame) for frame in range(4)])
    assert_allclose(kinematics.points(clip), in_metres(expected, convention), rtol=0.0, atol=1e-12)
    again = bvh.from_clip(clip, motion, convention)
    back, _ = bvh.to_clip(again, unit="cm", up="y")
    assert_allclose(kinematics.points(back), kinematics.points(clip), rtol=0.0, atol=1e-8)


def test_a_position_channel_replaces_the_offset_of_its_joint(small):
    clip, _ = bvh.to_clip(small, unit="m", up="z")
    _, positions = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    assert_allclose(positions[:, 0], [[0, 90, 0], [1.5, 91, -0.2]], atol=1e-12)
    assert_allclose(clip.skeleton.offsets[0], [1, 2, 3])


def test_joints_of_one_name_are_numbered_in_the_clip_and_keep_their_names_in_the_file(tmp_path):
    motion = material.read_bvh(tmp_path, material.SMALL_BVH.replace("Head", "Chest").replace("Leg", "Chest"))
    assert motion.names == ("Hips", "Chest", "Chest", "Chest")
    clip, convention = bvh.to_clip(motion)
    assert clip.skeleton.names == ("Hips", "Chest", "Chest.001", "Chest.002")
    assert bvh.from_clip(clip, motion, convention).names == motion.names


def test_a_number_that_is_taken_already_is_not_given_again(tmp_path):
    motion = material.read_bvh(tmp_path, material.SMALL_BVH.replace("Head", "Chest").replace("Leg", "Chest.001"))
    clip, _ = bvh.to_clip(motion)
    assert len(set(clip.skeleton.names)) == 4
    assert clip.skeleton.names[1] == "Chest"


@pytest.mark.shared
@pytest.mark.parametrize("path", material.captured_files(), ids=lambda path: path.stem)
def test_a_clip_and_back_keeps_every_point(path):
    motion = bvh.read(path)
    motion = replace(motion, values=motion.values[:100])
    clip, convention = bvh.to_clip(motion)
    again = bvh.from_clip(clip, motion, convention)
    assert (again.names, again.channels, again.frame_time) == (motion.names, motion.channels, motion.frame_time)
    assert_array_equal(again.offsets, motion.offsets)
    assert_array_equal(again.tips, motion.tips)
    back, _ = bvh.to_clip(again, unit=str(convention.metres), up=convention.up)
    assert_allclose(kinematics.points(back), kinematics.points(clip), rtol=0.0, atol=1e-6)


def test_angles_that_ran_on_past_a_half_turn_come_back_as_they_were(small):
    time = np.linspace(0.0, 1.0, 60)[:, None]
    values = np.hstack([np.zeros((60, 3)), time * np.tile([400.0, 60.0, -300.0], 4)])
    motion = replace(small, values=values)
    clip, convention = bvh.to_clip(motion, unit="cm", up="y")
    assert_allclose(bvh.from_clip(clip, motion, convention).values, values, atol=1e-6)


def test_a_clip_of_our_own_is_written_and_read_back(tmp_path):
    clip = material.walk(turn=0.7)
    path = material.write(clip, tmp_path / "walk.bvh")
    back, convention = bvh.to_clip(bvh.read(path))
    assert (convention.unit, convention.up, back.rate, back.name) == ("cm", "y", 30.0, "walk")
    assert back.skeleton.names == clip.skeleton.names
    assert_allclose(kinematics.points(back), kinematics.points(clip), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("roots", [1, 3])
def test_any_body_is_written_so_that_every_joint_is_where_it_was(seed, roots, tmp_path):
    rng = np.random.default_rng(seed)
    clip = material.random_clip(rng, material.random_skeleton(rng, joints=14, roots=roots))
    path = material.write(clip, tmp_path / "any.bvh")
    back, _ = bvh.to_clip(bvh.read(path), unit="cm", up="y")
    _, expected = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    _, found = kinematics.forward(back.skeleton, back.rotations, back.translations)
    matching = [back.skeleton.index(name) for name in clip.skeleton.names]
    assert_allclose(found[:, matching], expected, rtol=0.0, atol=1e-6)


def test_the_tips_of_turned_joints_are_written_where_they_are(rng, tmp_path):
    skeleton = material.random_skeleton(rng, joints=4)
    skeleton = replace(skeleton, parents=np.arange(-1, 3), tips=np.array([[0.0] * 3] * 3 + [[0.1, 0.2, 0.3]]))
    clip = material.random_clip(rng, skeleton)
    back, _ = bvh.to_clip(bvh.read(material.write(clip, tmp_path / "tip.bvh")), unit="cm", up="y")
    assert_allclose(kinematics.points(back), kinematics.points(clip), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("name", ["a{b", "}", "a\nb", "two  spaces", " edges ", "", "JOINT", "OFFSET", "{"])
def test_a_joint_of_any_name_is_written_so_that_the_file_can_be_read(name, tmp_path):
    figure = material.figure()
    clip = replace(material.walk(0.2), skeleton=replace(figure, names=(*figure.names[:-1], name)))
    back, _ = bvh.to_clip(bvh.read(material.write(clip, tmp_path / "named.bvh")))
    assert back.skeleton.names[:-1] == figure.names[:-1]
    assert_allclose(kinematics.points(back), kinematics.points(clip), rtol=0.0, atol=1e-6)


def test_a_body_of_another_shape_than_the_file_is_refused(small):
    with pytest.raises(SkeletonError, match="joints are not those of .*small.bvh: "):
        bvh.from_clip(material.walk(), small)


def test_a_hinge_that_turns_about_another_axis_can_not_be_written(small):
    hinge = (small.channels[0], small.channels[1], ("Xrotation",), small.channels[3])
    motion = replace(small, channels=hinge, values=np.ones((2, 13)))
    clip, convention = bvh.to_clip(motion, unit="cm", up="y")
    turned = clip.rotations.copy()
    turned[:, 2] = quat.about_axis("Z", np.array(0.5))
    with pytest.raises(SkeletonError, match="Head"):
        bvh.from_clip(replace(clip, rotations=turned), motion, convention)


def test_a_body_that_moves_where_the_file_has_no_channel_for_it_can_not_be_written(small):
    rotations_only = (small.channels[0][3:], *small.channels[1:])
    motion = replace(small, channels=rotations_only, values=np.ones((2, 12)))
    clip, convention = bvh.to_clip(motion, unit="cm", up="y")
    assert bvh.from_clip(clip, motion, convention).values.shape == (2, 12)
    moved = clip.translations.copy()
    moved[1, 0] = [0.5, 0.0, 0.0]
    with pytest.raises(SkeletonError, match="Hips"):
        bvh.from_clip(replace(clip, translations=moved), motion, convention)


def test_a_deep_chain_does_not_exhaust_the_stack(tmp_path):
    count = 1500
    skeleton = Skeleton(
        tuple(f"j{k}" for k in range(count)),
        np.arange(-1, count - 1),
        np.tile([0.0, 0.0, 0.001], (count, 1)),
        np.tile(quat.IDENTITY, (count, 1)),
        np.zeros((count, 3)),
    )
    clip = Clip("chain", skeleton, 30.0, np.tile(quat.IDENTITY, (2, count, 1)), np.zeros((2, count, 3)))
    back, _ = bvh.to_clip(bvh.read(material.write(clip, tmp_path / "chain.bvh")), unit="cm", up="y")
    assert_allclose(kinematics.points(back)[:, -1], kinematics.points(clip)[:, -1], atol=1e-6)
