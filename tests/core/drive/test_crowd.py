"""Bodies driven together keep clear of each other, and each can be driven again alone."""

import cmath
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.drive import crowd, database, route, variety, wishes
from action_loom.core.drive.controller import Manner, Wish
from action_loom.core.errors import OptionError
from action_loom.core.motion import feet, kinematics

APART = 2.0 * crowd.RADIUS


def gone(starts, goals, seconds=14.0, lag=0.2):
    """Return the least distance of points that move to their goals at 1.2 m/s with a body's delay, and their misses."""
    places, speeds = np.array(starts, dtype=complex), np.zeros(len(starts), dtype=complex)
    radii, least, asked = np.full(len(starts), crowd.RADIUS), np.inf, speeds
    for frame in range(round(seconds * 60)):
        away = np.array(goals) - places
        wanted = np.where(np.abs(away) > 0.15, 1.2 * away / np.maximum(np.abs(away), 1e-9), 0.0)
        if frame % 6 == 0:
            asked = np.array([crowd.avoiding(k, places, asked, wanted, radii) for k in range(len(places))])
        speeds = speeds + (asked - speeds) * (1.0 - np.exp(-1.0 / 60.0 / lag))
        places = places + speeds / 60.0
        apart = np.abs(places[:, None] - places[None]) + 99.0 * np.eye(len(places))
        least = min(least, float(apart.min()))
    return least, float(np.abs(np.array(goals) - places).max())


@pytest.mark.parametrize(
    ("starts", "goals"),
    [
        ([0j, 6j], [6j, 0j]),
        ([-3 + 0j, -3j], [3 + 0j, 3j]),
        ([0j, 3j], [6j, 3j]),  # the second stands still
        ([3 * cmath.exp(2j * np.pi * k / 6) for k in range(6)], [-3 * cmath.exp(2j * np.pi * k / 6) for k in range(6)]),
    ],
)
def test_points_arrive_and_keep_clear(starts, goals):
    least, missed = gone(starts, goals)
    assert least > 0.8 * APART
    assert missed < 0.2


def test_who_is_alone_does_as_wished():
    far = np.array([0j, 50j])
    assert crowd.avoiding(0, far, np.zeros(2, complex), np.array([1j, 0j]), np.full(2, 0.35)) == 1j


@pytest.fixture(scope="module")
def of_figure():
    return database.build([actions.walk(), actions.wave()], mirror=False)


def test_bodies_that_meet_pass_each_other_and_can_be_driven_again_alone(of_figure):
    bodies = [(of_figure, 0j, 0.0), (of_figure, 5j, np.pi)]
    wished = [[Wish(1.3j)] * 240, [Wish(-1.3j)] * 240]
    states, asked = crowd.drive_crowd(bodies, wished, Manner())
    places = [np.array([state.place for state in one]) for one in states]
    assert np.abs(places[0] - places[1]).min() > APART
    assert places[0][-1].imag > 3.5 > 1.5 > places[1][-1].imag
    again = route.drive_route(of_figure, wishes.of_rows(wishes.as_rows(asked[1])), Manner(), 5j, np.pi)
    assert [state.place for state in again] == [state.place for state in states[1]]


def test_who_leads_goes_straight(of_figure):
    bodies = [(of_figure, 0j, 0.0), (of_figure, 5j, np.pi)]
    _, asked = crowd.drive_crowd(bodies, [[Wish(1.3j)] * 120, [Wish(-1.3j)] * 120], Manner(), leads=True)
    assert set(asked[0]) == {Wish(1.3j)}
    assert len(set(asked[1])) > 1


def test_a_slow_wish_is_obeyed_and_not_stood_through(of_figure):
    states = route.drive_route(of_figure, [Wish(0.9j)] * 240, Manner())
    assert states[-1].place.imag == pytest.approx(0.9 * 4.0, abs=0.5)


def test_a_recipe_makes_any_body_of_a_crowd():
    clips = [actions.walk(), actions.wave()]
    how = {"wishes": ((0, 0, 1.3), (2, 0, 0)), "mirror": False, "crowd": ((1.0, 0.0, 0.0), (-1.0, 0.5, 0.0))}
    first, second = (verbs.apply(verbs.Drive(**how, which=k), clips) for k in (0, 2))
    assert abs(second.route.place[0] - (-1 + 0.5j)) < 1e-9
    assert abs(first.route.place[0]) < 1e-9
    with pytest.raises(OptionError, match="which is 3"):
        verbs.apply(verbs.Drive(**how, which=3), clips)
    with pytest.raises(OptionError, match="crowd takes rows of|crowd has 51"):
        verbs.apply(verbs.Drive(wishes=how["wishes"], crowd=((1, 2),)), clips)


def test_differences_are_measured_in_the_walk_of_usual_speed():
    """Its steps have length 1, whatever is before it: a root mean square of 1 where both directions spread alike."""
    data = database.build([actions.walk(speed=1.8, step=0.8), actions.walk(speed=1.3)], mirror=False)
    known = variety.people(data)
    fast, usual = (np.sqrt(np.mean(np.abs(known.strides[data.clip == k]) ** 2)) for k in (0, 1))
    assert usual == pytest.approx(1.0, abs=0.001)
    assert fast > 1.2


def test_others_of_a_crowd_have_poses_of_their_own_and_the_same_steps(of_figure):
    other, again, third = (variety.vary_person(of_figure, number, 1.0) for number in (1, 1, 2))
    assert (other.rotations == again.rotations).all()
    points = [kinematics.points(one.poses(np.arange(len(one)))) for one in (of_figure, other, third)]
    apart = np.linalg.norm(points[1] - points[0], axis=2)
    soles = sorted({point for pair in feet.balls_and_ankles(of_figure.skeleton).values() for point in pair})
    assert apart[:, soles].max() < 0.01
    assert 0.02 < apart[:, of_figure.skeleton.index("hand.L")].mean() < 0.4
    assert np.linalg.norm(points[2] - points[1], axis=2).max() > 0.05
    wished = [Wish(1.3j)] * 120
    one, two = (route.drive_route(data, wished, Manner()) for data in (of_figure, other))
    assert [state.place for state in one] == [state.place for state in two]
    assert [state.row for state in one] == [state.row for state in two]


def test_a_pose_that_leads_on_is_no_jump_in_another_manner(of_figure):
    # The stride phase in the other manner is read from each pose, so no pose differs much from the previous one.
    other = variety.vary_person(of_figure, 3, 1.0)
    on = np.flatnonzero(of_figure.onward >= 0)
    speeds = [
        np.linalg.norm(kinematics.points(one.poses(one.onward[on])) - kinematics.points(one.poses(on)), axis=2)
        for one in (of_figure, other)
    ]
    assert speeds[1].max() < 1.5 * speeds[0].max()


def test_a_body_of_a_crowd_is_made_again_alone_and_says_how_it_differs():
    clips = [actions.walk(), actions.wave()]
    how = {"wishes": ((0, 0, 1.3), (2, 0, 0)), "mirror": False}
    plain, other, again, none = (
        verbs.apply(verbs.Drive(**how, **more), clips)
        for more in ({}, {"which": 2}, {"which": 2}, {"which": 2, "variety": 0.0})
    )
    assert (other.clip.rotations == again.clip.rotations).all()
    assert (none.clip.rotations == plain.clip.rotations).all()
    assert np.abs(other.route.place - plain.route.place).max() < 0.4  # it begins at another pose of its idling
    assert 0.005 < other.report["drive"]["variety"] < 0.2
    assert "variety" not in plain.report["drive"]
    still = [actions.wave(), replace(actions.wave(), name="again")]
    told = verbs.apply(verbs.Drive(**how, which=1), still).report
    assert any("none of its actions walks" in text for text in told["notes"])


def test_others_of_a_crowd_answer_later_without_variety_at_once():
    clips = [actions.walk(), actions.wave()]
    how = {"wishes": ((0, 0, 1.3), (2, 0, 0)), "mirror": False, "crowd": ((2.0, 0.0, 0.0),), "which": 1}
    late, at_once = (verbs.apply(verbs.Drive(**how, variety=amount), clips) for amount in (1.0, 0.0))
    steps = variety.later(late.data, 1, 1.0)
    assert steps > 2
    assert np.abs(late.route.place[:steps] - 2.0).max() < 0.01
    assert at_once.route.place[-1].imag > late.route.place[-1].imag + 0.03
