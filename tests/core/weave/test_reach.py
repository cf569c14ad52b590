"""Reach, the verb: frames, moving targets, its report, loops, and errors."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError, SkeletonError
from action_loom.core.motion import closing, cycles, kinematics, quat, resample, root_motion
from action_loom.core.motion.clip import Channel
from action_loom.core.verbs import InPlace, Loop, Reach, Warp
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import captured

pytestmark = pytest.mark.both_engines
WALK = actions.walk(60.0, 4)
HAND, SHOULDER = (WALK.skeleton.roles[f"{part}.R"] for part in ("hand", "upper_arm"))
PLACES = kinematics.world(WALK)[1]
NEAR = tuple(PLACES[120, SHOULDER] + [0.1, -0.2, -0.15])


def hand_of(made):
    return kinematics.world(made.clip)[1][:, HAND]


def test_the_hand_is_there_in_its_frames_and_all_else_is_as_it_was():
    channels = {"smile": Channel(np.arange(len(WALK), dtype=float))}
    clip = replace(WALK, channels=channels)
    made = verbs.apply(Reach(target=(NEAR,), from_frame=118, to_frame=125), [clip])
    assert_allclose(hand_of(made)[118:126], np.tile(NEAR, (8, 1)), atol=1e-9)
    assert made.before is clip
    assert made.clip.channels == channels
    assert made.clip.name == "walk reaching"
    unled = np.flatnonzero(made.share == 0.0)
    assert_array_equal(made.clip.rotations[unled], WALK.rotations[unled])
    reported = made.report["reach"]
    assert reported["joints"] == ["upper_arm.R", "forearm.R", "hand.R"]
    assert reported["span"] == [118, 125]
    assert reported["changed_frames"] == len(WALK) - len(unled) == 8 + 2 * 17
    assert reported["out_of_reach"] is None
    assert reported["off_mm"] < 1e-6
    assert made.report["warnings"] == []


@pytest.mark.parametrize("limb", ["right_arm", "left_leg", "head", "chain"])
@pytest.mark.parametrize("from_frame", [118, 2])  # also where the ease goes over the end of a loop
def test_the_end_is_turned_as_asked_and_still_reaches(limb, from_frame):
    joints = {"right_arm": "hand.R", "left_leg": "foot.L", "head": "head", "chain": "hand.L"}
    end = WALK.skeleton.index(joints[limb])
    clip = verbs.apply(Loop(), [WALK]).clip if from_frame == 2 else WALK
    turned, places = kinematics.world(clip)
    place = places[from_frame, end] + [0.0, 0.03, -0.03 if limb == "head" else 0.03]
    turn, chain = ((30.0, 0.0, 90.0),), "upper_arm.L > hand.L" if limb == "chain" else ""
    asked = Reach(limb=limb, chain=chain, target=(tuple(place),), from_frame=from_frame, turn=turn, ease=0.1)
    made = verbs.apply(asked, [clip])
    now, there = kinematics.world(made.clip)
    # First about x, then about z.
    wanted = quat.mul(quat.exp(np.radians([0.0, 0.0, 90.0])), quat.exp(np.radians([30.0, 0.0, 0.0])))
    assert_allclose(there[from_frame, end], place, atol=1e-6)
    off = quat.log(quat.mul(now[from_frame, end], quat.inv(quat.mul(wanted, turned[from_frame, end]))))
    assert np.linalg.norm(off) < 1e-7
    assert_array_equal(made.clip.rotations[made.share == 0.0], clip.rotations[made.share == 0.0])
    assert made.report["reach"]["turned_degrees"] == pytest.approx(
        np.degrees(np.linalg.norm(quat.log(wanted))), abs=1e-3
    )


def test_a_turn_that_is_not_kept_is_named():
    made = verbs.apply(Reach(target=(NEAR,), from_frame=120, turn=((0.0, 0.0, 90.0),), keep_turn=False), [WALK])
    assert "turn had no effect: it is for keep_turn on only" in made.report["notes"]


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_02_01", "daz_10_01", "mb_12_01", "daz_13_39"])  # the last two are held out
def test_captured_hands_and_feet_reach(name):
    clip = captured(f"cmu_{name}")
    middle = len(clip) // 2
    for limb, role in (("left_arm", "hand.L"), ("right_leg", "foot.R")):
        place = kinematics.world(clip)[1][middle, clip.skeleton.roles[role]] + [0.02, 0.03, 0.05]
        made = verbs.apply(Reach(limb=limb, target=(tuple(place),), from_frame=middle), [clip])
        assert made.report["reach"]["off_mm"] < 0.1
        assert made.report["reach"]["out_of_reach"] is None


def test_a_row_for_each_correction_makes_the_same_pose():
    """Turned by q·exp(r) in the joint's own frame, and moved: as Spread Pose takes them."""
    made = verbs.apply(Reach(target=(NEAR,), from_frame=120), [WALK])
    rows = made.report["reach"]["corrections"]
    assert [row[:2] for row in rows] == [[120, SHOULDER + 1], [120, SHOULDER + 2], [120, HAND + 1]]
    pose, moved = WALK.rotations[120].copy(), WALK.translations[120].copy()
    for _, number, *values in rows:
        pose[number - 1] = quat.mul(pose[number - 1], quat.exp(np.radians(values[:3])))
        moved[number - 1] += values[3:]
    assert_allclose(quat.same_side(pose, made.clip.rotations[120]), made.clip.rotations[120], atol=1e-12)
    assert_allclose(moved, made.clip.translations[120], atol=1e-12)
    spread = verbs.apply(Warp(corrections=tuple(map(tuple, rows)), reach=0.3), [WALK]).clip
    assert_allclose(kinematics.points(spread)[120], kinematics.points(made.clip)[120], atol=1e-12)
    long = verbs.apply(Reach(target=(NEAR,), from_frame=60, to_frame=180), [WALK])
    assert long.report["reach"]["corrections"] == []


def test_what_is_out_of_reach_is_told_in_centimetres_with_its_frame():
    made = verbs.apply(Reach(target=((*NEAR[:2], 3.0),), from_frame=110, to_frame=130), [WALK])
    reported = made.report["reach"]["out_of_reach"]
    away = np.linalg.norm(hand_of(made) - [*NEAR[:2], 3.0], axis=1)[110:131]
    short = pytest.approx(100.0 * away.max(), abs=1e-3)
    assert reported == {"frames": 21, "short_cm": short, "frame": 110 + int(away.argmax())}
    message, fast = made.report["warnings"]
    assert "in a frame" in fast
    assert message == (
        f"walk: right arm falls short of its target by {reported['short_cm']:.1f} cm at frame {reported['frame']}, and"
        " stretches towards it; so in 21 of 21 frames"
    )
    places = kinematics.world(made.clip)[1][110:131, [SHOULDER, SHOULDER + 1, HAND]]
    upper, lower = np.diff(places, axis=1).transpose(1, 0, 2)
    assert np.degrees(np.linalg.norm(np.cross(upper, lower), axis=1) / (upper * lower).sum(axis=1)).max() < 1e-4


@pytest.mark.parametrize("between", ["linear", "monotone"])
def test_a_place_that_moves_is_followed(between):
    rows = tuple((frame, *(np.array(NEAR) + shift)) for frame, shift in ((114, 0.0), (120, 0.04), (130, 0.02)))
    made = verbs.apply(Reach(target=rows, from_frame=114, to_frame=130, between=between), [WALK])
    hand = hand_of(made)
    for frame, *place in rows:
        assert_allclose(hand[int(frame)], place, atol=1e-9)
    wanted = np.interp(np.arange(114, 131), [114, 120, 130], [0.0, 0.04, 0.02])
    off = np.abs(hand[114:131] - NEAR - wanted[:, None]).max()
    assert (off < 1e-9) == (between == "linear")
    assert made.report["reach"]["off_mm"] < 1e-6


def test_by_names_any_chain_reaches():
    made = verbs.apply(Reach(limb="chain", chain="chest > hand.R", target=(NEAR,), from_frame=120), [WALK])
    assert_allclose(hand_of(made)[120], NEAR, atol=1e-4)
    assert made.report["reach"]["joints"][0] == "chest"
    head = kinematics.world(WALK)[1][120, WALK.skeleton.roles["head"]]
    made = verbs.apply(Reach(limb="head", target=(tuple(head + np.array([0.1, 0.0, -0.05])),), from_frame=120), [WALK])
    assert made.report["reach"]["off_mm"] < 0.1


def test_limits_in_degrees_by_the_number_of_a_joint_are_held():
    limit = (SHOULDER + 1, -8.0, 8.0, -8.0, 8.0, -8.0, 8.0)
    made = verbs.apply(Reach(target=(NEAR,), from_frame=120, limits=(limit,)), [WALK])
    angles = np.degrees(quat.to_euler(made.clip.rotations[120:121, SHOULDER][None], "XYZ")[0, 0])
    assert np.abs(angles).max() <= 8.0 + 1e-9
    assert "as its limits allow" in made.report["warnings"][0]


def a_loop():
    return verbs.apply(Loop(plant_feet=False), [actions.walk(60.0, 4)]).clip


@pytest.mark.parametrize("frame", [0, 2, 30])
def test_loops_stay_loops(frame):
    clip = a_loop()
    place = kinematics.world(clip)[1][frame, HAND] + [0.02, 0.05, 0.1]
    made = verbs.apply(Reach(target=(tuple(place),), from_frame=frame, ease=0.2), [clip])
    assert made.clip.cyclic
    assert cycles.gap(made.clip) < 1e-9
    assert_allclose(hand_of(made)[frame], place, atol=1e-9)
    assert np.count_nonzero(made.share > 0.0) == made.report["reach"]["changed_frames"]
    unled = np.flatnonzero(made.share == 0.0)
    assert_array_equal(made.clip.rotations[unled], clip.rotations[unled])


@pytest.mark.parametrize("rate", [24.0, 29.97, 50.0])
def test_ends_that_nearly_meet_stay_as_they_are_where_the_change_does_not_come_to_them(rate):
    """At such rates a walk ends between two frames: its ends could be made to meet, which moves all frames."""
    clip = resample.to_rate(actions.walk(cycles=6, speed=0.9, step=0.55), rate)
    assert rate == 50.0 or closing.guess_closing(clip).kind in (closing.GAP, closing.MISSING_KEY)
    at = len(clip) // 2
    place = tuple(kinematics.world(clip)[1][at, HAND] + [0.0, 0.05, 0.05])
    made = verbs.apply(Reach(target=(place,), from_frame=at), [clip])
    unled = np.flatnonzero(made.share == 0.0)
    assert len(made.clip) == len(clip)
    assert len(unled) > len(clip) / 2
    assert_array_equal(made.clip.rotations[unled], clip.rotations[unled])
    assert made.report["notes"] == []


def test_ends_that_nearly_meet_are_made_to_where_the_change_goes_across_them():
    clip = resample.to_rate(actions.walk(cycles=6, speed=0.9, step=0.55), 24.0)
    place = tuple(kinematics.world(clip)[1][1, HAND] + [0.0, 0.05, 0.05])
    made = verbs.apply(Reach(target=(place,), from_frame=1), [clip])
    assert cycles.gap(made.clip) < 1e-9
    assert "made to meet" in made.report["notes"][0]


def test_all_of_a_loop_on_the_spot_can_hold_a_place_and_one_that_travels_is_no_loop_then():
    still = verbs.apply(InPlace(), [a_loop()]).clip
    assert cycles.closes(still)
    shoulder = kinematics.world(still)[1][:, SHOULDER].mean(axis=0)
    facing = quat.about_axis("Z", np.array(root_motion.heading(still)[0]))
    place = tuple(shoulder + quat.rotate(facing, np.array([-0.1, 0.3, -0.1])))
    last = len(still) - 1
    made = verbs.apply(Reach(target=(place,), from_frame=0, to_frame=last), [still])
    assert cycles.gap(made.clip) < 1e-6
    assert_allclose(hand_of(made), np.tile(place, (last + 1, 1)), atol=1e-6)
    going = a_loop()
    made = verbs.apply(Reach(target=(place,), from_frame=0, to_frame=len(going) - 1), [going])
    assert not made.clip.cyclic
    assert any("is no loop any more" in warning for warning in made.report["warnings"])


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({}, OptionError, "target takes rows of"),
        ({"target": ((1, 2),)}, OptionError, "target takes rows of"),
        ({"target": ((0, 1, 2, 3), (0, 1, 2, 3))}, OptionError, "each row must have a later frame"),
        ({"target": (NEAR,), "from_frame": 999}, OptionError, "walk has no frame 999: its frames are 0 to 256"),
        ({"target": (NEAR,), "from_frame": 9, "to_frame": 5}, OptionError, "to_frame is 5, before from_frame, 9"),
        ({"target": (NEAR,), "tip": ((1, 2),)}, OptionError, "tip takes rows of x, y, z"),
        ({"target": (NEAR,), "limb": "chain"}, SkeletonError, "from > to"),
        ({"target": (NEAR,), "limits": ((1, 2),)}, OptionError, "limits takes rows of joint, least, most"),
        (
            {"target": (NEAR,), "limits": ((2, -1, 1, -1, 1, -1, 1),)},
            OptionError,
            "joint 2 is not among those that turn: 15 'upper_arm.R', 16 'forearm.R'",
        ),
    ],
)
def test_what_cannot_be_done_is_said(options, kind, message):
    with pytest.raises(kind, match=message):
        verbs.apply(Reach(**options), [WALK])
