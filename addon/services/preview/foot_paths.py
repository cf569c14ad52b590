"""Draw the foot paths of an armature's action, its contacts, and its centre of mass in flight, as lines in the scene.

They are read on request, and again when the action's content has changed; no Blender data is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ....core.cache import Cache
from ....core.errors import LoomError
from ....core.motion import feet, kinematics
from ....core.motion.quat import Array
from ....core.recipes.reading import Request, Source
from ....core.weight import compared
from ...bridge import curves
from ...bridge.fingerprint import fingerprint
from ...ground import colors, memory
from ...ground.blender_types import present
from ...model import contact_rows
from ...model.contact_rows import Contact
from ..weaving import reading
from . import trails
from .shapes import Trail

PATH, STANDS, REFUSED = colors.FEET, colors.GOOD, colors.BAD
RING = 0.025  # ring radius as a share of body height: a planted foot's path alone would be a dot
CORNERS = 16


@dataclass(eq=False)
class FootPaths:
    """The paths (F, 3) of balls and heels by foot, in scene units, the first at frame `start`.

    flights : the paths of the centre of mass in flight
    action : session id of the action
    content : the action's fingerprint
    may_have_changed : whether the fingerprint must be checked again
    drawn : the latest requested contacts and their lines
    """

    action: int
    content: str
    start: int
    balls: dict[str, Array]
    heels: dict[str, Array]
    ring: float
    flights: tuple[Trail, ...] = ()
    may_have_changed: bool = False
    drawn: tuple[tuple[Contact, ...], tuple[Trail, ...]] | None = field(default=None, repr=False)

    def lines(self, contacts: Sequence[Contact]) -> tuple[Trail, ...]:
        """Return the paths, and for each contact its part of the path with a ring around it."""
        asked = tuple(contacts)
        if self.drawn is None or self.drawn[0] != asked:
            found = [Trail(path, PATH, wide=False) for path in self.balls.values() if len(path) > 1]
            found += self.flights
            for one in asked:
                found += self._mark_contact(one)
            self.drawn = asked, tuple(found)
        return self.drawn[1]

    def _mark_contact(self, one: Contact) -> list[Trail]:
        path = (self.balls if one.part == "ball" else self.heels).get(one.foot, np.empty((0, 3)))
        path = path[max(one.first - self.start, 0) : max(one.last + 1 - self.start, 0)]
        if not len(path):
            return []
        color = REFUSED if one.why else STANDS
        turns = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
        around = self.ring * np.column_stack([np.cos(turns), np.sin(turns), np.zeros(len(turns))])
        marked = [Trail(path.mean(axis=0) + around, color, wide=True)]
        return [*marked, Trail(path, color, wide=True)] if len(path) > 1 else marked


# By the session id of the armature.
_known: Cache[int, FootPaths] = memory.cache(4)


def of(armature: bpy.types.Object) -> FootPaths | None:
    """Return the paths of an armature's action, or None if they are unknown or may be outdated."""
    known, action = _known.get(armature.session_uid), contact_rows.action_of(armature)
    if known is None or action is None or known.action != action.session_uid or known.may_have_changed:
        return None
    return known


def refresh(context: bpy.types.Context, armature: bpy.types.Object) -> FootPaths | None:
    """Return the paths of an armature's action, read again if its content has changed."""
    action = contact_rows.action_of(armature)
    if action is None:
        return None
    content = _content(action, armature)
    known = _known.get(armature.session_uid)
    if known is None or (known.action, known.content) != (action.session_uid, content):
        known = _read(context, armature, action, content)
        _known.keep(armature.session_uid, known)
    known.may_have_changed = False
    return known


def forget() -> None:
    """Forget all paths, since they are no longer displayed."""
    _known.clear()


def _content(action: bpy.types.Action, armature: bpy.types.Object) -> str:
    try:
        return fingerprint(action, curves.choose_slot(action, armature))
    except LoomError:
        return ""


def _read(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action, content: str) -> FootPaths:
    """Return the paths of an action, or empty ones if it can't be read or lacks known feet."""
    nothing = FootPaths(action.session_uid, content, 0, {}, {}, 0.0)
    try:
        read = reading.read(context, armature, Request(sources=(Source(name=action.name_full),)))
        (clip,) = read.clips
        metres = read.body.world_metres
        points, report = kinematics.points(clip) / metres, compared.known_flights(clip)
        both = feet.balls_and_ankles(clip.skeleton)
    except LoomError:
        return nothing
    balls = {foot: points[:, ball] for foot, (ball, _) in both.items()}
    heels = {foot: points[:, ankle].copy() for foot, (_, ankle) in both.items()}
    for foot, path in heels.items():  # the heel is below the ankle, at the ball's ground height
        path[:, 2] += balls[foot][:, 2].min() - path[:, 2].min()
    ring = RING * clip.skeleton.height / metres
    rows = [] if report is None else report.as_json()
    flights = tuple(trails.mark_flights(rows, clip, points * metres, metres))
    start = contact_rows.frames_of(action)[0]
    return FootPaths(action.session_uid, content, start, balls, heels, ring, flights)


@persistent
def _after_evaluation(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if not len(_known):
        return
    evaluated = [update.id for update in depsgraph.updates if isinstance(update.id, bpy.types.Action)]
    changed = {present(one.original).session_uid for one in evaluated}
    for known in _known:
        known.may_have_changed |= known.action in changed


@persistent
def _undone(*_: object) -> None:
    for known in _known:
        known.may_have_changed = True


def listen() -> None:
    """Start to notice when an action may have changed."""
    for handlers, handler in _handlers():
        if handler not in handlers:
            handlers.append(handler)


def listen_no_more() -> None:
    for handlers, handler in _handlers():
        if handler in handlers:
            handlers.remove(handler)


def _handlers() -> list[tuple[Any, Any]]:
    of_app = bpy.app.handlers
    return [(of_app.depsgraph_update_post, _after_evaluation), (of_app.undo_post, _undone), (of_app.redo_post, _undone)]
