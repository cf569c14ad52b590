"""Walks that climb: ramps and stairs keep their heights, and walks follow the height of a path."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.graph import climbs, ground_path, ground_tracks, storage
from action_loom.core.motion import kinematics, mass, root_motion
from action_loom.core.quality import contacts, world_pose
from action_loom.core.verbs import BuildGraph, Follow, Walk
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import as_captured, captured

pytestmark = pytest.mark.both_engines

SLOPE = 0.2


def ramp(slope, cycles=5):
    """Return a walk whose ground rises by `slope` metres per metre."""
    walk = actions.walk(30.0, cycles)
    gone = np.abs(root_motion.smooth(kinematics.points(walk)[:, 0, :2], 5.0) - kinematics.points(walk)[0, 0, :2])
    name = "up" if slope > 0.0 else "down"
    return replace(climbs.lift_frames(walk, slope * np.hypot(gone[:, 0], gone[:, 1])), name=name)


@pytest.fixture(scope="module")
def hilly():
    clips = [actions.walk(30.0, 5), ramp(SLOPE), ramp(-SLOPE), actions.turn_left(30.0)]
    return verbs.apply(BuildGraph(climbing=True, threshold=0.08), clips)


def up_and_down(height=1.0):
    return [[0.0, 0.0, 0.5], [0.0, -4.0, 0.5], [0.0, -4.0 - height / SLOPE, 0.5 + height], [0.0, -13.0, 0.5 + height]]


def test_the_ground_under_a_walk_up_a_ramp_is_the_ramp():
    walk, up = actions.walk(30.0, 5), ramp(SLOPE)
    assert np.ptp(climbs.ground(walk)) < 0.02
    rise = climbs.ground(up) - climbs.ground(walk)
    expected = kinematics.points(up)[:, 0, 2] - kinematics.points(walk)[:, 0, 2]
    inside = slice(15, -15)
    assert_allclose(rise[inside], expected[inside], atol=0.08)  # a stance is level, the ramp is not
    flat = climbs.lift_frames(up, -climbs.ground(up))
    assert np.ptp(climbs.ground(flat)) < 0.05


@pytest.mark.shared
def test_the_ground_under_captured_stairs_goes_up_and_comes_down():
    stairs = captured("cmu_daz_13_35")
    ground = climbs.ground(stairs)
    hips = kinematics.points(stairs)[:, root_motion.travelling_joint(stairs.skeleton), 2]
    assert 0.3 < np.ptp(ground) < 0.9
    assert np.corrcoef(ground, hips)[0, 1] > 0.9
    even = captured("cmu_daz_07_01")
    assert np.ptp(climbs.ground(even)) < 0.06


def test_a_path_that_rises_is_climbed_and_the_feet_tread_it(hilly):
    made = verbs.apply(Follow(path=up_and_down(), climbing=True), [], prepared=hilly)
    reported = made.report["follow"]
    assert reported["height_off_max"] < 0.1
    assert reported["rms"] < 0.1
    hips = kinematics.points(made.clip)[:, 0, 2]
    assert hips[-1] - hips[0] == pytest.approx(1.0, abs=0.1)
    used = {piece["clip"] for piece in made.report["pieces"]}
    assert "up" in used or "up mirrored" in used
    # Feet tread where the path is, wherever they stand.
    for foot in contacts.standing_feet(world_pose.pose(made.clip)).values():
        for start, end in contacts.runs(foot.ball_stands):
            middle = (start + end) // 2
            assert foot.ball[middle, 2] - made.path.height_at(made.gone[middle : middle + 1])[0] < 0.15


def test_without_climbing_a_path_s_height_does_not_count(gaits):
    high = [[*row[:2], 9.0 * k] for k, row in enumerate(up_and_down())]
    plain = verbs.apply(Follow(path=[row[:2] for row in high]), [], prepared=gaits)
    made = verbs.apply(Follow(path=high), [], prepared=gaits)
    assert_array_equal(made.clip.rotations, plain.clip.rotations)
    assert_array_equal(made.clip.translations, plain.clip.translations)
    assert made.report["follow"]["height_off_max"] == 0.0


def test_flat_clips_are_led_up_a_gentle_slope_in_steps(gaits):
    rows = [[0.0, 0.0, 0.0], [0.0, -12.0, 1.0]]
    made = verbs.apply(Follow(path=rows, climbing=True), [], prepared=gaits)
    assert made.report["follow"]["height_off_max"] < 0.05
    assert made.report["quality"]["after"]["slide_cm_s"] < 5.0


def test_a_walk_at_random_climbs_as_its_clips_do(hilly):
    made = verbs.apply(Walk(seconds=20.0, climbing=True, plant_feet=False), [], prepared=hilly)
    hips = kinematics.points(made.clip)[:, 0, 2]
    assert np.ptp(hips) > 0.3
    assert np.abs(np.diff(hips)).max() < 0.08  # of a frame: nothing jumps from level to level


def test_a_graph_that_climbs_is_kept_in_a_file(hilly, tmp_path):
    storage.save(hilly, tmp_path / "hilly.npz")
    read = storage.load(tmp_path / "hilly.npz")
    assert_array_equal(read.tracks.climbed, hilly.tracks.climbed)
    one, other = (verbs.apply(Follow(path=up_and_down(), climbing=True), [], prepared=g) for g in (hilly, read))
    assert_allclose(one.clip.translations, other.clip.translations, atol=1e-9)


@pytest.mark.shared
def test_captured_stairs_are_walked_up_where_a_path_has_them():
    names = ("daz_07_01", "daz_02_01", "daz_09_12", "daz_13_35")
    graph = verbs.apply(BuildGraph(climbing=True, threshold=0.1), [as_captured(f"cmu_{name}") for name in names])
    made = verbs.apply(Follow(path=up_stairs(graph), climbing=True), [], prepared=graph)
    reported = made.report["follow"]
    assert reported["height_off_max"] < 0.1
    assert reported["rms"] < 0.05
    assert any("13_35" in piece["clip"] for piece in made.report["pieces"])
    hips = kinematics.points(made.clip)[:, root_motion.travelling_joint(made.clip.skeleton), 2]
    assert hips[-1] - hips[0] == pytest.approx(0.55, abs=0.1)


def up_stairs(graph):
    """Return a level way to the stairs of the last clip, and up to their top along the captured track."""
    tracks, first = graph.tracks, graph.tracks.firsts[3]
    top = first + int(np.argmax(graph.inputs.ground_of(3)))
    way, climbed = tracks.ground[first : top + 12 : 12], tracks.climbed[first : top + 12 : 12]
    ahead = (way[4] - way[0]) / abs(way[4] - way[0])
    places = np.concatenate([way[0] - ahead * np.linspace(2.5, 0.2, 10), way])
    heights = np.concatenate([np.zeros(10), climbed - climbed[0]])
    return np.column_stack([places.real, places.imag, heights]).tolist()


def test_the_centre_of_mass_follows_where_that_is_asked_for(gaits):
    rows = [[0.0, 0.0], [0.0, -10.0]]
    hips, centre = (verbs.apply(Follow(path=rows, follows=what), [], prepared=gaits) for what in ("hips", "mass"))
    way = ground_tracks.ground_tracks_of([centre.clip], follows="mass").ground
    assert_allclose(way, centre.places)
    path = ground_path.through(rows, closed=False)
    assert np.abs(way - path.at(centre.gone)).max() < 0.1
    assert np.abs(ground_tracks.ground_tracks_of([hips.clip], follows="mass").ground - way[: len(hips.clip)]).max() > 0
    at = mass.centre_of_mass(centre.clip)
    assert np.abs(at[:, 0]).max() < 0.15
