"""Make a curve to walk along of a stroke that was drawn on the floor."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ....core.errors import LoomError
from ....core.motion.quat import Array
from ....core.motion.root_motion import smooth
from ...ground.blender_types import has_property, present, scene_of
from ...model import properties

KEY = "action_loom_drawn"  # custom property of curves that were drawn: the next stroke replaces them
FINE, APART = 0.02, 0.35  # heights of the body: spacing of smoothing, and of the curve's points
SHAKE = 0.12  # heights of the body within which a hand's shaking is smoothed
BENDS, AHEAD = 0.9, 0.7  # heights of the body: the radius of bends that a walk can follow, and how far it looks ahead
MOST = 3  # largest factor of the length
SHORTEST = 0.5  # heights of the body


def smooth_stroke(stroke: Sequence[Sequence[float]], height: float) -> Array:
    """Return the points (K, 3) of a smooth line along a stroke (N, 3), with the same start and end.

    height : of the body, in the same unit
    Raises LoomError for a stroke that is too short to walk along.
    """
    points = np.array(stroke, dtype=np.float64).reshape(-1, 3)
    gone = _measure_lengths(points)
    if len(points) < 2 or gone[-1] < SHORTEST * height:
        raise LoomError("The line is too short to walk along: draw a longer one")
    fine = _even(points, gone, FINE * height)
    calm = smooth(fine, SHAKE / FINE)
    calm[0], calm[-1] = points[0], points[-1]
    return _even(calm, _measure_lengths(calm), APART * height)


def widen_bends(points: Array, height: float) -> Array:
    """Return the points (K, 3) of a line along another (N, 3) with wide bends, as a cart would drive it.

    height : of the body, in the same unit
    """
    given = np.array(points, dtype=np.float64)
    line = _even(given, _measure_lengths(given), FINE * height)
    way, near, ahead = [line[0]], 0, round(AHEAD / FINE)
    heading = np.angle(complex(*(line[1] - line[0])[:2]))
    while near < len(line) - 1 and len(way) < MOST * len(line):
        wanted = np.angle(complex(*(line[min(near + ahead, len(line) - 1)] - way[-1])[:2]))
        turn = (wanted - heading + np.pi) % (2.0 * np.pi) - np.pi
        heading += np.clip(turn, -FINE / BENDS, FINE / BENDS)
        place = way[-1] + FINE * height * np.array([np.cos(heading), np.sin(heading), 0.0])
        near += int(np.argmin(np.linalg.norm((line[near : near + ahead] - place)[:, :2], axis=1)))
        way.append(np.array([place[0], place[1], line[near][2]]))
    found = np.array(way)
    return _even(found, _measure_lengths(found), APART * height)


def _measure_lengths(points: Array) -> Array:
    """Return the length (N,) of a line up to each of its points."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


def _even(points: Array, gone: Array, spacing: float) -> Array:
    at = np.linspace(0.0, gone[-1], max(round(gone[-1] / spacing), 1) + 1)
    return np.stack([np.interp(at, gone, side) for side in points.T], axis=1)


def points_of(curve: bpy.types.Object | None) -> Array | None:
    """Return the points (K, 3) of a curve that was drawn, in the world; None for any other."""
    if curve is None or not has_property(curve, KEY):
        return None
    data: Any = curve.data
    points = [point for spline in data.splines for point in spline.bezier_points]
    return np.array([curve.matrix_world @ point.co for point in points]) if len(points) > 1 else None


def put(context: bpy.types.Context, points: Array) -> bpy.types.Object:
    """Set the points (K, 3) of the last drawn curve, or create one, and choose it in the panel."""
    settings = properties.settings_of(scene_of(context))
    curve = settings.curve
    if curve is None or not has_property(curve, KEY) or curve.library is not None:
        data = bpy.data.curves.new("Path", "CURVE")
        data.dimensions = "3D"
        curve = bpy.data.objects.new("Path", data)
        curve[KEY] = True
        present(context.collection).objects.link(curve)
        settings.curve = curve
    splines = curve.data.splines
    splines.clear()
    spline = splines.new("BEZIER")
    spline.bezier_points.add(len(points) - 1)
    into = np.array(curve.matrix_world.inverted())
    for point, place in zip(spline.bezier_points, points @ into[:3, :3].T + into[:3, 3], strict=True):
        point.co = place.tolist()
        point.handle_left_type = point.handle_right_type = "AUTO"
    return curve
