"""The picture of a splice: the swing of pelvis and chest, the correction of the trunk, and the frames played."""

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.verbs import Splice
from numpy.testing import assert_allclose


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
