"""A stroke on the floor becomes a smooth curve with its first and last place, for the Path mode."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result

STRAIGHT = [(0.0, -0.01 * k, 0.0) for k in range(400)]


@pytest.fixture
def drawn_paths(loom):
    return loom("addon.services.paths.drawn_paths")


def texts(points):
    return "; ".join(" ".join(f"{number:.4f}" for number in place) for place in points)


def draw(points):
    return bpy.ops.action_loom.draw_path(points=texts(points))


def along(curve):
    return np.array([curve.matrix_world @ point.co for point in curve.data.splines[0].bezier_points])


def test_a_shaking_hand_draws_a_smooth_line(drawn_paths):
    random = np.random.default_rng(1)
    way = np.array([(np.sin(0.5 * t), -t, 0.0) for t in np.linspace(0.0, 6.0, 300)])
    shaken = way + random.normal(0.0, 0.02, way.shape) * [1.0, 1.0, 0.0]
    points = drawn_paths.smooth_stroke(shaken, 1.8)
    off = [np.linalg.norm(way - point, axis=1).min() for point in points]
    assert max(off) < 0.05
    steps = np.diff(points, axis=0)
    bends = np.abs(np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))))
    assert bends.max() < np.radians(25.0)
    assert np.array_equal(points[0], shaken[0])
    assert np.array_equal(points[-1], shaken[-1])


def test_what_is_as_long_in_inches_is_as_smooth(drawn_paths):
    metres = drawn_paths.smooth_stroke(STRAIGHT, 1.8)
    inches = drawn_paths.smooth_stroke(np.array(STRAIGHT) / 0.0254, 1.8 / 0.0254)
    assert np.abs(inches * 0.0254 - metres).max() < 1e-9


def test_a_line_is_walked_along_and_the_next_one_takes_its_place():
    rig = material.biped()
    settings = bpy.context.scene.action_loom
    assert draw(STRAIGHT) == {"FINISHED"}
    curve = settings.curve
    assert settings.mode == "follow"
    assert np.abs(along(curve)[[0, -1]] - [STRAIGHT[0], STRAIGHT[-1]]).max() < 1e-5
    curve.location.x = 1.0  # the artist moves it, but a new stroke is at its drawn place
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = rig
    stairs = [(x, y, 0.1 * (k // 100)) for k, (x, y, _) in enumerate(STRAIGHT)]
    assert draw(stairs) == {"FINISHED"}
    assert settings.curve == curve
    assert np.abs(along(curve)[[0, -1]] - [stairs[0], stairs[-1]]).max() < 1e-5
    assert len(bpy.data.curves) == 1


def test_an_artists_own_curve_is_not_touched():
    material.biped()
    data = bpy.data.curves.new("Mine", "CURVE")
    data.splines.new("POLY").points.add(3)
    mine = bpy.data.objects.new("Mine", data)
    bpy.context.scene.collection.objects.link(mine)
    bpy.context.scene.action_loom.curve = mine
    draw(STRAIGHT)
    assert bpy.context.scene.action_loom.curve != mine
    assert len(data.splines[0].points) == 4


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ("0 0 0; 0 -0.1 0", "too short to walk along"),
        ("0 0 0", "too short"),
        ("0 0; 0 -4", "three numbers each"),
        ("", "three numbers each"),
        ("here; there", "three numbers each"),
    ],
)
def test_what_is_no_way_is_a_sentence_and_leaves_nothing(points, why):
    material.biped()
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.action_loom.draw_path(points=points)
    assert bpy.context.scene.action_loom.curve is None
    assert not len(bpy.data.curves)


@pytest.mark.parametrize("height", [0.5, 1.7, 60.0])
def test_tight_bends_are_widened_for_a_body_of_any_size(loom, drawn_paths, height):
    ground_path = loom("core.graph.ground_path")
    corner = np.array([(0.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.4, 3.0, 0.0), (0.4, 0.0, 0.0)]) * height
    drawn = drawn_paths.smooth_stroke(corner, height)

    def radius(points):
        return ground_path.through(points[:, :2] * 1.7 / height, closed=False).tightest()[0]

    wider = drawn_paths.widen_bends(drawn, height)
    assert radius(drawn) < 0.6
    assert radius(wider) > 1.3
    assert np.abs(wider[0] - drawn[0]).max() < 1e-9


@pytest.mark.parametrize(("radius", "bend"), [(0.5, 10.0), (1e6, 38.0)])
def test_widening_lets_clips_bend_that_turn_less_than_the_new_line(radius, bend):
    """The button of a message on a tight path passes the smallest radius of the clips' turns."""
    material.biped()
    assert draw([(0.0, 0.0, 0.0), (0.0, -3.0, 0.0), (0.4, -3.0, 0.0), (0.4, 0.0, 0.0)]) == {"FINISHED"}
    assert bpy.ops.action_loom.draw_path(wider=True, radius=radius) == {"FINISHED"}
    assert bpy.context.scene.action_loom.follow.bend == bend
