"""Key weights over time: find the keyed lines of a list, and convert their curves to the rows that a blend takes."""

from typing import Any

import bpy

from ...model import frame_conversion, lists, properties
from . import weight_edges

# Numpy is loaded at first use, not when Blender starts: so the bridge is imported inside functions.


def keyed_frames(scene: bpy.types.Scene, rig: Any) -> list[float]:
    """Return the frames at which weights of the ticked sources have keys; [] if they are constant."""
    if scene.animation_data is None or scene.animation_data.action is None or rig is None:
        return []
    from ...bridge import weight_curves

    return weight_curves.keyed_frames(scene, _paths(rig, lists.ticked_lines(rig)))


def keyed_places(scene: bpy.types.Scene, rig: Any) -> tuple[float, ...]:
    """Return the places in time, 0 to 1, at which weights of the ticked sources have keys."""
    frames = keyed_frames(scene, rig)
    if not frames:
        return ()
    first, last = _reference_span(rig, lists.ticked_lines(rig))
    return tuple((frame - first) / max(last - first, 1.0) for frame in frames if first <= frame <= last)


def keys(scene: bpy.types.Scene, rig: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return all numbers of the keyed weights of the ticked sources; equal numbers mean equal curves."""
    if scene.animation_data is None or scene.animation_data.action is None or rig is None:
        return ()
    from ...bridge import weight_curves

    return weight_curves.keys(scene, _paths(rig, lists.ticked_lines(rig)))


def put_back(scene: bpy.types.Scene, before: tuple[tuple[str, tuple[float, ...]], ...]) -> None:
    """Give the weights the keys that `keys` has returned."""
    from ...bridge import weight_curves

    weight_curves.put_back(scene, before)


def move_key(scene: bpy.types.Scene, rig: Any, number: int, place: float, edge: int, level: float) -> float:
    """Move a key in time, and an edge between two sources' shares there; return its new frame.

    number : index of the key within the reference; place : in time, 0 to 1, kept between the neighbouring keys
    edge : index of the source above the edge; level : the total share of the sources before it
    """
    from ...bridge import weight_curves

    lines = lists.ticked_lines(rig)
    first, last = _reference_span(rig, lines)
    frames = [frame for frame in keyed_frames(scene, rig) if first <= frame <= last]
    low = frames[number - 1] + 1.0 if number else first
    high = frames[number + 1] - 1.0 if number + 1 < len(frames) else last
    to = min(max(round(first + place * (last - first)), low), max(high, low))
    paths = _paths(rig, lines)
    weights = weight_curves.values(scene, paths, [line.weight for line in lines], frames[number])
    weight_curves.move(scene, paths, frames[number], to, weight_edges.move_edge(weights, edge, level))
    return to


def key(scene: bpy.types.Scene, rig: Any) -> None:
    """Key the current weights of the ticked sources at the current frame."""
    from ...bridge import weight_curves

    settle(scene)
    lines = lists.ticked_lines(rig)
    weight_curves.key(scene, _paths(rig, lines), [line.weight for line in lines], scene.frame_current)


def clear(scene: bpy.types.Scene, rig: Any) -> None:
    """Remove the keys of the weights of all sources of a list."""
    from ...bridge import weight_curves

    weight_curves.clear(scene, _paths(rig, list(rig.sources)))


def rows(scene: bpy.types.Scene, rig: Any) -> tuple[tuple[float, ...], ...]:
    """Return rows of a place in time, 0 to 1, and the weight of each ticked source there; none without keys.

    Time runs over the reference, from its first frame to its last.
    """
    settle(scene)
    if not keyed_frames(scene, rig):
        return ()
    from ...bridge import weight_curves

    lines = lists.ticked_lines(rig)
    first, last = _reference_span(rig, lines)
    weights = [line.weight for line in lines]
    return weight_curves.rows(scene, _paths(rig, lines), weights, first, last)


def load(scene: bpy.types.Scene, rig: Any, given: tuple[tuple[float, ...], ...]) -> None:
    """Key the rows of a recipe on the ticked sources, unless the curves equal them; no rows clear the keys."""
    if given == rows(scene, rig):
        return
    clear(scene, rig)
    if given:
        from ...bridge import weight_curves

        lines = lists.ticked_lines(rig)
        weight_curves.write(scene, _paths(rig, lines), given, *_reference_span(rig, lines))


def settle(scene: bpy.types.Scene) -> None:
    """Change weight curves from line indices, as Blender makes them, to line names; call it before lines change."""
    properties.name_lines(scene)
    if scene.animation_data is None or scene.animation_data.action is None:
        return
    from ...bridge import weight_curves

    rigs = properties.settings_of(scene).rigs
    weight_curves.settle(scene, [(rig.name, [line.name for line in rig.sources]) for rig in rigs])


def _paths(rig: Any, lines: list[Any]) -> list[str]:
    from ...bridge import weight_curves

    return [weight_curves.path(rig.name, line.name) for line in lines]


def _reference_span(rig: Any, lines: list[Any]) -> tuple[float, float]:
    reference = lines[lists.reference_among(rig, lines)]
    return float(frame_conversion.first_frame(reference)), float(frame_conversion.last_frame(reference))
