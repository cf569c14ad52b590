"""Find bones that the pose has moved but no action keys; importers store a root above the body that way.

The body stands on them, so a result that lets them travel must begin where they are. After that the result moves them
in the pose, so their original transforms are kept on the armature.
"""

from collections.abc import Iterable

import bpy

from ..ground.blender_types import present
from . import curves, result_mark
from .rig import Still

_KEY = "action_loom_still"
_MOVED = 1e-5  # units of the armature, and of a quaternion's w: smaller changes count as rest


def found(armature: bpy.types.Object, names: Iterable[str]) -> dict[str, Still]:
    """Return the transforms of those of some bones that are not at rest and that no action keys but our results."""
    bones = present(armature.pose).bones
    present_names = [name for name in names if name in bones]
    still = {name: _of(bones[name]) for name in present_names if _is_moved(bones[name])}
    kept = {name: one for name, one in _kept(armature).items() if name in present_names}
    if still:
        data = armature.animation_data
        played = curves.bones_keyed(data.action) if data is not None and data.action is not None else set()
        still = {name: one for name, one in still.items() if name not in played}
    if not still and not kept:
        return {}
    by_results, by_others = _keyed(armature, {*still, *kept})
    # Bones that results move were kept before the first result; all others are where the pose has them.
    before = {name: one for name, one in kept.items() if name in by_results}
    now = {name: one for name, one in still.items() if name not in by_results}
    return {name: one for name, one in (before | now).items() if name not in by_others}


def keep(armature: bpy.types.Object, still: dict[str, Still], result: bpy.types.Action) -> None:
    """Store the transforms of still bones on an armature if a result moves any of them."""
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
    """Return what `keep` has stored, without entries that something else has changed."""
    group = armature.get(_KEY)
    values = group.to_dict() if hasattr(group, "to_dict") else {}
    numbers = {name: list(row) if hasattr(row, "__len__") else [] for name, row in values.items()}
    return {
        name: Still(tuple(row[:3]), tuple(row[3:]))
        for name, row in numbers.items()
        if len(row) == 7 and all(isinstance(value, float) for value in row)
    }


def _keyed(armature: bpy.types.Object, names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return which of some bones results key, and which of them other actions of this armature key.

    An action counts as the armature's if at least half of the bones that it keys exist there.
    """
    known = set(present(armature.pose).bones.keys())
    asked, by_results, by_others = set(names), set[str](), set[str]()
    for action in bpy.data.actions:
        bones = curves.bones_keyed(action)
        if len(bones & known) * 2 >= len(bones):
            (by_results if result_mark.is_result(action) else by_others).update(bones & asked)
    return by_results, by_others
