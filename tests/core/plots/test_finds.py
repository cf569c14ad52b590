"""The picture of a search's results: a row for each, the query's first."""

from importlib import import_module

from action_loom.core.demo_character import actions


def test_rows_of_figures():
    finds = import_module("action_loom.core.plots.finds")
    walk = actions.walk(30.0)
    found = [(walk.cut(k, k + 30), f"walk {k}") for k in range(30)]
    figure = finds.draw(walk.cut(10, 40), found)
    assert len(figure.axes) == 1 + finds.MOST
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles[:3] == ["searched for: walk", "walk 0", "walk 1"]
    bones = [sum(len(c.get_segments()) for c in axis.collections) for axis in figure.axes]
    assert len(set(bones)) == 1
    assert bones[0] > 15 * finds.POSES
