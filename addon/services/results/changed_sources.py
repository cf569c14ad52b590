"""Know which sources of a result have changed since it was made; a timer hashes them, never a panel that draws."""

from dataclasses import dataclass

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ...bridge import result_mark
from ...ground import action_changes, jobs, memory
from ...ground.blender_types import present
from ...model import storage

SOON = 0.3  # s until they are looked at, as more changes may follow


@dataclass
class _Known:
    names: tuple[str, ...] = ()
    may_have_changed: bool = True


# By the session id of the result.
_known: Cache[int, _Known] = memory.cache(16)


def names(action: bpy.types.Action) -> tuple[str, ...]:
    """Return the names of a result's changed sources, as far as was looked at; they are looked at soon if need be."""
    known = _known.get(action.session_uid) or _known.keep(action.session_uid, _Known())
    if known.may_have_changed and not bpy.app.timers.is_registered(_soon):
        bpy.app.timers.register(_soon, first_interval=SOON)
    return known.names


def look(action: bpy.types.Action) -> tuple[str, ...]:
    """Hash a result's sources, and return the names of those that have changed."""
    try:
        found = tuple(storage.changed_sources(action))
    except LoomError:  # pressing Rebuild says what is wrong with it
        found = ()
    _known.keep(action.session_uid, _Known(found, may_have_changed=False))
    return found


def _soon() -> float | None:
    """Look at the results that panels have asked about; returns when to try again while work is running."""
    if jobs.running() is not None:
        return SOON
    for action in bpy.data.actions:
        known = _known.get(action.session_uid)
        if (
            known is not None
            and known.may_have_changed
            and result_mark.is_result(action)
            and look(action) != known.names
        ):
            areas = [area for one in present(bpy.context.window_manager).windows for area in one.screen.areas]
            for area in (area for area in areas if area.type == "VIEW_3D"):
                area.tag_redraw()
    return None


def _may_have_changed(_uids: frozenset[int] | None) -> None:
    for known in _known:  # whose sources these are is not known, and a look tells
        known.may_have_changed = True


def register() -> None:
    action_changes.listeners.append(_may_have_changed)


def unregister() -> None:
    action_changes.listeners.remove(_may_have_changed)
    if bpy.app.timers.is_registered(_soon):
        bpy.app.timers.unregister(_soon)
