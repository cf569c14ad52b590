"""A body driven over a ground with heights: its feet stand on it, both live and in the kept clip."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.cli import tables
from action_loom.core.demo_character import actions
from action_loom.core.drive import controller, database, footing, ground, keep, route, wishes
from action_loom.core.drive.controller import Manner, Wish
from action_loom.core.edit.feet import spans
from action_loom.core.errors import OptionError
from action_loom.core.motion import feet, kinematics

RISE, RUN, FIRST = 0.17, 0.29, 1.5
AHEAD = (*[Wish(1.3j)] * 300, *[Wish()] * 60)


def level(y, height, end=99.0):
    return [(-9, y, height, 9, y, height, 9, end, height), (-9, y, height, 9, end, height, -9, end, height)]


def stairs(count=6):
    steps = [level(FIRST + k * RUN, RISE * (k + 1), FIRST + (k + 1) * RUN) for k in range(count)]
    return tuple(row for rows in (*steps, level(FIRST + count * RUN, RISE * count)) for row in rows)


def ramp(slope=0.25):
    return (
        (-9, FIRST, 0, 9, FIRST, 0, 9, 9, slope * (9 - FIRST)),
        (-9, FIRST, 0, 9, 9, slope * (9 - FIRST), -9, 9, slope * (9 - FIRST)),
    )


@pytest.fixture(scope="module")
def of_figure():
    return database.build([actions.walk(), actions.wave()], mirror=False)


@pytest.fixture(scope="module")
def walked(of_figure):
    """A kept walk on the floor, and its stances."""
    made = keep.weave_route(of_figure, route.of_states(route.drive_route(of_figure, AHEAD, Manner())), "walk")
    return made.clip, keep.split_spans(made.clip, made.spans)


def balls_of(clip):
    points = kinematics.points(clip)
    return {foot: points[:, ball] for foot, (ball, _) in feet.balls_and_ankles(clip.skeleton).items()}


@pytest.mark.parametrize("rows", [stairs(), ramp()])
def test_feet_of_what_is_kept_stand_on_stairs_and_slopes(walked, rows):
    clip, found = walked
    made, figures = footing.place_on_ground(clip, found, ground.of_rows(rows))
    before, after = balls_of(clip), balls_of(made)
    for span in found:
        middle = slice(span.middle.first, span.middle.end)
        y = float(after[span.foot][middle, 1].mean())
        rise = float((after[span.foot] - before[span.foot])[middle, 2].mean())
        if rows == ramp():
            assert rise == pytest.approx(0.25 * max(0.0, y - FIRST), abs=0.03)  # more where toes alone are on it
        else:
            assert rise == pytest.approx(RISE * round(rise / RISE), abs=0.002)
            assert rise >= min(6, max(0.0, (y - FIRST) // RUN + 1)) * RISE - 0.002
        there = np.ptp(after[span.foot][middle, :2], axis=0) - np.ptp(before[span.foot][middle, :2], axis=0)
        assert np.abs(there).max() < 0.003  # it slides no more than on the floor
    assert figures["highest"] == pytest.approx(6 * RISE if rows == stairs() else figures["highest"], abs=1e-3)
    assert figures["off_most"] < 0.002


def test_a_foot_goes_over_the_edges_of_stairs(walked):
    clip, found = walked
    whole = ground.of_rows(stairs())
    made, _ = footing.place_on_ground(clip, found, whole)
    low = min(float(ball[:30, 2].min()) for ball in balls_of(clip).values())
    for ball in balls_of(made).values():
        under = np.array([(whole.at(complex(x, y), 9.0) or (0.0,))[0] for x, y, _ in ball])
        assert (ball[:, 2] - under).min() > low - 0.03


def test_a_driven_body_climbs_with_its_feet_on_the_steps(of_figure):
    states = [controller.begin_state(of_figure, ground=ground.of_rows(stairs()))]
    for wish in AHEAD:
        states.append(controller.step(of_figure, Manner(), states[-1], wish))
    plain = route.drive_route(of_figure, AHEAD, Manner())
    assert [one.place for one in states] == [one.place for one in plain]  # heights change no way
    shown = [np.stack([state.shown[k] for state in states]) for k in (0, 1)]
    live = replace(of_figure.poses(np.zeros(len(states), dtype=int)), rotations=shown[0], translations=shown[1])
    assert states[-1].footing.level == pytest.approx(6 * RISE, abs=0.01)
    for k, ball in enumerate(balls_of(live).values()):
        held = np.array([state.feet[k].held for state in states])
        firm = held & np.roll(held, 6) & np.roll(held, 3)
        wanted = np.array([state.footing.spots[k][0] for state in states])
        off = (ball[:, 2] - wanted)[firm]
        assert np.abs(off - np.median(off)).mean() < 0.02


def test_what_is_too_high_is_walked_through_and_no_ground_is_the_floor(walked):
    clip, found = walked
    made, figures = footing.place_on_ground(clip, found, ground.of_rows(level(FIRST, 1.0)))
    assert (figures["lowest"], figures["highest"], figures["off_most"]) == (0.0, 0.0, 0.0)
    assert kinematics.points(made) == pytest.approx(kinematics.points(clip), abs=2e-3)


def test_a_bridge_is_walked_over_or_under():
    bridge = ground.of_rows([*level(2.0, 1.5), *level(-9.0, 0.0)])
    assert bridge.on(3j, 0.0, climbs=0.4) == 0.0
    assert bridge.on(3j, 1.4, climbs=0.4) == 1.5


def test_a_recipe_with_a_ground_keeps_the_way_and_says_how_high_it_is():
    clips = [actions.walk(), actions.wave()]
    recipe = verbs.Drive(wishes=wishes.as_rows(AHEAD), ground=stairs())
    result = verbs.apply(verbs.from_json(recipe.to_json()), clips)
    assert result.report["drive"]["ground"]["highest"] == pytest.approx(6 * RISE, abs=1e-3)
    assert any("ground from 0.00 to 1.02 m" in line for line in recipe.figures(result.report))
    with pytest.raises(OptionError, match="ground takes rows of x, y, z"):
        verbs.apply(verbs.Drive(wishes=wishes.as_rows(AHEAD), ground=((1, 2, 3),)), clips)


def test_an_obj_file_is_a_ground(tmp_path):
    path = tmp_path / "ground.obj"
    path.write_text("v 0 0.2 0\nv 4 0.2 0\nv 4 0.2 -4\nv 0 0.2 -4\nf 1 2 3 4\n")
    rows = tables.read_rows(str(path))
    assert len(rows) == 2
    assert ground.of_rows(rows).at(1 + 3j, 1.0)[0] == pytest.approx(0.2)


def test_a_body_whose_feet_never_stand_goes_over_the_ground_all_the_same(walked):
    clip, _ = walked
    made, figures = footing.place_on_ground(clip, [], ground.of_rows(stairs()))
    hips = clip.skeleton.index("hips")
    rise = (kinematics.points(made) - kinematics.points(clip))[:, hips, 2]
    assert rise[-1] == pytest.approx(6 * RISE, abs=0.03)
    assert np.abs(np.diff(rise)).max() < 0.04
    assert figures["stances"] == 0


def test_spans_of_the_recipe_stand_on_the_ground():
    clip = actions.walk()
    made, _ = footing.place_on_ground(clip, [spans.Span("L", spans.BALL, 2, 20)], ground.of_rows(level(-9.0, 0.3)))
    rise = (balls_of(made)["L"] - balls_of(clip)["L"])[6:16, 2]
    assert rise == pytest.approx(0.3, abs=0.002)
