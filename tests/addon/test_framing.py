"""A figure's way in a 3D view: whether it is visible beside the sidebar, and how the view moves to show it."""

import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector

WIDE, HIGH = 1.8, 2.4  # of a projection: one over the tangents of half its angles


class View:
    """A 3D view without a window: its matrices follow its location and rotation, like Blender's."""

    def __init__(self, is_perspective, rotation):
        self.is_perspective, self.view_rotation = is_perspective, rotation
        self.view_location, self.view_distance = Vector((3.0, -2.0, 7.0)), 4.0

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
        view.view_distance = 0.6 * near  # the view is not farther off than needed
        assert not framing.is_seen(way, 0.85 * free, view)
