"""Sinking, floating and torn surfaces, and parts that leave their place, on shapes with known answers."""

import numpy as np
import pytest
from action_loom.core.quality import kept_places, surface

FRAMES = 40
TALL = 2.0


def body(shift=0.0):
    """Places (F, V, 3) of four vertices of a body that bobs: two feet, a hand and a head."""
    rise = 0.1 * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, FRAMES)))
    places = np.zeros((FRAMES, 4, 3))
    places[:, :, 2] = np.array([0.0, 0.0, 1.0, TALL]) + rise[:, None] + shift
    places[:, 0, 0] = 0.3
    return places


EDGES = np.array([[0, 2], [1, 2], [2, 3]])
OWN = surface.measure_extent(body(), EDGES)


@pytest.mark.parametrize("shift", [-0.5, -0.02, 0.0, 0.3])
def test_a_shift_is_measured(shift):
    found = surface.compare(body(shift), EDGES, OWN)
    assert found.sinking == pytest.approx(-shift, abs=1e-12)
    assert found.off_floor == pytest.approx(shift, abs=1e-12)
    assert found.stretching == pytest.approx(1.0)
    assert found.height == TALL


def test_the_frame_is_the_deepest_one():
    places = body()
    places[17, 1, 2] -= 0.4
    found = surface.compare(places, EDGES, OWN)
    assert (found.sinking_at, round(found.sinking, 3)) == (17, round(0.4 - body()[17, 1, 2], 3))


def test_what_never_stands_may_come_low():
    places = body()
    places[:, 2, 2] = -0.5
    assert surface.compare(places, EDGES, OWN).sinking == pytest.approx(0.0)


@pytest.mark.parametrize(("height", "counts"), [(0.02, True), (0.3, False)])
def test_vertices_a_little_above_the_floor_stand_too(height, counts):
    own = np.repeat(np.array([[0.0, 0.0, height, TALL]]), FRAMES, axis=0)
    places = np.zeros((FRAMES, 4, 3))
    places[:, :, 2] = own
    lowered = places.copy()
    lowered[5, 2, 2] = -0.4
    found = surface.compare(lowered, EDGES, surface.measure_extent(places, EDGES))
    assert found.sinking == pytest.approx(0.4 if counts else 0.0)


@pytest.mark.parametrize("times", [1.5, 4.0])
def test_edges_that_grow_are_measured(times):
    places = body()
    places[9, 3, 2] = places[9, 2, 2] + times
    found = surface.compare(places, EDGES, OWN)
    assert found.stretching == pytest.approx(times, rel=0.02)
    assert found.stretching_at == 9


def test_more_actions_reach_farther():
    both = surface.join_extents([OWN, surface.measure_extent(body(-0.1), EDGES)])
    assert surface.compare(body(-0.1), EDGES, both).sinking == pytest.approx(0.0)
    assert both.height == TALL


def chain(stray=0.0, seed=0):
    """Axes and places of a root, a hand that swings on it, and a sword on the root that stays in the hand."""
    random = np.random.default_rng(seed)
    turn = np.linspace(0.0, 1.5, FRAMES)
    axes = np.tile(np.eye(3), (FRAMES, 3, 1, 1))
    axes[:, 1, 0, 0] = axes[:, 1, 1, 1] = np.cos(turn)
    axes[:, 1, 1, 0], axes[:, 1, 0, 1] = np.sin(turn), -np.sin(turn)
    places = np.zeros((FRAMES, 3, 3))
    places[:, 1] = axes[:, 1, :, 0]
    held = np.array([0.2, 0.1, 0.0]) + stray * random.uniform(-1.0, 1.0, (FRAMES, 3))
    places[:, 2] = places[:, 1] + np.einsum("fij,fj->fi", axes[:, 1], held)
    return axes, places


PARENTS, SEEN = np.array([-1, 0, 0]), np.array([True, True, True])


@pytest.mark.parametrize(("stray", "kept"), [(0.0, True), (0.005, True), (0.2, False)])
def test_a_sword_in_a_hand_is_found(stray, kept):
    found = kept_places.find_kept_places(*chain(stray), PARENTS, SEEN, 1.0)
    assert ((2, 1) in [(one.joint, one.on) for one in found]) == kept


def test_a_part_that_leaves_is_named_with_its_distance_and_frame():
    axes, places = chain()
    kept = kept_places.find_kept_places(axes, places, PARENTS, SEEN, 1.0)
    assert kept_places.largest_gap(kept, axes, places, 1.0) is None
    places = places.copy()
    places[23, 2, 2] += 0.25
    gap = kept_places.largest_gap(kept, axes, places, 1.0)
    assert (gap.joint, gap.frame, round(gap.metres, 6)) == (2, 23, 0.25)


def test_a_part_that_is_thrown_once_keeps_its_place_in_most_frames():
    axes, places = chain()
    places[:4, 2] += 2.0
    assert not any(one.joint == 2 for one in kept_places.find_kept_places(axes, places, PARENTS, SEEN, 1.0))
    found = kept_places.find_kept_places(axes, places, PARENTS, SEEN, 1.0, share=0.7)
    assert any(one.joint == 2 for one in found)


def test_a_part_that_strays_nearly_as_far_as_it_goes_does_not_keep_its_place():
    random = np.random.default_rng(3)
    axes, places = np.tile(np.eye(3), (FRAMES, 3, 1, 1)), np.zeros((FRAMES, 3, 3))
    places[:, 1, 0], places[:, 2, 0] = 1.0, 1.1
    places[:, 2] += 0.02 * random.uniform(-1.0, 1.0, (FRAMES, 3))  # about itself, on its parent as on the other part
    assert not kept_places.find_kept_places(axes, places, PARENTS, SEEN, 1.0)


def test_two_feet_that_stand_are_no_parts_of_each_other():
    """Root, hips, thighs, shins, and feet on the root: they stand while the body sways, or go with their shins."""
    axes, places = np.tile(np.eye(3), (FRAMES, 8, 1, 1)), np.zeros((FRAMES, 8, 3))
    parents, seen = np.array([-1, 0, 1, 1, 2, 3, 0, 0]), np.arange(8) > 0
    places[:, 1], places[:, 2:, 0] = [0.0, 0.0, 1.0], [0.1, -0.1] * 3
    places[:, 2:, 2] = [1.0, 1.0, 0.5, 0.5, 0.0, 0.0]
    sway = 0.3 * np.sin(np.linspace(0.0, 7.0, FRAMES))[:, None]
    places[:, [6, 7], 1] += sway
    assert not kept_places.find_kept_places(axes, places, parents, seen, 1.0)
    places[:, 1:6, 1] += sway
    found = kept_places.find_kept_places(axes, places, parents, seen, 1.0)
    assert {one.joint: one.on for one in found} == {6: 4, 7: 5}


def test_a_head_that_seldom_turns_is_no_part_of_a_shoulder():
    """Root, trunk, a neck that swings now and then, a head on it, and shoulders that never move on the trunk."""
    axes, places = np.tile(np.eye(3), (FRAMES, 5, 1, 1)), np.zeros((FRAMES, 5, 3))
    places[:, 1:, 0] = 0.5 * np.sin(np.linspace(0.0, 7.0, FRAMES))[:, None]
    places[:, 1:, 2], places[:, 4, 1] = [0.5, 0.7, 0.9, 0.7], 0.2
    turn = 0.6 * (np.arange(FRAMES) < 4)
    axes[:, 2, 1, 1] = axes[:, 2, 2, 2] = np.cos(turn)
    axes[:, 2, 2, 1], axes[:, 2, 1, 2] = np.sin(turn), -np.sin(turn)
    places[:, 2, 1] += 0.1 * turn
    places[:, 3] = places[:, 2] + 0.2 * axes[:, 2, :, 2]
    parents = np.array([-1, 0, 1, 2, 1])
    assert not kept_places.find_kept_places(axes, places, parents, np.arange(5) > 0, 1.0, share=0.8)


def test_what_moves_no_mesh_does_not_count():
    assert not kept_places.find_kept_places(*chain(), PARENTS, np.zeros(3, dtype=bool), 1.0)
