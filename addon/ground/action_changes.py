"""Notify listeners of possibly changed actions: the ones that Blender evaluates again, and all after undo and redo."""

from collections.abc import Callable, Iterable
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import registrar
from .blender_types import present

# Called with the session ids of actions, None for all.
listeners: list[Callable[[frozenset[int] | None], None]] = []


def among(evaluated: Iterable[bpy.types.ID | None]) -> frozenset[int]:
    """Return the session ids of the actions among evaluated data."""
    return frozenset(present(one.original).session_uid for one in evaluated if isinstance(one, bpy.types.Action))


@persistent
def _after_evaluation(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    screen = bpy.context.screen
    # Blender 4 evaluates actions again when playback starts.
    if screen is None or not screen.is_animation_playing:
        changed = among(one.id for one in depsgraph.updates)
        if changed:
            _tell(changed)


@persistent
def _undone(*_: Any) -> None:
    _tell(None)


def _tell(uids: frozenset[int] | None) -> None:
    for listener in listeners:
        listener(uids)


def register() -> None:
    registrar.append(bpy.app.handlers.depsgraph_update_post, _after_evaluation)
    registrar.append(bpy.app.handlers.undo_post, _undone)
    registrar.append(bpy.app.handlers.redo_post, _undone)
