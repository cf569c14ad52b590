"""Key weights over time: find the keyed lines of a list, and convert their curves to the rows that a blend takes."""

from typing import Any

import bpy

from ...model import frame_conversion, lists, properties

# Numpy is loaded at first use, not when Blender starts: so the bridge is imported inside functions.


def keyed(scene: bpy.types.Scene, rig: Any) -> list[float]:
    """Return the frames at which weights of the ticked sources have keys; none where they are constant."""
    if scene.animation_data is None or scene.animation_data.action is None or rig is None:
        return []
    from ...bridge import weight_curves

    return weight_curves.keyed_frames(scene, _paths(rig, lists.ticked(rig)))


def keyed_places(scene: bpy.types.Scene, rig: Any) -> tuple[float, ...]:
    """Return the places in time, 0 to 1, at which weights of the ticked sources have keys."""
    frames = keyed(scene, rig)
    if not frames:
        return ()
    first, last = _reference_span(rig, lists.ticked(rig))
    return tuple((frame - first) / max(last - first, 1.0) for frame in frames if first <= frame <= last)


def key(scene: bpy.types.Scene, rig: Any) -> None:
    """Key the current weights of the ticked sources at the current frame."""
    from ...bridge import weight_curves

    settle(scene)
    lines = lists.ticked(rig)
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
    if not keyed(scene, rig):
        return ()
    from ...bridge import weight_curves

    lines = lists.ticked(rig)
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

        lines = lists.ticked(rig)
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
