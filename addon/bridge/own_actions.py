"""Find the actions that belong to an armature, and the properties that they key."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import bpy

from ..ground import memory
from ..ground.blender_types import present
from . import curves, result_mark
from .curves import Target
from .rig import Rig

PART = 0.5  # share of the bones that all own actions key; an action that keys fewer is a layer
PART_OF_CONTROLS = 0.25  # the same for controls: each limb has two kinds
_LEGS = ("thigh.L", "thigh.R")
_known = memory.cache(2048)


class Keys(NamedTuple):
    """The keyed components of each property in an action, and the bones."""

    components: dict[Target, set[int]]
    bones: frozenset[str]


def of(armature: bpy.types.Object, *, results: bool = True) -> Iterator[bpy.types.Action]:
    """Yield the actions that belong to an armature; results : whether results are included."""
    for action in bpy.data.actions:
        if is_own(armature, action) and (results or not result_mark.is_result(action)):
            yield action


def is_own(armature: bpy.types.Object, action: bpy.types.Action) -> bool:
    """Return whether at least half of the bones that an action keys are bones of an armature."""
    bones, keyed = present(armature.pose).bones, keys_of(action).bones
    return bool(keyed) and 2 * sum(name in bones for name in keyed) >= len(keyed)


def keys_of(action: bpy.types.Action) -> Keys:
    """Return the keys of an action; they are read again if the number of its curves or one of their ends changes."""
    bags = [holder.fcurves for slot in curves.slots_of(action) for holder in curves.holders(action, slot)]
    bags = [bag for bag in bags if len(bag)]
    key = action.session_uid, *((len(bag), bag[0].data_path, bag[-1].data_path) for bag in bags)

    def read() -> Keys:
        every = curves.transforms(curve for bag in bags for curve in bag)
        components = {target: set(by_index) for target, by_index in every.items()}
        return Keys(components, frozenset(target.bone for target in components if target.bone))

    found: Keys = _known.made(key, read)
    return found


def has_extrapolation(action: bpy.types.Action) -> bool:
    """Return whether curves of an action change before or after its keys."""
    bags = (holder.fcurves for slot in curves.slots_of(action) for holder in curves.holders(action, slot))
    return any(curve.modifiers or curve.extrapolation == "LINEAR" for bag in bags for curve in bag)


def keyed_components(actions: Iterable[bpy.types.Action]) -> dict[Target, set[int]]:
    """Return the components of each property that some actions key."""
    found: dict[Target, set[int]] = {}
    for action in actions:
        for target, indices in keys_of(action).components.items():
            found[target] = found.get(target, set()) | indices
    return found


def keyed_bones(armature: bpy.types.Object) -> set[str]:
    """Return the bones of an armature that its own actions key, without results."""
    every = set[str]().union(*(keys_of(action).bones for action in of(armature, results=False)))
    return every & set(present(armature.pose).bones.keys())


def is_layer(keyed: Collection[str], bones: Collection[str], body: Rig) -> bool:
    """Return whether some keyed bones are a part of the body, such as an arm, that is to be layered over an action.

    bones : all that the armature's actions key. An action that keys both thighs is of the whole body, because
        exporters leave out bones that stay still.
    """
    names, roles = body.skeleton.names, body.skeleton.roles
    thighs = {names[roles[role]] for role in _LEGS if role in roles}
    share = PART if body.controls is None else PART_OF_CONTROLS
    return len(set(keyed) & set(bones)) < share * len(bones) and not (thighs and thighs <= set(keyed))


def keyed_elsewhere(
    armature: bpy.types.Object, keyed: Collection[Target], body: Rig, left: Collection[Target] = ()
) -> frozenset[Target]:
    """Return the properties that a result has to key besides some, because other actions would change its pose.

    left : properties with values of a deleted result. Nothing is returned for a layer, which is to leave the rest of
        the body alone.
    """
    if is_layer({target.bone for target in keyed}, keyed_bones(armature), body):
        return frozenset()
    bones, every = present(armature.pose).bones, keyed_components(of(armature))
    return frozenset(target for target in {*every, *left} if target not in keyed and target.bone in bones)
