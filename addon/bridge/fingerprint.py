"""Hash bodies, and the curves of an action's slot; names of actions, slots and groups do not count."""

import hashlib
from typing import Any

import bpy
import numpy as np

from ...core.motion.skeleton import Skeleton
from ..ground import memory
from ..ground.blender_types import Slot
from . import curves
from .rig import Rig

_HANDLES = {"handle_left": 2, "handle_right": 2}
_EASING = {"back": 1, "amplitude": 1, "period": 1}
_MOST = 2 + sum((_HANDLES | _EASING).values())  # numbers of a key
_LINEAR, _BEZIER = 1, 2  # kinds above need handles, and numbers for the easing, respectively
_CHOICES = ("interpolation", "easing")
_PLAIN_TYPES = {"BOOLEAN", "INT", "FLOAT", "ENUM"}
# Display properties, and properties that Blender derives itself (differently in each version).
_NOT_CONTENT = {"show_expanded", "active", "is_valid"}
# Legacy noise (before 4.4) does not use these, and each later Blender fills them differently.
_NOT_IN_LEGACY_NOISE = {"lacunarity", "roughness", "use_legacy_noise"}
_once = memory.Once()
hash_once = _once.during  # a long action takes half a second to hash


def fingerprint(action: bpy.types.Action, slot: Slot) -> str:
    """Return a hash of every curve of a slot (None in Blender versions without slots) and of the manual frame range.

    It changes with the motion, and not with names, groups, colours or the selection.
    """
    key = action.session_uid, slot.handle if slot else 0
    found: str = _once.get(key, lambda: _hash(action, slot))
    return found


def _hash(action: bpy.types.Action, slot: Slot) -> str:
    digest = hashlib.blake2b(digest_size=16)
    listed: dict[str, list[str]] = {}
    _add_curves(digest, action, slot, listed)
    for other in curves.siblings_of(action, slot):
        _add(digest, other.identifier)
        _add_curves(digest, action, other, listed)
    if action.use_frame_range:
        _add(digest, "range", action.frame_start, action.frame_end, action.use_cyclic)
    return digest.hexdigest()


def of_slot(action: bpy.types.Action, slot: Slot) -> str:
    """Return a short hash of the curves of one slot alone."""
    digest = hashlib.blake2b(digest_size=8)
    _add_curves(digest, action, slot, {})
    return digest.hexdigest()


def of_body(body: Rig) -> str:
    """Return a hash of how a body without controls is read."""
    values = sorted(body.posed.items()), sorted(body.placed.items())
    plain = body.world_metres, body.modes, body.moving_object, body.still, *values, body.note
    digest = hashlib.blake2b(repr(plain).encode("utf-8"), digest_size=16)
    add_skeleton(digest, body.skeleton)
    for array in (body.units, body.movable, body.space):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def add_skeleton(digest: Any, skeleton: Skeleton) -> None:
    """Add every name and number of a skeleton to a hash."""
    plain = [skeleton.names, skeleton.parents.tolist(), skeleton.inheritance, skeleton.leg_count]
    plain += [
        sorted(one)
        for one in (skeleton.roles.items(), skeleton.leaders.items(), skeleton.followers, skeleton.legs.items())
    ]
    digest.update(repr(plain).encode("utf-8"))
    for array in (skeleton.offsets, skeleton.orients, skeleton.tips):
        digest.update(np.ascontiguousarray(array).data)


def _add(digest: Any, *values: Any) -> None:
    digest.update(f"{values!r}\n".encode())


def _add_curves(digest: Any, action: bpy.types.Action, slot: Slot, listed: dict[str, list[str]]) -> None:
    for curve in sorted(curves.curves_of(action, slot), key=lambda c: (c.data_path, c.array_index)):
        _add_curve(digest, curve, listed)


def _add_curve(digest: Any, curve: bpy.types.FCurve, listed: dict[str, list[str]]) -> None:
    points, samples = curve.keyframe_points, curve.sampled_points
    count = len(points)
    _add(digest, curve.data_path, curve.array_index, curve.extrapolation, curve.mute, count, len(samples))
    if count:
        _add_keys(digest, points, count)
    if len(samples):
        baked = np.empty(2 * len(samples), dtype=np.float32)
        samples.foreach_get("co", baked)
        digest.update(baked)
    for modifier in curve.modifiers:
        _add_modifier(digest, modifier, listed)


def _add_keys(digest: Any, points: Any, count: int) -> None:
    # All numbers are in one array, to hash them at once; numbers after the enum values are aligned.
    room = np.empty(2 * count + 3 + 4 * count * _MOST, dtype=np.uint8)
    first = -2 * count % 4
    for k, name in enumerate(_CHOICES):
        # Blender stores these as bytes: reading them as bytes takes a sixth of the time.
        points.foreach_get(name, room[first + k * count : first + (k + 1) * count])
    kinds = room[first : first + count].tobytes()
    kind = kinds[0] if kinds == kinds[:1] * count else max(kinds)
    # Skip numbers that the interpolation does not use: most of our own curves are linear.
    numbers = {"co": 2} | (_HANDLES if kind > _LINEAR else {}) | (_EASING if kind > _BEZIER else {})
    end = first + 2 * count
    for name, size in numbers.items():
        begin, end = end, end + 4 * size * count
        points.foreach_get(name, room[begin:end].view(np.float32))
    digest.update(room[first:end])


def _add_modifier(digest: Any, modifier: bpy.types.FModifier, listed: dict[str, list[str]]) -> None:
    kind = modifier.type
    if kind not in listed:  # the same for every modifier of a kind, and slow to list
        properties = modifier.bl_rna.properties
        listed[kind] = sorted({p.identifier for p in properties if p.type in _PLAIN_TYPES} - _NOT_CONTENT)
    idle = _NOT_IN_LEGACY_NOISE if getattr(modifier, "use_legacy_noise", False) else ()
    for name in listed[kind]:
        if name not in idle:
            value = getattr(modifier, name)
            _add(digest, name, value if isinstance(value, bool | int | float | str) else tuple(value))
    if isinstance(modifier, bpy.types.FModifierEnvelope):
        _add(digest, [(point.frame, point.min, point.max) for point in modifier.control_points])
