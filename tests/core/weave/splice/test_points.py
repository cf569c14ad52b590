"""Splice points: the frame of a locomotion at which an action starts, with smooth transitions into and out of it."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import kinematics, retarget, root_motion
from action_loom.core.motion.clip import Channel
from action_loom.core.quality import trunk_swing
from action_loom.core.verbs import Splice
from action_loom.core.verbs.splice import along
from action_loom.core.weave.splice import mask, points
from action_loom.core.weave.splice.levels import LEVELS
from action_loom.core.weave.splice.played import PlayedClip, Run
from action_loom.core.weave.splice.points import SplicePiece, SplicePlan
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import captured

pytestmark = pytest.mark.both_engines


def on(names):
    locomotion, action = (captured(f"cmu_{name}") for name in names)
    return locomotion, retarget.onto(action, locomotion.skeleton)


def plan(locomotion, action, *, start=0, **asked):
    return points.plan(locomotion, PlayedClip(action, start), **asked)


def spliced(locomotion, action, planned, **asked):
    return along.splice_along(locomotion, PlayedClip(action), planned, Splice(**asked)).clip


def action_frames(planned):
    """The frame of the action (F,) at each frame of the stretch."""
    return np.concatenate([piece.run.frame + np.arange(piece.end - piece.first) for piece in planned.pieces])


@pytest.mark.shared
def test_a_walk_is_found_in_itself_and_never_left():
    walk = captured("cmu_mb_16_15")
    moved = root_motion.place_clip(walk, 2.0, np.array([1.0, 4.0]))
    planned = plan(walk, moved, first=50, end=400)
    assert len(planned.pieces) == 1
    piece = planned.pieces[0]
    assert (piece.first, piece.end, piece.run.frame, piece.level) == (50, 400, 50, "shoulders")
    assert piece.distance < 1e-4
    made = spliced(walk, moved, planned)
    assert_allclose(kinematics.points(made), kinematics.points(walk), atol=1e-4)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("names", "levels"),
    [
        (("mb_35_03", "mb_16_15"), {"shoulders"}),
        (("mb_05_01", "mb_35_01"), {"shoulders", "trunk halves"}),
        (("mb_35_03", "mb_06_10"), {"trunk", "trunk halves"}),  # a dribble, bent forward
        (("mb_16_15", "mb_02_05"), {None}),
        (("mb_16_15", "mb_02_06"), {None}),
        (("daz_07_01", "daz_13_18"), {None}),
        (("daz_07_01", "daz_13_26"), {None}),
        (("mb_02_03", "mb_02_05"), {None}),
    ],
)
def test_walks_have_splice_points_and_standing_actions_none(names, levels):
    pieces = plan(*on(names)).pieces
    assert {piece.level for piece in pieces} == levels
    if levels == {None}:  # then it simply plays
        assert [piece.run.frame for piece in pieces] == [0]
    limits = {one.name: one.threshold for one in LEVELS}
    assert all(piece.distance <= limits[piece.level] for piece in pieces if piece.level)


@pytest.mark.shared
def test_points_are_chosen_by_the_whole_next_interval():
    walk, action = on(("mb_26_01", "mb_16_15"))
    compared = points._Compared(walk, PlayedClip(action), 0.13)
    for piece in plan(walk, action).pieces:
        if piece.level is None:
            continue
        found = compared.best(piece.first, min(piece.first + 120, len(walk)))
        assert (piece.run, piece.level, piece.distance) == (found.run, found.level, found.distance)
        every = found.interval.closely(0, 0, len(action))
        means = [np.diagonal(every, k).mean() for k in range(len(action) - len(every) + 1)]
        # Found among every fourth frame, then nearby: it may miss the least of all by a little.
        assert_allclose(found.distance, means[found.run.frame], rtol=1e-7)  # `exact_sums` rounds each part
        assert found.distance <= 1.05 * min(means)


@pytest.mark.shared
@pytest.mark.parametrize("names", [("mb_05_01", "mb_02_05"), ("mb_07_01", "mb_05_11")])
def test_what_was_entered_at_no_point_ends_at_the_first_that_there_is(names):
    walk, action = on(names)
    planned = plan(walk, action)
    compared, length = points._Compared(walk, PlayedClip(action), 0.13), round(walk.rate)
    assert planned.least <= 0.13
    assert any(piece.level for piece in planned.pieces)
    for piece in planned.pieces:
        if piece.level is None:
            for at in range(piece.first, piece.end, length):
                assert compared.best(at, min(at + length, len(walk))).level is None


@pytest.mark.shared
def test_the_smaller_the_threshold_the_more_is_asked_for():
    walk, action = on(("mb_35_03", "mb_06_10"))
    assert plan(walk, action, threshold=0.13).pieces[0].level == "trunk"
    assert plan(walk, action, threshold=0.05).pieces[0].level is None


@pytest.mark.shared
@pytest.mark.parametrize("names", [("mb_05_01", "mb_35_01"), ("mb_26_01", "mb_16_15"), ("mb_16_15", "mb_02_05")])
def test_a_stretch_carries_the_action_and_the_rest_is_the_locomotion(names):
    walk, action = on(names)
    planned = plan(walk, action, first=60, end=len(walk) - 70)
    made = spliced(walk, action, planned)
    upper = mask.upper_body(walk.skeleton)
    lower = np.setdiff1d(np.arange(len(walk.skeleton)), upper.joints)
    assert_array_equal(made.rotations[:, lower], walk.rotations[:, lower])
    assert_array_equal(made.rotations[:60], walk.rotations[:60])
    assert_array_equal(made.rotations[-70:], walk.rotations[-70:])
    wrist = walk.skeleton.roles["forearm.R"]
    frames = action_frames(planned)
    fading = np.zeros(len(walk), dtype=bool)
    for piece in planned.pieces:
        fading[piece.first : piece.first + 40] = True
    fading[planned.end - 40 :] = fading[:60] = True
    steady = np.flatnonzero(~fading)
    assert len(steady) > 100
    assert_allclose(made.rotations[steady, wrist], action.rotations[frames[steady - 60], wrist], atol=1e-12)
    # Jumps in the action and both ends of the stretch do not show as jumps.
    steps = [np.linalg.norm(np.diff(kinematics.points(clip), axis=0), axis=2).max() for clip in (made, walk, action)]
    assert steps[0] <= 1.5 * max(steps[1:])


@pytest.mark.shared
def test_the_chest_goes_with_the_locomotion_along_a_stretch_too():
    walk, action = on(("mb_16_15", "mb_02_05"))
    planned = plan(walk, action)
    assert abs(trunk_swing.counter(spliced(walk, action, planned)) - trunk_swing.counter(walk)) < 0.1


def test_an_action_that_ends_begins_anew():
    walk, wave = actions.walk(cycles=8), actions.wave()
    pieces = plan(walk, wave, first=10, start=5).pieces
    assert [piece.run.frame for piece in pieces] == [5] * len(pieces)
    assert len(pieces) > 2
    assert [piece.first for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
    made = spliced(walk, wave, plan(walk, wave, first=10, start=5), strength=0.5)
    assert len(made) == len(walk)
    assert_array_equal(made.rotations[:10], walk.rotations[:10])


def test_from_one_frame_of_the_action_to_another_it_takes_a_third_of_a_second():
    walk, wave = actions.walk(60.0, 6), actions.wave(60.0)
    wave = replace(wave, channels={"smile": Channel((np.arange(len(wave)) > 100).astype(float))})
    pieces = (SplicePiece(30, 90, Run(0, 0), None, 0.0), SplicePiece(90, 150, Run(0, 110), None, 0.0))
    values = spliced(walk, wave, SplicePlan(pieces, 0.0)).channels["smile"].values
    assert_array_equal(values[:90], 0.0)
    assert_array_equal(values[110:], 1.0)
    assert (np.diff(values[89:111]) > 0.0).all()


def test_stretches_that_are_not_there_are_refused():
    walk, wave = actions.walk(), actions.wave()
    with pytest.raises(OptionError, match="walk has no frame 199: its frames are"):
        plan(walk, wave, first=50, end=200)
    with pytest.raises(OptionError, match="wave has no frame 108: its frames are"):
        plan(walk, wave, start=108)
    with pytest.raises(ClipError, match="wave must first be brought onto the skeleton and the rate of walk"):
        plan(walk, actions.wave(60.0))
