"""The picture of a blend: its content, and its legibility."""

import io
import itertools
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.entry_points import load
from action_loom.core.motion.frame_map import FrameMap
from action_loom.core.quality import contacts
from action_loom.core.recipes import metrics
from action_loom.core.recipes.metrics import MetricRow
from action_loom.core.sync.registration_curve import Registration
from action_loom.core.verbs import Blend, Synchronise

LONG = "a very long name of a clip that goes on and on, take {}"
FIVE = [actions.walk(turn=turn) for turn in (0.0, 0.2)] + [actions.carry(), actions.walk(speed=1.0), actions.run()]
KEYS = ((0.0, 5, 1, 1, 1, 1), (0.5, 0, 1, 1, 0, 0), (1.0, 1, 1, 1, 1, 5))


@pytest.fixture(scope="module")
def walks():
    """A walk and a sneak of three cycles each, blended from end to end."""
    return verbs.apply(Blend(ends="pinned"), [actions.walk(), actions.sneak()])


def draw(woven):
    return load("verbs.blend.picture:draw")(woven)


def axes_of(drawn):
    """Return the figure's axes by the label at their left; matrices by the label of their clip."""
    return {axis.get_ylabel(): axis for axis in drawn.axes}


def bars(axis, lane):
    """The stretches (start, end) of a lane's bars."""
    extents = [path.get_extents() for path in axis.collections[lane].get_paths()]
    return [(round(box.x0 + 0.5), round(box.x1 + 0.5)) for box in extents]


def words(drawn):
    """Return the visible words, with the box of each."""
    text_type = import_module("matplotlib.text").Text
    drawn.savefig(io.BytesIO())
    every = [text for text in drawn.findobj(text_type) if text.get_visible() and text.get_text().strip()]
    shown = {id(text) for axis in drawn.axes for text in ticks_in_view(axis)}
    ticks = {id(text) for axis in drawn.axes for text in [*axis.get_xticklabels(), *axis.get_yticklabels()]}
    return [(t.get_text(), t.get_window_extent()) for t in every if id(t) in shown or id(t) not in ticks]


def ticks_in_view(axis):
    for one, (low, high) in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, sorted(axis.get_ylim()))):
        yield from (tick.label1 for tick in one.get_major_ticks() if low <= tick.get_loc() <= high)
        yield from (tick.label2 for tick in one.get_major_ticks() if low <= tick.get_loc() <= high)


def overlap(one, other):
    """Return whether two boxes share more than their edges."""
    return min(one.x1, other.x1) - max(one.x0, other.x0) > 1.0 < min(one.y1, other.y1) - max(one.y0, other.y0)


def test_contacts_are_drawn_for_each_foot_of_every_clip_and_of_the_result(walks):
    axes = axes_of(draw(walks))
    standing = [contacts.detect(clip) for clip in walks.prepared.clips]
    at = np.round(walks.registration.frames(walks.reference_frames)).astype(int)
    for side, foot in (("L", "left foot"), ("R", "right foot")):
        labels = [label.get_text() for label in axes[foot].get_yticklabels()]
        assert labels == ["walk", "sneak", "result"]
        for lane, flags in enumerate(standing):
            assert bars(axes[foot], lane) == contacts.runs(flags[side][at[lane]])
        assert bars(axes[foot], 2) == contacts.runs(contacts.detect(walks.clip)[side])
        assert len(bars(axes[foot], 2)) >= 3


def test_shares_are_drawn_as_they_change(walks):
    changing = verbs.apply(Blend(weight_keys=((0, 1, 0), (1, 0, 1))), walks.prepared.clips)
    axis = axes_of(draw(changing))["share"]
    assert {text.get_text().strip() for text in axis.texts} == {"walk", "sneak"}
    for lane, below in enumerate((0.0, changing.weights[0])):
        (path,) = axis.collections[lane].get_paths()
        middle = len(changing.clip) // 2
        heights = path.vertices[np.isclose(path.vertices[:, 0], middle), 1]
        lower = np.broadcast_to(below, len(changing.clip))[middle]
        assert sorted({*np.round(heights, 9)}) == pytest.approx([lower, lower + changing.weights[lane, middle]])


@pytest.mark.parametrize("recipe", [Synchronise(), Blend(weights=(1, 0))], ids=["sync", "blend"])
def test_a_result_made_of_one_clip_has_no_shares_to_show(walks, recipe):
    axes = axes_of(draw(verbs.apply(recipe, walks.prepared.clips)))
    assert {"left foot", "right foot"} <= set(axes)
    assert "share" not in axes


def test_what_is_left_out_is_marked():
    long = actions.walk(cycles=4)
    opened = verbs.apply(Blend(ends="open"), [long, actions.walk(cycles=2)])
    curve = opened.registration.curves[1]
    assert len(curve.frames) < len(long) - 10
    (axis,) = (axis for label, axis in axes_of(draw(opened)).items() if label == "frame of walk")
    assert axis.get_title().endswith("beyond the dashed line is left out")
    tinted = sum(patch.get_width() for patch in axis.patches)
    assert tinted == pytest.approx(len(long) - len(curve.frames))


def test_frames_are_those_of_the_clips_as_given(walks):
    shifted = replace(walks, prepared=replace(walks.prepared, frame_maps=(FrameMap(7), FrameMap(20, 2.0))))
    axis = axes_of(draw(shifted))["frame of sneak"]
    walk, sneak = walks.prepared.clips
    assert axis.get_xlim() == (6.5, len(walk) + 6.5)
    assert axis.get_ylim() == (19.0, 2 * len(sneak) + 19.0)
    (line,) = (line for line in axis.lines if len(line.get_xdata()) > 2)
    np.testing.assert_allclose(line.get_ydata(), 20 + 2 * walks.registration.curves[1].frames)


def test_the_curve_of_cycles_is_drawn_round_the_circle():
    sneak = actions.sneak()
    period = (len(sneak) - 1) // 3
    woven = verbs.apply(Blend(), [actions.walk(), sneak.cut(25, 26 + period)])
    curve = woven.registration.curves[1]
    assert curve.ends == "cyclic"
    drawn = draw(woven)
    (line,) = (line for line in axes_of(drawn)["frame of sneak"].lines if len(line.get_xdata()) > 2)
    shown = np.asarray(line.get_ydata())
    (gap,) = np.flatnonzero(np.isnan(shown))
    np.testing.assert_allclose(np.delete(shown, gap), curve.frames % period)
    assert shown[gap - 1] > 0.9 * period > 0.1 * period > shown[gap + 1]
    at = np.round(woven.registration.frames(woven.reference_frames)[1]).astype(int) % period
    standing = contacts.detect(woven.prepared.clips[1])["L"][at]
    assert bars(axes_of(drawn)["left foot"], 1) == contacts.runs(standing)


@pytest.mark.parametrize(("metric", "unit"), [("points", "m"), ("chordal", "no unit"), ("to come", "no unit")])
def test_the_unit_of_distances_is_said(walks, metric, unit, monkeypatch):
    monkeypatch.setitem(metrics.METRICS, "to come", MetricRow("to come", "", "sync.positions:PointMetric", "Later"))
    reference, curve = walks.registration.curves
    other = replace(walks, registration=Registration(0, (reference, replace(curve, metric=metric))))
    assert f"pose distance, {metric} ({unit})" in axes_of(draw(other))


@pytest.mark.parametrize(("clips", "named"), [(2, LONG), (3, None), (5, LONG)])
def test_no_words_lie_over_others(clips, named):
    some = FIVE[:clips] if named is None else [replace(c, name=named.format(k)) for k, c in enumerate(FIVE[:clips])]
    keys = tuple(row[: clips + 1] for row in KEYS)
    drawn = draw(verbs.apply(Blend(weight_keys=keys, ends="open"), some))
    seen = words(drawn)
    assert len(seen) > 30
    width, height = drawn.canvas.get_width_height()
    for word, box in seen:
        assert box.x0 >= 0 <= box.y0, word
        assert box.x1 <= width, word
        assert box.y1 <= height, word
    over = [(a, b) for (a, first), (b, second) in itertools.combinations(seen, 2) if overlap(first, second)]
    assert over == []
