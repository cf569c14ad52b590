"""Pictures of spread poses and of moved events."""

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.verbs import MoveEvents, Warp
from numpy.testing import assert_allclose

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
