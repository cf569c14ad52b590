"""Weave the last result again while a weight is changed or its curve is edited, from inputs still in memory."""

import dataclasses
import time
from dataclasses import dataclass
from typing import Any

import bpy

from ....core.errors import LoomError
from ....core.progress import SILENT
from ....core.verbs import Blend, Follow
from ....core.verbs.follow.result import FollowResult
from ...ground import memory, troubles
from ...ground.blender_types import scene_of
from ...model import contact_rows, lists, properties, storage
from ..weaving import computing, reporting, writing
from ..weaving.reading import Inputs
from . import panel_state, walk_again, walk_tracks


@dataclass(frozen=True, eq=False)
class Last:
    """The last result that can be woven again: its inputs, and the session id of its action.

    name : the action's name made of its weights; "" where the artist has named it
    woven, asked : the result and the panel's state of a walk along a path
    """

    inputs: Inputs
    action: int
    name: str
    woven: FollowResult | None = None
    asked: tuple[Any, ...] = ()


_KEY = "last"
_LONGEST = 1.0  # s, for which the window may stand still after a change
_last = memory.cache(1)


def remember(context: bpy.types.Context, inputs: Inputs, woven: Any, action: bpy.types.Action) -> None:
    """Keep what is needed to weave a result again; only blends and walks along a path can be."""
    _last.clear()
    if isinstance(inputs.recipe, Blend):
        name = "" if inputs.request.result.result_name else action.name
        _last.keep(_KEY, Last(inputs, action.session_uid, name))
    elif isinstance(inputs.recipe, Follow) and isinstance(woven, FollowResult):
        asked = _panel_state(scene_of(context), inputs.read.armature)
        _last.keep(_KEY, Last(inputs, action.session_uid, "", woven, asked))


def _panel_state(scene: bpy.types.Scene, armature: int) -> tuple[Any, ...]:
    """Return the panel's state for walks along a path; () for an armature without a list."""
    rig = properties.rig_of(scene, properties.of_session(bpy.data.objects, armature))
    return () if rig is None else panel_state.asked(scene, rig, Follow.verb)


def reweave(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Write the last blend again with the weights of its sources' lines; says whether there was one to write."""
    last = _last.get(_KEY)
    found = None if last is None else _found(scene, last)
    if last is None or found is None or not isinstance(last.inputs.recipe, Blend):
        return False
    rig, action = found
    weights = lists.weights_of(rig, [source.name for source in last.inputs.request.sources])
    if weights is None:
        return False
    try:
        inputs = dataclasses.replace(last.inputs, recipe=dataclasses.replace(last.inputs.recipe, weights=weights))
        woven = computing.compute(inputs, SILENT)
        _write(context, rig, action, dataclasses.replace(last, inputs=inputs), woven)
    except LoomError:
        return False
    return True


def rewalk(context: bpy.types.Context, scene: bpy.types.Scene) -> bool:
    """Write the last walk again along its current curve; says whether there was one whose curve has changed.

    The panel shows what prevents a walk, and the result stays.
    """
    last = _last.get(_KEY)
    found = None if last is None else _found(scene, last)
    if last is None or found is None or not isinstance(last.inputs.recipe, Follow) or last.woven is None:
        return False
    asked = _panel_state(scene, last.inputs.read.armature)
    curve = properties.settings_of(scene).curve
    if curve is None or curve.name_full != last.inputs.request.curve:
        return False
    if asked == last.asked or not panel_state.same_clips(asked, last.asked):
        return False
    last = dataclasses.replace(last, asked=asked)
    _last.keep(_KEY, last)  # the same state is not tried again, even after a failure
    (rig, action), metres = found, last.inputs.read.body.world_metres
    troubles.clear(last.inputs.read.armature)
    assert isinstance(last.inputs.recipe, Follow)
    assert last.woven is not None
    try:
        recipe = walk_again.recipe_now(scene, last.inputs.recipe, metres)
        made, recipe = walk_again.walked(last.woven, last.inputs.read.clips, recipe)
        inputs = dataclasses.replace(last.inputs, recipe=recipe)
        _write(context, rig, action, dataclasses.replace(last, inputs=inputs, woven=made), made)
    except LoomError as error:
        troubles.keep(last.inputs.read.armature, Follow.verb, error, metres)
        return False
    walk_tracks.keep(last.inputs.read.armature, action, made, metres)
    return True


def _found(scene: bpy.types.Scene, last: Last) -> tuple[Any, bpy.types.Action] | None:
    """Return the list and the action of the last result; None where the armature or the action is gone.

    Keys that were edited by hand since are not replaced: Live ends, and the panel shows why.
    """
    armature = properties.of_session(bpy.data.objects, last.inputs.read.armature)
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
    """Write a result woven again into its action, and remember it."""
    stored = storage.stored(action)
    slot = None if stored is None else storage.find_slot(action, stored.slot)
    began = time.perf_counter()
    written = writing.write(context, last.inputs, woven, into=(action, slot))
    seconds = time.perf_counter() - began
    contact_rows.keep_planted(scene_of(context), action, last.inputs.recipe, woven.report)
    name = last.name
    if name and action.name == name:  # it is named after its weights, which have changed
        action.name = woven.clip.name
        name = action.name
    _last.keep(_KEY, dataclasses.replace(last, name=name))
    rig.last, rig.last_of = reporting.summary(written, woven), action.name
    if last.inputs.read.body.controls is not None and seconds > _LONGEST:  # solving for controls blocks the window
        properties.settings_of(scene_of(context)).live = False
        rig.last = f"Its controls take {seconds:.1f} s to key, so Live has ended: press Weave after a change"
