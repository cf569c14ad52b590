"""Write F-curves of actions in bulk, in the slot of an armature and in other slots of the same action."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion.quat import Array
from . import curves
from .curves import INTERPOLATIONS, OBJECT_GROUP, Target

_KINDS = {"KE": "KEY", "OB": "OBJECT", "MA": "MATERIAL", "AR": "ARMATURE", "ME": "MESH"}  # of slots, by identifier


class CurveWriter:
    """Writes new curves with keys of type "generated" to a channelbag.

    repeats : whether curves get a Cycles modifier, before the first key and after the last
    """

    def __init__(self, holder: "bpy.types.ActionChannelbag", *, repeats: bool = False) -> None:
        self._holder, self._make = holder, _maker(holder)
        self._makers: dict[str, Callable[[str, int, str], bpy.types.FCurve]] = {}
        self._type = _generated_type()
        self._repeats = repeats
        self._same: dict[tuple[int, int], NDArray[np.uint8]] = {}

    def _maker_in(self, slot: str) -> "Callable[[str, int, str], bpy.types.FCurve]":
        """Return a function that creates curves in the slot with this identifier; "" is the slot of the armature."""
        if slot and slot not in self._makers:
            bag = _sibling(self._holder.id_data, slot)
            bag.fcurves.clear()
            self._makers[slot] = _maker(bag)
        return self._makers[slot] if slot else self._make

    def _repeat_value(self, value: int, count: int) -> NDArray[np.uint8]:
        """Return an enum value repeated `count` times, as bytes like Blender's own; curves share the array."""
        if (value, count) not in self._same:
            self._same[value, count] = np.full(count, value, dtype=np.uint8)
        return self._same[value, count]

    @contextmanager
    def _curve(
        self,
        path: str,
        index: int,
        group: str,
        keys: tuple[NDArray[Any], NDArray[Any]],
        interpolation: str,
        *,
        travels: bool = False,
    ) -> Iterator["bpy.types.FCurveKeyframePoints"]:
        """Yield the points of a new curve at frames and values (K,); the caller may shape them before the update."""
        slot, _, own = path.rpartition(curves.SLOT)
        curve = self._maker_in(slot)(own, index, group)
        points, count = curve.keyframe_points, len(keys[0])
        points.add(count)
        places = np.empty((count, 2), dtype=np.float32)
        places[:, 0], places[:, 1] = keys
        points.foreach_set("co", places.reshape(-1))
        points.foreach_set("interpolation", self._repeat_value(INTERPOLATIONS[interpolation], count))
        if self._type is not None:
            points.foreach_set("type", self._repeat_value(self._type, count))
        yield points
        if self._repeats:
            # Add the modifier before the update, which matches the handles at both ends only on a cyclic curve.
            cycles = curve.modifiers.new("CYCLES")
            assert isinstance(cycles, bpy.types.FModifierCycles)
            cycles.mode_before = cycles.mode_after = "REPEAT_OFFSET" if travels else "REPEAT"
        curve.update()


class Writer(CurveWriter):
    """Writes curves whose keys are all at the same frames (F,).

    held : targets that get one key where they do not change
    """

    def __init__(
        self,
        holder: "bpy.types.ActionChannelbag",
        frames: NDArray[np.float32],
        interpolation: str,
        *,
        repeats: bool = False,
        held: frozenset[Target] = frozenset(),
    ) -> None:
        super().__init__(holder, repeats=repeats)
        self._frames, self._interpolation, self._held = frames, interpolation, held

    def write(self, target: Target, values: Array, *, travels: Sequence[bool] = (False,) * 4) -> None:
        """Write one property (F, n) of a bone or the object; components that travel (n,) repeat with offset."""
        path, frames = curves.path_of(target), self._frames
        if target in self._held and (np.ptp(values, axis=0) == 0.0).all():
            frames, values = frames[:1], values[:1]
        for index in range(values.shape[1]):
            group, keys = target.bone or OBJECT_GROUP, (frames, values[:, index])
            with self._curve(path, index, group, keys, self._interpolation, travels=travels[index]):
                pass

    def write_channel(self, name: str, values: Array, *, constant: bool) -> None:
        """Write a channel, named by path and index as in "path[0]"."""
        interpolation = "CONSTANT" if constant else self._interpolation
        with self._curve(*channel_of(name), (self._frames, values), interpolation):
            pass


def _sibling(action: Any, identifier: str) -> "bpy.types.ActionChannelbag":
    """Return the channelbag of a slot with this identifier; slot and channelbag are created if they are missing."""
    slot = next((one for one in action.slots if one.identifier == identifier), None)
    if slot is None:
        slot = action.slots.new(_KINDS.get(identifier[:2], "OBJECT"), identifier[2:])
    return curves.holder_of(action, slot)


def channel_of(name: str) -> tuple[str, int, str]:
    """Return the path, index and group of a channel, named by path and index as in "path[0]"."""
    path, _, index = name.removesuffix("]").rpartition("[")
    return path, int(index), curves.bone_in(path) or "Custom"


def _maker(holder: "bpy.types.ActionChannelbag") -> Callable[[str, int, str], bpy.types.FCurve]:
    """Return a function that creates a curve in a group; Blender 4.4 and 4.5 lack an argument for the group."""
    new = holder.fcurves.bl_rna.functions["new"]  # type: ignore[attr-defined]  # in the stubs it has properties only
    parameters = {p.identifier for p in new.parameters}
    for keyword in ("action_group", "group_name"):
        if keyword in parameters:
            return lambda path, index, group: holder.fcurves.new(path, index=index, **{keyword: group})

    def make(path: str, index: int, group: str) -> bpy.types.FCurve:
        curve = holder.fcurves.new(path, index=index)
        curve.group = holder.groups.get(group) or holder.groups.new(group)
        return curve

    return make


def _generated_type() -> int | None:
    kinds = bpy.types.Keyframe.bl_rna.properties["type"]
    assert isinstance(kinds, bpy.types.EnumProperty)
    items = kinds.enum_items
    return items["GENERATED"].value if "GENERATED" in items else None
