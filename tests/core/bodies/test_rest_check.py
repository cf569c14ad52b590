"""Rest poses in which nobody can stand, and the frame of a clip that replaces them."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.bodies import carry, rest_check, rest_frames
from action_loom.core.errors import OptionError, SkeletonError
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose
from oracles import bodies, material

pytestmark = pytest.mark.both_engines


def turned(name, degrees, axis="X"):
    return {name: quat.about_axis(axis, np.radians(degrees))}


POSSIBLE = {
    **bodies.RESTS,
    "bent knees": turned("LeftUpLeg", 40.0) | turned("LeftLeg", -70.0),
    "stooping": turned("Spine", -30.0),
}
IMPOSSIBLE = {
    "legs up": turned("LeftUpLeg", 180.0) | turned("RightUpLeg", 180.0),
    "one leg ahead": turned("LeftUpLeg", 60.0),
    "shin folded back": turned("LeftLeg", -100.0),
    "lying": turned("Hips", -90.0),
    "sitting": turned("LeftUpLeg", 90.0) | turned("RightUpLeg", 90.0) | turned("LeftLeg", -90.0),
    "shoulders on one another": turned("LeftShoulder", 110.0, "Z") | turned("RightShoulder", -110.0, "Z"),
    "trunk hanging": turned("Spine", -80.0),
}


@pytest.mark.parametrize("rest", POSSIBLE)
def test_a_body_can_stand_in_these(rest):
    body = bodies.resting(material.figure(), POSSIBLE[rest], 3)
    assert bodies.is_possible(body)
    assert rest_check.choose(material.walk(skeleton=body)).name == "rest pose"


@pytest.mark.parametrize("rest", IMPOSSIBLE)
def test_nobody_can_stand_in_these_and_the_most_upright_frame_stands_in(rest):
    straight = bodies.moving(material.figure())
    body = bodies.resting(straight.skeleton, IMPOSSIBLE[rest], 5)
    assert not bodies.is_possible(body)
    clip, _ = carry.onto_body(straight, body, body_rest=standing(straight, body))
    assert np.linalg.norm(kinematics.world(clip)[1] - kinematics.world(straight)[1], axis=2).max() < 1e-6
    pose = rest_check.choose(clip)
    frame = rest_check.most_upright(clip)
    assert pose.name == f"frame {frame}"
    assert f"frame {frame}, the most upright, is used" in pose.why
    made, carried = carry.onto_body(clip, straight.skeleton)
    assert carried.warnings[0] == pose.why
    # Limbs keep their directions for any limb pose in that frame; trunk, head and feet differ by their turn in it.
    ours, theirs = (bodies.directions(one.skeleton, kinematics.world(one)[1]) for one in (made, straight))
    assert max(float(bodies.apart(ours[role], theirs[role]).max()) for role in ours) < 0.01


@pytest.mark.parametrize("rest", IMPOSSIBLE)
def test_of_a_body_without_a_clip_an_impossible_rest_pose_is_said(rest):
    body = bodies.resting(material.figure(), IMPOSSIBLE[rest])
    assert "Nobody can stand in the rest pose" in rest_check.of_body(body).why
    _, carried = carry.onto_body(material.walk(), body)
    assert carried.warnings == [rest_check.of_body(body).why]


def standing(straight, body):
    """Return the pose in which a body of another rest pose looks like the straight body at rest."""
    rotations = quat.mul(straight.skeleton.rest[0], relative(straight.skeleton, body))
    return rest_frames.RestPose(rotations, rest_frames.at_rest(straight.skeleton).points, "straight")


def relative(straight, body):
    """Return the turns of the body's bone axes against the straight body's, as drawn by `bodies.resting`."""
    return material.rotations(np.random.default_rng(5), len(body))


def test_the_artist_chooses_another_frame_or_the_rest_pose_all_the_same():
    clip = bodies.moving(material.figure())
    assert rest_check.choose(clip, "rest").name == rest_check.choose(clip, "rest pose").name == "rest pose"
    assert rest_check.choose(clip, "frame 7").name == rest_check.choose(clip, "7").name == "frame 7"
    assert rest_check.choose(clip, "7").why == "Frame 7 of walk is used as its rest pose"
    assert rest_check.choose(clip, "7").points.shape == rest_frames.at_rest(clip.skeleton).points.shape


@pytest.mark.parametrize("asked", ["60", "-1", "standing", "frame", "", "1.5"])
def test_what_is_no_rest_pose_is_refused(asked):
    with pytest.raises(OptionError, match="is no rest pose: auto, rest, or a frame of walk from 0 to 59"):
        rest_check.choose(bodies.moving(material.figure()), asked)


def test_a_body_without_left_and_right_faces_nowhere():
    body = material.figure()
    flat = bodies.proportioned(body, dict.fromkeys(body.names, 0.0))
    with pytest.raises(SkeletonError, match="which way the body faces"):
        rest_frames.body_frame(flat, rest_frames.at_rest(flat))


def test_a_body_that_a_root_lifts_from_a_lying_rest_pose_stands_at_rest():
    """As KayKit's animations are saved; no pose changes, and another root's turns are part of the motion."""
    walk = bodies.moving(material.figure())
    body, lying = walk.skeleton, quat.exp(np.radians([-90.0, 0.0, 0.0]))
    rooted = Skeleton(
        ("root", *body.names),
        np.concatenate([[-1], body.parents + 1]),
        np.concatenate([np.zeros((1, 3)), body.offsets]),
        np.concatenate([lying[None], body.orients]),
        np.concatenate([np.zeros((1, 3)), body.tips]),
        {role: joint + 1 for role, joint in body.roles.items()},
    )
    up = np.tile(quat.inv(lying), (len(walk), 1, 1))
    clip = Clip(
        "walk",
        rooted,
        walk.rate,
        np.concatenate([up, walk.rotations], axis=1),
        np.concatenate([np.zeros((len(walk), 1, 3)), walk.translations], axis=1),
    )
    assert not rest_check.can_stand(rooted)
    standing = rest_check.stand_up(clip)
    assert rest_check.can_stand(standing.skeleton)
    assert_allclose(kinematics.points(standing), kinematics.points(clip), atol=1e-9)
    rotations = clip.rotations.copy()
    rotations[:, 0] = quat.mul(rotations[:, 0], quat.exp(np.linspace(0.0, 1.0, len(clip))[:, None] * [0.0, 1.0, 0.0]))
    spinning = replace(clip, rotations=rotations)
    assert rest_check.stand_up(spinning) is spinning
