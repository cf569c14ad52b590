"""Motion graphs: their nodes and edges, the targets of transitions, and their reports."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import Cancelled, ClipError, GraphError, OptionError, SkeletonError
from action_loom.core.graph import assemble, components
from action_loom.core.graph import build as graphs
from action_loom.core.graph.assemble import WalkPiece
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import join_clips
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.progress import Progress
from action_loom.core.verbs import BuildGraph
from numpy.testing import assert_allclose
from oracles import slide
from oracles.material import random_clip, random_skeleton

pytestmark = pytest.mark.both_engines


@pytest.fixture(params=["gaits", pytest.param("captured", marks=pytest.mark.shared)])
def graph(request):
    return request.getfixturevalue(request.param)


@pytest.mark.both_engines
def test_nodes_are_in_order_and_chained_by_their_clips(graph):
    keys = graph.clip * 10**6 + graph.frame
    assert (np.diff(keys) > 0).all()
    along = ~graph.crosses
    assert (graph.clip[graph.start[along]] == graph.clip[graph.end[along]]).all()
    assert (graph.end[along] == graph.start[along] + 1).all()
    assert along.sum() == (np.diff(graph.clip) == 0).sum()


@pytest.mark.both_engines
def test_a_transition_has_its_whole_window_in_both_clips(graph):
    start, end = graph.start[graph.crosses], graph.end[graph.crosses]
    lengths = np.array([len(clip) for clip in graph.clips])
    assert (graph.frame[start] + 2 * graph.half < lengths[graph.clip[start]]).all()
    assert (graph.frame[end] - 2 * graph.half >= 0).all()
    assert (graph.lengths[graph.crosses] == 2 * graph.half).all()
    # Transitions within one clip skip at least a third of a second.
    same = graph.clip[start] == graph.clip[end]
    apart = graph.frame[end] - graph.frame[start] - 2 * graph.half
    assert (np.abs(apart[same]) >= 2 * graph.half).all()


@pytest.mark.both_engines
def test_every_transition_is_there_in_the_mirror_and_backwards(graph):
    crosses = graph.crosses
    start, end, given = graph.start[crosses], graph.end[crosses], graph.inputs.given
    i, j = graph.frame[start] + graph.half, graph.frame[end] - graph.half
    edges = set(zip(graph.clip[start].tolist(), i.tolist(), graph.clip[end].tolist(), j.tolist(), strict=True))
    assert len(edges) == crosses.sum()
    for a, p, b, q in edges:
        assert (b, q, a, p) in edges
        assert ((a + given) % (2 * given), p, (b + given) % (2 * given), q) in edges


@pytest.mark.both_engines
def test_a_transition_brings_the_second_clip_to_where_the_first_is(graph, rng):
    weights = graph.clips[0].skeleton.point_weights
    for edge in rng.choice(np.flatnonzero(graph.crosses), 10, replace=False):
        start, end = graph.start[edge], graph.end[edge]
        first, last = graph.frame[start], graph.frame[end]
        one = graph.clips[graph.clip[start]].cut(first, first + 2 * graph.half + 1)
        other = graph.clips[graph.clip[end]].cut(last - 2 * graph.half, last + 1)
        shift = np.array([graph.shift[edge].real, graph.shift[edge].imag])
        there = root_motion.place_clip(other, float(graph.turn[edge]), shift)
        off = kinematics.points(one) - kinematics.points(there)
        away = np.sqrt(((off**2).sum(axis=2) @ weights).mean())
        assert_allclose(away, graph.distance[edge], rtol=0.15, atol=2e-3)  # 11 of the window's frames are compared
        assert graph.distance[edge] <= 0.06


@pytest.mark.both_engines
def test_components_are_numbered_by_how_much_of_the_clips_they_hold(graph):
    again = components.strong(len(graph.clip), graph.start, graph.end)
    pairs = set(zip(graph.component.tolist(), again.tolist(), strict=True))
    assert len(pairs) == len(set(again.tolist()))
    listed = graph.report["graph"]["components"]
    assert [one["share"] for one in listed] == sorted((one["share"] for one in listed), reverse=True)
    assert graph.report["graph"]["component_share"] == listed[0]["share"]


@pytest.mark.shared
def test_most_of_captured_walks_is_one_component(captured):
    reported = captured.report["graph"]
    assert reported["frames"] > 20_000
    assert reported["component_share"] >= 0.55
    assert [one.clip for one in captured.inputs.left_out if "same recording" in one.why] == ["cmu_asf_16_15"]
    assert all(one["why"] for one in reported["outside"])


@pytest.mark.shared
def test_feet_hardly_slide_more_in_transitions_than_in_the_clips(captured, rng):
    floor = slide.tread(captured.clips[0])
    clips = [slide.speed(clip, floor) for clip in captured.clips[: captured.inputs.given]]
    inside = captured.crosses & (captured.component[captured.start] == 0) & (captured.component[captured.end] == 0)
    blends = []
    for edge in rng.choice(np.flatnonzero(inside), 150, replace=False):
        first = int(captured.frame[captured.start[edge]])
        piece = WalkPiece(int(captured.clip[captured.start[edge]]), first, first + 2 * captured.half, int(edge))
        blends.append(slide.speed(assemble.assemble(captured, [piece]).clip, floor))
    assert np.median(clips) > 10.0
    assert np.nanmedian(blends) <= 16.0


def test_clips_of_other_labels_are_not_connected():
    clips = [actions.walk(30.0, 4), actions.turn_left(30.0), actions.sneak(30.0, 4)]
    graph = verbs.apply(BuildGraph(labels="go go creep", threshold=0.1), clips)
    labels = np.array(graph.inputs.labels)
    start, end = (labels[graph.clip[node[graph.crosses]]] for node in (graph.start, graph.end))
    assert (start == end).all()
    creeping = graph.largest("creep")
    assert set(labels[graph.clip[graph.component == creeping]]) == {"creep"}
    with pytest.raises(OptionError, match="the labels of this graph are: creep, go"):
        graph.largest("fly")
    with pytest.raises(OptionError, match="labels has 2 values, but takes 3"):
        verbs.apply(BuildGraph(labels="go go"), clips)


def test_without_images_nothing_is_mirrored(gaits):
    plain = verbs.apply(BuildGraph(mirror=False), [actions.walk(30.0, 5), actions.turn_left(30.0)])
    assert len(plain.clips) == 2
    assert not plain.report["graph"]["mirrored"]
    assert len(gaits.clips) == 6


def test_what_can_not_be_a_graph_is_refused(rng):
    with pytest.raises(ClipError, match="takes 1 or more clips; 0 given"):
        verbs.apply(BuildGraph(), [])
    with pytest.raises(GraphError, match=r"^wave: there is no way back to any frame; raise the threshold \(0.05\)"):
        verbs.apply(BuildGraph(mirror=False), [actions.wave(30.0).cut(0, 25)])
    with pytest.raises(SkeletonError, match="its joints differ"):
        verbs.apply(BuildGraph(), [actions.walk(), random_clip(rng, random_skeleton(rng), frames=60)])


def test_a_generous_threshold_is_warned_of():
    clips = [actions.walk(30.0, 4), actions.sneak(30.0)]
    assert "feet slide" in verbs.apply(BuildGraph(threshold=0.1), clips).report["warnings"][0]


def test_building_can_be_stopped_and_says_how_far_it_is():
    message = []
    verbs.apply(
        BuildGraph(), [actions.walk(30.0, 4)], Progress(lambda done, doing: message.append((done, doing)) or True)
    )
    assert [done for done, _ in message] == sorted(done for done, _ in message)
    assert {"Searching the clips", "Connecting"} <= {doing for _, doing in message}
    with pytest.raises(Cancelled):
        verbs.apply(BuildGraph(), [actions.walk(30.0, 4)], Progress(lambda done, _: done < 0.4))


def holding(clip, count):
    """Return a clip that holds its first pose for some frames before it moves."""
    return replace(join_clips([clip.take_frames(np.zeros(count, dtype=int)), clip]), name=f"held {clip.name}")


def test_a_pose_that_is_held_is_no_place_to_go_round_and_round_in():
    walk, turn = actions.walk(30.0, 6), actions.turn_left(30.0)
    graph = verbs.apply(BuildGraph(), [holding(walk, 900), turn])
    plain = verbs.apply(BuildGraph(), [walk, turn])
    reported, expected = graph.report["graph"], plain.report["graph"]
    assert reported["transitions"] < 1.5 * expected["transitions"]
    assert set(reported["components"][0]["clips"]) >= {"held walk", "turn left"}
    inside = graph.component[graph.start[graph.crosses]] == 0
    assert inside.any()


def test_clips_that_begin_with_the_same_held_pose_are_not_one_recording():
    walk, turn = actions.walk(30.0, 4), actions.turn_left(30.0)
    wave = replace(actions.wave(30.0), skeleton=walk.skeleton)
    posed = walk.take_frames(np.zeros(400, dtype=int))
    other = replace(join_clips([posed, root_motion.place_clip(wave, 0.0, np.zeros(2))]), name="held wave")
    graph = verbs.apply(BuildGraph(), [holding(walk, 400), other, turn])
    assert [clip.name for clip in graph.clips[:3]] == ["held walk", "held wave", "turn left"]
    again = verbs.apply(BuildGraph(), [walk, replace(walk, name="again"), turn])
    assert [one["clip"] for one in again.report["dropped"]] == ["again"]


def test_the_first_component_can_be_walked(gaits):
    # Two nodes that nothing leads back to, and one with a transition onto itself.
    start, end = np.array([0, 2]), np.array([1, 2])
    lone = replace(
        gaits, clip=np.zeros(3, dtype=int), frame=np.array([0, 5, 30]), start=start, end=end,
        distance=np.array([np.nan, 0.01]), turn=np.zeros(2), shift=np.zeros(2, dtype=complex),
        component=components.strong(3, start, end),
    )  # fmt: skip
    assert graphs._by_size(lone)[2] == 0


def test_bodies_that_do_not_inherit_are_refused_before_anything_is_compared():
    clip = actions.walk(30.0, 2)
    count = len(clip.skeleton)
    loose = Inheritance(
        rotation=np.array([name != "chest" for name in clip.skeleton.names]), location=np.ones(count, dtype=bool),
        scale=("FULL",) * count, space=quat.IDENTITY,
    )  # fmt: skip
    body = replace(clip.skeleton, inheritance=loose)
    for mirror in (True, False):
        with pytest.raises(SkeletonError, match=r"^walk: joints that do not inherit all of their parents \('chest'\)"):
            verbs.apply(BuildGraph(mirror=mirror), [replace(clip, skeleton=body)])
