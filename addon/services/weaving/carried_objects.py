"""Give objects that the hands of a source hold an action of their own beside a result, in which they stay there."""

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ....core.motion import quat
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.verbs import holding, source_frames
from ....core.weave.results import Result
from ...bridge import carriers, curves
from ...bridge.clip import does_repeat
from ...bridge.curve_writing import Writer
from ...ground.blender_types import SlottedAction
from .reading import Inputs

SOURCE, RESULT = "action_loom_carried_from", "action_loom_carried_beside"  # of an object's action: other actions
_LOCATION = curves.Target("", "location")
_NO_PROPS = {"ARMATURE", "CAMERA", "LIGHT", "SPEAKER", "LIGHT_PROBE"}


def write(
    scene: bpy.types.Scene, inputs: Inputs, woven: Result, clip: Clip, first_frame: float, result: bpy.types.Action
) -> list[str]:
    """Write the actions of objects that hands hold in the sources; return a sentence on each.

    clip : the result as it is seen, from a scene frame on. An object keeps the action that the sources were read with;
    the new one is assigned if the result is.
    """
    read = inputs.read
    if read.covered or any(read.players) or len(clip) != len(woven.clip):
        return []
    sentences = []
    shown = None
    for one, (action, slot) in _list_candidates(scene):
        if shown is None:
            shown = source_frames.of(woven, inputs.recipe, read.clips)
        moves = _read_moves(one, action, slot, inputs)
        carried = holding.carry_object(clip, woven, read.clips, moves, shown) if moves and shown else None
        if carried is None:
            continue
        pose, _ = carried
        made = _write_one(one, (action, slot), clip, pose, inputs, first_frame, result)
        sentences.append(f"{one.name} follows the hands in its new action {made.name}")
    return sentences


def _list_candidates(scene: bpy.types.Scene) -> Iterator[tuple[bpy.types.Object, SlottedAction]]:
    """Yield the objects that only an action of their own moves, with the action that their sources were made with."""
    for one in scene.objects:
        data = one.animation_data
        if one.type in _NO_PROPS or data is None or data.action is None or carriers.is_carried(one) or one.library:
            continue
        action = data.action.get(SOURCE) or data.action
        slot = getattr(data, "action_slot", None) if action == data.action else curves.slot_of(one, action)
        if any(target in (_LOCATION, _turning(one)) for target in curves.transforms(curves.curves_of(action, slot))):
            yield one, (action, slot)


def _turning(one: bpy.types.Object) -> curves.Target:
    names = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    return curves.Target("", names.get(one.rotation_mode, "rotation_euler"))


def _read_moves(one: bpy.types.Object, action: bpy.types.Action, slot: Any, inputs: Inputs) -> dict[int, Any]:
    """Return the rotations and places (metres) of an object in the world in each source, by the source's number."""
    read = inputs.read
    if one.rotation_mode == "AXIS_ANGLE":
        return {}
    by_target = curves.transforms(curves.curves_of(action, slot))
    moves = {}
    for k, source in enumerate(read.sources):
        places = _sample(one, by_target, _LOCATION, source.frames)
        turns = _sample(one, by_target, _turning(one), source.frames)
        if one.rotation_mode == "QUATERNION":
            turned = quat.normalize(turns)
        else:
            turned = quat.from_euler(turns[:, ::-1], one.rotation_mode[::-1])  # it turns about its first axis first
        moves[len(read.bodies) + k] = quat.continuous(turned), places * read.body.world_metres
    return moves


def _sample(one: bpy.types.Object, by_target: Any, target: curves.Target, frames: Array) -> Array:
    now = np.array(getattr(one, target.property), dtype=float)
    values = np.tile(now, (len(frames), 1))
    for index, curve in by_target.get(target, {}).items():
        values[:, index] = curves.sample(curve, frames)
    return values


def _write_one(
    one: bpy.types.Object,
    source: SlottedAction,
    clip: Clip,
    pose: tuple[Array, Array],
    inputs: Inputs,
    first_frame: float,
    result: bpy.types.Action,
) -> bpy.types.Action:
    turned, places = pose
    if one.rotation_mode == "QUATERNION":
        turns = quat.continuous(turned)
    else:
        turns = quat.to_euler(turned, one.rotation_mode[::-1])[:, ::-1]
    places = places / inputs.read.body.world_metres
    known = next(
        (each for each in bpy.data.actions if each.get(RESULT) == result and each.get(SOURCE) == source[0]), None
    )
    into = None if known is None else (known, curves.slot_of(one, known))
    frames = (first_frame + np.arange(len(clip))).astype(np.float32)
    with curves.whole(f"{result.name}, {one.name}", one, into) as (action, slot):
        repeats = does_repeat(clip)
        writer = Writer(curves.empty_slot(action, slot), frames, "LINEAR", repeats=repeats)
        goes = np.abs(places[-1] - places[0]) > 1e-6
        writer.write(_LOCATION, places, travels=[*goes.tolist(), False])
        writer.write(_turning(one), turns)
        action[SOURCE], action[RESULT] = source[0], result
    if inputs.request.result.assign:
        curves.assign(one, action, slot)
    return action
