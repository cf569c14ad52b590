"""Sunk feet are raised onto their ground; stairs and slopes keep their heights."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import spans
from action_loom.core.edit.feet.planting import planted
from action_loom.core.motion import quat
from action_loom.core.quality import contacts, world_pose
from oracles.feet import middle_slide, moved_by
from oracles.material import captured


def depth(clip, of):
    """How far balls of a clip are below their own median height in the stances of another, cm."""
    stood, balls = contacts.standing_feet(world_pose.pose(of)), contacts.feet(clip)
    stance = np.median(np.concatenate([foot.ball[foot.ball_stands, 2] for foot in stood.values()]))
    return 100.0 * (stance - min(ball[:, 2].min() for ball in balls.values()))


def leaning(slope):
    """The generated walk up a ground that leans by a slope."""
    walk, tilt = actions.walk(cycles=4), quat.about_axis("X", np.arctan(slope))
    hips, turns, places = walk.skeleton.roles["hips"], walk.rotations.copy(), walk.translations.copy()
    turns[:, hips] = quat.mul(tilt, turns[:, hips])
    offset = walk.skeleton.offsets[hips]
    places[:, hips] = quat.rotate(tilt, places[:, hips] + offset) - offset
    return replace(walk, rotations=turns, translations=places)


def test_feet_come_out_of_a_level_ground():
    clip = leaning(-0.025)
    (made, _), (plain, done) = planted(clip, lift=True), planted(clip)
    assert depth(plain, clip) > 4.0
    assert depth(made, clip) < 1.0
    rows = [span for span in [*done.spans, *spans.find(clip)] if span.part == spans.BALL]
    assert max(middle_slide(made, [span]) for span in rows) < 0.5


def test_a_slope_stays_where_feet_come_out_of_the_ground():
    clip = leaning(0.1)
    assert moved_by(planted(clip, lift=True)[0], planted(clip)[0]) < 0.01


@pytest.mark.shared
def test_stairs_stay_where_feet_come_out_of_the_ground():
    clip = captured("cmu_daz_13_35")
    made, done = planted(clip, lift=True)
    before, after = contacts.feet(clip), contacts.feet(made)
    for span in (one for one in done.spans if one.part == spans.BALL):
        middle = slice(span.middle.first, span.middle.end)
        raised = after[span.foot][middle, 2] - before[span.foot][middle, 2]
        assert -0.01 < np.median(raised) < 0.01
