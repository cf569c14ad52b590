"""Hash everything that decides the poses of an armature on a stage, so that equal poses are evaluated once."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import bpy
import numpy as np

from ..ground import memory
from ..ground.blender_types import armature_data, present

_VALUES = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
# Values of bones that follow from others, and properties of their display.
_DERIVED = {"matrix", "matrix_basis", "custom_shape", "custom_shape_transform", "select", "hide", "show_expanded"}
_OBJECT = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "rotation_mode", "scale")
_OURS = "action_loom"  # begins the names of the custom properties of this add-on, which no driver reads
_types = memory.cache(128)  # the values, references and collections of each type

Replaced = Mapping[str, Iterable[int]]  # components that curves or drivers replace, by data path


class _OtherDataError(Exception):
    """The pose depends on data besides the armature."""


def find_state(copy: bpy.types.Object, played: Iterable[bpy.types.FCurve]) -> str | None:
    """Return a hash of an armature's bones, pose, constraints, properties and drivers; None if other data poses it.

    copy : the armature on the stage, with its pose and settings
    played : the curves of its action; neither the components that they set nor driven ones count
    """
    try:
        return _hash_state(copy, played)
    except _OtherDataError:
        return None


def _hash_state(copy: bpy.types.Object, played: Iterable[bpy.types.FCurve]) -> str:
    data, armature = copy.animation_data, armature_data(copy)
    drivers = list(data.drivers) if data is not None else []
    shapes = list(armature.animation_data.drivers) if armature.animation_data is not None else []
    replaced = _components([*played, *drivers, *shapes])
    if copy.parent is not None or len(copy.constraints) or any(".bbone_" not in one.data_path for one in shapes):
        raise _OtherDataError
    digest = hashlib.blake2b(digest_size=16)
    own = {copy, armature}
    for name in _OBJECT:
        _add(digest, "", name, getattr(copy, name), replaced)
    _add_custom_values(digest, "", copy, replaced)
    _add_custom_values(digest, "data", armature, replaced)
    for bone in armature.bones:
        path = f'bones["{bpy.utils.escape_identifier(bone.name)}"]'
        digest.update(repr((bone.parent and bone.parent.name, bone.use_connect)).encode())
        digest.update(np.array(bone.matrix_local, dtype=np.float32).tobytes())
        _add_values(digest, path, bone, own, replaced)
        _add_custom_values(digest, path, bone, replaced)
    for path, owner in _pose_of(copy):
        digest.update(owner.bl_rna.identifier.encode())
        _add_values(digest, path, owner, own, replaced)
        if isinstance(owner, bpy.types.PoseBone):
            _add_custom_values(digest, path, owner, replaced)
        # Drivers of the shapes of bones look at the original armature.
        if shapes and getattr(owner, "use_bbone_shape", False):
            raise _OtherDataError
    for one in drivers:
        _add_driver(digest, one, own)
    return digest.hexdigest()


def _components(curves: Iterable[bpy.types.FCurve]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for curve in curves:
        found.setdefault(curve.data_path, set()).add(curve.array_index)
    return found


def _pose_of(copy: bpy.types.Object) -> Iterator[tuple[str, Any]]:
    """Yield the pose, its solver, the posed bones and their constraints, and their data paths."""
    pose = present(copy.pose)
    yield "pose", pose
    if pose.ik_param is not None:
        yield "pose.ik_param", pose.ik_param
    for bone in pose.bones:
        path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]'
        yield path, bone
        for one in bone.constraints:
            yield f'{path}.constraints["{bpy.utils.escape_identifier(one.name)}"]', one


def _add_values(digest: Any, path: str, owner: Any, own: set[Any], replaced: Replaced) -> None:
    """Add the values of a structure and of the collections in it; raises _OtherDataError for other data."""
    values, references, collections = _list_properties(owner)
    for name in values:
        _add(digest, path, name, getattr(owner, name), replaced)
    for name in references:
        value = getattr(owner, name)
        if isinstance(value, bpy.types.ID) and value not in own:
            raise _OtherDataError
        _add(digest, path, name, getattr(value, "name", "") if value not in own else "own", replaced)
    for name in collections:
        for k, one in enumerate(getattr(owner, name)):
            _add_values(digest, f"{path}.{name}[{k}]", one, own, replaced)


def _list_properties(owner: Any) -> tuple[list[str], list[str], list[str]]:
    """Return the names of a structure's values that can be set, of its references, and of its collections."""

    def find() -> tuple[list[str], list[str], list[str]]:
        every = [one for one in owner.bl_rna.properties if one.identifier not in _DERIVED]
        values = [one.identifier for one in every if one.type in _VALUES and not one.is_readonly]
        references = [one.identifier for one in every if one.type == "POINTER" and not one.is_readonly]
        return values, references, [one.identifier for one in every if one.identifier == "targets"]

    found: tuple[list[str], list[str], list[str]] = _types.made(type(owner), find)
    return found


def _add_custom_values(digest: Any, path: str, owner: Any, replaced: Replaced) -> None:
    """Add the custom properties with numbers, the only ones that drivers can read."""
    for key in sorted(owner.keys()):
        value = owner[key]
        value = value.to_dict() if hasattr(value, "to_dict") else value
        value = value.to_list() if hasattr(value, "to_list") else value
        if isinstance(value, bool | int | float | list | dict) and not key.startswith(_OURS):
            name = f'["{bpy.utils.escape_identifier(key)}"]'
            digest.update(repr((path, name, None if path + name in replaced else value)).encode())


def _add_driver(digest: Any, curve: Any, own: set[Any]) -> None:
    """Add a driver; raises _OtherDataError if it looks at other data, or calls a function of Python."""
    driver = present(curve.driver)
    unknown = driver.type == "SCRIPTED" and not driver.is_simple_expression
    if unknown or driver.use_self or any(one.type == "CONTEXT_PROP" for one in driver.variables):
        raise _OtherDataError
    points = [(*one.co, *one.handle_left, *one.handle_right, one.interpolation) for one in curve.keyframe_points]
    plain = curve.data_path, curve.array_index, curve.mute, curve.extrapolation, points, len(curve.modifiers)
    digest.update(repr(plain).encode())
    for part in (*curve.modifiers, driver, *driver.variables):
        _add_values(digest, "", part, own, {})


def _add(digest: Any, path: str, name: str, value: Any, replaced: Replaced) -> None:
    """Add a value without its replaced components."""
    where = f"{path}.{name}" if path else name
    gone = replaced.get(where, ())
    if isinstance(value, bool | int | float | str):
        digest.update(f"{where}{None if gone else value!r}".encode())
        return
    numbers = np.array(value, dtype=np.float64)
    numbers.ravel()[[*gone]] = 0.0
    digest.update(where.encode())
    digest.update(numbers.tobytes())
