"""Rest poses in which nobody can stand, and the frame of a clip that replaces them."""

import numpy as np
import pytest
from action_loom.core.bodies import carry, rest_check, rest_frames
from action_loom.core.errors import OptionError, SkeletonError
from action_loom.core.motion import kinematics, quat
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
