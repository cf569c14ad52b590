"""A standing body plays all stretches in which its clips stand, and sets out without delay."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.drive import controller, crowd, database, idle_plans, idling, route
from action_loom.core.drive.controller import Manner, Wish
from oracles import material

STANDS = [Wish()] * 900


@pytest.fixture(scope="module")
def of_figure():
    return idle_plans.with_idling(database.build([actions.walk(), actions.wave()]))


@pytest.fixture(scope="module")
def of_captured():
    clips = [material.captured(name) for name in ("cmu_mb_02_01", "cmu_mb_02_05", "cmu_mb_02_06")]
    return idle_plans.with_idling(database.build(clips))


@pytest.mark.shared
def test_a_standing_body_plays_far_more_than_the_end_of_a_stretch(of_captured):
    plain = replace(of_captured, idling=idling.NONE)
    planned, held = (route.of_states(route.drive_route(data, STANDS, Manner())) for data in (of_captured, plain))
    assert len(np.unique(planned.row)) > 400
    assert len(np.unique(held.row[-300:])) == 1  # without a plan it holds its pose
    assert planned.jumped.sum() < len(STANDS) / 60.0  # less than one a second
    assert np.abs(planned.place).max() < 0.15 * of_captured.skeleton.height


@pytest.mark.shared
def test_loops_close_and_stay_where_the_body_stays(of_captured):
    plans, speeds = of_captured.idling, np.abs(of_captured.velocity[of_captured.idling.rows])
    assert speeds.max() < idle_plans.GOES * of_captured.skeleton.height
    assert sorted(plans.after.tolist()) == list(range(len(plans.rows)))
    assert (plans.entry[plans.rows] == plans.rows).all()
    jumps = np.flatnonzero(of_captured.onward[plans.rows] != plans.rows[plans.after])
    assert 0 < len(jumps) < len(plans.rows) / 30
    # half of them are mirror images, whose loops are the same
    assert of_captured.image[plans.rows].mean() == 0.5


@pytest.mark.shared
def test_a_body_that_idles_walks_off_as_soon_as_one_that_stands(of_captured):
    speed = of_captured.gaits[0]
    for seconds in (2, 4, 7):
        goes = []
        for data in (of_captured, replace(of_captured, idling=idling.NONE)):
            states = route.drive_route(data, [*[Wish()] * (60 * seconds), *[Wish(1j * speed)] * 90], Manner())
            steps = np.abs(np.diff([state.place for state in states]))[60 * seconds :] * database.RATE
            goes.append(int(np.flatnonzero(steps > 0.8 * speed)[0]))
        assert goes[0] <= goes[1] + 12


def test_a_loop_of_one_cycle_is_played_as_it_is(of_figure):
    idle = replace(actions.wave().cut(0, 40), name="idle")
    there_and_back = replace(idle.take_frames(np.r_[0:40, 38:-1:-1]), cyclic=True)
    data = idle_plans.with_idling(database.build([actions.walk(), there_and_back], mirror=False))
    states = route.drive_route(data, STANDS, Manner())
    assert len(data.idling.rows)
    assert not any(state.jumped for state in states[60:])
    assert len({state.row for state in states}) == np.sum(data.clip == 1)


def test_bodies_of_a_crowd_begin_elsewhere_and_one_is_driven_again_alone(of_figure):
    bodies = [(of_figure, 3j * k, 0.0) for k in range(4)]
    states, asked = crowd.drive_crowd(bodies, [[Wish()] * 120] * 4, Manner())
    rows = np.array([[state.row for state in one] for one in states])
    assert all((rows[k] != rows[j]).all() for k in range(4) for j in range(k))
    again = route.drive_route(of_figure, asked[2], Manner(), 6j, 0.0, number=2)
    assert [state.row for state in again] == rows[2].tolist()


def test_who_never_stands_for_long_says_so_and_holds_a_pose():
    short = actions.walk().take_frames(np.repeat([0, *range(1, 97)], [40, *[1] * 96]))
    recipe = verbs.Drive(wishes=((0, 0, 1.3), (1, 0, 0), (4, 0, 0)))
    made = verbs.apply(recipe, [actions.walk(), short])
    assert any("no action stands for long" in sentence for sentence in made.report["notes"])
    assert len(np.unique(made.route.row[-60:])) == 1
    long = verbs.apply(recipe, [actions.walk(), actions.wave()])
    assert not any("no action stands" in sentence for sentence in long.report["notes"])
    assert len(np.unique(long.route.row[-60:])) > 50


def test_a_held_pose_is_reached_without_a_stop_at_once():
    data = database.build([actions.walk(), actions.wave().cut(0, 30)], mirror=False)
    states = route.drive_route(data, STANDS[:240], Manner())
    assert states[-1].held
    poses = np.array([state.pose[0] for state in states])
    turned = np.abs(np.diff(poses, n=2, axis=0)).max()
    moving = np.abs(np.diff(data.rotations[data.clip == 1], n=2, axis=0)).max()
    assert turned < 3.0 * moving
    assert isinstance(states[-1], controller.State)
