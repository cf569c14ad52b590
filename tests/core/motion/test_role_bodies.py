"""Roles by shape alone: unnamed bodies of every family of files and rigs get the roles of their names."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions, body
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, quat, role_bodies, roles
from action_loom.core.motion.skeleton import Skeleton
from oracles import material

# The rules were made with a view of all of these; characters and rigs were kept out.
FILES = (
    "cmu/cmu_mb_02_01",
    "cmu/cmu_daz_02_01",
    "odd/bvh-python__test_freebvh",
    "odd/bvh-parser__example",
    "odd/ofxBvh__perfume",
    "odd/bvh-python__test_mocapbank",
    "odd/pybvh__bvh_example",
)
STANDS_NOWHERE = ("odd/GenoView__Geno_bind", "odd/anim_utils__mh_cmu_skeleton_pose")


def unnamed(skeleton: Skeleton) -> dict[str, int]:
    names = [f"Bone.{joint:03}" for joint in range(len(skeleton))]
    return roles.find(names, skeleton.parents, skeleton.rest[1])


def read(name):
    return motion_file.read(material.SHARED / f"{name}.bvh").clip.skeleton


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_captured_bodies_without_names_have_the_same_roles(name):
    skeleton = read(name)
    assert unnamed(skeleton) == skeleton.roles
    assert set(roles.found_by([""] * len(skeleton), skeleton.parents, skeleton.rest[1]).values()) == {roles.SHAPE}


@pytest.mark.shared
@pytest.mark.parametrize("name", STANDS_NOWHERE)
def test_a_rest_pose_that_is_no_body_tells_nothing(name):
    assert unnamed(read(name)) == {}


@pytest.mark.parametrize("arms", [-10.0, 30.0, 75.0])
@pytest.mark.parametrize("up", ["Z", "Y"])
@pytest.mark.parametrize("size", [0.01, 100.0])
def test_any_rest_pose_axis_and_unit_give_the_same(arms, up, size):
    """Arms down, at an angle, held out, raised; Z or Y up."""
    figure = body.skeleton()
    pose = np.tile(quat.IDENTITY, (len(figure), 1))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        pose[figure.index(f"upper_arm.{side}")] = quat.about_axis("Y", np.radians(-sign * arms))
    clip = replace(actions.walk(cycles=1).cut(0, 1), rotations=pose[None], scales=None)
    places = size * kinematics.world(clip)[1][0]
    places = places if up == "Z" else places @ np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
    found = role_bodies.find(figure.parents.tolist(), places)
    assert found == figure.roles


def test_what_is_no_person_has_no_roles(rng):
    chain = np.cumsum(rng.normal(size=(20, 3)), axis=0)
    assert role_bodies.find([-1, *range(19)], chain) == {}
    star = np.concatenate([np.zeros((1, 3)), rng.normal(size=(19, 3))])
    assert role_bodies.find([-1] + [0] * 19, star) == {}
    assert role_bodies.find([], np.zeros((0, 3))) == {}
    figure = body.skeleton()
    assert role_bodies.find(figure.parents.tolist(), np.zeros((len(figure), 3))) == {}


def test_names_that_tell_count_more_than_shape():
    figure = body.skeleton()
    swapped = list(figure.names)
    assert roles.find(swapped, figure.parents, figure.rest[1]) == figure.roles
    assert set(figure.roles_found_by.values()) <= {roles.NAME, roles.HIERARCHY}
