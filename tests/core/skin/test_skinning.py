"""Surfaces moved by bones: known answers, invariances, and refusals."""

import numpy as np
import pytest
from action_loom.core.errors import ClipError
from action_loom.core.motion import quat
from action_loom.core.skin import normals, skinning
from action_loom.core.skin.skin import skin
from oracles.surfaces import matrices, random_skin

pytestmark = pytest.mark.both_engines
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def by_definition(surface, moved):
    """Σ w M M₀⁻¹ p₀, one vertex at a time."""
    out = surface.vertices.astype(float).copy()
    for v, place in enumerate(surface.vertices):
        rows = range(surface.first[v], surface.first[v + 1])
        if rows:
            blended = sum(surface.weights[k] * moved[surface.bones[k]] for k in rows)
            out[v] = (blended @ np.append(place, 1.0))[:3]
    return out


def test_linear_skinning_is_the_weighted_mean_of_what_bones_do():
    surface, rest, posed = random_skin(), matrices(12), matrices(12, 5, (0.7, 1.4))
    moved = skinning.moves(rest, posed)
    places, turned = skinning.linear(surface, moved)
    assert np.abs(places - by_definition(surface, moved)).max() < 5e-6
    hanging = np.diff(surface.first) > 0
    assert np.allclose(np.linalg.norm(turned[hanging], axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("way", ["linear", "dual"])
def test_what_hangs_on_one_bone_goes_with_it_and_what_hangs_on_none_stays(way):
    surface = skin(CUBE, [[(k % 2, 3.0)] if k < 6 else [] for k in range(8)], SIDES)
    rest, posed = matrices(2), matrices(2, 9)
    moved = skinning.moves(rest, posed)
    places, turned = (
        skinning.linear(surface, moved) if way == "linear" else skinning.dual_quaternions(surface, rest, posed)
    )
    for v in range(6):
        assert np.allclose(places[v], (moved[v % 2] @ np.append(CUBE[v], 1.0))[:3], atol=2e-6)
        assert np.allclose(turned[v], moved[v % 2][:3, :3] @ surface.normals[v], atol=2e-6)
    assert np.array_equal(places[6:], surface.vertices[6:])
    assert np.array_equal(turned[6:], surface.normals[6:])


def test_a_twist_collapses_linearly_and_keeps_its_volume_by_dual_quaternions():
    ring = np.array([(np.cos(t), np.sin(t), 0.0) for t in np.linspace(0, 2 * np.pi, 8, endpoint=False)])
    surface = skin(ring, [[(0, 1.0), (1, 1.0)]] * 8, [], ring)
    rest, posed = np.tile(np.eye(4), (2, 1, 1)), np.tile(np.eye(4), (2, 1, 1))
    posed[1, :3, :3] = quat.to_matrix(quat.about_axis("Z", np.radians(170.0)))
    linear, _ = skinning.linear(surface, skinning.moves(rest, posed))
    dual, turned = skinning.dual_quaternions(surface, rest, posed)
    assert np.linalg.norm(linear, axis=1).max() < 0.1
    assert np.allclose(np.linalg.norm(dual, axis=1), 1.0, atol=1e-6)
    half = quat.about_axis("Z", np.radians(85.0))
    assert np.allclose(dual, quat.rotate(half, ring), atol=1e-6)
    assert np.allclose(turned, dual, atol=1e-6)


@pytest.mark.parametrize("way", ["linear", "dual"])
def test_bones_moved_together_move_everything_alike(way):
    surface, rest = random_skin(most=4), matrices(12)
    surface = skin(
        surface.vertices,
        [[(0, 1.0)] if surface.first[v] == surface.first[v + 1] else _row(surface, v) for v in range(len(surface))],
        [],
        surface.normals,
    )
    together = matrices(1, 77)[0]
    posed = matrices(12, 3)
    ways = {
        "linear": lambda pose: skinning.linear(surface, skinning.moves(rest, pose)),
        "dual": lambda pose: skinning.dual_quaternions(surface, rest, pose),
    }
    places, turned = ways[way](posed)
    places_after, turned_after = ways[way](together @ posed)
    assert np.abs(places @ together[:3, :3].T + together[:3, 3] - places_after).max() < 3e-5
    assert np.abs(turned @ together[:3, :3].T - turned_after).max() < 3e-5


def _row(surface, v):
    rows = range(surface.first[v], surface.first[v + 1])
    return [(int(surface.bones[k]), float(surface.weights[k])) for k in rows]


def test_turns_are_found_whatever_the_lengths_of_the_axes():
    turns = np.concatenate([np.eye(4), quat.normalize(np.random.default_rng(2).normal(size=(200, 4)))])
    found = skinning._turns(quat.to_matrix(turns) * (0.5, 1.0, 3.0))
    assert np.abs(found - quat.same_side(turns, found)).max() < 1e-14
    assert (found[:, 0] >= 0.0).all()


def test_what_hangs_on_a_bone_shrunk_to_nothing_is_at_its_head():
    surface = skin(CUBE, [[(0, 1.0)]] * 4 + [[(1, 1.0)]] * 4, SIDES)
    rest, posed = matrices(2), matrices(2, 9)
    posed[0, :3, :3] = 0.0
    for places, turned in (
        skinning.linear(surface, skinning.moves(rest, posed)),
        skinning.dual_quaternions(surface, rest, posed),
    ):
        assert np.allclose(places[:4], posed[0, :3, 3], atol=2e-6)
        assert np.isfinite(turned).all()


def test_weights_are_made_to_add_up_and_next_to_none_are_none():
    surface = skin(CUBE, [[(0, 2.0), (1, 6.0)], [(0, 0.00005)], [(1, 0.0)], *[[]] * 5], SIDES)
    assert surface.weights[:2].tolist() == [0.25, 0.75]
    assert surface.first.tolist() == [0, 2, 2, 2, 2, 2, 2, 2, 2]
    assert surface.most == 2


def test_the_four_largest_influences_in_falling_order():
    surface = skin(CUBE, [[(k, float(w)) for k, w in enumerate((1, 5, 2, 4, 8, 0.5))], *[[]] * 7], SIDES)
    bones, weights = surface.compact
    assert bones[0].tolist() == [4, 1, 3, 2]
    assert weights[0] == pytest.approx([8 / 19, 5 / 19, 4 / 19, 2 / 19])
    assert not weights[1:].any()


def test_normals_of_faces_are_those_of_a_cube_and_of_a_sphere():
    cube = skin(CUBE, [[]] * 8, SIDES)
    assert np.allclose(cube.normals, CUBE / np.sqrt(3.0), atol=1e-6)
    turns, levels = np.meshgrid(np.linspace(0, 2 * np.pi, 48, endpoint=False), np.linspace(0.05, np.pi - 0.05, 40))
    places = np.stack([np.sin(levels) * np.cos(turns), np.sin(levels) * np.sin(turns), np.cos(levels)], -1)
    index = np.arange(places[..., 0].size).reshape(turns.shape)
    right = np.roll(index, -1, axis=1)
    quads = np.stack([index[:-1], index[1:], right[1:], right[:-1]], -1).reshape(-1, 4)
    flat = places.reshape(-1, 3)
    ball = skin(flat, [[]] * len(flat), quads.tolist())
    inner = np.arange(48, len(flat) - 48)
    assert np.abs(ball.normals[inner] - flat[inner]).max() < 0.01
    moved = quat.rotate(quat.about_axis("X", 0.7), 3.0 * flat)
    again = normals.of_faces(moved.astype(np.float32), ball.corners, ball.faces)
    assert np.abs(again - quat.rotate(quat.about_axis("X", 0.7), ball.normals)).max() < 1e-5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"vertices": np.full((8, 3), np.nan)}, "vertex 0 of the surface is no place"),
        ({"influences": [[(0, 1.0)]] * 7}, "7 rows of weights were given for 8 vertices"),
        ({"influences": [[(0, -1.0)]] * 8}, "a weight of the surface is negative"),
        ({"influences": [[(-1, 1.0)]] * 8}, "a weight of the surface is of no bone"),
        ({"faces": [(0, 1, 9)]}, "a face names vertex 9, but there are 8"),
    ],
)
def test_what_is_no_surface_is_refused(change, words):
    given = {"vertices": CUBE, "influences": [[(0, 1.0)]] * 8, "faces": SIDES} | change
    with pytest.raises(ClipError, match=words):
        skin(**given)
