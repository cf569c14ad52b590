"""Create Blender properties from declared options, and read their values."""

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import bpy

from ...core.options import HIDDEN, LABEL, Option, declared_options
from ...core.recipes.result import ResultOptions


def options_of(declaration: type, leave_out: tuple[type, ...] = ()) -> dict[str, Option]:
    """Return the options of a declaration that get a Blender property, without options of classes in `leave_out`."""
    others = {name for other in leave_out for name in declared_options(other)}
    return {
        name: about
        for name, about in declared_options(declaration).items()
        if name not in others and (about.table or about.kind is not tuple)  # shares are the weights of the list
    }


def annotations(*declarations: type, leave_out: tuple[type, ...] = (), group: bool = False) -> dict[str, Any]:
    """Return a Blender property for every option of some declarations, and hidden ones for earlier names.

    group : whether they are for a group of settings, in which setting an earlier name sets the current one
    """
    found: dict[str, Any] = {}
    for declaration in declarations:
        for name, about in options_of(declaration, leave_out).items():
            found[name] = _usual_property(about, group)
            for alias in about.aliases:
                update = {"update": moving(alias, name)} if group else {}
                found[alias] = _property(about, group=group, options={"HIDDEN"}, **update)
    return found


def annotation(declaration: type, name: str, *, group: bool = False, default: Any = None) -> Any:
    """Return a Blender property for one option of a declaration; default : overrides the declared one."""
    about = options_of(declaration)[name]
    return _usual_property(about if default is None else dataclasses.replace(about, default=default), group)


def with_options(*declarations: type, leave_out: tuple[type, ...] = (), group: bool = False) -> Callable[[type], type]:
    """Add a property for every option to a Blender class, so that panel, script and JSON can't diverge."""

    def decorate(cls: type) -> type:
        added = annotations(*declarations, leave_out=leave_out, group=group)
        cls.__annotations__ = inspect.get_annotations(cls) | added
        return cls

    return decorate


# Functions that return the labels to offer; `properties` adds one, because it has access to the lists.
labels_in: list[Callable[[Any], list[str]]] = []


def labels(_group: Any, context: Any, edited: str) -> list[str]:
    """Return the labels that contain the typed text, for Blender's search in a text field."""
    return [label for find in labels_in for label in find(context) if edited.lower() in label.lower()]


@cache  # several classes have the same option
def _usual_property(about: Option, group: bool) -> Any:
    return _property(about, group=group)


def _property(about: Option, *, group: bool, **more: Any) -> Any:
    # Hidden values belong to the current sources or pose, so operators must not remember them.
    shown: set[str] = {"HIDDEN", "SKIP_SAVE"} if about.shown == HIDDEN and not group else set()
    texts = {} if about.shown == HIDDEN else {"name": about.title, "description": about.description}
    common = {**texts, "options": shown, **more}
    if about.table:
        return bpy.props.StringProperty(**common, default=about.as_text(about.default))
    if about.choices:
        if isinstance(about.choices, list):  # Blender accepts only a number as the default of a function's items
            return bpy.props.EnumProperty(items=_read_items(about), default=about.names.index(about.default), **common)
        return bpy.props.EnumProperty(items=_items(about), default=_identifier(about, about.default), **common)
    common["default"] = about.default
    if about.kind is bool:
        return bpy.props.BoolProperty(**common)
    if about.kind is str:
        if about.pick == LABEL and group:
            return bpy.props.StringProperty(**common, search=labels, search_options={"SUGGESTION"})
        return bpy.props.StringProperty(**common)
    limits: dict[str, Any] = {k: v for k, v in (("min", about.minimum), ("max", about.maximum)) if v is not None}
    if about.usual is not None:
        limits |= dict(zip(("soft_min", "soft_max"), about.usual, strict=True))
    if about.kind is int:
        whole: dict[str, Any] = {k: int(v) for k, v in limits.items()}
        return bpy.props.IntProperty(**common, **whole)
    if about.unit.strip() == "s":
        return bpy.props.FloatProperty(**common, **limits, precision=3, subtype="TIME_ABSOLUTE")
    return bpy.props.FloatProperty(**common, **limits)


def _items(about: Option) -> list[tuple[str, str, str]]:
    return [(_identifier(about, choice.name), choice.title, choice.description) for choice in about.choices]


def _read_items(about: Option) -> Callable[[Any, Any], list[tuple[str, str, str]]]:
    """Return a function of the current choices; it keeps the list, because Blender does not copy the texts."""
    kept: list[tuple[str, str, str]] = []

    def items(_owner: Any, _context: Any) -> list[tuple[str, str, str]]:
        current = _items(about)
        if current != kept:
            kept[:] = current
        return kept

    return items


# Choices of result options are in capitals like Blender's own identifiers; scripts rely on it.
_IN_CAPITALS = frozenset(declared_options(ResultOptions))


def _identifier(about: Option, choice: str) -> str:
    return choice.upper() if about.name in _IN_CAPITALS else choice


def moving(alias: str, name: str) -> Callable[[Any, Any], None]:
    """Return a callback that moves a value from an earlier name of an option to the current name."""

    def move(group: Any, _context: Any) -> None:
        if group.is_property_set(alias):
            setattr(group, name, getattr(group, alias))
            group.property_unset(alias)

    return move


def value_of(owner: Any, about: Option) -> Any:
    """Return an option's value from an operator or a group; a value set under an earlier name takes precedence."""
    names = [about.name, *(alias for alias in about.aliases if _is_set(owner, alias))]
    return choice_of(owner, names[-1], about.name) if about.choices else round_floats(getattr(owner, names[-1]))


def choice_of(owner: Any, called: str, name: str = "") -> Any:
    """Return the chosen value of an option from the property `called`; `name` is the option's, if different."""
    value = getattr(owner, called)
    return value.lower() if (name or called) in _IN_CAPITALS else value


def set_value(owner: Any, about: Option, value: Any) -> None:
    """Set the property of an option to a value from a recipe."""
    if about.choices:
        value = _identifier(about, value)
    setattr(owner, about.name, about.as_text(value) if about.table else value)


def values_of(owner: Any, declaration: type) -> dict[str, Any]:
    """Return the values of all options of a declaration that have properties."""
    return {name: value_of(owner, about) for name, about in options_of(declaration).items()}


def _is_set(owner: Any, name: str) -> bool:
    properties = getattr(owner, "properties", owner)
    return name in properties.bl_rna.properties and bool(properties.is_property_set(name))


def is_set(operator: Any, about: Option) -> bool:
    """Return whether the caller of an operator has set an option, under any of its names."""
    return any(_is_set(operator, name) for name in (about.name, *about.aliases))


def round_floats(value: Any) -> Any:
    """Round floats to six digits, which removes the noise of single precision; return other values unchanged."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
