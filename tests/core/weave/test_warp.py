"""Spread Pose and Move Events, the verbs: rows, poses of other clips, feet, cycles, figures, and errors."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import spans
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.motion import cycles, feet, kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.options import declared_options
from action_loom.core.quality import contacts
from action_loom.core.verbs import Loop, MoveEvents, Warp
from action_loom.core.weave import planting
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines
WALK, SNEAK, TURN = actions.walk(60.0, 4), actions.sneak(60.0, 4), actions.turn_left(60.0)
ROLES = WALK.skeleton.roles
ARM, HIPS, THIGH = (float(ROLES[role] + 1) for role in ("upper_arm.L", "hips", "thigh.L"))


def angles(one, other):
    return np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1)


def in_its_frame(clip, frame):
    """Places (J, 3) of a frame as the body sees them from where it is and faces."""
    ground, facing = root_motion.ground_frames(clip)
    places = kinematics.points(clip)[frame].copy()
    places[:, :2] -= ground[frame]
    return quat.rotate(quat.about_axis("Z", -facing[frame : frame + 1]), places)


# --- poses ----------------------------------------------------------------------------------------------------------


def test_rows_turn_and_move_bones_at_frames():
    rows = ((100, ARM, 0, 40, 0, 0, 0, 0), (100, HIPS, 0, 0, 5, 0.01, 0, -0.03), (160, ARM, 30, 0, 0, 0, 0, 0))
    made = verbs.apply(Warp(corrections=rows), [WALK])
    for frame, bone, *values in rows:
        joint = int(bone) - 1
        wanted = quat.mul(WALK.rotations[int(frame), joint], quat.exp(np.radians(values[:3])))
        assert angles(made.clip.rotations[int(frame), joint], wanted) < 1e-12
        assert_allclose(made.clip.translations[int(frame), joint], WALK.translations[int(frame), joint] + values[3:])
    beyond = np.abs(np.arange(len(WALK))[:, None] - [100, 160]).min(axis=1) >= 24
    assert_array_equal(made.clip.rotations[beyond], WALK.rotations[beyond])
    reported = made.report["warp"]
    assert reported["frames"] == [100, 160]
    assert reported["degrees"] == 40.0
    assert reported["cm"] == pytest.approx(100.0 * np.hypot(0.01, 0.03), abs=1e-3)
    assert reported["moved_cm"] > reported["cm"]
    assert made.before is WALK
    assert made.clip.name == "walk posed"
    (sunk,) = made.report["warnings"]  # the hips are lowered, and nothing is planted
    assert "a foot comes 3.2 cm lower than in the sources" in sunk
    assert made.report["not_planted"] == planting.OFF


def test_the_reports_rows_as_text_give_the_same_again():
    made = verbs.apply(Warp(poses=((100, 2, 40), (120, 2, 60))), [WALK, SNEAK])
    rows = declared_options(Warp)["corrections"].as_text(tuple(map(tuple, made.report["warp"]["corrections"])))
    again = verbs.apply(Warp(corrections=rows), [WALK]).clip
    assert angles(again.rotations, made.clip.rotations).max() < 1e-10
    assert_allclose(again.translations, made.clip.translations, atol=1e-10)


def test_it_reaches_in_seconds_whatever_the_rate():
    for clip in (WALK, actions.walk(120.0, 4)):
        frame = round(1.5 * clip.rate)
        recipe = Warp(corrections=((frame, ARM, 0, 40, 0, 0, 0, 0),), reach=0.4)
        made = verbs.apply(recipe, [clip]).clip
        changed = np.flatnonzero((made.rotations != clip.rotations).any(axis=(1, 2))) / clip.rate
        assert (changed[0], changed[-1]) == pytest.approx((1.1, 1.9), abs=1.01 / clip.rate)


def test_bones_are_found_by_their_names():
    names = ", ".join(reversed(WALK.skeleton.names))
    other = len(WALK.skeleton) + 1 - ARM
    by_name, by_number = (
        verbs.apply(Warp(corrections=((100, number, 0, 40, 0, 0, 0, 0),), bones=bones), [WALK]).clip
        for number, bones in ((other, names), (ARM, ""))
    )
    assert_array_equal(by_name.rotations, by_number.rotations)
    with pytest.raises(OptionError, match="the bone 'tail' of a corrected pose is gone"):
        verbs.apply(Warp(corrections=((100, 1, 0, 40, 0, 0, 0, 0),), bones="tail, hips"), [WALK])


@pytest.mark.parametrize(
    ("recipe", "count", "message"),
    [
        (Warp(), 1, "walk: no pose is given"),
        (Warp(corrections=((1, 2, 3),)), 1, "corrections takes rows of frame, bone"),
        (Warp(corrections=((999, 2, 3, 0, 0, 0, 0, 0),)), 1, "walk has no frame 999: its frames are 0 to 256"),
        (Warp(corrections=((1.5, 2, 3, 0, 0, 0, 0, 0),)), 1, "walk has no frame 1.5: its frames are 0 to"),
        (Warp(corrections=((-1, 2, 3, 0, 0, 0, 0, 0),)), 1, "walk has no frame -1: its frames are 0 to"),
        (Warp(corrections=((1, 0, 3, 0, 0, 0, 0, 0),)), 1, "bone 0, but there are 21: give one from 1 on"),
        (Warp(corrections=((1, 2.5, 3, 0, 0, 0, 0, 0),)), 1, "bone 2.5, but"),
        (Warp(corrections=((1, 2, 0, 0, 0, 0, 0, 0),)), 1, "walk: all poses are those that it has already"),
        (Warp(corrections=((1, 2, 3, 0, 0, 0, 0, 0),) * 2), 1, "corrections has 1 'spine' twice"),
        (Warp(corrections=((1, 2, 3, 0, 0, 0, 0, 0),), poses=((1, 2, 5),)), 2, "walk has frame 1 twice"),
        (Warp(poses=((1, 2),)), 2, "poses takes rows of frame, clip"),
        (Warp(poses=((1, 1, 5),)), 2, "clip 1, but those with poses are 2 to 2"),
        (Warp(poses=((1, 2, 5),)), 1, "clip 2, but walk is the only one: give the clips with the poses after it"),
        (Warp(poses=((1, 2.5, 5),)), 2, "clip 2.5, but"),
        (Warp(poses=((1, 3, 5),)), 2, "clip 3, but those with poses are 2 to 2"),
        (Warp(poses=((1, 2, 5000),)), 2, "sneak has no frame 5000: its frames are 0 to"),
        (Warp(poses=((1, 2, 5),), joints="tail"), 2, "joints names 'tail'"),
        (Warp(poses=((1, 2, 5),), joints="hips=0"), 2, "leaves no joint"),
    ],
)
def test_what_is_no_pose_is_refused(recipe, count, message):
    with pytest.raises(OptionError, match=message):
        verbs.apply(recipe, [WALK, SNEAK][:count])


def test_a_pose_that_the_clip_has_already_is_refused():
    with pytest.raises(OptionError, match="The pose of walk at frame 30 is that of walk at frame 30 already"):
        verbs.apply(Warp(poses=((30, 2, 30),)), [WALK, WALK])
    there = root_motion.place_clip(WALK, 1.0, np.array([3.0, 0.0]))
    with pytest.raises(OptionError, match="already"):
        verbs.apply(Warp(poses=((30, 2, 30),)), [WALK, there])
    verbs.apply(Warp(poses=((30, 2, 30),), with_root=True), [WALK, there])
    with pytest.raises(ClipError, match="takes 1 or more clips; 0 given"):
        verbs.apply(Warp(), [])


def test_poses_of_others_are_taken_where_the_body_is_and_faces():
    recipe = Warp(poses=((60, 2, 80), (90, 3, 30)))
    made = verbs.apply(recipe, [TURN, WALK, SNEAK]).clip
    for frame, other, there in ((60, WALK, 80), (90, SNEAK, 30)):
        assert_allclose(in_its_frame(made, frame), in_its_frame(other, there), atol=1e-9)
        for one, own in zip(root_motion.ground_frames(made), root_motion.ground_frames(TURN), strict=True):
            assert_allclose(one[frame], own[frame], atol=1e-9)
    with_root = verbs.apply(replace(recipe, with_root=True), [TURN, WALK, SNEAK]).clip
    assert angles(with_root.rotations[60], WALK.rotations[80]).max() < 1e-12
    assert_allclose(with_root.translations[60], WALK.translations[80], atol=1e-12)


def test_only_some_joints_take_a_pose():
    made = verbs.apply(Warp(poses=((60, 2, 80),), joints="upper_arm.L, forearm.L"), [WALK, SNEAK]).clip
    changed = (made.rotations != WALK.rotations).any(axis=(0, 2))
    assert {WALK.skeleton.names[k] for k in np.flatnonzero(changed)} == {"upper_arm.L", "forearm.L"}
    assert_array_equal(made.translations, WALK.translations)
    assert angles(made.rotations[60, 6:8], SNEAK.rotations[80, 6:8]).max() < 1e-12


def rooted(clip):
    """The clip on a body whose hips have a motionless root bone as parent."""
    body = clip.skeleton
    skeleton = Skeleton(
        ("root", *body.names),
        np.concatenate([[-1], body.parents + 1]),
        np.concatenate([np.zeros((1, 3)), body.offsets]),
        np.concatenate([quat.IDENTITY[None], body.orients]),
        np.concatenate([np.zeros((1, 3)), body.tips]),
    )
    still = np.tile(quat.IDENTITY, (len(clip), 1, 1)), np.zeros((len(clip), 1, 3))
    return replace(
        clip,
        skeleton=skeleton,
        rotations=np.concatenate([still[0], clip.rotations], axis=1),
        translations=np.concatenate([still[1], clip.translations], axis=1),
    )


def test_a_root_bone_stays_where_it_is_and_the_hips_take_the_pose():
    made = verbs.apply(Warp(poses=((60, 2, 80),)), [rooted(TURN), rooted(WALK)]).clip
    plain = verbs.apply(Warp(poses=((60, 2, 80),)), [TURN, WALK]).clip
    assert_array_equal(made.rotations[:, 0], rooted(TURN).rotations[:, 0])
    assert_array_equal(made.translations[:, 0], 0.0)
    assert_allclose(kinematics.world(made)[1][:, 1:], kinematics.world(plain)[1], atol=1e-9)


@pytest.mark.both_engines
@pytest.mark.shared
def test_poses_of_bodies_with_other_joints_are_carried_over_and_it_is_said():
    walk, other = material.captured("cmu_mb_35_01"), material.captured("cmu_daz_09_12")
    made = verbs.apply(Warp(poses=((100, 2, 50),)), [walk, other])
    assert made.clip.skeleton is walk.skeleton
    assert made.report["carried"]
    assert other.name in " ".join(made.report["warnings"])
    assert made.report["warp"]["degrees"] > 5.0
    with pytest.raises(SkeletonError):
        verbs.apply(Warp(poses=((10, 2, 0),)), [walk, lone()])


def test_corrections_far_apart_that_go_over_into_each_other_are_told():
    rows = ((100, ARM, 0, 60, 0, 0, 0, 0), (112, ARM, 0, -50, 0, 0, 0, 0))
    reported = verbs.apply(Warp(corrections=rows), [WALK]).report["warnings"]
    assert reported == [
        "walk: corrections differ much: 'upper_arm.L by 110° from frame 100 to 112': check the frames between",
        "walk posed: 'upper_arm.L' turns by 14° in a frame at frame 107 of the result (2 in the sources): look there",
    ]
    (fast,) = verbs.apply(Warp(corrections=rows, reach=0.05), [WALK]).report["warnings"]
    assert "'upper_arm.L' turns by 29° in a frame" in fast
    # The other way round it is 20° only.
    near = ((100, ARM, 0, 170, 0, 0, 0, 0), (112, ARM, 0, -170, 0, 0, 0, 0))
    warnings = verbs.apply(Warp(corrections=near), [WALK]).report["warnings"]
    assert not any("corrections differ much" in warning for warning in warnings)


def test_feet_that_were_moved_stand_again_and_others_stay_as_they_are():
    rows = ((100, HIPS, 0, 0, 3, 0.03, 0, -0.01), (100, THIGH, 2, 0, 0, 0, 0, 0))
    off, on = (verbs.apply(Warp(corrections=rows, plant_feet=flag), [WALK]) for flag in (False, True))
    found = planting.find(WALK)
    moved = [s for s in found if s.part == spans.BALL and s.first < 124 and s.end > 76]
    slides = [middle_slide(made.clip, moved) for made in (off, on)]
    assert slides[0] > 2.0
    assert slides[1] < 0.25 * slides[0]
    planted = on.report["plant"]["spans"]
    assert planted
    assert all(first < 150 and end > 50 for _, _, first, end in planted)
    assert on.report["not_planted"] == ""
    far = np.abs(np.arange(len(WALK)) - 100) > 110
    assert_allclose(on.clip.rotations[far], WALK.rotations[far], atol=1e-4)


def middle_slide(clip, rows):
    """Mean speed of balls in the middle halves of spans, cm/s."""
    balls, found = contacts.feet(clip), []
    for span in rows:
        speed = np.linalg.norm(np.gradient(balls[span.foot][:, :2], axis=0), axis=1) * clip.rate
        found.append(100.0 * speed[span.middle.first : span.middle.end].mean())
    return float(np.mean(found))


def test_spans_that_are_given_are_planted_whatever_was_moved():
    rows = ((100, ARM, 0, 40, 0, 0, 0, 0),)
    made = verbs.apply(Warp(corrections=rows, plant_feet=True, spans=((0, 0, 70, 100),)), [WALK])
    assert made.report["plant"]["spans"] == [[0, 0, 70, 100]]
    off = verbs.apply(Warp(corrections=rows, spans=((0, 0, 70, 100),)), [WALK])
    assert off.report["plant"] is None
    with pytest.raises(OptionError, match="spans takes rows of foot"):
        verbs.apply(Warp(corrections=rows, plant_feet=True, spans=((0, 0, 70, 1000),)), [WALK])


def test_where_no_foot_was_moved_none_is_planted():
    off, on = (
        verbs.apply(Warp(corrections=((100, ARM, 0, 40, 0, 0, 0, 0),), plant_feet=flag), [WALK])
        for flag in (False, True)
    )
    assert_array_equal(on.clip.rotations, off.clip.rotations)
    assert on.report["not_planted"] == planting.ONE_SOURCE
    assert on.report["plant"] is None


def lone(frames=40):
    skeleton = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)), quat.IDENTITY[None], np.zeros((1, 3)))
    time = np.arange(frames) / 30.0
    turns = quat.exp(np.column_stack([0.2 * np.sin(time), 0.0 * time, 0.3 * time]))[:, None]
    return Clip("joint", skeleton, 30.0, turns, np.column_stack([0.0 * time, time, 1.0 + 0.0 * time])[:, None])


@pytest.mark.parametrize("clip", [lone(), lone(1), WALK.cut(7, 8)], ids=["joint", "joint's pose", "pose"])
@pytest.mark.parametrize("plant", [True, False])
def test_single_joints_and_single_frames_take_poses(clip, plant):
    made = verbs.apply(Warp(corrections=((0, 1, 0, 20, 0, 0, 0, 0.1),), plant_feet=plant), [clip])
    assert_allclose(made.clip.translations[0, 0] - clip.translations[0, 0], [0.0, 0.0, 0.1], atol=1e-15)
    assert bool(made.report["not_planted"])


def cycle():
    return verbs.apply(Loop(), [WALK]).clip


@pytest.mark.parametrize("hint", [True, False])
@pytest.mark.parametrize("plant", [True, False])
def test_a_cycle_stays_closed_whether_it_is_meant_as_one_or_not(hint, plant):
    clip = replace(cycle(), cyclic=hint)
    last = len(clip) - 1
    for frame in (0, 3, last - 2, last):
        rows = ((frame, ARM, 0, 40, 0, 0, 0, 0), (frame, HIPS, 0, 0, 6, 0.03, 0, -0.02))
        made = verbs.apply(Warp(corrections=rows, plant_feet=plant), [clip]).clip
        assert made.cyclic == hint
        assert cycles.gap(made) < 1e-6
        wanted = quat.mul(clip.rotations[frame, 6], quat.exp(np.radians([0, 40, 0])))
        assert angles(made.rotations[frame, 6], wanted) < 1e-12
    both = ((0, ARM, 0, 40, 0, 0, 0, 0), (last, ARM, 0, 20, 0, 0, 0, 0))
    with pytest.raises(OptionError, match=f"repeats, so its last frame, {last}, is its first again"):
        verbs.apply(Warp(corrections=both), [clip])


# --- events ---------------------------------------------------------------------------------------------------------


def test_events_come_where_they_are_wanted_and_the_report_says_how_fast():
    made = verbs.apply(MoveEvents(events=((100, 108), (180, 174))), [WALK])
    for first, to in ((100, 108), (180, 174)):
        assert angles(made.clip.rotations[to], WALK.rotations[first]).max() < 1e-9
        assert_allclose(made.clip.translations[to], WALK.translations[first], atol=1e-9)
    reported = made.report["move_events"]
    assert reported["events"] == [[100, 108], [180, 174]]
    assert reported["frame"][108] == 100
    assert reported["frame"][174] == 180
    assert len(reported["frame"]) == len(made.clip) == len(WALK)
    assert 0.5 <= reported["speeds"][0] < 1.0 < reported["speeds"][1] <= 2.0
    assert made.before is WALK
    assert made.clip.name == "walk re-timed"


def test_the_reach_is_in_seconds_and_four_times_the_move_by_itself():
    for clip in (WALK, actions.walk(120.0, 4)):
        of = clip.rate / 60.0
        for reach, wanted in ((0.5, (1.0, 2.1)), (0.0, (1.1, 2.0))):
            made = verbs.apply(MoveEvents(events=((90 * of, 96 * of),), reach=reach), [clip])
            frames = np.array(made.report["move_events"]["frame"])
            moved = np.flatnonzero(frames != np.arange(len(frames))) / clip.rate
            assert (moved[0], moved[-1]) == pytest.approx(wanted, abs=1.01 / clip.rate)


def test_events_are_held_for_seconds_and_the_report_says_when_and_how_fast():
    for clip in (WALK, actions.walk(30.0, 4), actions.walk(24.0, 4)):
        first, wind_up = len(clip) // 2, len(clip) // 4
        rows = ((float(wind_up), float(wind_up), 0.0, 1.0), (float(first), float(first), 0.3))
        made = verbs.apply(MoveEvents(events=rows), [clip])
        reported, later = made.report["move_events"], round(0.3 * clip.rate)
        assert reported["events"] == [list(row) for row in rows]
        one, other = reported["coming"]
        assert (one["frame"], one["held"], other["frame"], other["at"], other["held"]) == (
            wind_up,
            0,
            first,
            first,
            later,
        )
        assert one["at"] > wind_up
        assert one["speeds"][0] < 0.7 < 1.5 < one["speeds"][1] <= 2.0
        assert_array_equal(np.array(reported["frame"])[first : first + later + 1], first)
        poses = made.clip.rotations[first : first + later + 1]
        assert_array_equal(poses, np.broadcast_to(clip.rotations[first], poses.shape))
        assert reported["frame"][int(one["at"])] == wind_up
        assert len(made.clip) == len(clip)


def test_a_hold_of_less_than_half_a_frame_is_none():
    plain = verbs.apply(MoveEvents(events=((100, 108),)), [WALK])
    held = verbs.apply(MoveEvents(events=((100, 108, 0.008, 0),)), [WALK])
    assert_array_equal(held.clip.rotations, plain.clip.rotations)
    assert held.report["move_events"]["coming"][0]["held"] == 0


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu_mb_35_01", "cmu_mb_02_01", "cmu_mb_08_01"])
def test_feet_that_stood_slide_no_further_for_a_hold(name):
    """A foot that already slides does so at up to twice its speed over the same distance. The last clip is held out."""
    clip = material.captured(name)
    first = float(len(clip) // 2)
    made = verbs.apply(MoveEvents(events=((first, first, 0.2, 0.5),)), [clip])
    frames = np.array(made.report["move_events"]["frame"])
    for foot, points in feet.balls_and_ankles(clip.skeleton).items():
        before, after = (kinematics.points(one)[:, list(points)] for one in (clip, made.clip))
        for span in planting.find(clip):
            if span.foot != foot:
                continue
            begin, end = np.searchsorted(frames, [span.first, span.end - 1])
            ways = [
                np.linalg.norm(np.diff(p, axis=0), axis=2).sum(axis=0)
                for p in (before[span.first : span.end], after[begin:end])
            ]
            assert (ways[1] <= 1.01 * ways[0] + 1e-4).all()


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (MoveEvents(), "walk: no event is given"),
        (MoveEvents(events=((1, 2, 0, 1.5),)), "anticipation is 1.5, but must lie between 0 and 1"),
        (MoveEvents(events=((50, 50, 0.0, 0.0),)), "every event stays where it is: give one another frame, or hold it"),
        (
            MoveEvents(events=((100, 100, 1.0),), reach=0.5),
            "beyond 0.5 to 2: 100 can be held for 0.283 s at most; a reach of 1.45 s is long enough",
        ),
        (MoveEvents(events=((1, 2, 3, 0, 0),)), "events takes rows of frame, new_frame"),
        (MoveEvents(events=((50, 50), (70, 70))), "walk: every event stays where it is"),
        (
            MoveEvents(events=((100, 120),), reach=0.4),
            "walk would play at 0.34 to 2.28 times its speed.* 100 can come at 112.4 at most",
        ),
        (MoveEvents(events=((100, 400),)), "its frames are 0 to 256"),
    ],
)
def test_what_is_no_event_is_refused(recipe, message):
    with pytest.raises(OptionError, match=message):
        verbs.apply(recipe, [WALK])


@pytest.mark.parametrize("hint", [True, False])
def test_events_of_a_cycle_go_over_its_seam(hint):
    clip = replace(cycle(), cyclic=hint)
    last = len(clip) - 1
    for rows in (((1, 3),), ((0, 2),), ((1, last - 1),)):
        made = verbs.apply(MoveEvents(events=rows), [clip]).clip
        assert made.cyclic == hint
        assert cycles.gap(made) < 1e-5
        (first, to) = rows[0]
        assert angles(made.rotations[to, 1:], clip.rotations[first, 1:]).max() < 1e-9


def test_contacts_go_along():
    made = verbs.apply(MoveEvents(events=((100, 108),)), [WALK])
    frames = np.array(made.report["move_events"]["frame"])
    starts = {(s.foot, s.part): s.first for s in planting.find(WALK) if 70 < s.first < 130}
    after = {(s.foot, s.part): s.first for s in planting.find(made.clip) if 70 < s.first < 138}
    assert starts
    for key, first in starts.items():
        assert abs(after[key] - np.interp(first, frames, np.arange(len(frames)))) <= 2.0
