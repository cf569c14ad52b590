"""Captured clips on the bodies of other files."""

import itertools

import numpy as np
import pytest
from action_loom.core.bodies import carry, partners, rest_check, rest_frames
from action_loom.core.motion import kinematics
from oracles import bodies, material

pytestmark = [pytest.mark.shared, pytest.mark.both_engines]

TUNED = ("cmu_mb_16_15", "cmu_asf_16_15", "cmu_daz_02_01", "cmu_daz_13_18")
ASIDE = ("cmu_mb_35_22", "cmu_asf_16_19", "cmu_daz_09_02", "cmu_daz_14_27")
OTHERS = ("cmu_mb_02_01", "cmu_daz_02_01", "GenoView__Geno_bind", "bvh-python__test_mocapbank")


def limbs(clip):
    return bodies.directions(clip.skeleton, kinematics.world(clip)[1])


@pytest.mark.parametrize("pair", [("mb", "asf"), ("asf", "mb")])
def test_two_conversions_of_one_recording_have_the_same_legs(pair):
    clip, truth = (material.as_captured(f"cmu_{one}_16_15") for one in pair)
    frames = min(len(clip), len(truth))
    made, _ = carry.onto_body(clip, truth.skeleton)
    ours, theirs = limbs(made.cut(1, frames)), limbs(truth.cut(1, frames))
    off = {role: float(bodies.apart(ours[role], theirs[role]).mean()) for role in ours}
    assert max(angle for role, angle in off.items() if role.startswith(("thigh", "shin"))) < 2.0
    assert max(angle for role, angle in off.items() if "arm" in role) < 2.0


@pytest.mark.parametrize(("name", "source"), [*itertools.product(ASIDE, OTHERS), *zip(TUNED, OTHERS, strict=True)])
def test_limbs_point_as_they_did_on_any_body(name, source):
    clip, body = material.captured(name).cut(0, 300), material.as_captured(source).skeleton
    made, carried = carry.onto_body(clip, body, hands=False)
    ours, theirs = limbs(made), limbs(clip)
    assert max(float(bodies.apart(ours[role], theirs[role]).max()) for role in ours) < 0.01
    assert carried.names(partners.ROLE)


@pytest.mark.parametrize("rest", bodies.RESTS)
@pytest.mark.parametrize("name", [TUNED[0], ASIDE[0], ASIDE[2]])
def test_the_same_body_in_another_rest_pose_stands_where_it_stood(name, rest):
    clip = material.captured(name).cut(0, 200)
    made, _ = carry.onto_body(clip, bodies.resting_by_role(clip.skeleton, rest, 1))
    assert np.linalg.norm(kinematics.world(made)[1] - kinematics.world(clip)[1], axis=2).max() < 1e-3


def test_two_of_the_files_have_a_rest_pose_that_nobody_can_stand_in():
    files = [*material.captured_files("cmu"), *material.captured_files("odd")]
    wrong = [path.stem for path in files if not bodies.is_possible(material.as_captured(path.stem).skeleton)]
    assert wrong == ["GenoView__Geno_bind", "anim_utils__mh_cmu_skeleton_pose"]  # both arms up in one place; legs up
    assert [rest_check.choose(material.as_captured(name)).name for name in wrong] == ["frame 0", "frame 0"]
    clip = material.as_captured(wrong[1])
    pose = rest_check.choose(clip)
    assert rest_check.tilt(clip.skeleton, pose.points).possible
    assert not rest_check.tilt(clip.skeleton, rest_frames.at_rest(clip.skeleton).points).possible


def lines_of_trunk(clip):
    """Return unit vectors (F, 3) along the trunk and across shoulders and hips."""
    points, roles = kinematics.points(clip), clip.skeleton.roles
    (left, right), (arm_left, arm_right) = (
        [points[:, roles[f"{role}.{side}"]] for side in "LR"] for role in ("thigh", "upper_arm")
    )
    lines = arm_left + arm_right - left - right, arm_right - arm_left, right - left
    return [line / np.linalg.norm(line, axis=1, keepdims=True) for line in lines]


@pytest.mark.parametrize("frame", [5, 30, 60])
def test_a_trunk_leans_as_its_source_does_if_a_frame_of_a_run_is_the_rest_pose(frame):
    """Some exporters give each bone its own axis, so that no rest pose is left but a frame of the action."""
    run, body = material.captured("cmu_mb_35_17"), material.captured("cmu_daz_07_01").skeleton
    made, _ = carry.onto_body(run, body, rest_frames.at_frame(run, frame), hands=False)
    for theirs, ours in zip(lines_of_trunk(run), lines_of_trunk(made), strict=True):
        apart = np.degrees(np.arccos(np.clip((theirs * ours).sum(axis=1), -1.0, 1.0)))
        assert apart.mean() < 6.0  # between usual rest poses 3° to 6°, by how rigs place these joints
