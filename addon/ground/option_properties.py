"""Blender properties made from declared options, and their values back."""

import inspect
from collections.abc import Callable
from typing import Any

import bpy

from ...core.options import HIDDEN, LABEL, Option, declared
from ...core.recipes.result import ResultOptions


def options_of(declaration: type, leave_out: tuple[type, ...] = ()) -> dict[str, Option]:
    """Return the options of a declaration that Blender has a property for, without those of some others."""
    others = {name for other in leave_out for name in declared(other)}
    return {
        name: about
        for name, about in declared(declaration).items()
        if name not in others and (about.table or about.kind is not tuple)  # shares are a column of the list
    }


def annotations(*declarations: type, leave_out: tuple[type, ...] = (), group: bool = False) -> dict[str, Any]:
    """Return a Blender property for every option of some declarations, and hidden ones for their earlier names.

    group : whether it is a group of the panel's settings, in which an earlier name stands for today's
    """
    found: dict[str, Any] = {}
    for declaration in declarations:
        for name, about in options_of(declaration, leave_out).items():
            found[name] = _property(about, group=group)
            for alias in about.aliases:
                update = {"update": moving(alias, name)} if group else {}
                found[alias] = _property(about, group=group, options={"HIDDEN"}, **update)
    return found


def with_options(*declarations: type, leave_out: tuple[type, ...] = (), group: bool = False) -> Callable[[type], type]:
    """Give a Blender class a property for every option: so panel, script and JSON can't drift apart."""

    def decorate(cls: type) -> type:
        made = annotations(*declarations, leave_out=leave_out, group=group)
        cls.__annotations__ = inspect.get_annotations(cls) | made
        return cls

    return decorate


# Where the labels come from that a text can be chosen from: `properties` knows the lists.
labels_in: list[Callable[[Any], list[str]]] = []


def labels(_group: Any, context: Any, edited: str) -> list[str]:
    """Return the labels that fit what is being typed, for Blender's search below a text."""
    return [label for find in labels_in for label in find(context) if edited.lower() in label.lower()]


def _property(about: Option, *, group: bool, **more: Any) -> Any:
    # What nobody sees is not for the next time: it is of these sources, or of this pose.
    shown: set[str] = {"HIDDEN", "SKIP_SAVE"} if about.shown == HIDDEN and not group else set()
    common = {"name": about.title, "description": about.description, "options": shown, **more}
    if about.table:
        return bpy.props.StringProperty(**common, default=about.as_text(about.default))
    if about.choices:
        items = [(_identifier(about, choice.name), choice.title, choice.description) for choice in about.choices]
        return bpy.props.EnumProperty(items=items, default=_identifier(about, about.default), **common)
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


# What is asked of results is in capitals, as Blender's own choices are; scripts rely on it.
_IN_CAPITALS = frozenset(declared(ResultOptions))


def _identifier(about: Option, choice: str) -> str:
    return choice.upper() if about.name in _IN_CAPITALS else choice


def moving(alias: str, name: str) -> Callable[[Any, Any], None]:
    """Return what puts a value that was set under an earlier name where it belongs."""

    def move(group: Any, _context: Any) -> None:
        if group.is_property_set(alias):
            setattr(group, name, getattr(group, alias))
            group.property_unset(alias)

    return move


def value_of(owner: Any, about: Option) -> Any:
    """Return an option's value from an operator's properties or a group; an operator's earlier names count as well."""
    names = [about.name, *(alias for alias in about.aliases if _is_set(owner, alias))]
    return choice_of(owner, names[-1], about.name) if about.choices else rounded(getattr(owner, names[-1]))


def choice_of(owner: Any, called: str, name: str = "") -> Any:
    """Return which choice of an option is taken, by what it is called, if not by its name."""
    value = getattr(owner, called)
    return value.lower() if (name or called) in _IN_CAPITALS else value


def set_value(owner: Any, about: Option, value: Any) -> None:
    """Set the property of an option to a value of a recipe."""
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
    """Say whether whoever calls an operator has given an option, by whatever name."""
    return any(_is_set(operator, name) for name in (about.name, *about.aliases))


def rounded(value: Any) -> Any:
    """Return a number without the noise of single precision; anything else as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
