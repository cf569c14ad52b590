"""Pictures of loops and connections: the scores of a cycle, and the tried seams."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.verbs import Connect, Loop
from numpy.testing import assert_allclose


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
