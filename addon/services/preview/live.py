"""Weaving the last result again while a weight is changed or its curve is edited: what it takes is still known."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import bpy

from ....core.errors import LoomError
from ....core.progress import SILENT
from ....core.recipes.reading import Request
from ....core.verbs import Blend, Follow
from ....core.verbs.follow.result import FollowResult
from ...ground import memory, troubles
from ...ground.blender_types import scene_of
from ...model import contact_rows, lists, properties, storage
from ..weaving import computing, reading, reporting, writing
from . import panel_state, walk_again, walk_tracks


@dataclass(frozen=True, eq=False)
class Last:
    """The last result that can be woven again: what was asked and read, and the session id of its action.

    name : what the action was called by its weights; "" where the artist has named it
    woven, asked : of a walk along a path, what it was, and what the panel said
    """

    request: Request
    read: reading.Read
    recipe: Blend | Follow
    action: int
    name: str
    woven: FollowResult | None = None
    asked: tuple[Any, ...] = ()


_KEY = "last"
_last = memory.cache(1)


def remember(
    context: bpy.types.Context,
    request: Request,
    read: reading.Read,
    recipe: Any,
    woven: Any,
    action: bpy.types.Action,
) -> None:
    """Keep what is needed to weave a result again; only blends and walks along a path can be."""
    _last.clear()
    if isinstance(recipe, Blend):
        name = "" if request.result.result_name else action.name
        _last.keep(_KEY, Last(request, read, recipe, action.session_uid, name))
    elif isinstance(recipe, Follow) and isinstance(woven, FollowResult):
        asked = _panel_state(scene_of(context), read.armature)
        _last.keep(_KEY, Last(request, read, recipe, action.session_uid, "", woven, asked))


def _panel_state(scene: bpy.types.Scene, armature: int) -> tuple[Any, ...]:
    """What the panel says of walks along a path; () for an armature without a list."""
    rig = properties.rig_of(scene, properties.of_session(bpy.data.objects, armature))
    return () if rig is None else panel_state.asked(scene, rig, Follow.verb)


def reweave(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Write the last blend anew with the weights of its sources' lines; says whether there was one to write."""
    last = _last.get(_KEY)
    found = None if last is None else _found(scene, last)
    if last is None or found is None or not isinstance(last.recipe, Blend):
        return False
    rig, action = found
    weights = lists.weights_of(rig, [source.name for source in last.request.sources])
    if weights is None:
        return False
    try:
        recipe = dataclasses.replace(last.recipe, weights=weights)
        woven = computing.compute(last.read, recipe, SILENT)
        _write(context, rig, action, dataclasses.replace(last, recipe=recipe), woven)
    except LoomError:
        return False
    return True


def rewalk(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Write the last walk anew along its curve as it is now; says whether there was one, and the curve was changed.

    What can't be walked is said in the panel, and the result stays.
    """
    last = _last.get(_KEY)
    found = None if last is None else _found(scene, last)
    if last is None or found is None or not isinstance(last.recipe, Follow) or last.woven is None:
        return False
    asked = _panel_state(scene, last.read.armature)
    curve = properties.settings_of(scene).curve
    if curve is None or curve.name_full != last.request.curve:
        return False
    if asked == last.asked or not panel_state.same_clips(asked, last.asked):
        return False
    last = dataclasses.replace(last, asked=asked)
    _last.keep(_KEY, last)  # whatever comes of it, the same is not tried again
    (rig, action), metres = found, last.read.body.world_metres
    troubles.clear(last.read.armature)
    assert isinstance(last.recipe, Follow)
    assert last.woven is not None
    try:
        recipe = walk_again.recipe_now(scene, last.recipe, metres)
        made, recipe = walk_again.walked(last.woven, last.read.clips, recipe)
        _write(context, rig, action, dataclasses.replace(last, recipe=recipe, woven=made), made)
    except LoomError as error:
        troubles.keep(last.read.armature, Follow.verb, error, metres)
        return False
    walk_tracks.keep(last.read.armature, action, made, metres)
    return True


def _found(scene: bpy.types.Scene, last: Last) -> tuple[Any, bpy.types.Action] | None:
    """The list and the action of the last result; None where the armature or the action is gone.

    Keys that were edited by hand since are not replaced: Live ends, and the panel says why.
    """
    armature = properties.of_session(bpy.data.objects, last.read.armature)
    action = properties.of_session(bpy.data.actions, last.action)
    rig = None if armature is None else properties.rig_of(scene, armature)
    if action is None or rig is None:
        return None
    try:
        edited = storage.edited_by_hand(action)
    except LoomError:
        return None
    if edited:
        properties.settings_of(scene).live = False
        rig.last = f"{action.name} was edited by hand, so Live has ended: Weave makes a new action, Rebuild replaces it"
        rig.last_of = action.name
        return None
    return rig, action


def _write(context: bpy.types.Context, rig: Any, action: bpy.types.Action, last: Last, woven: Any) -> None:
    """Write what was woven again into its action, and remember it."""
    stored = storage.stored(action)
    slot = None if stored is None else storage.find_slot(action, stored.slot)
    written = writing.write(context, last.request, last.read, last.recipe, woven, into=(action, slot))
    contact_rows.keep_planted(scene_of(context), action, last.recipe, woven.report)
    name = last.name
    if name and action.name == name:  # it is called by its weights, which are others now
        action.name = woven.clip.name
        name = action.name
    _last.keep(_KEY, dataclasses.replace(last, name=name))
    rig.last, rig.last_of = reporting.summary(written, woven), action.name
