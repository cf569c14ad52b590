"""The picture of planted feet."""

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.motion import root_motion
from action_loom.core.verbs import Plant
from numpy.testing import assert_allclose


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
