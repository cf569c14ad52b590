"""Weaving the last result again while a weight is changed: the clips and their registration are still known."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import bpy

from ...core.errors import LoomError
from ...core.progress import SILENT
from ...core.recipes.blend import Blend
from ...core.recipes.reading import Request
from .. import contact_rows, lists, properties, storage, weaving
from . import memory


@dataclass(frozen=True, eq=False)
class LastBlend:
    """The last blend of the session: what was asked and read, and the session id of its action.

    name : what the action was called by its weights; "" where the artist has named it
    """

    request: Request
    read: weaving.Read
    recipe: Blend
    action: int
    name: str


_KEY = "last"
_last = memory.cache(1)


def remember(request: Request, read: weaving.Read, recipe: Any, action: bpy.types.Action) -> None:
    """Keep what is needed to weave a result again; only blends can be."""
    _last.clear()
    if isinstance(recipe, Blend):
        name = "" if request.result.result_name else action.name
        _last.keep(_KEY, LastBlend(request, read, recipe, action.session_uid, name))


def reweave(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Write the last result anew with the weights of its sources' lines; says whether there was one to write.

    Does nothing where the result, the armature or a source is gone: then the next Weave says so. Keys that were edited
    by hand since are not replaced: Live ends, and the panel says why.
    """
    last = _last.get(_KEY)
    armature = None if last is None else properties.of_session(bpy.data.objects, last.read.armature)
    action = None if last is None else properties.of_session(bpy.data.actions, last.action)
    if last is None or armature is None or action is None:
        return False
    rig = properties.rig_of(scene, armature)
    if rig is None:
        return False
    try:
        edited = storage.edited_by_hand(action)
    except LoomError:
        return False
    if edited:
        properties.settings_of(scene).live = False
        rig.last = f"{action.name} was edited by hand, so Live has ended: Weave makes a new action, Rebuild replaces it"
        rig.last_of = action.name
        return False
    weights = lists.weights_of(rig, [source.name for source in last.request.sources])
    if weights is None:
        return False
    try:
        recipe = dataclasses.replace(last.recipe, weights=weights)
        stored = storage.stored(action)
        slot = None if stored is None else storage.find_slot(action, stored.slot)
        woven = weaving.weave(last.read, recipe, SILENT)
        written = weaving.write(context, last.request, last.read, recipe, woven, into=(action, slot))
    except LoomError:
        return False
    contact_rows.keep_planted(scene, action, recipe, woven.report)
    name = last.name
    if name and action.name == name:  # it is called by its weights, which are others now
        action.name = woven.clip.name
        name = action.name
    _last.keep(_KEY, dataclasses.replace(last, recipe=recipe, name=name))
    rig.last, rig.last_of = weaving.summary(written, woven), action.name
    return True
