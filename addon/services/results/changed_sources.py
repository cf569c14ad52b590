"""Detect changes to a result, its sources and their contexts since it was made.

A timer compares them, never a panel's draw function. Posing a bone or moving a parent is not reported by Blender as a
change of an action, so panels that draw a result have its sources' contexts compared from time to time.
"""

import time
from dataclasses import dataclass

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ...bridge import result_mark
from ...ground import action_changes, jobs, memory, registrar
from ...ground.blender_types import present
from ...ground.redraw import redraw_areas
from ...model import storage

SOON = 0.3  # s until the check, since more changes may follow
AGAIN = 2.0  # s until contexts are compared again, at least
REST = 30.0  # times as long as the comparison of all results took


@dataclass
class _Known:
    names: tuple[str, ...] = ()
    edited: bool = False
    contexts: tuple[str, ...] = ()
    may_have_changed: bool = True
    due: float = 0.0  # s, when contexts are compared again


# By the session id of the result.
_known: Cache[int, _Known] = memory.cache(16)


def names(action: bpy.types.Action) -> tuple[str, ...]:
    """Return the names of a result's changed sources, and the changes of their contexts in words.

    They are from the last check; a new check is scheduled if needed.
    """
    known = _ask_action(action)
    return known.names + known.contexts


def is_edited(action: bpy.types.Action) -> bool:
    """Return whether a result was edited by hand, from the last check like `names`."""
    return _ask_action(action).edited


def _ask_action(action: bpy.types.Action) -> _Known:
    known = _known.get(action.session_uid) or _known.keep(action.session_uid, _Known())
    is_old = known.may_have_changed or time.monotonic() > known.due
    if is_old and not bpy.app.timers.is_registered(_soon):
        bpy.app.timers.register(_soon, first_interval=SOON)
    return known


def look(action: bpy.types.Action, *, hashed: bool = True) -> tuple[str, ...]:
    """Compare the contexts of a result's sources, and return the result of `names`.

    hashed : whether the curves of the result and its sources are hashed, too
    """
    known = _known.get(action.session_uid) or _known.keep(action.session_uid, _Known())
    if hashed:
        try:
            names, edited = tuple(storage.changed_sources(action)), storage.edited_by_hand(action, quickly=True)
        except LoomError:  # the error is shown when the user presses Rebuild
            names, edited = (), False
        known.names, known.edited = names, edited
    known.contexts = _contexts(action, staged=hashed)
    known.may_have_changed, known.due = False, time.monotonic() + AGAIN
    return known.names + known.contexts


def _contexts(action: bpy.types.Action, *, staged: bool) -> tuple[str, ...]:
    """Return the changes of the contexts; the motion of a parent changes with an action, so it is staged then only."""
    from . import rebuilding  # numpy is loaded at first use, not when Blender starts

    try:
        return tuple(rebuilding.glance_at_changes(present(bpy.context.scene), action, staged=staged))
    except LoomError:
        return ()


def _soon() -> float | None:
    """Check the results that panels have asked for; return the delay of the next attempt while work is running."""
    if jobs.is_busy():
        return SOON
    began, looked = time.monotonic(), []
    for action in bpy.data.actions:
        known = _known.get(action.session_uid)
        is_old = known is not None and (known.may_have_changed or time.monotonic() > known.due)
        if known is not None and is_old and result_mark.is_result(action):
            before = known.names, known.contexts, known.edited
            look(action, hashed=known.may_have_changed)
            looked.append(known)
            if (known.names, known.contexts, known.edited) != before:
                redraw_areas("VIEW_3D")
    now = time.monotonic()
    for known in looked:
        known.due = now + max(AGAIN, REST * (now - began))
    return None


def _may_have_changed(_uids: frozenset[int] | None) -> None:
    for known in _known:  # it is unknown whose sources changed, so all are checked
        known.may_have_changed = True


def register() -> None:
    registrar.stop_timer(_soon)
    registrar.append(action_changes.listeners, _may_have_changed)
