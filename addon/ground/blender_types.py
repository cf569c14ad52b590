"""Where the stubs of Blender's API (`fake-bpy-module`, for type checkers alone) are wrong or can't know: all in here.

They are of the newest Blender: what is not in 4.2 stands in quotes, in annotations only. Vectors can't be iterated in
them, so their numbers are taken with `[:]`. Any stands for values of custom properties, and for our own groups of
properties (settings, lists and their lines), whose members are made from options.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

import bpy

Value = TypeVar("Value")
Data = TypeVar("Data", bound=bpy.types.ID)

# What operators return: the stubs spell it out at every method.
OperatorReturn = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

# The slot of an action; None before 4.4, where actions have none.
Slot: TypeAlias = "bpy.types.ActionSlot | None"
SlottedAction: TypeAlias = tuple[bpy.types.Action, Slot]

# What menus and lists are drawn in: Blender always passes one, but the stubs have None as well.
DrawContext = bpy.types.Context | None

# Bases of what several operators or panels share: one of them for type checkers, and nothing for Blender.
if TYPE_CHECKING:
    OperatorMixin = bpy.types.Operator
    PanelMixin = bpy.types.Panel
    ListMixin = bpy.types.UIList
else:
    OperatorMixin = PanelMixin = ListMixin = object


def present(value: Value | None) -> Value:
    """Return a value that is not None: in the stubs most members of a context, and much that is new, may be None."""
    assert value is not None
    return value


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """Return the scene of a context, which in the stubs may be None."""
    return present(context.scene)


def interface_scale() -> float:
    """Return the scale of the interface; in background Blender reports 0, which counts as 1."""
    return present(bpy.context.preferences).system.ui_scale or 1.0


def armature_data(armature: bpy.types.Object) -> bpy.types.Armature:
    """Return the data of an armature object: the stubs can't know that the object's type decides on its data's."""
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    return data


def named(kept: "bpy.types.bpy_prop_collection[Data]", name: str) -> Data | None:
    """Return the data of a name, or None: in the stubs `get` returns nothing but its default."""
    return cast("Data | None", kept.get(name))


def as_array(values: Sequence[float]) -> "bpy.types.bpy_prop_array":
    """Return values as an array: in the stubs arrays can't be assigned from anything else."""
    return cast("bpy.types.bpy_prop_array", values)


def as_pair(values: object) -> tuple[float, float]:
    """Return two numbers of Blender's as a tuple: in the stubs they are arrays, which can't be unpacked."""
    first, second = cast("Sequence[float]", values)
    return first, second


def has_property(data: bpy.types.ID, name: str) -> bool:
    """Return whether data has a custom property: in the stubs there is `data[name]`, but not `name in data`."""
    return name in data  # type: ignore[operator]  # see above


def holder_before_slots(action: bpy.types.Action) -> "bpy.types.ActionChannelbag":
    """Return an action typed as a channelbag: before 4.4 it holds its curves itself, and the stubs know slots only."""
    return cast("bpy.types.ActionChannelbag", action)


def by_full_name(kept: "bpy.types.bpy_prop_collection[Data]", name: str) -> Data | None:
    """Return the data with a full name, else with a name; None if there is none."""
    found = named(kept, name)
    if found is not None and found.name_full == name:  # found without looking at all of them
        return found
    return next((one for one in kept if one.name_full == name), None) or found
