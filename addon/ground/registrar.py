"""The registrar: records everything that the extension adds to Blender, and removes it in reverse.

Parts already removed by other scripts are skipped. Nothing else in the add-on calls Blender's functions that register
(tests/core/test_addon_architecture.py).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import bpy

from ...core.errors import LoomError
from .blender_types import present

FIRST = "ACTION_LOOM_PG_settings"  # a class of every version, by which another copy is recognised
_removals: list[Callable[[], object]] = []


def refuse_second_copy() -> None:
    """Raise LoomError if the extension is enabled already, from another repository or as an add-on."""
    other = bpy.types.PropertyGroup.bl_rna_get_subclass_py(FIRST)
    if other is not None:
        package = other.__module__.partition(".addon.")[0]
        raise LoomError(f"Action Loom is enabled already as {package}: disable that copy, or restart Blender")


def at_end(remove: Callable[..., object], *arguments: object) -> None:
    """Call a function when the extension is disabled, before everything added earlier is removed."""
    _removals.append(partial(remove, *arguments))


def remove_all() -> None:
    """Remove everything in reverse, also after an error; raises the first error at the end."""
    errors = []
    while _removals:
        try:
            _removals.pop()()
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]


def registration(classes: Sequence[type]) -> Callable[[], None]:
    """Return the function of a module that registers its classes."""
    return partial(add_classes, classes)


def add_classes(classes: Sequence[type]) -> None:
    for one in classes:
        bpy.utils.register_class(one)
        at_end(remove_class, one)


def remove_class(one: type) -> None:
    if "bl_rna" in vars(one):  # Blender sets it while a class is registered
        bpy.utils.unregister_class(one)


def append(listeners: Any, function: Callable[..., object]) -> None:
    """Append a function to a list of handlers or listeners, or to a menu of Blender."""
    listeners.append(function)
    at_end(_take_out, listeners, function)


def _take_out(listeners: Any, function: Callable[..., object]) -> None:
    with suppress(ValueError):
        listeners.remove(function)


def add_property(owner: type, name: str, declared: Any) -> None:
    """Add a property to a type of Blender."""
    setattr(owner, name, declared)
    at_end(_remove_property, owner, name)


def _remove_property(owner: type, name: str) -> None:
    if hasattr(owner, name):
        delattr(owner, name)


def stop_timer(function: Callable[[], float | None]) -> None:
    """Stop a timer, if it runs, when the extension is disabled."""
    at_end(_stop, function)


def _stop(function: Callable[[], float | None]) -> None:
    if bpy.app.timers.is_registered(function):
        bpy.app.timers.unregister(function)


def add_drawing(space: Any, draw: Callable[[], None], event: str) -> None:
    """Draw over the main region of a space; background mode draws nothing."""
    if not bpy.app.background:
        handler = space.draw_handler_add(draw, (), "WINDOW", event)
        at_end(space.draw_handler_remove, handler, "WINDOW")


def add_tool(tool: type, **place: Any) -> None:
    bpy.utils.register_tool(tool, **place)
    at_end(_remove_tool, tool)


def _remove_tool(tool: type) -> None:
    try:
        bpy.utils.unregister_tool(tool)
    except Exception:
        # Blender raises plain Exception for a tool that is gone, and would refuse the mark that it left on the class.
        if hasattr(tool, "_bl_tool"):
            del tool._bl_tool


def add_key(keymap: str, idname: str, key: str, space_type: str = "EMPTY", **modifiers: bool) -> Any:
    """Add a key to a keymap by its name; returns its item, None in background mode."""
    config = present(bpy.context.window_manager).keyconfigs.addon
    if config is None:
        return None
    keys = config.keymaps.new(name=keymap, space_type=space_type)  # type: ignore[arg-type]
    item = keys.keymap_items.new(idname, key, "PRESS", **modifiers)  # type: ignore[arg-type]
    at_end(_remove_key, keymap, item.id)
    return item


def _remove_key(keymap: str, identity: int) -> None:
    config = present(bpy.context.window_manager).keyconfigs.addon
    keys = config.keymaps.get(keymap) if config is not None else None
    item = keys.keymap_items.from_id(identity) if keys is not None else None
    if keys is not None and item is not None:
        keys.keymap_items.remove(item)
