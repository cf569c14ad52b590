"""The picture of added or removed travel."""

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.motion import root_motion
from action_loom.core.verbs import InPlace, Travel
from numpy.testing import assert_allclose


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
