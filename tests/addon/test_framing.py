"""A figure's way in a 3D view: whether it is visible beside the sidebar, and how the view moves to show it."""

import bpy
import material
import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector

WIDE, HIGH = 1.8, 2.4  # of a projection: one over the tangents of half its angles


class View:
    """A 3D view without a window: its matrices follow its location and rotation, like Blender's."""

    def __init__(self, is_perspective, rotation):
        self.is_perspective, self.view_rotation = is_perspective, rotation
        self.view_location, self.view_distance = Vector((3.0, -2.0, 7.0)), 4.0

    def update(self):
        """Nothing: its matrices are computed when they are read."""

    @property
    def window_matrix(self):
        if not self.is_perspective:
            return Matrix.Diagonal((WIDE / self.view_distance, HIGH / self.view_distance, -0.001, 1.0))
        return Matrix(((WIDE, 0, 0, 0), (0, HIGH, 0, 0), (0, 0, -1.0, -0.02), (0, 0, -1.0, 0)))

    @property
    def perspective_matrix(self):
        placed = Matrix.Translation(self.view_location) @ self.view_rotation.to_matrix().to_4x4()
        return self.window_matrix @ (placed @ Matrix.Translation((0.0, 0.0, self.view_distance))).inverted()


@pytest.mark.parametrize("free", [1.0, 0.7])
@pytest.mark.parametrize("is_perspective", [True, False])
def test_a_way_out_of_sight_is_brought_into_the_free_part_of_the_view(loom, is_perspective, free):
    framing = loom("addon.services.results.framing")
    rng = np.random.default_rng(4)
    for _ in range(20):
        view = View(is_perspective, Quaternion(rng.normal(size=4)).normalized())
        way = rng.normal(size=3) * 5.0 + rng.normal(size=(60, 3)) * (2.0, 0.5, 0.8)
        rotation = view.view_rotation.copy()
        framing.frame(way, free, view)
        assert framing.is_seen(way, free, view)
        assert view.view_rotation == rotation
        near = view.view_distance
        if is_perspective:
            assert not framing.is_seen(way, free, view, 0.5 * near)  # beyond its clip end
        view.view_distance = 0.4 * near  # the view is not farther off than needed
        assert not framing.is_seen(way, 0.85 * free, view)


@pytest.mark.parametrize("steps", [0.0, 0.5, 40.0])
@pytest.mark.parametrize("is_perspective", [True, False])
def test_a_figure_fills_a_good_part_of_the_view_however_far_it_goes(loom, is_perspective, steps):
    framing = loom("addon.services.results.framing")
    rng = np.random.default_rng(7)
    for _ in range(20):
        view = View(is_perspective, Quaternion(rng.normal(size=4)).normalized())
        figure = rng.uniform(-1.0, 1.0, size=(40, 3)) * (0.3, 0.2, 0.9)
        moments = [figure + np.array([k * steps, 0.0, 0.0]) for k in range(3)]
        framing.bring(moments, 0.7, view)
        assert framing.is_seen(figure, 0.7, view)
        four = np.column_stack([figure, np.ones(len(figure))]) @ np.array(view.perspective_matrix).T
        x, y = (four[:, :2] / four[:, 3:]).T
        assert 0.15 <= max(np.ptp(x) / (2.0 * 0.7), np.ptp(y) / 2.0) <= 0.61


@pytest.mark.parametrize("is_perspective", [True, False])
def test_most_of_a_way_that_is_too_long_stays_in_view(loom, is_perspective):
    """The view showed the first moment only, so that a walk of 5 m left it after a second."""
    framing = loom("addon.services.results.framing")
    figure = np.random.default_rng(7).uniform(-1.0, 1.0, size=(40, 3)) * (0.3, 0.2, 0.9)
    view = View(is_perspective, Quaternion((1.0, 0.0, 0.0), np.radians(75.0)))
    moments = [figure + np.array([2.0 * k, 0.0, 0.0]) for k in range(7)]  # 12 m across
    framing.bring(moments, 0.7, view)
    assert all(framing.is_seen(one, 0.7, view) for one in moments[:4])


def test_a_figure_is_where_its_mesh_is_drawn_not_where_its_bones_end(loom):
    rig = material.two_actions()
    mesh = bpy.data.meshes.new("body")
    mesh.from_pydata([(-0.2, -0.1, 0.0), (0.2, 0.1, 0.0), (0.0, 0.0, 1.8)], [], [(0, 1, 2)])
    body = bpy.data.objects.new("body", mesh)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.collection.objects.link(body)
    framing, (action,) = loom("addon.services.results.framing"), [rig.animation_data.action]
    now = bpy.context.scene.frame_current
    for points in framing.places(bpy.context, rig, action):
        assert points.shape == (8, 3)
        np.testing.assert_allclose(np.ptp(points, axis=0), (0.4, 0.2, 1.8), atol=1e-5)
    assert bpy.context.scene.frame_current == now
    bpy.data.objects.remove(body)
    assert all(len(points) > 8 for points in framing.places(bpy.context, rig, action))
