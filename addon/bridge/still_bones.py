"""Bones that no action keys, but the pose has moved: importers leave there what a file says of a root above the body.

The body stands on them, so a result that lets them travel must begin where they are. Once it does, it is a result that
moves them in the pose; so where they were is kept on the armature.
"""

from collections.abc import Iterable

import bpy

from ..ground.blender_types import present
from . import curves, result_mark
from .rig import Still

_KEY = "action_loom_still"
_MOVED = 1e-5  # units of the armature, and of a quaternion


def found(armature: bpy.types.Object, names: Iterable[str]) -> dict[str, Still]:
    """Return where some bones of an armature stand that no action keys but our results, if not at rest."""
    bones = present(armature.pose).bones
    asked = [name for name in names if name in bones]
    still = {name: _of(bones[name]) for name in asked if _is_moved(bones[name])}
    kept = {name: one for name, one in _kept(armature).items() if name in asked}
    if still:
        data = armature.animation_data
        played = curves.bones_keyed(data.action) if data is not None and data.action is not None else set()
        still = {name: one for name, one in still.items() if name not in played}
    if not still and not kept:
        return {}
    by_results, by_others = _keyed(armature, {*still, *kept})
    # What results move was kept before the first of them; what nothing moves is where the pose has it.
    before = {name: one for name, one in kept.items() if name in by_results}
    now = {name: one for name, one in still.items() if name not in by_results}
    return {name: one for name, one in (before | now).items() if name not in by_others}


def keep(armature: bpy.types.Object, still: dict[str, Still], result: bpy.types.Action) -> None:
    """Keep on an armature where its bones stood before a result moved them, if it does."""
    moved = curves.bones_keyed(result) & still.keys() if still else set()
    if moved and armature.library is None:
        armature[_KEY] = {name: [*one.location, *one.rotation] for name, one in still.items()}


def _of(bone: bpy.types.PoseBone) -> Still:
    location, rotation, _ = bone.matrix_basis.decompose()
    return Still(tuple(location[:]), tuple(rotation[:]))


def _is_moved(bone: bpy.types.PoseBone) -> bool:
    location, rotation, _ = bone.matrix_basis.decompose()
    return location.length > _MOVED or abs(rotation.w) < 1.0 - _MOVED


def _kept(armature: bpy.types.Object) -> dict[str, Still]:
    """What was kept; nothing where something else has changed it."""
    group = armature.get(_KEY)
    values = group.to_dict() if hasattr(group, "to_dict") else {}
    numbers = {name: list(row) if hasattr(row, "__len__") else [] for name, row in values.items()}
    return {
        name: Still(tuple(row[:3]), tuple(row[3:]))
        for name, row in numbers.items()
        if len(row) == 7 and all(isinstance(value, float) for value in row)
    }


def _keyed(armature: bpy.types.Object, names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Which of some bones results key, and which other actions that are of this armature."""
    known = set(present(armature.pose).bones.keys())
    asked, by_results, by_others = set(names), set[str](), set[str]()
    for action in bpy.data.actions:
        bones = curves.bones_keyed(action)
        if len(bones & known) * 2 >= len(bones):
            (by_results if result_mark.is_result(action) else by_others).update(bones & asked)
    return by_results, by_others
