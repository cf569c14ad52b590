"""Detect changes to a result or its sources since it was made; a timer hashes them, never a panel's draw function."""

from dataclasses import dataclass

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ...bridge import result_mark
from ...ground import action_changes, jobs, memory, registrar
from ...ground.blender_types import present
from ...model import storage

SOON = 0.3  # s until the check, since more changes may follow


@dataclass
class _Known:
    names: tuple[str, ...] = ()
    edited: bool = False
    may_have_changed: bool = True


# By the session id of the result.
_known: Cache[int, _Known] = memory.cache(16)


def names(action: bpy.types.Action) -> tuple[str, ...]:
    """Return the names of a result's changed sources from the last check, and schedule a new check if needed."""
    return _asked(action).names


def is_edited(action: bpy.types.Action) -> bool:
    """Return whether a result was edited by hand, from the last check like `names`."""
    return _asked(action).edited


def _asked(action: bpy.types.Action) -> _Known:
    known = _known.get(action.session_uid) or _known.keep(action.session_uid, _Known())
    if known.may_have_changed and not bpy.app.timers.is_registered(_soon):
        bpy.app.timers.register(_soon, first_interval=SOON)
    return known


def look(action: bpy.types.Action) -> tuple[str, ...]:
    """Hash a result and its sources; return the names of changed sources."""
    try:
        names, edited = tuple(storage.changed_sources(action)), storage.edited_by_hand(action, quickly=True)
    except LoomError:  # the error is shown when the user presses Rebuild
        names, edited = (), False
    _known.keep(action.session_uid, _Known(names, edited, may_have_changed=False))
    return names


def _soon() -> float | None:
    """Check the results that panels have asked for; return the delay of the next attempt while work is running."""
    if jobs.running() is not None:
        return SOON
    for action in bpy.data.actions:
        known = _known.get(action.session_uid)
        if (
            known is not None
            and known.may_have_changed
            and result_mark.is_result(action)
            and (look(action), is_edited(action)) != (known.names, known.edited)
        ):
            areas = [area for one in present(bpy.context.window_manager).windows for area in one.screen.areas]
            for area in (area for area in areas if area.type == "VIEW_3D"):
                area.tag_redraw()
    return None


def _may_have_changed(_uids: frozenset[int] | None) -> None:
    for known in _known:  # it is unknown whose sources changed, so all are checked
        known.may_have_changed = True


def register() -> None:
    registrar.stop_timer(_soon)
    registrar.append(action_changes.listeners, _may_have_changed)
