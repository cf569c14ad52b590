"""Animate the weights of a list's lines with F-curves of the scene, and convert them to and from recipes' rows.

The keys belong to the artist: they are in the scene's action, where the Graph Editor shows and changes them.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import bpy
import numpy as np

from ...core.motion.quat import Array
from ..ground.blender_types import SlottedAction, present
from . import curves

SAME = 1e-3  # of a frame within which keys are at the same one
NEAR = 0.01  # of a share: tolerance between the curves and the smooth steps between rows
_INDEXED = re.compile(r"action_loom\.rigs\[(\d+)\]\.sources\[(\d+)\]\.weight")

Rows = tuple[tuple[float, ...], ...]


def path(rig: str, line: str) -> str:
    """Return the data path of a line's weight, with names because indices in lists change."""
    return (
        f'action_loom.rigs["{bpy.utils.escape_identifier(rig)}"].sources["{bpy.utils.escape_identifier(line)}"].weight'
    )


def settle(scene: bpy.types.Scene, names: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Change data paths of weight curves from indices to names; `names` are the lists' names with their lines'."""
    for curve in _curves(scene):
        found = _INDEXED.fullmatch(curve.data_path)
        if found is None:
            continue
        rig, line = map(int, found.groups())
        if rig < len(names) and line < len(names[rig][1]):
            _go_by(scene, curve, path(names[rig][0], names[rig][1][line]))


def _go_by(scene: bpy.types.Scene, curve: bpy.types.FCurve, named: str) -> None:
    """Give a curve a path by name, or move its keys to the existing curve of that path: Blender keys sliders by index.

    This happens each time the artist keys the slider.
    """
    there = _curve(scene, named)
    if there is None:
        curve.data_path = named
        return
    for point in curve.keyframe_points:
        there.keyframe_points.insert(point.co[0], point.co[1])
    curves.remove(*present(_find_action(scene)), [curve.data_path])


def keyed_frames(scene: bpy.types.Scene, paths: Sequence[str]) -> list[float]:
    """Return the frames at which any of some weights has a key, in order."""
    found = {float(key.co[0]) for curve in _curves(scene) if curve.data_path in paths for key in curve.keyframe_points}
    return sorted(found)


def keys(scene: bpy.types.Scene, paths: Sequence[str]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return every number of the keys of some weights, by path: the same numbers are the same curves."""
    found = []
    for curve in _curves(scene):
        if curve.data_path in paths:
            numbers = [0.0] * (6 * len(curve.keyframe_points))
            for k, name in enumerate(("co", "handle_left", "handle_right")):
                part = [0.0] * (2 * len(curve.keyframe_points))
                curve.keyframe_points.foreach_get(name, part)
                numbers[2 * k :: 6], numbers[2 * k + 1 :: 6] = part[::2], part[1::2]
            found.append((curve.data_path, tuple(numbers)))
    return tuple(found)


def put_back(scene: bpy.types.Scene, before: Sequence[tuple[str, Sequence[float]]]) -> None:
    """Restore the numbers returned by `keys`; the number of keys must not have changed."""
    for path_of, numbers in before:
        curve = present(_curve(scene, path_of))
        for k, name in enumerate(("co", "handle_left", "handle_right")):
            part = [0.0] * (2 * len(curve.keyframe_points))
            part[::2], part[1::2] = numbers[2 * k :: 6], numbers[2 * k + 1 :: 6]
            curve.keyframe_points.foreach_set(name, part)
        curve.update()


def values(scene: bpy.types.Scene, paths: Sequence[str], now: Sequence[float], frame: float) -> list[float]:
    """Return weights at a frame; `now` are the current ones, used for those without a curve."""
    known = {curve.data_path: curve for curve in _curves(scene)}
    return [known[one].evaluate(frame) if one in known else usual for one, usual in zip(paths, now, strict=True)]


def move(scene: bpy.types.Scene, paths: Sequence[str], frame: float, to: float, weights: Sequence[float]) -> None:
    """Move the keys of some weights at a frame to another, and give them other values."""
    for one, weight in zip(paths, weights, strict=True):
        curve = _curve(scene, one)
        for point in () if curve is None else curve.keyframe_points:
            if abs(point.co[0] - frame) < SAME:
                for handle in (point.handle_left, point.handle_right):
                    handle[0] += to - frame
                    handle[1] += weight - point.co[1]
                point.co = (to, weight)
                present(curve).update()
                break


def key(scene: bpy.types.Scene, paths: Sequence[str], weights: Sequence[float], frame: float) -> None:
    """Key weights at a frame."""
    for one, weight in zip(paths, weights, strict=True):
        curve = _curve(scene, one)
        if curve is None:
            before = {curve.data_path for curve in _curves(scene)}
            scene.keyframe_insert(one, frame=frame)  # Blender writes the path with indices
            curve = next(curve for curve in _curves(scene) if curve.data_path not in before)
            curve.data_path = one
        curve.keyframe_points.insert(frame, weight)


def clear(scene: bpy.types.Scene, paths: Sequence[str]) -> None:
    """Remove all keys of some weights; the weights keep their current values."""
    owned = _find_action(scene)
    if owned is not None:
        curves.remove(*owned, paths)


def rows(scene: bpy.types.Scene, paths: Sequence[str], now: Sequence[float], first: float, last: float) -> Rows:
    """Return the weights from a first to a last frame as rows of a place (0 to 1) and the weights there.

    now : the current weights, used for those without a curve
    There is a row at each key, and more between keys if smooth steps would deviate by more than `NEAR` from the curves.
    """
    known = {curve.data_path: curve for curve in _curves(scene) if not curve.mute}
    span = max(last - first, 1.0)

    def at(frame: float) -> Array:
        values = (known[one].evaluate(frame) if one in known else usual for one, usual in zip(paths, now, strict=True))
        return np.maximum(np.array([*values]), 0.0)

    inside = [frame for frame in keyed_frames(scene, paths) if first < frame < last]
    frames = [first, *inside, last]
    wanted = [first]
    for start, end in pairwise(frames):
        wanted += _between(at, start, end)
    return tuple((round((frame - first) / span, 6), *(round(float(w), 6) for w in at(frame))) for frame in wanted)


def _between(at: Callable[[float], Array], start: float, end: float) -> list[float]:
    """Return the frames after `start`, up to and including `end`, that need rows."""
    low, high = _shares(at(start)), _shares(at(end))
    for t in (0.125, 0.25, 0.5, 0.75, 0.875):
        stepped = low + t * t * (3.0 - 2.0 * t) * (high - low)
        if end - start > 1.0 and np.abs(_shares(at(start + t * (end - start))) - stepped).max() > NEAR:
            middle = 0.5 * (start + end)
            return [*_between(at, start, middle), *_between(at, middle, end)]
    return [end]


def _shares(weights: Array) -> Array:
    total = float(weights.sum())
    return weights / total if total > 0.0 else weights


def write(scene: bpy.types.Scene, paths: Sequence[str], given: Rows, first: float, last: float) -> None:
    """Replace the keys with rows of places and weights, as shares, with smooth steps between them as in blends."""
    clear(scene, paths)
    for row in given:
        key(scene, paths, [float(share) for share in _shares(np.array(row[1:]))], first + row[0] * (last - first))
    for curve in _curves(scene):
        if curve.data_path in paths:
            _smooth(curve)


def _smooth(curve: bpy.types.FCurve) -> None:
    """Set flat handles at a third of each interval, which gives exactly the smooth step 3t² − 2t³."""
    points = list(curve.keyframe_points)
    for k, point in enumerate(points):
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
        before = points[k - 1].co[0] if k else point.co[0] - 3.0
        after = points[k + 1].co[0] if k + 1 < len(points) else point.co[0] + 3.0
        point.handle_left = (point.co[0] - (point.co[0] - before) / 3.0, point.co[1])
        point.handle_right = (point.co[0] + (after - point.co[0]) / 3.0, point.co[1])
    curve.update()


def _find_action(scene: bpy.types.Scene) -> SlottedAction | None:
    data = scene.animation_data
    if data is None or data.action is None:
        return None
    slot = getattr(data, "action_slot", None)
    if hasattr(data.action, "slots") and slot is None:
        return None
    return present(data.action), slot


def _curves(scene: bpy.types.Scene) -> list[bpy.types.FCurve]:
    owned = _find_action(scene)
    return [] if owned is None else curves.curves_of(*owned)


def _curve(scene: bpy.types.Scene, named: str) -> bpy.types.FCurve | None:
    return next((curve for curve in _curves(scene) if curve.data_path == named), None)
