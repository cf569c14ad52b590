"""Detect constraint drivers that cannot be evaluated, so that the switch of a limb is unknown."""

import ast
import builtins
import math
import re

import bpy

from ...ground.blender_types import present

OF_CONSTRAINT = re.compile(r'pose\.bones\["(.+?)"\]\.constraints\["(.+?)"\]\.(influence|mute|enabled)$')
PROPERTY = re.compile(r'.*\["[^"]+"\]$')
LIMITS = ("LIMIT_", "MAINTAIN_VOLUME", "FLOOR")  # constraints without a target


def unreadable(armature: bpy.types.Object) -> dict[str, str]:
    """Return why constraint drivers can't be evaluated, by the bone of the constraint."""
    found: dict[str, str] = {}
    for curve in armature.animation_data.drivers if armature.animation_data is not None else ():
        match = OF_CONSTRAINT.match(curve.data_path)
        bone = present(armature.pose).bones.get(match[1]) if match else None
        one = bone.constraints.get(match[2]) if match and bone is not None else None
        if bone is None or one is None or one.type.startswith(LIMITS):
            continue
        for name in lost_properties(armature, curve.driver):
            why = f"the constraint {one.name} on {bone.name} reads the property {name}, which is gone"
            found.setdefault(bone.name, why)
        for name in _lost_functions(present(curve.driver)):
            why = f"the constraint {one.name} on {bone.name} calls the function {name}, which is not known here"
            found.setdefault(bone.name, why)
    return found


def lost_properties(armature: bpy.types.Object, driver: bpy.types.Driver | None) -> list[str]:
    """Return the names of missing custom properties of an armature that a driver reads."""
    lost = []
    for variable in present(driver).variables:
        for target in variable.targets:
            if variable.type == "SINGLE_PROP" and target.id == armature and PROPERTY.match(target.data_path):
                try:
                    armature.path_resolve(target.data_path)
                except ValueError:
                    lost.append(target.data_path.rpartition('["')[2][:-2])
    return lost


def _lost_functions(driver: bpy.types.Driver) -> list[str]:
    """Return the names of functions that a driver calls but Blender does not know."""
    try:
        tree = ast.parse(driver.expression if driver.type == "SCRIPTED" else "")
    except SyntaxError:
        return []
    known = {*bpy.app.driver_namespace, *dir(builtins), *dir(math), "lerp", "clamp", "smoothstep"}
    called = [one.func.id for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    return [name for name in called if name not in known]
