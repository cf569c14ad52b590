"""Key Poses, the verb: the choice of poses and times, the body, the place on the ground, and errors."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.motion import cycles, kinematics, quat, root_motion
from action_loom.core.motion.clip import Channel, Clip
from action_loom.core.verbs import KeyPoses
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines
WALK, WAVE, LEFT = actions.walk(30.0, 4), actions.wave(30.0), actions.turn_left(30.0)
ROWS = ((1, 0, 0, 0.2), (2, 40, 1.0, 0), (1, 25, 1.5, 0.5), (3, 10, 3.0, 0))


def away(one, other):
    return float(np.linalg.norm(quat.log(quat.mul(quat.inv(one.rotations), other.rotations)), axis=-1).max())


@pytest.mark.parametrize("way", ["ease", "squad", "monotone"])
def test_each_row_is_hit_at_its_frame_and_held(way):
    clips = [WALK, WAVE, LEFT]
    made = verbs.apply(KeyPoses(poses=ROWS, between=way), clips)
    assert len(made.clip) == 91
    assert made.clip.name == "walk + wave + turn left key poses"
    for (number, frame, first, hold), reported in zip(ROWS, made.report["key_poses"]["poses"], strict=True):
        clip = clips[number - 1]
        pose = clip.cut(frame, frame + 1)
        assert reported == {
            "clip": clip.name,
            "frame": frame,
            "first": round(30 * first),
            "last": round(30 * (first + hold)),
        }
        for at in range(reported["first"], reported["last"] + 1):
            assert away(made.clip.cut(at, at + 1), pose) <= 1e-12
            assert_array_equal(made.clip.translations[at], pose.translations[0])
    limits = ("lower than in the sources", "a foot near the ground moves more")  # between poses nothing plants the feet
    assert all(any(limit in warning for limit in limits) for warning in made.report["warnings"])


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["daz_13_11", "asf_16_19"])  # the last is held out
def test_poses_of_a_captured_clip_at_even_times_without_rows(name):
    clip = captured(f"cmu_{name}")
    made = verbs.apply(KeyPoses(interval=0.25, between="squad"), [clip])
    step = round(0.25 * clip.rate)
    for place, pose in enumerate(made.report["key_poses"]["poses"]):
        assert pose["frame"] == pytest.approx(0.25 * clip.rate * place, abs=0.5)
        assert pose["first"] == pytest.approx(step * place, abs=len(clip) / 100)
        at = pose["first"]
        assert away(made.clip.cut(at, at + 1), clip.cut(pose["frame"], pose["frame"] + 1)) <= 1e-12


def test_actions_of_one_frame_are_a_pose_each():
    clips = [replace(WALK.cut(k, k + 1), name=f"pose {k}") for k in (0, 10, 20)]
    made = verbs.apply(KeyPoses(), clips)
    assert [pose["first"] for pose in made.report["key_poses"]["poses"]] == [0, 15, 30]
    assert len(made.clip) == 31


def test_a_loop_goes_back_to_its_first_pose():
    for way in ("ease", "squad", "monotone"):
        made = verbs.apply(KeyPoses(poses=ROWS[:3], between=way, repeat=True, interval=1.0), [WALK, WAVE])
        assert made.clip.cyclic
        assert len(made.clip) == 91
        assert cycles.gap(made.clip) < 1e-9
        assert away(made.clip.cut(90, 91), WALK.cut(0, 1)) <= 1e-12
        assert made.report["key_poses"]["back_after"] == 30


def test_in_place_all_stand_where_the_first_does_facing_as_it_does():
    moved = replace(root_motion.place_clip(WAVE, 1.2, np.array([3.0, 1.0])), name="moved")
    rows = ((1, 5, 0), (1, 60, 0.5), (2, 30, 1.0))
    made = verbs.apply(KeyPoses(poses=rows, in_place=True), [WALK, moved])
    ground, facing = root_motion.ground_frames(made.clip)
    at = [0, 15, 30]
    assert_allclose(ground[at], ground[[0, 0, 0]], atol=1e-9)
    assert_allclose(np.exp(1j * facing[at]), np.exp(1j * facing[[0, 0, 0]]), atol=1e-9)
    assert_allclose(kinematics.points(made.clip)[0], kinematics.points(WALK)[5], atol=1e-12)
    left = verbs.apply(KeyPoses(poses=rows), [WALK, moved]).clip
    assert_allclose(kinematics.points(left)[30], kinematics.points(moved)[30], atol=1e-9)


def test_times_count_from_the_first_row():
    late = tuple((*row[:2], row[2] + 7.0, row[3]) for row in ROWS)
    one, other = (verbs.apply(KeyPoses(poses=rows), [WALK, WAVE, LEFT]).clip for rows in (ROWS, late))
    assert_array_equal(one.rotations, other.rotations)


def test_channels_that_some_lack_hold_and_switches_stay_switches():
    smile = Channel(np.linspace(0.0, 1.0, len(WALK)))
    hat = Channel(np.arange(len(WALK), dtype=float), discrete=True)
    walk = replace(WALK, channels={"smile": smile, "hat": hat})
    made = verbs.apply(KeyPoses(poses=((1, 0, 0), (1, 60, 1.0), (1, 20, 2.0))), [walk]).clip.channels
    assert 0.0 < made["smile"].values[15] < smile.values[60] == made["smile"].values[30]
    assert made["hat"].discrete
    assert_array_equal(np.unique(made["hat"].values), [0.0, 20.0, 60.0])
    lacking = verbs.apply(KeyPoses(poses=((2, 0, 0), (1, 60, 1.0), (2, 20, 2.0))), [walk, WAVE]).clip.channels
    assert_array_equal(np.unique(lacking["smile"].values), [smile.values[60]])
    assert lacking["smile"].discrete


def test_clips_of_other_bodies_are_brought_onto_the_first_ones():
    body = material.character("mannequiny")
    still = np.tile(quat.IDENTITY, (20, len(body), 1))
    other = Clip("still", body, 30.0, still, np.zeros((20, len(body), 3)))
    made = verbs.apply(KeyPoses(poses=((1, 0, 0), (2, 5, 1.0))), [WALK, other])
    assert made.clip.skeleton is WALK.skeleton
    assert [one["clip"] for one in made.report["carried"]] == ["still"]
    fox = material.character("Fox")
    animal = Clip("fox", fox, 30.0, still[:, : len(fox)], np.zeros((20, len(fox), 3)))
    with pytest.raises(SkeletonError, match="fox"):
        verbs.apply(KeyPoses(poses=((1, 0, 0), (2, 5, 1.0))), [WALK, animal])
    # Clips without a row are not read.
    assert len(verbs.apply(KeyPoses(poses=((1, 0, 0), (1, 5, 1.0))), [WALK, animal]).clip) == 31


def test_a_turn_by_nearly_half_a_circle_is_told_with_the_joint():
    turned = WALK.rotations.copy()
    arm = WALK.skeleton.roles["upper_arm.L"]
    turned[40, arm] = quat.mul(turned[0, arm], quat.about_axis("X", np.radians(170.0)))
    made = verbs.apply(KeyPoses(poses=((1, 0, 0), (1, 40, 1.0))), [replace(WALK, rotations=turned)])
    (message,) = made.report["warnings"]
    assert message.startswith("'upper_arm.L' turns by 170° from pose 1 to pose 2, the shortest way: put a pose between")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (((1, 0), (1, 5, 1)), "poses takes rows of clip, frame, time"),
        (((1, 0, 0), (1, 5.5, 1)), "poses takes rows of clip, frame, time"),
        (((1, 0, 0), (3, 5, 1)), "row 2: there is no clip 3: clips are 1 to 2"),
        (((0, 0, 0), (1, 5, 1)), "row 1: there is no clip 0"),
        (((1, 0, 0), (1, 500, 1)), "walk has no frame 500: its frames are 0 to 128"),
        (((1, 0, 1), (1, 5, 0.5)), "row 2: this pose is reached at 0.5 s, and the one before is left at 1 s"),
        (((1, 0, 0, 1), (1, 5, 1)), "row 2: this pose is reached at 1 s, and the one before is left at 1 s"),
        (((1, 0, 0), (1, 5, 0.01)), r"a frame later or more \(0.0333 s\)"),
    ],
)
def test_rows_that_are_none_are_refused(rows, message):
    with pytest.raises(OptionError, match=message):
        verbs.apply(KeyPoses(poses=rows), [WALK, WAVE])


def test_one_pose_is_no_clip_and_what_is_too_long_is_refused():
    with pytest.raises(ClipError, match="two poses or more make a clip, and here is 1"):
        verbs.apply(KeyPoses(poses=((1, 0, 0),)), [WALK])
    with pytest.raises(ClipError, match="two poses or more"):
        verbs.apply(KeyPoses(), [WALK.cut(0, 1)])
    with pytest.raises(ClipError, match="more than fit in memory"):
        verbs.apply(KeyPoses(poses=((1, 0, 0), (1, 5, 1e8))), [WALK])
    with pytest.raises(ClipError, match="takes 1 or more clips; 0 given"):
        verbs.apply(KeyPoses(), [])
