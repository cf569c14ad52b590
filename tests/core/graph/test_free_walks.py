"""Walks without a path: at random, and from frame to frame in the least time."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import jit, verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import GraphError, OptionError
from action_loom.core.graph import quickest
from action_loom.core.motion import kinematics, resample
from action_loom.core.motion.clip import join_clips
from action_loom.core.motion.frame_map import FrameMap
from action_loom.core.verbs import BuildGraph, Shortest, Walk
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize("seconds", [0.1, 2.0, 20.0])
def test_a_random_walk_is_as_long_as_wanted(gaits, seconds):
    made = verbs.apply(Walk(seconds=seconds), [], prepared=gaits)
    assert len(made.clip) == round(seconds * gaits.rate) + 1
    assert len(made.origin.clip) == len(made.places) == len(made.clip)


def test_the_same_seed_gives_the_same_walk_and_another_another(gaits):
    one, same, other = (verbs.apply(Walk(seconds=8.0, seed=seed), [], prepared=gaits) for seed in (3, 3, 4))
    assert (one.clip.rotations == same.clip.rotations).all()
    assert one.report["pieces"] == same.report["pieces"]
    assert one.report["pieces"] != other.report["pieces"]
    assert one.clip.name.endswith("endless 3")


def test_a_walk_is_one_motion(gaits):
    made = verbs.apply(Walk(seconds=20.0), [], prepared=gaits)
    assert made.report["walk"]["transitions"] > 3
    steps = np.linalg.norm(np.diff(kinematics.points(made.clip), axis=0), axis=2).max(axis=1)
    clips = [np.linalg.norm(np.diff(kinematics.points(clip), axis=0), axis=2).max() for clip in gaits.clips]
    assert steps.max() < 1.25 * max(clips)


@pytest.mark.one_engine
def test_the_least_time_is_scipys(captured_or_gaits, rng):
    csgraph, sparse = (pytest.importorskip(f"scipy.{name}") for name in ("sparse.csgraph", "sparse"))
    graph = captured_or_gaits
    lengths = graph.lengths.astype(float)
    best = {}
    for start, end, length in zip(graph.start, graph.end, lengths, strict=True):
        best[start, end] = min(length, best.get((start, end), np.inf))
    rows = np.array([(*key, value) for key, value in best.items()])
    shape = 2 * (len(graph.clip),)
    matrix = sparse.coo_matrix((rows[:, 2], (rows[:, 0].astype(int), rows[:, 1].astype(int))), shape=shape)
    begins = rng.choice(len(graph.clip), 4, replace=False)
    least = csgraph.dijkstra(matrix.tocsr(), indices=begins)
    for row, start in enumerate(begins):
        for end in rng.choice(len(graph.clip), 8, replace=False):
            edges = quickest.find_quickest(graph, int(start), int(end))
            if edges is None:
                assert np.isinf(least[row, end])
                continue
            assert_allclose(lengths[edges].sum(), least[row, end])
            if len(edges):
                assert (graph.start[edges[0]], graph.end[edges[-1]]) == (start, end)
                assert (graph.end[edges[:-1]] == graph.start[edges[1:]]).all()


def test_engines_count_the_same_frames_to_every_node(captured_or_gaits):
    graph, package = captured_or_gaits, "action_loom.core.graph"
    order, first = graph.leaving
    given = first, graph.end[order], graph.lengths[order]
    for start, end in np.random.default_rng(3).integers(len(graph.clip), size=(10, 2)).tolist():
        frames = jit.kernels(package).count_frames(*given, start, end)
        assert frames.tolist() == jit.twin(package).count_frames(*given, start, end).tolist()
        walk = quickest.find_quickest(graph, start, end)
        assert frames[end] == (-1 if walk is None else graph.lengths[walk].sum())


@pytest.fixture(params=["gaits", pytest.param("captured", marks=pytest.mark.shared)])
def captured_or_gaits(request):
    return request.getfixturevalue(request.param)


def test_from_frame_to_frame_it_begins_and_ends_there(gaits):
    made = verbs.apply(Shortest(leave="walk:10", reach="turn left:60"), [], prepared=gaits)
    origin = made.origin
    assert (gaits.clips[origin.clip[0]].name, origin.frame[0]) == ("walk", 10)
    last = origin.other[-1] if origin.other[-1] >= 0 else origin.clip[-1]
    frame = origin.other_frame[-1] if origin.other[-1] >= 0 else origin.frame[-1]
    assert (gaits.clips[last].name, frame) == ("turn left", 60)
    assert made.report["shortest"]["transitions"] >= 1


def test_within_a_clip_it_goes_straight_unless_a_transition_is_quicker(gaits):
    near = verbs.apply(Shortest(leave="walk:10", reach="walk:14"), [], prepared=gaits)
    assert len(near.clip) == 5
    assert near.report["shortest"]["transitions"] == 0
    far = verbs.apply(Shortest(leave="walk:10", reach="walk:150"), [], prepared=gaits)
    assert len(far.clip) < 100
    same = verbs.apply(Shortest(leave="walk:10", reach="walk:10"), [], prepared=gaits)
    assert len(same.clip) == 1


def test_frames_are_those_of_the_clips_as_given():
    walk = actions.walk(60.0, 4)
    pose = walk.cut(0, 1)
    held = replace(pose, translations=pose.translations + 0.0)
    far = replace(held, translations=held.translations + np.array([3.0, 0.0, 0.0]))
    graph = verbs.apply(BuildGraph(mirror=False), [join_clips([far, walk])])
    assert graph.inputs.frame_maps == (FrameMap(first=1),)
    made = verbs.apply(Shortest(leave="walk:21", reach="walk:25"), [], prepared=graph)
    assert made.origin.frame.tolist() == [20, 21, 22, 23, 24]
    assert made.report["pieces"][0]["frames"] == [21, 25]
    with pytest.raises(OptionError, match="walk has no frame 0: its frames are 1 to"):
        verbs.apply(Shortest(leave="walk:21", reach="walk:0"), [], prepared=graph)


@pytest.mark.parametrize("text", ["", "walk", "walk:", "walk:x", "run:3", "walk:-3"])
def test_what_is_no_frame_of_the_graph_is_refused(gaits, text):
    with pytest.raises(OptionError, match="^leave is "):
        verbs.apply(Shortest(leave=text, reach="walk:3"), [], prepared=gaits)
    with pytest.raises(OptionError, match="walk has no frame 9999: its frames are 0 to 160"):
        verbs.apply(Shortest(leave="walk:9999", reach="walk:3"), [], prepared=gaits)


def test_where_nothing_leads_it_is_said():
    clips = [actions.walk(30.0, 4), actions.sneak(30.0)]
    graph = verbs.apply(BuildGraph(threshold=0.02, labels="a b"), clips)
    with pytest.raises(GraphError, match="no transitions lead from walk:10 to sneak:10"):
        verbs.apply(Shortest(leave="walk:10", reach="sneak:10"), [], prepared=graph)


def test_a_walk_shorter_than_a_frame_goes_one_on():
    slow = resample.to_rate(actions.walk(30.0, 40), 3.0)
    made = verbs.apply(Walk(seconds=0.1), [], prepared=verbs.apply(BuildGraph(threshold=0.5), [slow]))
    assert len(made.clip) == 2
