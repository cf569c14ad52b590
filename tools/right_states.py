"""Odd states of a scene for the battery's operators, and the properties that an operator must not change."""

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

SEED = 20261125


def _drawing(*names: str) -> np.random.Generator:
    return np.random.default_rng([SEED, zlib.crc32("|".join(names).encode())])


def _nothing(rig: Any) -> None:
    pass


def _hidden(rig: Any) -> None:
    rig.hide_set(True)


def _disabled(rig: Any) -> None:
    rig.hide_viewport = True


def _in_another_scene(rig: Any) -> None:
    import bpy

    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(rig)
    for collection in list(rig.users_collection):
        if collection != other.collection:
            collection.objects.unlink(rig)


def _on_a_moved_empty(rig: Any) -> None:
    import bpy

    empty = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location, empty.rotation_euler = (3.0, -2.0, 0.5), (0.0, 0.0, 0.7)
    rig.parent = empty
    bpy.context.view_layer.update()


def _y_up(rig: Any) -> None:
    """Turn the data to Y up, and the object back, so that the armature looks the same."""
    from mathutils import Matrix

    _transform(rig, Matrix.Rotation(np.radians(-90.0), 4, "X"), 1.0)


def _scaled(factor: float) -> Callable[[Any], None]:
    def state(rig: Any) -> None:
        from mathutils import Matrix

        _transform(rig, Matrix.Scale(1.0 / factor, 4), factor)

    return state


def _transform(rig: Any, matrix: Any, factor: float) -> None:
    """Transform an armature's data, and its object back; keyed locations are divided by `factor`."""
    import bpy

    rig.data.transform(matrix)
    for child in rig.children:
        if child.type == "MESH" and child.data.users == 1:
            child.data.transform(matrix)
    rig.matrix_basis = rig.matrix_basis @ matrix.inverted()
    for bone in rig.pose.bones:
        bone.location /= factor
    for curve in curves() if factor != 1.0 else ():
        if curve.data_path.startswith("pose.bones") and curve.data_path.endswith("location"):
            for key in curve.keyframe_points:
                key.co.y, key.handle_left.y, key.handle_right.y = (
                    value / factor for value in (key.co.y, key.handle_left.y, key.handle_right.y)
                )
            curve.update()
    bpy.context.view_layer.update()


def _leg(rig: Any) -> Any:
    """Return a bone of a left leg with a parent, found by its name, or any deep bone."""
    words = ("shin", "calf", "lowerleg", "leg.l", "leg_l", "leftleg", "knee", "ひざ")
    bones = [bone for bone in rig.pose.bones if bone.parent and any(word in bone.name.lower() for word in words)]
    return bones[0] if bones else rig.pose.bones[-1]


def _copy_rotation(rig: Any) -> None:
    bone = _leg(rig)
    added = bone.constraints.new("COPY_ROTATION")
    added.target, added.subtarget = rig, rig.pose.bones[0].name


def _live_ik(rig: Any) -> None:
    import bpy

    empty = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (0.5, 0.5, 0.3)
    added = _leg(rig).constraints.new("IK")
    added.target, added.chain_count = empty, 2
    bpy.context.view_layer.update()


def _nla_below(rig: Any) -> None:
    import bpy

    data = rig.animation_data or rig.animation_data_create()
    track = data.nla_tracks.new()
    track.strips.new("below", 1, bpy.data.actions[0])


def _fractional_end(rig: Any) -> None:  # noqa: ARG001
    for curve in curves():
        for key in curve.keyframe_points:
            for point in (key.co, key.handle_left, key.handle_right):
                point.x = 1.0 + (point.x - 1.0) * 0.967
        curve.update()


def _without_last_key(rig: Any) -> None:  # noqa: ARG001
    import bpy

    for action in bpy.data.actions:
        last = action.frame_range[1]
        for curve in curves(action):
            keys = curve.keyframe_points
            if len(keys) > 2 and keys[-1].co.x > last - 0.5:
                keys.remove(keys[-1])


def _rate(fps: int, base: float = 1.0) -> Callable[[Any], None]:
    def state(rig: Any) -> None:  # noqa: ARG001
        import bpy

        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, base

    return state


STATES: dict[str, Callable[[Any], None]] = {
    "plain": _nothing,
    "hidden": _hidden,
    "hide_viewport": _disabled,
    "another scene": _in_another_scene,
    "on a moved empty": _on_a_moved_empty,
    "Y up": _y_up,
    "object x 0.01": _scaled(0.01),
    "object x 100": _scaled(100.0),
    "Copy Rotation": _copy_rotation,
    "live IK": _live_ik,
    "NLA below": _nla_below,
    "fractional end": _fractional_end,
    "no last key": _without_last_key,
    "25 fps": _rate(25),
    "29.97 fps": _rate(30, 1.001),
    "60 fps": _rate(60),
}
SAME_RESULT = ("hidden", "Y up", "object x 0.01", "object x 100")


def drawn(verb: str, name: str, count: int) -> list[str]:
    """Return the states in which an operator is tried on a subject."""
    order = _drawing("states", verb, name).permutation(len(STATES))
    names = list(STATES)
    return [names[k] for k in order[:count]]


# --- properties that must not change ----------------------------------------------------------------------------------


def curves(*actions: Any) -> list[Any]:
    """Return all F-curves of some actions, or of all actions."""
    import bpy

    found: list[Any] = []
    for action in actions or bpy.data.actions:
        for layer in action.layers:
            for strip in layer.strips:
                for bag in strip.channelbags:
                    found += bag.fcurves
    return found


def content() -> dict[str, str]:
    """Return a hash of every action's keys, by name."""
    import bpy

    found = {}
    for action in bpy.data.actions:
        digest = hashlib.sha256()
        for curve in curves(action):
            values = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", values)
            digest.update(f"{curve.data_path}[{curve.array_index}]".encode() + values.tobytes())
        found[action.name] = digest.hexdigest()
    return found


def surroundings(rig: Any) -> dict[str, Any]:
    """Return other properties that must not change: visibility, object transform, frames, constraints, counts."""
    import bpy

    return {
        "hidden": (rig.hide_viewport, rig.name in bpy.context.view_layer.objects and rig.hide_get()),
        "object": [round(value, 5) for row in rig.matrix_basis for value in row],
        "frames": (bpy.context.scene.frame_current, bpy.context.scene.render.fps),
        "constraints": [(bone.name, one.type, one.mute) for bone in rig.pose.bones for one in bone.constraints],
        "objects": len(bpy.data.objects),
        "tracks": len(rig.animation_data.nla_tracks) if rig.animation_data else 0,
    }


def changes(before: dict[str, str], around: dict[str, Any], rig: Any) -> list[str]:
    """Return a sentence for each changed action and each changed property of the surroundings."""
    now, there = content(), surroundings(rig)
    found = [f"the action {name} was changed" for name, was in before.items() if now.get(name) != was]
    keyed = {curve.data_path for curve in curves(rig.animation_data.action)} if rig.animation_data else set()
    moves = any(not path.startswith("pose.") for path in keyed)
    allowed = {"tracks"} if around["tracks"] == there["tracks"] == 0 else set()
    allowed |= {"object"} if moves else set()
    return found + [
        f"{what} changed: {was} to {there[what]}"[:160]
        for what, was in around.items()
        if there[what] != was and what not in allowed
    ]
