"""Keep the locks, visibility and groups of an action's curves while its keys are replaced."""

from collections.abc import Mapping
from typing import NamedTuple

import bpy

from ..ground.blender_types import SlottedAction
from . import curves

_CURVE = ("lock", "hide", "color_mode")
_GROUP = ("lock", "color_set", "show_expanded", "show_expanded_graph")
_COLORS = ("normal", "select", "active")


class Looks(NamedTuple):
    """Display settings of curves, by path and index, and of groups, by name."""

    curves: Mapping[tuple[str, int], tuple[tuple[object, ...], tuple[float, ...], str]]
    groups: Mapping[str, tuple[tuple[object, ...], tuple[tuple[float, ...], ...]]]


def of(played: SlottedAction) -> Looks:
    """Record the display settings of the curves of an action's slot, and of their groups."""
    found, groups = {}, {}
    for curve in curves.curves_of(*played):
        group = curve.group
        own, color = tuple(getattr(curve, name) for name in _CURVE), tuple(curve.color[:])
        found[curve.data_path, curve.array_index] = own, color, "" if group is None else group.name
        if group is not None:
            colors = tuple(tuple(getattr(group.colors, name)) for name in _COLORS)
            groups[group.name] = tuple(getattr(group, name) for name in _GROUP), colors
    return Looks(found, groups)


def give_back(played: SlottedAction, looks: Looks) -> None:
    """Restore the display settings and groups of curves that existed before."""
    for holder in curves.holders(*played):
        for curve in list(holder.fcurves):  # assigning a group changes a curve's index
            known = looks.curves.get((curve.data_path, curve.array_index))
            if known is None:
                continue
            own, color, group = known
            for name, value in zip(_CURVE, own, strict=True):
                setattr(curve, name, value)
            if curve.color_mode == "CUSTOM":
                curve.color = color
            if group and (curve.group is None or curve.group.name != group):
                curve.group = holder.groups.get(group) or holder.groups.new(group)
        for one in [one for one in holder.groups if _is_left(one, looks)]:
            holder.groups.remove(one)
        for one in holder.groups:
            if one.name in looks.groups:
                _look(one, *looks.groups[one.name])


def _is_left(group: bpy.types.ActionGroup, looks: Looks) -> bool:
    """Return whether a group is empty, or holds only curves that were ungrouped before."""
    every = [looks.curves.get((curve.data_path, curve.array_index)) for curve in group.channels]
    return all(known is not None and not known[2] for known in every)


def _look(group: bpy.types.ActionGroup, own: tuple[object, ...], colors: tuple[tuple[float, ...], ...]) -> None:
    for name, value in zip(_GROUP, own, strict=True):
        setattr(group, name, value)
    if group.color_set == "CUSTOM":
        for name, color in zip(_COLORS, colors, strict=True):
            setattr(group.colors, name, color)
