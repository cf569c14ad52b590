"""Pictures of verbs: seams, warps, travel, planted feet, splices and other bodies."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.contacts.figure import figure_of
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.motion import root_motion
from action_loom.core.verbs import Connect, InPlace, Loop, MoveEvents, Plant, Retarget, Splice, Travel, Warp
from numpy.testing import assert_allclose
from oracles import material


def labels(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_a_loop_shows_the_scores_of_lengths_and_starts_and_what_was_taken():
    made = verbs.apply(Loop(), [actions.walk(60.0, 3).cut(10, 160)])
    above, below = load("verbs.loop.picture:draw")(made).axes
    assert_allclose(above.lines[0].get_xydata(), np.column_stack([made.found.lags, made.found.scores]))
    assert_allclose(below.lines[0].get_xydata(), np.column_stack([made.found.starts, made.found.start_scores]))
    length, start = made.report["loop"]["length"], made.report["loop"]["start"]
    assert labels(above) == [f"cycle of {length} frames"]
    assert labels(below) == [f"frames {start} to {start + length}, the loop"]


def test_a_cycle_that_was_set_by_hand_has_no_scores():
    made = verbs.apply(Loop(start=2, length=32), [actions.walk(30.0, 3)])
    (axis,) = load("verbs.loop.picture:draw")(made).axes
    assert [text.get_text() for text in axis.texts] == ["start and length were set by hand"]


@pytest.mark.parametrize("count", [2, 3])
def test_a_connection_shows_each_seam_with_its_candidates_and_methods(count):
    clips = [actions.walk(30.0), actions.sneak(30.0), actions.walk(30.0)][:count]
    made = verbs.apply(Connect(method="auto"), clips)
    axes = [axis for axis in load("verbs.connect.picture:draw")(made).axes if axis.get_xlabel()]
    joints = made.report["connect"].get("joints", [made.report["connect"]])
    assert len(axes) == 2 * len(joints) == 2 * (count - 1)
    for (left, right), joint in zip(zip(axes[::2], axes[1::2], strict=True), joints, strict=True):
        (chosen,) = left.lines
        assert chosen.get_xydata().tolist() == [[joint["from_frame"], joint["to_frame"]]]
        assert [label.get_text() for label in right.get_yticklabels()] == [one["name"] for one in joint["methods"]]
        assert_allclose([bar.get_width() for bar in right.patches], [one["K"] or np.nan for one in joint["methods"]])


WALK = actions.walk(30.0, 3)


def test_what_was_added_is_drawn_with_the_most_first_and_the_poses_marked():
    arm, hips = WALK.skeleton.roles["upper_arm.L"] + 1, WALK.skeleton.roles["hips"] + 1
    rows = ((40, arm, 0, 50, 0, 0, 0, 0), (60, hips, 0, 0, 5, 0, 0, 0.03))
    turned, moved, away = load("verbs.warp.picture:draw_poses")(verbs.apply(Warp(corrections=rows), [WALK])).axes
    assert [text.get_text() for text in turned.get_legend().get_texts()] == ["upper_arm.L", "hips"]
    assert_allclose([np.max(line.get_ydata()) for line in turned.lines[:2]], [50.0, 5.0])
    assert_allclose(np.max(moved.lines[0].get_ydata()), 3.0)
    assert "more joints" in away.get_legend().get_title().get_text()
    for axis in (turned, moved, away):
        assert [line.get_xdata()[0] for line in axis.lines[-2:]] == [40, 60]


def test_the_curve_goes_through_the_events_and_its_speed_is_below():
    made = verbs.apply(MoveEvents(events=((40, 44), (70, 67))), [WALK])
    played, speed = load("verbs.warp.picture:draw_events")(made).axes
    dots = [(line.get_xdata()[0], line.get_ydata()[0]) for line in played.lines if line.get_marker() == "o"]
    assert dots == [(44, 40), (67, 70)]
    assert [text.get_text() for text in played.texts] == ["40 at 44", "70 at 67"]
    least, most = made.report["move_events"]["speeds"]
    drawn = speed.lines[0].get_ydata()
    assert_allclose((np.min(drawn), np.max(drawn)), (least, most), atol=0.01)


def test_holds_are_flat_and_said():
    made = verbs.apply(MoveEvents(events=((40, 40, 0.2), (70, 67))), [WALK])
    played, speed = load("verbs.warp.picture:draw_events")(made).axes
    (flat,) = (line for line in played.lines if line.get_linewidth() == 4.0)
    assert (list(flat.get_xdata()), list(flat.get_ydata())) == ([40, 46], [40, 40])
    assert [text.get_text() for text in played.texts] == ["40 at 40, held to 46", "70 at 67"]
    assert played.get_title().endswith("its speed, holds apart")
    assert np.min(speed.lines[0].get_ydata()) == 0.0


def test_single_frames_and_names_with_dollars_have_pictures():
    recipe = Warp(corrections=((0, 1, 0, 50, 0, 0, 0, 0),))
    assert verbs.picture(recipe, verbs.apply(recipe, [WALK.cut(0, 1)]))[:4] == b"\x89PNG"


def test_the_ground_is_shown_before_and_after_and_what_each_foot_says():
    walk = actions.walk(30.0, 3)
    still = verbs.apply(InPlace(), [walk])
    for made, before, after, label in (
        (still, walk, still.clip, "taken off"),
        (verbs.apply(Travel(), [still.clip]), still.clip, walk, "given"),
    ):
        left, right, below = load("verbs.travel.picture:draw")(made).axes
        for axis, clip in ((left, before), (right, after)):
            assert_allclose(axis.lines[0].get_xydata(), root_motion.ground_frames(clip)[0], atol=1e-9)
        assert [text.get_text() for text in below.get_legend().get_texts()] == [label, "foot L says", "foot R says"]
        message = below.lines[1].get_ydata()
        assert_allclose(message[~np.isnan(message)], 1.3, rtol=0.02)


def test_each_foot_has_its_speeds_before_and_after_and_the_moves_are_below():
    walk = actions.walk(30.0, 3)
    time = np.arange(len(walk)) / 30.0
    sliding = root_motion.place_clip(walk, 0.0 * time, np.stack([0.15 * time, 0.0 * time], axis=1))
    made = verbs.apply(Plant(), [sliding])
    *feet, below = load("verbs.plant.picture:draw")(made).axes
    assert [axis.get_ylabel() for axis in feet] == ["left foot (cm/s)", "right foot (cm/s)"]
    for axis in feet:
        before, after = (line.get_ydata() for line in axis.lines)
        assert np.min(before) > 10.0
        assert np.min(after) < 0.5
    assert [text.get_text() for text in below.get_legend().get_texts()] == ["left foot", "right foot", "pelvis"]
    assert_allclose(np.max(below.lines[2].get_ydata()), made.report["plant"]["pelvis_cm"], atol=0.01)


def test_where_nothing_was_planted_there_is_a_picture_too():
    assert verbs.picture(Plant(), verbs.apply(Plant(), [actions.walk(30.0, 2)]))[:4] == b"\x89PNG"


def test_the_picture_shows_the_swing_the_correction_and_the_frames():
    made = verbs.apply(Splice(), [actions.walk(cycles=6), actions.wave()])
    drawn = load("verbs.splice.picture:draw")(made)
    swings, angles, frames = drawn.axes
    labels = [line.get_label() for line in swings.lines]
    assert labels[0] == "pelvis, of locomotion and result"
    assert any(label.startswith("chest, result (-") for label in labels)
    assert_allclose(angles.lines[0].get_ydata(), made.report["splice"]["correction_degrees"], atol=1e-3)
    shown = frames.lines[0].get_ydata()
    assert np.isnan(shown).sum() == (np.diff(made.action_frames) < 0.0).sum() > 0


def test_both_bodies_stand_over_each_other_and_what_limbs_are_off_is_below():
    walk = actions.walk(30.0, 2)
    other = material.walk()
    made = verbs.apply(Retarget(plant_feet=False), [other, walk])
    above, middle, below = load("verbs.retarget.picture:draw")(made).axes
    assert above.get_title() == f"walk, {len(walk.skeleton)} joints"
    assert middle.get_title().startswith(f"{len(other.skeleton)} joints, legs × ")
    assert {line.get_label() for line in below.lines} >= {"thigh.L", "shin.R", "upper_arm.L"}
    assert max(line.get_ydata().max() for line in below.lines) < 1e-3
    assert verbs.picture(Retarget(), made)[:4] == b"\x89PNG"


def test_hands_on_contacts_are_dots_which_are_red_where_they_miss():
    """Of six bodies the third to fifth have the left hand on a contact, and the last of these misses it."""
    walk = actions.walk(30.0, 2)
    made = verbs.apply(Retarget(plant_feet=False, trim=False), [walk, walk])
    shown, palm = np.linspace(0, len(walk) - 1, 6).round().astype(int), figure_of(made.clip).palms["L"]
    row = {"hands": "L", "first": shown[2], "last": shown[4], "missed": [[shown[4], shown[4] + 1]]}
    made.report["hands"] = {"contacts": [row]}
    drawn = load("verbs.retarget.picture:draw")(made)
    dots = [one for one in drawn.axes[1].collections if type(one).__name__ == "PathCollection"]
    left, right = (one.get_facecolors() for one in dots)
    assert (left[:, 3] > 0.0).tolist() == [False, False, True, True, True, False]
    assert (left[2:5, 0] > 0.5).tolist() == [False, False, True]
    assert not right[:, 3].any()
    assert_allclose(dots[0].get_offsets()[:, 1], palm[shown, 2])
