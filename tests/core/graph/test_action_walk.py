"""Actions at splice points: entry at similar legs and trunk, walks through a graph of their own, and re-timing."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.graph.action_walk import PlayedGraph
from action_loom.core.motion import kinematics
from action_loom.core.verbs import BuildGraph, Follow, Splice, Walk
from action_loom.core.verbs.splice import actions as spliced_actions
from action_loom.core.weave.splice import mask, points
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import as_captured

pytestmark = pytest.mark.both_engines

WALKS = ("daz_02_01", "daz_07_01", "daz_09_12")


def punches(boxing, count=10):
    """Pieces of a boxer's take, as if each punch had been a clip of its own."""
    return [
        replace(boxing.cut(at, at + 260), name=f"punch {k}") for k, at in enumerate(range(100, 100 + 280 * count, 280))
    ]


def repeats(places, rate):
    """Return the largest share of frames that a lag of half a second to ten seconds repeats, and that lag (s)."""
    flat = 1_000_000 * places[0] + places[1]
    lags = range(round(0.5 * rate), round(10.0 * rate), 6)
    return max(np.mean(np.abs(flat[lag:] - flat[:-lag]) <= 0.1 * rate) for lag in lags)


@pytest.fixture(scope="module")
def minute():
    walks = [as_captured(f"cmu_{name}") for name in WALKS]
    return verbs.apply(Walk(seconds=60.0, plant_feet=False), walks).clip


@pytest.mark.shared
def test_boxing_on_a_walk_has_splice_points_once_the_threshold_is_as_wide_as_the_report_says():
    clips = [as_captured("cmu_daz_07_01"), as_captured("cmu_daz_13_18")]
    made = verbs.apply(Splice(timing="points"), clips)
    reported = made.report["splice"]
    assert (reported["in_step"], reported["threshold"]) == (0.0, 0.13)
    assert 0.13 < reported["least_distance"] < 0.15
    assert f"the nearest is {reported['least_distance']:.3f} m off" in made.report["warnings"][0]
    near = verbs.apply(Splice(timing="points", splice_threshold=reported["least_distance"] + 0.001), clips).report[
        "splice"
    ]
    assert near["in_step"] > 0.0
    assert near["splice_points"][0]["level"] == "trunk"
    still = verbs.apply(Splice(timing="points", splice_threshold=reported["least_distance"] - 0.001), clips).report[
        "splice"
    ]
    assert still["in_step"] == 0.0


@pytest.mark.shared
@pytest.mark.parametrize("kind", ["take", "punches"])
def test_a_minute_of_boxing_does_not_repeat_by_the_clock(minute, kind):
    boxing = as_captured("cmu_daz_13_18")
    how = Splice(splice_threshold=0.3, action_graph=True, action_threshold=0.1 if kind == "take" else 0.15)
    found = spliced_actions.gather([boxing] if kind == "take" else punches(boxing), minute, how)
    spliced, reported = spliced_actions.overlay(minute, found)
    assert reported["in_step"] == 1.0
    assert repeats(spliced.places, minute.rate) < 0.25
    # Timed by the clock, all frames would repeat: the action would start again and again.
    begun_anew = np.stack([np.zeros(len(minute), dtype=int), np.arange(len(minute)) % (8 * 120)])
    assert repeats(begun_anew, minute.rate) == 1.0
    # Nothing jumps where the graph changes clips or runs.
    steps = [
        np.linalg.norm(np.diff(kinematics.points(clip), axis=0), axis=2).max()
        for clip in (spliced.clip, minute, *found.clips)
    ]
    assert steps[0] < 1.2 * max(steps[1:])


def test_a_walk_through_a_graph_of_actions_is_made_of_its_edges():
    gaits = [actions.carry(30.0, 6), actions.walk(30.0, 6), actions.sneak(30.0, 6)]
    graph = verbs.apply(BuildGraph(mirror=False, threshold=0.3), gaits)
    played = PlayedGraph(graph)
    planned = points.plan(actions.walk(30.0, 20), played, threshold=1.0)
    for piece in planned.pieces:
        run, count = piece.run, piece.end - piece.first
        clip, frame = played.places(run, count)
        inside = graph.component[graph.start] == 0
        leaves = {(int(graph.clip[s]), int(graph.frame[s])) for s in graph.start[inside & graph.crosses]}
        for at in np.flatnonzero((np.diff(clip) != 0) | (np.diff(frame) != 1)):
            # A change of clip or frame ends a transition that began a third of a second before.
            begun = at - 2 * graph.half + 1
            assert begun < 0 or (int(clip[begun]), int(frame[begun])) in leaves
        assert len(played.motion(run, count).clip) == count


@pytest.mark.shared
def test_only_the_upper_body_changes_at_splice_points_too():
    walk, boxing = as_captured("cmu_daz_07_01"), as_captured("cmu_daz_13_18")
    made = verbs.apply(Splice(splice_threshold=0.25, action_threshold=0.15), [walk, *punches(boxing, 4)])
    assert made.clip.name == "punch 0 + 3 more on cmu_daz_07_01"
    assert made.report["splice"]["why"] == "there are several actions"
    upper = mask.upper_body(walk.skeleton).joints
    lower = np.setdiff1d(np.arange(len(walk.skeleton)), upper)
    first = made.report["dropped"][0]["first"] if made.report["dropped"] else 0
    assert_array_equal(made.clip.rotations[:, lower], walk.rotations[first : first + len(made.clip), lower])
    with pytest.raises(OptionError, match="timing is own, but 4 actions are entered at splice points"):
        verbs.apply(Splice(timing="own"), [walk, *punches(boxing, 4)])


@pytest.mark.shared
def test_between_splice_points_a_dribble_is_timed_by_the_walker_s_legs():
    clips = [as_captured("cmu_mb_35_03"), as_captured("cmu_mb_06_10")]
    plain, timed = (verbs.apply(Splice(timing="points", retime=retime), clips) for retime in (False, True))
    before, after = (made.report["splice"]["splice_points"] for made in (plain, timed))
    assert [one["at"] for one in before] == [one["at"] for one in after]
    assert [one["action_frame"] for one in before] == [one["action_frame"] for one in after]  # ends pinned
    assert all(one["legs_apart_in_time"] <= 0.09 for one in after)
    for one, following in zip(after, [*(two["at"] for two in after[1:]), len(timed.clip)], strict=True):
        frames = timed.action_frames[one["at"] : following]
        assert_allclose(frames[-1] - frames[0], following - one["at"] - 1)
        assert (np.diff(frames) >= 0.0).all()
        assert np.diff(frames[::8]).max() <= 2.5 * 8  # twice as fast, and the curve is smoothed


@pytest.mark.shared
def test_what_is_not_near_keeps_its_own_time():
    clips = [as_captured("cmu_daz_07_01"), as_captured("cmu_daz_13_18")]
    plain, timed = (
        verbs.apply(Splice(timing="points", splice_threshold=0.2, retime=on), clips) for on in (False, True)
    )
    assert_array_equal(plain.clip.rotations, timed.clip.rotations)
    assert {one["legs_apart_in_time"] for one in timed.report["splice"]["splice_points"]} == {None}


def test_an_action_re_timed_to_its_own_copy_is_that_copy():
    walk = actions.walk(60.0, 6)
    found = spliced_actions.gather([walk], walk, Splice(retime=True))
    made, reported = spliced_actions.overlay(walk, found, 40, 200)
    assert reported["splice_points"][0]["legs_apart_in_time"] < 1e-6
    assert_allclose(kinematics.points(made.clip), kinematics.points(walk), atol=2e-4)  # of its curve's smoothing


def test_each_stretch_has_options_of_its_own():
    recipe = Follow(
        stretches=((0.1, 0.4, 1), (0.5, 0.9, 2, 3)), stretch_options="method=heck; retime=yes upper='arm.L'"
    )
    first, second = recipe.stretch_splices()
    assert (first.method, first.retime, first.upper) == ("heck", False, "")
    assert (second.method, second.retime, second.upper) == ("gaussian", True, "arm.L")
    both = Follow(stretches=recipe.stretches, splice_threshold=0.2, stretch_options="posture=1").stretch_splices()
    assert {(one.posture, one.splice_threshold) for one in both} == {(1.0, 0.2)}
    assert Follow(stretches=recipe.stretches).stretch_splices() == [Splice(), Splice()]
    assert recipe.prepared_of("abcd") == ["d"]
    assert recipe.after(2).stretches == ((0.1, 0.4, 3.0), (0.5, 0.9, 4.0, 5.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("methods=heck", "'methods=heck', which is no option of splice and its value; did you mean method"),
        ("method", "'method', which is no option of splice and its value"),
        ("method=best", "method is 'best', but must be one of gaussian"),
        ("retime=1", "retime is '1' in stretch_options, but must be yes or no"),
        ("posture=much", "posture is 'much', but must be a number"),
        ("upper='arm", "stretch_options has quotes that do not end"),
        ("posture=1;;", "has 3 values, but takes 1"),
    ],
)
def test_options_of_stretches_that_are_none_are_refused(gaits, text, message):
    with pytest.raises(OptionError, match=message):
        verbs.apply(
            Follow(path=((0.0, 0.0), (0.0, 8.0)), stretches=((0.3, 0.7, 1),), stretch_options=text),
            [actions.wave(30.0)],
            prepared=gaits,
        )


def test_a_stretch_of_several_actions_walks_a_graph_of_them(gaits):
    clips = [actions.wave(30.0), replace(actions.carry(30.0, 4), name="carry")]
    recipe = Follow(
        path=((0.0, 0.0), (0.0, 12.0)), stretches=((0.2, 0.9, 1, 2),), stretch_options="action_threshold=0.4"
    )
    (reported,) = verbs.apply(recipe, clips, prepared=gaits).report["follow"]["carries"]
    assert reported["action"] == "wave + carry"
    assert reported["graph"]["transitions"] > 0
    assert {one["action"] for one in reported["splice_points"]} <= {"wave", "carry"}


@pytest.mark.shared
def test_points_are_looked_up_every_second(minute):
    boxing, walk, how = as_captured("cmu_daz_13_18"), minute.cut(0, 1800), Splice(splice_threshold=1.0)
    _, reported = spliced_actions.overlay(walk, spliced_actions.gather([boxing], walk, how))
    assert len(reported["splice_points"]) > 10
    assert all(one["at"] % round(walk.rate) == 0 for one in reported["splice_points"])
