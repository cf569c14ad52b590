"""Pictures of motion graphs and of walks through them: lanes and arcs, the way from above, and poses along it."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.verbs import BuildGraph, Follow, Walk
from numpy.testing import assert_allclose


@pytest.fixture(scope="module")
def graph():
    return verbs.apply(BuildGraph(), [actions.walk(30.0, 4), actions.turn_left(30.0), actions.sneak(30.0)])


def lines(axis):
    return {line.get_label(): line.get_xydata() for line in axis.lines}


def test_a_graph_has_a_lane_for_each_clip_and_an_arc_for_each_transition(graph):
    (axis,) = load("verbs.build_graph.picture:draw")(graph).axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ["walk", "turn left", "sneak"]
    title = axis.get_title()
    assert f"{graph.report['graph']['transitions']} transitions" in title
    assert "mirror images are drawn as their clips" in title
    arcs = [one for one in axis.collections if type(one).__name__ == "LineCollection"]
    assert sum(len(one.get_segments()) for one in arcs) == min(graph.crosses.sum(), 1500)
    assert axis.get_xlim()[1] == pytest.approx(max(clip.seconds for clip in graph.clips))


def test_a_walk_is_seen_from_above(graph):
    made = verbs.apply(Walk(seconds=5.0), [], prepared=graph)
    (axis,) = load("verbs.follow.picture:draw")(made).axes
    shown = lines(axis)
    assert set(shown) == {"walked", "transitions"}
    assert_allclose(shown["walked"], np.column_stack([made.places.real, made.places.imag]))
    assert len(shown["transitions"]) == made.report["walk"]["transitions"]
    assert axis.get_title() == made.clip.name


def test_a_walk_along_a_path_has_the_path_and_what_is_done_on_the_way(graph):
    recipe = Follow(path=((0, 0), (0, 8)), stretches=((0.25, 0.75, 1),))
    made = verbs.apply(recipe, [actions.wave(30.0)], prepared=graph)
    (axis,) = load("verbs.follow.picture:draw")(made).axes
    shown = lines(axis)
    assert set(shown) == {"path", "walked", "transitions", "wave, 25% to 75%"}
    assert_allclose(shown["path"][[0, -1]], [[0.0, 0.0], [0.0, 8.0]], atol=1e-9)
    first, last = made.report["follow"]["carries"][0]["frames"]
    assert_allclose(shown["wave, 25% to 75%"], shown["walked"][first : last + 1])
    assert f"{100.0 * made.report['follow']['rms']:.1f} cm off the path" in axis.get_title()
