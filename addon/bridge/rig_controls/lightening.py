"""Speed up a copy of a rig by removing drivers with constant results, and custom shapes.

Drivers take most of the time in which Blender evaluates a generated rig; nearly all of them read constant properties.
"""

import ast
import math
import re
from typing import Any

import bpy

from ...ground.blender_types import armature_data, present

# Properties unaffected by keys of locations and rotations: custom properties, and scales.
_STAYS = re.compile(r'.*\["[^"]+"\]$|pose\.bones\["[^"]+"\]\.scale(\.[xyz]|\[\d\])?$')
_KNOWN = {*dir(math), "abs", "bool", "float", "int", "max", "min", "round"}


def lighten(stage: bpy.types.Scene, copy: bpy.types.Object, armature: bpy.types.Object) -> None:
    """Make a copy of an armature faster to evaluate, if only locations and rotations of its bones are keyed.

    Properties whose drivers read nothing else keep the evaluated value, and these drivers are removed. Drivers of its
    armature data that read the original object read the copy instead.
    """
    if copy.data == armature.data:
        data: Any = armature.data
        copy.data = data.copy()
    own = armature_data(copy)
    for bone in present(copy.pose).bones:
        bone.custom_shape = None  # custom shape meshes would be evaluated
    for curve in _drivers(own):
        for target in _targets(curve):
            if target.id == armature:
                target.id = copy
    stage.frame_set(stage.frame_current)
    seen: Any = copy.evaluated_get(present(stage.view_layers[0].depsgraph))
    for owner, curve in _steady(copy, own):
        _set(owner, seen if owner == copy else seen.data, curve)
        present(owner.animation_data).drivers.remove(curve)


def _drivers(owner: Any) -> list[bpy.types.FCurve]:
    return [] if owner.animation_data is None else list(owner.animation_data.drivers)


def _targets(curve: bpy.types.FCurve) -> list[bpy.types.DriverTarget]:
    return [target for variable in present(curve.driver).variables for target in variable.targets]


def _steady(copy: bpy.types.Object, data: bpy.types.Armature) -> list[tuple[Any, bpy.types.FCurve]]:
    """Return the drivers, with their owners, that have the same result on every frame."""
    steady = [(owner, curve) for owner in (copy, data) for curve in _drivers(owner)]
    moving: list[str] = []
    while True:
        # A driver that reads the property of an unsteady driver is not steady either.
        other = [pair for pair in steady if not _is_steady(pair[1], copy, data, moving)]
        if not other:
            return steady
        moving += [curve.data_path for _, curve in other]
        steady = [pair for pair in steady if pair not in other]


def _is_steady(curve: bpy.types.FCurve, copy: bpy.types.Object, data: bpy.types.Armature, moving: list[str]) -> bool:
    driver = present(curve.driver)
    for variable in driver.variables:
        for target in variable.targets:
            stays = variable.type == "SINGLE_PROP" and target.id in (copy, data) and _STAYS.match(target.data_path)
            if not stays or any(target.data_path.startswith(path) for path in moving):
                return False
    return driver.type != "SCRIPTED" or _reads_only(driver.expression, {one.name for one in driver.variables})


def _reads_only(expression: str, names: set[str]) -> bool:
    """Return whether an expression reads only its variables, neither the frame nor functions of scripts."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return False
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)} <= names | _KNOWN


def _set(owner: Any, seen: Any, curve: bpy.types.FCurve) -> None:
    """Set a driven property to its evaluated value."""
    try:
        value = seen.path_resolve(curve.data_path)
    except ValueError:  # the driver's property does not exist
        return
    if hasattr(value, "__len__") and not isinstance(value, str):
        owner.path_resolve(curve.data_path)[curve.array_index] = value[curve.array_index]
    elif curve.data_path.endswith('"]'):
        holder, _, key = curve.data_path.rpartition("[")
        group = owner.path_resolve(holder) if holder else owner
        group[bpy.utils.unescape_identifier(key[1:-2])] = value
    else:
        holder, _, name = curve.data_path.rpartition(".")
        setattr(owner.path_resolve(holder) if holder else owner, name, value)
