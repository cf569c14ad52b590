"""Keep each armature's list complete: add new actions automatically, and remove deleted ones.

Panels may not write while they draw: `want` checks whether a list is complete, and a timer completes it.
"""

from operator import attrgetter
from typing import Any

import bpy

from ....core.cache import Cache
from ...ground import jobs, memory, registrar
from ...ground.blender_types import present
from ...model import contact_rows, lists, properties
from . import body_roles, first_ticks, source_list

AGAIN = 0.2  # s until the next attempt while an operator runs

_uid = attrgetter("session_uid")
# By armature: the state in which a list was complete, and the session ids of actions of others.
_complete: Cache[int, tuple[int, ...]] = memory.cache(64)
_others: Cache[int, frozenset[int]] = memory.cache(64)


def _state(scene: bpy.types.Scene, armature: bpy.types.Object) -> tuple[int, ...]:
    """Return values that change when actions or lines are added or removed; panels call this when drawn."""
    rig = properties.rig_of(scene, armature)
    uids = list(map(_uid, bpy.data.actions))
    return scene.session_uid, len(uids), sum(uids), -1 if rig is None else len(rig.sources)


def is_complete(scene: bpy.types.Scene, armature: bpy.types.Object) -> bool:
    """Return whether an armature's list was complete at the last check and nothing has changed."""
    return _complete.get(armature.session_uid) == _state(scene, armature)


def complete(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[Any]:
    """List the new actions of an armature, except those removed by hand before; return their lines.

    A first list gets its ticks (see `first_ticks`); later lines get none.
    """
    rig, others = properties.rig_of(scene, armature), _others.get(armature.session_uid) or frozenset()
    off = [] if rig is None else [lists.read_identity(one) for one in rig.left_out]
    new = [one for one in bpy.data.actions if one.session_uid not in others and not _is_among(off, one)]
    if rig is None:
        if not any(source_list.moves(one, armature).bones for one in new):
            _note(scene, armature, new)
            return []
        rig = properties.ensure_rig(scene, armature)
    is_first = not len(rig.sources)
    added = source_list.add_all(rig, armature, new).added
    if is_first:
        first_ticks.tick(bpy.context, rig, armature)
        playing = contact_rows.action_of(armature)
        rig.active = next((k for k, line in enumerate(rig.sources) if line.action == playing), rig.active)
        body_roles.look_up(rig)
    listed = {line.action for line in rig.sources}
    _note(scene, armature, [one for one in new if one not in listed])
    return [line for line in rig.sources if line.action in added]


def _is_among(off: list[Any], action: bpy.types.Action) -> bool:
    return any(one.find((action,)) is not None for one in off)


def _note(scene: bpy.types.Scene, armature: bpy.types.Object, not_its: list[bpy.types.Action]) -> None:
    """Record that a list is complete, and which keyed actions are of others; unkeyed ones may become its own."""
    from ...bridge import curves, unkeyed_pose  # numpy is loaded at first use, not when Blender starts

    unkeyed_pose.note(armature)
    uid = armature.session_uid
    keyed = {one.session_uid for one in not_its if not curves.is_empty(one)}
    _others.keep(uid, (_others.get(uid) or frozenset()) | keyed)
    _complete.keep(uid, _state(scene, armature))


def want(scene: bpy.types.Scene, armature: bpy.types.Object) -> None:
    """Schedule the completion of an armature's list if it is not complete."""
    if scene.library is None and not is_complete(scene, armature) and not bpy.app.timers.is_registered(_soon):
        _wanted[:] = [(scene.session_uid, armature.session_uid)]
        bpy.app.timers.register(_soon, first_interval=0.0)


_wanted: list[tuple[int, int]] = []


def _soon() -> float | None:
    """Complete the scheduled list; return the delay of the next attempt while an operator or job runs."""
    windows = list(present(bpy.context.window_manager).windows)
    if jobs.is_busy() or any(len(one.modal_operators) for one in windows):
        return AGAIN
    scene_uid, armature_uid = _wanted[0]
    scene = properties.of_session(bpy.data.scenes, scene_uid)
    armature = properties.of_session(bpy.data.objects, armature_uid)
    if scene is not None and armature is not None and not is_complete(scene, armature):
        complete(scene, armature)
        for area in (area for one in windows for area in one.screen.areas if area.type == "VIEW_3D"):
            area.tag_redraw()
    return None


def register() -> None:
    registrar.stop_timer(_soon)
