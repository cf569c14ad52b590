"""Curves drawn by an artist, as paths on the ground."""

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.core_result


@pytest.fixture
def drawn(loom):
    return loom("addon.bridge.curve_path")


def curve(points, kind="POLY", *, closed=False, dimensions="3D"):
    """A curve object through points (K, 2), of a type of spline."""
    data = bpy.data.curves.new("way", "CURVE")
    data.dimensions = dimensions
    spline = data.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(points) - 1)
        for point, (x, y) in zip(spline.bezier_points, points, strict=True):
            point.co = (x, y, 0.3)
            point.handle_left_type = point.handle_right_type = "AUTO"
    else:
        spline.points.add(len(points) - 1)
        for point, (x, y) in zip(spline.points, points, strict=True):
            point.co = (x, y, 0.3, 1.0)
    spline.use_cyclic_u = closed
    made = bpy.data.objects.new("way", data)
    bpy.context.scene.collection.objects.link(made)
    return made


CORNERS = [(0.0, 0.0), (2.0, 0.0), (2.0, 3.0), (5.0, 3.0)]


@pytest.mark.parametrize("dimensions", ["2D", "3D"])
def test_the_points_of_a_polyline_are_its_corners(drawn, dimensions):
    points, closed = drawn.path(curve(CORNERS, dimensions=dimensions), 1.0)
    assert np.allclose(points[:, :2], CORNERS, atol=1e-6)
    assert np.allclose(points[:, 2], 0.3, atol=1e-6)
    assert not closed


def test_a_path_is_where_the_object_stands(drawn):
    made = curve(CORNERS)
    made.location, made.rotation_euler, made.scale = (4.0, -1.0, 7.0), (0.0, 0.0, np.pi / 2), (2.0, 2.0, 1.0)
    points, _ = drawn.path(made, 0.1)
    expected = np.array([(-2.0 * y + 4.0, 2.0 * x - 1.0) for x, y in CORNERS])
    assert np.allclose(points[:, :2], 0.1 * expected, atol=1e-5)
    assert np.allclose(points[:, 2], 0.1 * 7.3, atol=1e-5)


@pytest.mark.parametrize("kind", ["BEZIER", "NURBS"])
def test_splines_are_evaluated(drawn, kind):
    around = np.arange(8) * np.pi / 4
    made = curve(3.0 * np.stack([np.cos(around), np.sin(around)], axis=1), kind, closed=True)
    points, closed = drawn.path(made, 1.0)
    radii = np.linalg.norm(points[:, :2], axis=1)
    assert closed
    assert len(points) > 30
    assert radii.max() - radii.min() < 0.06
    assert 2.4 < radii.mean() < 3.04


def test_what_makes_a_curve_thick_makes_no_other_path(drawn):
    made = curve(CORNERS, "BEZIER")
    plain, _ = drawn.path(made, 1.0)
    before = len(bpy.data.objects), len(bpy.data.curves), len(bpy.data.meshes)
    made.data.bevel_depth, made.data.extrude = 0.2, 0.1
    thick, closed = drawn.path(made, 1.0)
    assert np.allclose(thick, plain, atol=1e-6)
    assert not closed
    assert (len(bpy.data.objects), len(bpy.data.curves), len(bpy.data.meshes)) == before
    assert made.data.bevel_depth == pytest.approx(0.2)


def test_what_is_no_path_is_refused(drawn, loom):
    error = loom("core.errors").LoomError
    made = curve(CORNERS)
    made.data.splines.new("POLY")
    with pytest.raises(error, match="way has 2 splines, but a path is one"):
        drawn.path(made, 1.0)
    for wrong in (None, bpy.data.objects.new("empty", None)):
        with pytest.raises(error, match="Choose a curve to walk along"):
            drawn.path(wrong, 1.0)
    with pytest.raises(error, match="has no length"):
        drawn.path(curve(CORNERS[:1]), 1.0)


@pytest.mark.parametrize("thick", [0.0, 0.2])
def test_a_curve_that_blender_does_not_show_is_refused(drawn, loom, thick):
    error, made = loom("core.errors").LoomError, curve(CORNERS)
    made.data.bevel_depth = thick
    before = len(bpy.data.objects), len(bpy.data.curves)
    made.hide_viewport = True
    for named in (None, made):  # by the panel, Blender knows of it all the same
        bpy.context.scene.action_loom.curve = named
        with pytest.raises(error, match="way is disabled in viewports: enable it"):
            drawn.path(made, 1.0)
    made.hide_viewport = False
    made.hide_set(True)
    assert np.allclose(drawn.path(made, 1.0)[0][:, :2], CORNERS, atol=1e-6)
    bpy.context.view_layer.objects.active = None
    made.hide_set(False)
    made.select_set(True)
    bpy.ops.object.delete()
    with pytest.raises(error, match="way was deleted, or is not in this view layer: choose another"):
        drawn.path(made, 1.0)
    assert (len(bpy.data.objects), len(bpy.data.curves)) == before
