"""Place, the verb: a clip's start and heading, invariances, and continuing from another clip."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.motion import cycles, feet, kinematics, quat, root_motion
from action_loom.core.motion.clip import Channel, Clip
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.quality import contacts
from action_loom.core.sync import transitions
from action_loom.core.verbs import Connect, Place, Retarget
from action_loom.core.verbs.place import work as place
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines

CAPTURED = ["cmu_asf_16_17", "cmu_daz_09_12", "cmu_mb_08_01"]  # the last is held out
BODIES = ["mannequiny", "RobotExpressive", "boxman", "godot_player"]


def place_of(clip, frame=0):
    return root_motion.ground_frames(clip)[0][frame], root_motion.heading(clip)[frame]


def poses_apart(one, other):
    """Return the largest distance between the points of two clips, each pose in its own ground frame."""
    return np.abs(cycles.in_ground_frames(one) - cycles.in_ground_frames(other)).max()


def loose(clip, scale="NONE", **rules):
    """A clip on a body whose head and an arm do not turn with their parents."""
    body = clip.skeleton
    turns = np.ones(len(body), dtype=bool)
    turns[[body.roles[role] for role in ("head", "upper_arm.L")]] = False
    given = {"location": np.ones(len(body), dtype=bool), "space": quat.IDENTITY} | rules
    settings = Inheritance(turns, (scale,) * len(body), **given)
    return replace(clip, skeleton=replace(body, inheritance=settings), channels={})


def on_object(clip):
    """A clip on a body whose parent is an object with a constant offset and turn."""
    body = clip.skeleton
    still, turn = np.array([[1.0, 0.0, 0.0, 0.0]]), quat.about_axis("Z", np.array([0.4]))
    skeleton = replace(
        body,
        names=("figure (object)", *body.names),
        parents=np.concatenate([[-1], np.where(body.parents < 0, 0, body.parents + 1)]),
        offsets=np.concatenate([np.zeros((1, 3)), body.offsets]),
        orients=np.concatenate([still, body.orients]),
        tips=np.concatenate([np.zeros((1, 3)), body.tips]),
        roles={role: joint + 1 for role, joint in body.roles.items()},
    )
    count = len(clip)
    rotations = np.concatenate([np.tile(turn, (count, 1, 1)), clip.rotations], axis=1)
    moved = np.tile([0.5, -0.2, 0.1], (count, 1, 1))
    return Clip(clip.name, skeleton, clip.rate, rotations, np.concatenate([moved, clip.translations], axis=1))


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("frame", [0, 40])
@pytest.mark.parametrize("name", CAPTURED)
def test_it_is_where_it_was_put_and_faces_the_way_that_was_asked_for(name, frame):
    clip = captured(name)
    recipe = Place(x=2.5, y=-1.25, face="way", facing=135.0, frame=frame)
    made = verbs.apply(recipe, [clip])
    ground, facing = place_of(made.clip, frame)
    assert_allclose(ground, [2.5, -1.25], atol=1e-9)
    assert abs(np.exp(1j * facing) - np.exp(1j * np.radians(135.0))) < 1e-9
    assert poses_apart(made.clip, clip) < 1e-9
    assert_allclose(kinematics.points(made.clip)[..., 2], kinematics.points(clip)[..., 2], atol=1e-12)
    assert made.clip.name == f"{clip.name} placed"
    assert made.before is clip
    again = verbs.apply(recipe, [made.clip]).clip
    assert_allclose(kinematics.points(again), kinematics.points(made.clip), atol=1e-9)


def test_it_faces_as_it_did_unless_a_way_is_asked_for():
    clip = root_motion.place_clip(actions.turn_left(60.0), 0.7, np.array([3.0, -1.0]))
    made = verbs.apply(Place(x=1.0, y=2.0), [clip]).clip
    assert_allclose(place_of(made)[0], [1.0, 2.0], atol=1e-9)
    assert place_of(made)[1] == pytest.approx(place_of(clip)[1], abs=1e-9)
    assert_array_equal(made.rotations, clip.rotations)


def test_it_is_turned_about_where_it_is():
    clip = root_motion.place_clip(actions.walk(60.0, 3), 0.7, np.array([3.0, -1.0]))
    made = verbs.apply(Place(where="own", face="way", facing=-90.0, frame=25), [clip]).clip
    assert_allclose(place_of(made, 25)[0], place_of(clip, 25)[0], atol=1e-9)
    assert_allclose(np.degrees(place_of(made, 25)[1]), -90.0, atol=1e-7)


def test_wherever_a_clip_was_it_comes_to_the_same_place():
    clip = actions.walk(60.0, 3)
    moved = root_motion.place_clip(clip, -1.9, np.array([40.0, 7.0]))
    recipe = Place(x=0.3, y=0.4, face="way", facing=20.0)
    one, other = (verbs.apply(recipe, [each]).clip for each in (clip, moved))
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-9)


def test_cycles_stay_cycles_and_channels_stay():
    clip = actions.walk(60.0, 1)
    clip = replace(clip, cyclic=True, channels={"mood": Channel(np.arange(len(clip)) / 7.0)})
    made = verbs.apply(Place(face="way", facing=90.0), [clip]).clip
    assert made.cyclic
    assert cycles.gap(made) < 1e-9
    assert made.channels is clip.channels


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize(("name", "at"), [("cmu_asf_16_17", 200), ("cmu_mb_08_01", 100)])
def test_the_second_half_of_a_clip_goes_on_from_the_first_as_it_did(name, at):
    clip = captured(name)
    gone = root_motion.place_clip(clip.cut(at, len(clip)), 2.0, np.array([5.0, 5.0]))
    made = verbs.apply(Place(), [gone, clip.cut(0, at + 1)])
    assert_allclose(kinematics.points(made.clip), kinematics.points(clip)[at:], atol=1e-9)
    assert made.report["place"]["where"] == "after"
    assert made.clip.name == f"{clip.name} after {clip.name}"


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("names", [("cmu_asf_16_11", "cmu_asf_16_15"), ("cmu_mb_08_01", "cmu_mb_08_04")])
def test_after_another_it_is_aligned_as_connect_aligns_it(names):
    """Both clips of the second pair are held out."""
    before, after = map(captured, names)
    (nearest, *_) = transitions.find(before, after, 0, (10, len(before) - 1), (0, 0))
    before = before.cut(0, nearest.from_frame + 1)
    made = verbs.apply(Place(where="after"), [after, before]).clip
    footing = contacts.footing(before), contacts.footing(after)
    found = transitions.align(before, after, len(before) - 1, 0, 0, footing)
    wanted = root_motion.place_clip(after, found.turn, np.array(found.shift))
    assert_allclose(kinematics.points(made), kinematics.points(wanted), atol=1e-9)
    # Connect compares more frames, which at the very ends are all on one side; it comes to nearly the same.
    connect = Connect(from_frame=len(before) - 1, to_frame=0, method="inertial", trim=False, plant_feet=False)
    joined = verbs.apply(connect, [before, after]).clip
    far = len(joined) - 1
    assert np.linalg.norm(place_of(joined, far)[0] - place_of(made, len(made) - 1)[0]) < 0.25
    assert abs(np.exp(1j * place_of(joined, far)[1]) - np.exp(1j * place_of(made, len(made) - 1)[1])) < 0.1


@pytest.mark.both_engines
@pytest.mark.shared
def test_after_another_pose_it_begins_where_the_hips_were_and_faces_as_the_body_did():
    before, after = captured("cmu_asf_16_17"), captured("cmu_asf_16_03")
    made = verbs.apply(Place(), [after, before])
    assert "are in different poses" in made.report["warnings"][0]
    assert_allclose(place_of(made.clip)[0], place_of(before, -1)[0], atol=1e-9)
    assert abs(np.exp(1j * place_of(made.clip)[1]) - np.exp(1j * place_of(before, -1)[1])) < 1e-9


def test_after_another_it_can_face_a_way_of_its_own():
    before = root_motion.place_clip(actions.turn_left(60.0), 0.5, np.array([1.0, 1.0]))
    after = actions.walk(60.0, 2)
    plain, turned = (verbs.apply(Place(face=face, facing=10.0), [after, before]).clip for face in ("own", "way"))
    assert_allclose(place_of(plain)[0], place_of(turned)[0], atol=1e-9)
    assert_allclose(np.degrees(place_of(turned)[1]), 10.0, atol=1e-7)
    assert abs(np.angle(np.exp(1j * (place_of(plain)[1] - place_of(before, -1)[1])))) < np.radians(15.0)


@pytest.mark.both_engines
@pytest.mark.shared
def test_the_other_clip_may_be_of_another_body():
    before, after = captured("cmu_asf_16_15"), captured("cmu_mb_02_01")
    made = verbs.apply(Place(), [after, before])
    gone = place_of(made.clip)[0] - place_of(before, -1)[0]
    assert np.linalg.norm(gone) < 0.3
    assert any(before.name in sentence for sentence in made.report["warnings"])


@pytest.mark.parametrize("scale", ["FULL", "NONE", "ALIGNED", "AVERAGE", "FIX_SHEAR"])
def test_joints_that_do_not_turn_with_their_parents_are_turned_with_the_rest(scale):
    clip = loose(actions.turn_left(60.0), scale)
    made = verbs.apply(Place(x=1.0, y=2.0, face="way", facing=200.0), [clip]).clip
    turn = place_of(made)[1] - place_of(clip)[1]
    places = kinematics.points(clip) - [*place_of(clip)[0], 0.0]
    wanted = quat.rotate(quat.about_axis("Z", np.array(turn)), places) + np.array([1.0, 2.0, 0.0])
    assert_allclose(kinematics.points(made), wanted, atol=1e-9)
    hand = clip.skeleton.roles["hand.R"]
    assert_array_equal(made.rotations[:, hand], clip.rotations[:, hand])


def test_locations_in_the_space_of_the_body_are_turned_too(rng):
    clip = loose(actions.walk(60.0, 2))
    count = len(clip.skeleton)
    rules = replace(
        clip.skeleton.inheritance, location=np.arange(count) % 2 == 0, space=quat.about_axis("X", np.array(0.5))
    )
    shifted = replace(clip, translations=clip.translations + 0.02 * rng.normal(size=(1, count, 3)))
    shifted = replace(shifted, skeleton=replace(clip.skeleton, inheritance=rules))
    made = verbs.apply(Place(face="way", facing=70.0), [shifted]).clip
    assert poses_apart(made, shifted) < 1e-9


def test_what_is_stretched_as_its_parent_is_and_does_not_turn_with_it_is_refused():
    clip = loose(actions.walk(60.0, 2), "FULL")
    scales = np.ones((len(clip), len(clip.skeleton), 3))
    scales[:, clip.skeleton.parents[clip.skeleton.roles["head"]], 0] = 1.4
    with pytest.raises(
        SkeletonError, match=r"^walk: 'head' does not inherit all of its parent.*let it inherit rotation"
    ):
        verbs.apply(Place(face="way", facing=70.0), [replace(clip, scales=scales)])


def test_an_object_that_moves_is_what_is_turned_and_moved():
    clip = on_object(actions.walk(60.0, 2))
    made = verbs.apply(Place(x=1.0, face="way", facing=70.0), [clip]).clip
    assert_allclose(place_of(made)[0], [1.0, 0.0], atol=1e-9)
    assert_array_equal(made.rotations[:, 1:], clip.rotations[:, 1:])
    every = np.ones(len(clip.skeleton), dtype=bool)
    rules = Inheritance(every, ("NONE",) * len(every), every, quat.IDENTITY, moving_space=True)
    ruled = replace(clip, skeleton=replace(clip.skeleton, inheritance=rules))
    again = verbs.apply(Place(x=1.0, face="way", facing=70.0), [ruled]).clip
    assert_allclose(again.rotations, made.rotations, atol=1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_on_the_floor_the_lowest_foot_stands_on_it(name):
    body = material.character(name)
    if name == "boxman":  # whose legs end with their shins
        tips = body.tips.copy()
        shins = [body.roles["shin.L"], body.roles["shin.R"]]
        tips[shins, 2] = -body.rest[1][shins, 2]
        body = replace(body, tips=tips)
    still = np.tile(quat.IDENTITY, (2, len(body), 1))
    clip = verbs.apply(Retarget(), [Clip(name, body, 60.0, still, np.zeros((2, len(body), 3))), actions.walk(60.0, 3)])
    clip = root_motion.place_clip(clip.clip, 0.0, np.array([0.0, 0.0, 0.37]))
    made = verbs.apply(Place(where="own", height="floor"), [clip])
    assert place.lowest_sole(made.clip) == pytest.approx(0.0, abs=1e-9)
    resting = kinematics.points(Clip(name, body, 60.0, still, np.zeros((2, len(body), 3))))[0, :, 2]
    for side, path in contacts.feet(made.clip).items():
        ball = feet.balls_and_ankles(body)[side][0]
        assert (
            abs(path[:, 2].min() - (resting[ball] - resting[resting > resting[ball] - 0.1].min())) < 0.05 * body.height
        )
    assert_array_equal(made.clip.rotations, clip.rotations)
    lifted = verbs.apply(Place(where="own", height="lift", lift=-0.5), [clip]).clip
    assert_allclose(kinematics.points(lifted)[..., 2], kinematics.points(clip)[..., 2] - 0.5, atol=1e-9)


@pytest.mark.shared
def test_captured_feet_come_down_to_the_floor():
    clip = root_motion.place_clip(captured("cmu_mb_08_01"), 0.0, np.array([0.0, 0.0, -0.6]))
    made = verbs.apply(Place(height="floor"), [clip]).clip
    lowest = kinematics.points(made)[..., 2].min()
    assert -0.03 < lowest < 0.03


def test_what_can_not_be_done_is_said():
    walk, turn = actions.walk(60.0, 2), actions.turn_left(60.0)
    with pytest.raises(ClipError, match=r"walk is to go on from another clip: give that one, too, as the second"):
        verbs.apply(Place(where="after"), [walk])
    with pytest.raises(ClipError, match=r"Place takes 1 clip; 2 given"):
        verbs.apply(Place(where="own"), [walk, turn])
    with pytest.raises(ClipError, match=r"Place takes 1 to 2 clips; 3 given"):
        verbs.apply(Place(), [walk, turn, walk])
    with pytest.raises(OptionError, match=r"walk has no frame 5000: its frames are 0 to \d+"):
        verbs.apply(Place(frame=5000), [walk])
    footless = replace(walk, skeleton=replace(walk.skeleton, roles={"hips": 0}))
    with pytest.raises(SkeletonError, match=r"walk: its feet are not known"):
        verbs.apply(Place(height="floor"), [footless])
    same = verbs.apply(Place(where="own"), [walk])
    assert "nothing was changed" in same.report["warnings"][0]
    assert same.clip.rotations is walk.rotations
