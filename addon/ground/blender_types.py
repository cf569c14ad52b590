"""Work around errors and gaps in the stubs of Blender's API (`fake-bpy-module`, used only by type checkers).

The stubs describe the newest Blender: types missing in 4.2 are quoted and used only in annotations. Their vectors can't
be iterated, so numbers are read with `[:]`. Any is the type of custom properties, and of our property groups (settings,
lists and their lines), whose members are generated from options.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

import bpy

Value = TypeVar("Value")
Data = TypeVar("Data", bound=bpy.types.ID)

# The return type of operators, which the stubs spell out at every method.
OperatorReturn = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

# The slot of an action; None before 4.4, whose actions lack slots.
Slot: TypeAlias = "bpy.types.ActionSlot | None"
SlottedAction: TypeAlias = tuple[bpy.types.Action, Slot]

# The context of drawing menus and lists: Blender always passes one, but the stubs also allow None.
DrawContext = bpy.types.Context | None

# Base classes of mixins for operators or panels: Blender's classes for type checkers, nothing for Blender.
if TYPE_CHECKING:
    OperatorMixin = bpy.types.Operator
    PanelMixin = bpy.types.Panel
    ListMixin = bpy.types.UIList
    HandlesMixin = bpy.types.GizmoGroup
else:
    OperatorMixin = PanelMixin = ListMixin = HandlesMixin = object


def present(value: Value | None) -> Value:
    """Return a value that is not None: the stubs allow None for most context members and many new ones."""
    assert value is not None
    return value


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """Return the scene of a context, which may be None in the stubs."""
    return present(context.scene)


def interface_scale() -> float:
    """Return the scale of the interface; in background mode Blender reports 0, which counts as 1."""
    return present(bpy.context.preferences).system.ui_scale or 1.0


def armature_data(armature: bpy.types.Object) -> bpy.types.Armature:
    """Return the data of an armature object: the stubs do not derive its type from the object's type."""
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    return data


def find_named(kept: "bpy.types.bpy_prop_collection[Data]", name: str) -> Data | None:
    """Return data by name, or None: `get` in the stubs returns only its default's type."""
    return cast("Data | None", kept.get(name))


def as_array(values: Sequence[float]) -> "bpy.types.bpy_prop_array":
    """Return values as an array: the stubs accept only arrays in assignments."""
    return cast("bpy.types.bpy_prop_array", values)


def as_pair(values: object) -> tuple[float, float]:
    """Return two numbers of Blender's as a tuple: the stubs declare arrays, which can't be unpacked."""
    first, second = cast("Sequence[float]", values)
    return first, second


def has_property(data: bpy.types.ID, name: str) -> bool:
    """Return whether data has a custom property: the stubs declare `data[name]`, but not `name in data`."""
    return name in data  # type: ignore[operator]  # see above


def holder_before_slots(action: bpy.types.Action) -> "bpy.types.ActionChannelbag":
    """Return an action typed as a channelbag: before 4.4 it holds its curves itself, and the stubs only know slots."""
    return cast("bpy.types.ActionChannelbag", action)


def by_full_name(kept: "bpy.types.bpy_prop_collection[Data]", name: str) -> Data | None:
    """Return the data with a full name, or with a name; None if there is none."""
    found = find_named(kept, name)
    if found is not None and found.name_full == name:  # found without a search
        return found
    return next((one for one in kept if one.name_full == name), None) or found
