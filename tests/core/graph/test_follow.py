"""Walks along paths: their distance from the path, their clips, and messages for impossible paths."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import Cancelled, GraphError, OptionError
from action_loom.core.graph import edge_table, ground_tracks, turning
from action_loom.core.motion import kinematics, quat, retarget, root_motion
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.progress import Progress
from action_loom.core.verbs import BuildGraph, Follow
from action_loom.core.verbs.follow import work as follow
from numpy.testing import assert_allclose
from oracles import material, paths, slide, stances

pytestmark = pytest.mark.both_engines

KEPT = {"S": 0.10, "corner": 0.20, "U-turn": 0.20}


def sized(clip, scale):
    """Return the clip on its body scaled by a factor."""
    skeleton = clip.skeleton
    return retarget.onto(clip, replace(skeleton, offsets=scale * skeleton.offsets, tips=scale * skeleton.tips))


def followed(graph, rows, **options):
    return verbs.apply(Follow(path=rows.tolist(), **options), [], prepared=graph)


@pytest.mark.shared
@pytest.mark.parametrize("shape", KEPT)
def test_captured_walks_keep_to_shapes_left_and_right_alike(captured, shape):
    floor = slide.tread(captured.clips[0])
    source = np.mean([slide.speed(clip, floor) for clip in captured.clips[: captured.inputs.given]])
    found = []
    for rows in (paths.SHAPES[shape], paths.right(paths.SHAPES[shape])):
        made = followed(captured, rows, bend=0.0)
        reported = made.report["follow"]
        assert reported["rms_before_spread"] <= KEPT[shape]
        assert reported["rms"] <= reported["rms_before_spread"]
        assert slide.speed(made.clip, floor) <= source + 3.0
        found.append(reported["rms_before_spread"])
    assert abs(found[0] - found[1]) <= 0.04


@pytest.mark.shared
@pytest.mark.parametrize("seed", [4, 12])
def test_captured_walks_keep_to_random_curves(captured, seed):
    reported = followed(captured, paths.wandering(seed), bend=0.0).report["follow"]
    assert reported["rms_before_spread"] <= 0.10
    assert reported["max"] <= 0.3


@pytest.mark.shared
def test_every_frame_is_of_a_clip_a_transition_or_a_bent_edge(captured):
    made = followed(captured, paths.corner(), spread=0.0, bend=20.0, plant_feet=False)
    origin, clip = made.origin, made.clip
    assert_allclose(np.diff(origin.frame)[(np.diff(origin.piece) == 0)], 1)
    plain = origin.other < 0
    assert 0.1 < plain.mean() < 0.95
    upper = set(clip.skeleton.with_below([clip.skeleton.roles["spine"]]).nonzero()[0].tolist())  # see test_posture
    local = np.array([joint for joint in range(1, len(clip.skeleton)) if joint not in upper])
    for k in np.flatnonzero(plain)[::37]:
        source = captured.clips[origin.clip[k]]
        ours, theirs = clip.rotations[k, local], source.rotations[origin.frame[k], local]
        assert_allclose(quat.same_side(ours, theirs), theirs, atol=1e-12)
        shown, given = clip.cut(k, k + 1), source.cut(origin.frame[k], origin.frame[k] + 1)
        heights = [kinematics.world(one)[1][:, local, 2] for one in (shown, given)]
        assert_allclose(*heights, atol=1e-9)
    for k in np.flatnonzero(~plain)[::23]:
        one, other = captured.clips[origin.clip[k]], captured.clips[origin.other[k]]
        a, b = one.rotations[origin.frame[k], local], other.rotations[origin.other_frame[k], local]
        expected = quat.mul(a, quat.exp(origin.share[k] * quat.log(quat.mul(quat.inv(a), b))))
        assert_allclose(quat.same_side(clip.rotations[k, local], expected), expected, atol=1e-12)
        assert captured.crosses[origin.edge[k]]
    bend = 20.0 * 1.7 / clip.skeleton.height
    assert set(np.round(np.degrees(origin.bend), 6)) <= set(np.round([-bend, 0.0, bend], 6))


def test_a_walk_begins_at_the_start_of_its_path_and_faces_along_it(gaits, turned):
    for angle, shift in ((0.0, (0.0, 0.0)), (2.0, (5.0, -3.0))):
        rows = turned(paths.circle(4.0)[:80], angle, np.array(shift))
        made = followed(gaits, rows)
        way = ground_tracks.ground_tracks_of([made.clip])
        assert_allclose(way.ground[0], complex(*shift), atol=0.05)
        assert_allclose(np.exp(1j * way.facing[0]), np.exp(1j * angle), atol=0.2)
        assert_allclose(made.places[0], way.ground[0])


def test_the_same_path_turned_and_moved_gives_the_same_walk(gaits, turned):
    rows = paths.s_curve(3.0)[:120]
    one, other = followed(gaits, rows), followed(gaits, turned(rows, 1.1, np.array([4.0, 2.0])))
    assert one.report["pieces"] == other.report["pieces"]
    expected = root_motion.place_clip(one.clip, 1.1, np.array([4.0, 2.0]))
    assert_allclose(kinematics.points(other.clip), kinematics.points(expected), atol=1e-6)


def test_what_is_left_is_spread_and_the_end_is_met(gaits):
    rows = paths.circle(3.0)[:100]
    plain, spread = followed(gaits, rows, spread=0.0), followed(gaits, rows, spread=0.5)
    assert plain.report["follow"]["rms_before_spread"] == spread.report["follow"]["rms_before_spread"]
    assert spread.report["follow"]["rms"] < 0.7 * plain.report["follow"]["rms"]
    assert abs(spread.places[-1] - spread.path.at(np.array([spread.path.length]))[0]) < 0.05
    assert len(plain.clip) == len(spread.clip) == len(spread.gone) == len(spread.places)
    # Standing feet do not glide with the body: legs are led.
    roles = plain.clip.skeleton.roles
    legs = [roles[f"{part}.{side}"] for part in ("thigh", "shin", "foot") for side in "LR"]
    others = [joint for joint in range(len(plain.clip.skeleton)) if joint not in legs]
    assert_allclose(plain.clip.rotations[:, others], spread.clip.rotations[:, others])


@pytest.mark.shared
def test_stances_stay_over_transitions_of_captured_walks():
    names = ["mb_08_01", "mb_12_01", "mb_32_01", "mb_35_03", "mb_08_04", "mb_07_12"]
    graph = verbs.apply(BuildGraph(), [material.captured(f"cmu_{name}") for name in names])
    found = np.array(
        [
            one
            for path in (paths.circle(), paths.s_curve(), paths.wandering(0))
            for one in stances.along_walk(verbs.apply(Follow(path=path.tolist()), [], prepared=graph))
        ]
    )
    crossed = found[found[:, 0] > 0.0, 1]
    assert len(crossed) > 30
    assert (crossed > 6.0).mean() <= 0.05
    assert np.median(crossed) < 3.0


def test_a_closed_path_comes_back_to_its_start(gaits):
    rows = paths.circle(3.0)[:-1]
    made = followed(gaits, rows, closed=True)
    assert_allclose(made.report["follow"]["length"], 2.0 * np.pi * 3.0, rtol=1e-3)
    assert abs(made.places[-1] - made.places[0]) < 0.2


def test_looking_only_some_way_ahead_follows_too(gaits):
    near = followed(gaits, paths.s_curve(3.0), horizon=4.0)
    assert near.report["follow"]["rms_before_spread"] < 0.3
    whole = followed(gaits, paths.s_curve(3.0))
    assert near.report["follow"]["length"] == whole.report["follow"]["length"]
    assert near.gone[-1] >= near.path.length


@pytest.mark.shared
def test_a_wanted_speed_is_gone_nearer_to(captured):
    slow, fast = (followed(captured, paths.line(10.0), speed=speed, fidelity=0.05).clip.seconds for speed in (0.8, 1.6))
    assert slow > fast + 0.5


@pytest.mark.shared
def test_a_straight_walk_says_what_radius_it_can_turn():
    alone = verbs.apply(BuildGraph(), [material.as_captured("cmu_mb_35_01")])
    with pytest.raises(GraphError) as refused:
        followed(alone, paths.circle(3.0))
    message = str(refused.value)
    assert "the walk gets no further than" in message
    assert "of 18.8 m: the path is too tight at" in message
    assert (
        "(its radius is 3.0 m, these clips can turn with a radius of 5.2 m): widen its bends, or add a clip that turns"
        in message
    )
    assert "or bend the walk by 21° a metre" in message
    reported = followed(alone, paths.circle(3.0), bend=21.0).report["follow"]
    assert reported["rms_before_spread"] < 0.10
    assert reported["bent_share"] > 0.5
    with pytest.raises(GraphError, match="these clips hardly turn"):
        followed(alone, paths.circle(3.0), bend=0.0)


@pytest.mark.shared
def test_bending_lets_clips_turn_as_tightly_as_it_says():
    alone = verbs.apply(BuildGraph(), [material.as_captured("cmu_mb_35_01")])
    for bend, least, most in ((0.0, np.inf, np.inf), (10.0, 5.0, 6.0), (20.0, 2.5, 3.0)):
        bends = np.radians([0.0, -bend, bend]) if bend else np.zeros(1)
        assert least <= turning.tightest(edge_table.tabulate(alone, 0, bends)) <= most


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_bodies_of_any_size_turn_as_tightly_for_their_size(gaits, scale):
    """A fox and a giant follow paths of their size just like a person does."""
    clips = [sized(clip, scale) for clip in (actions.walk(30.0, 5), actions.turn_left(30.0), actions.sneak(30.0))]
    made = verbs.apply(Follow(path=(scale * paths.s_curve(2.0)).tolist(), threshold=scale * 0.05), clips)
    plain = followed(gaits, paths.s_curve(2.0))
    assert np.array_equal(made.origin.clip, plain.origin.clip)
    assert np.array_equal(made.origin.frame, plain.origin.frame)
    assert_allclose(made.origin.bend, plain.origin.bend / scale, atol=1e-9)
    assert_allclose(made.places / scale, plain.places, atol=1e-3)


def test_a_walk_that_is_far_off_is_warned_of(gaits, monkeypatch):
    monkeypatch.setattr(follow, "FAR", 0.3)
    made = followed(gaits, paths.corner(3.0), bend=0.0)
    assert made.report["follow"]["max_before_spread"] > 0.3
    (message,) = (warning for warning in made.report["warnings"] if " m off the path at " in warning)
    assert "of 6.0 m; the path is too tight at 2.8 m (its radius is 0.6 m" in message
    assert followed(gaits, paths.line(5.0)).report["warnings"] == []


def test_clips_may_be_given_instead_of_a_graph():
    clips = [actions.walk(30.0, 4), actions.turn_left(30.0)]
    recipe = Follow(path=((0, 0), (0, 4)))
    made = verbs.apply(recipe, clips)
    assert made.clip.name == recipe.result_name([clip.name for clip in clips])
    assert made.report["inputs"] == [clip.name for clip in clips]


def test_paths_and_labels_that_are_none_are_refused(gaits):
    with pytest.raises(OptionError, match="the path is 0 m long"):
        verbs.apply(Follow(), [], prepared=gaits)
    with pytest.raises(OptionError, match="no walk is among clips of the label 'run'"):
        followed(gaits, paths.line(), label_filter="run")


def test_following_can_be_stopped(gaits):
    with pytest.raises(Cancelled):
        verbs.apply(Follow(path=((0, 0), (0, 9))), [], Progress(lambda done, _: done < 0.7), prepared=gaits)


def test_of_a_body_without_thighs_it_is_said_how_it_is_taken_to_face():
    walk = actions.walk(30.0, 6)
    body = walk.skeleton
    nameless = Skeleton(
        tuple(f"bone {k}" for k in range(len(body))), body.parents, body.offsets, body.orients, body.tips, {"hips": 0}
    )
    with pytest.raises(GraphError, match=r"no thighs are known, so bone 0 is taken to face \+Y at rest"):
        verbs.apply(Follow(path=paths.line(5.0).tolist()), [replace(walk, skeleton=nameless)])


def single_cycles(*makes):
    """Return a game's clips: single cycles, not marked as cycles."""
    return [replace(make(30.0, 1), cyclic=False) for make in makes]


@pytest.mark.parametrize("makes", [(actions.walk,), (actions.walk, actions.run)])
def test_single_cycles_walk_along_a_path_for_ever(makes):
    share = np.linspace(0.0, 1.0, 80)
    winding = np.column_stack([20.0 * share, 1.2 * np.sin(2.0 * np.pi * share)])
    clips = single_cycles(*makes)
    made = verbs.apply(Follow(path=winding.tolist()), clips)
    assert made.report["follow"]["rms"] < 0.05
    for piece in made.report["pieces"]:
        clip = next(c for c in clips if piece["clip"].startswith(c.name))
        assert all(0 <= frame < len(clip) for frame in piece["frames"])


def test_a_cycle_repeats_itself_though_its_lap_lies_between_the_frames_that_are_compared():
    """Windows are every second frame at 60 a second, and this run takes 43: half of a frame off it is 3 cm away."""
    graph = verbs.apply(BuildGraph(threshold=0.005, mirror=False), [replace(actions.run(60.0, 1), cyclic=False)])
    later = graph.frame[graph.end] - 2 * graph.half - graph.frame[graph.start]
    assert set(later[graph.crosses].tolist()) == {43, -43}
    assert graph.distance[graph.crosses].max() < 1e-6


@pytest.mark.one_engine
def test_the_path_is_followed_among_clips_that_travel():
    """An idle has more frames than a walk, and leads nowhere."""
    (walk,) = single_cycles(actions.walk)
    (stance,) = single_cycles(actions.walk)
    hips = stance.skeleton.roles["hips"]
    places = np.repeat(stance.translations[:1], 300, axis=0)
    places[:, hips, 2] -= 0.05 * (1.0 - np.cos(np.linspace(0.0, 8.0 * np.pi, 300)))
    idle = replace(stance, name="idle", rotations=np.repeat(stance.rotations[:1], 300, axis=0), translations=places)
    made = verbs.apply(Follow(path=[[0.0, 0.0], [8.0, 0.0]]), [idle, walk])
    assert {piece["clip"].removesuffix(" mirrored") for piece in made.report["pieces"]} == {"walk"}
