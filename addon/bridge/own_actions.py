"""Find the actions that belong to an armature, and the properties that they key."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import bpy

from ..ground import memory
from ..ground.blender_types import present
from . import curves, result_mark
from .curves import Target
from .rig import Rig

PART = 0.5  # share of the bones that all own actions key; an action that keys fewer is a layer
PART_OF_CONTROLS = 0.25  # the same for controls: each limb has two kinds
_PATHS = ('"]', ".influence")  # ends of the paths of custom properties, and of influences of constraints
_LEGS = ("thigh.L", "thigh.R")
_known = memory.cache(32768)  # actions
_once = memory.Once()
look_once = _once.during  # one pose asks for the keys of all actions many times
_alike = memory.cache(1024)  # actions of one character mostly key the same properties


class Keys(NamedTuple):
    """The keyed components of each property in an action, the bones, and paths of custom properties and influences."""

    components: dict[Target, set[int]]
    bones: frozenset[str]
    paths: frozenset[str]


def of(armature: bpy.types.Object, *, results: bool = True) -> Iterator[bpy.types.Action]:
    """Yield the actions that belong to an armature; results : whether results are included."""
    own: dict[int, bool] = {}  # by keys, which many actions share
    for action in bpy.data.actions:
        keys = keys_of(action)
        if id(keys) not in own:
            own[id(keys)] = _fits(armature, keys)
        if own[id(keys)] and (results or not result_mark.is_result(action)):
            yield action


def is_own(armature: bpy.types.Object, action: bpy.types.Action) -> bool:
    """Return whether at least half of the bones that an action keys are bones of an armature."""
    return _fits(armature, keys_of(action))


def _fits(armature: bpy.types.Object, keys: Keys) -> bool:
    bones = present(armature.pose).bones
    return bool(keys.bones) and 2 * sum(name in bones for name in keys.bones) >= len(keys.bones)


def keys_of(action: bpy.types.Action) -> Keys:
    """Return the keys of an action; they are read again if the number of its curves or one of their ends changes."""
    found: Keys = _once.get(action.session_uid, lambda: _keys_of(action))
    return found


def _keys_of(action: bpy.types.Action) -> Keys:
    bags = [bag for bag in _bags_of(action) if len(bag)]
    key = action.session_uid, *((len(bag), bag[0].data_path, bag[-1].data_path) for bag in bags)

    def read() -> Keys:
        holders = [holder for slot in curves.slots_of(action) for holder in curves.holders(action, slot)]
        every = [curve for holder in holders for curve in holder.fcurves]
        components = {target: set(by_index) for target, by_index in curves.transforms(every).items()}
        paths = frozenset(curve.data_path for curve in every if curve.data_path.endswith(_PATHS))
        alike = frozenset((target, frozenset(indices)) for target, indices in components.items()), paths
        bones = frozenset(target.bone for target in components if target.bone)
        shared: Keys = _alike.made(alike, lambda: Keys(components, bones, paths))
        return shared

    found: Keys = _known.made(key, read)
    return found


def _bags_of(action: bpy.types.Action) -> list[Any]:
    """Return the curves of all slots of an action; faster than slot by slot, as all actions of a file are asked."""
    if not hasattr(action, "layers"):
        return [holder.fcurves for holder in curves.holders(action, None)]
    strips = (strip for layer in action.layers for strip in layer.strips)
    return [bag.fcurves for strip in strips for bag in getattr(strip, "channelbags", ())]


def has_extrapolation(action: bpy.types.Action) -> bool:
    """Return whether curves of an action change before or after its keys."""
    bags = (holder.fcurves for slot in curves.slots_of(action) for holder in curves.holders(action, slot))
    return any(curve.modifiers or curve.extrapolation == "LINEAR" for bag in bags for curve in bag)


def keyed_components(actions: Iterable[bpy.types.Action]) -> dict[Target, set[int]]:
    """Return the components of each property that some actions key."""
    found: dict[Target, set[int]] = {}
    for keys in distinct_keys(actions):
        for target, indices in keys.components.items():
            found[target] = found.get(target, set()) | indices
    return found


def distinct_keys(actions: Iterable[bpy.types.Action]) -> Collection[Keys]:
    """Return the keys of some actions; several actions can share one object."""
    return {id(keys): keys for keys in map(keys_of, actions)}.values()


def keyed_bones(armature: bpy.types.Object) -> set[str]:
    """Return the bones of an armature that its own actions key, without results."""
    every = set[str]().union(*(keys.bones for keys in distinct_keys(of(armature, results=False))))
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
