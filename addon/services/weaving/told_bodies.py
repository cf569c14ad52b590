"""Describe bones that a result's sources do not key, and a second figure in the scene that stays unchanged."""

import bpy
import numpy as np

from ....core.bodies import second_body
from ....core.recipes.base import Recipe
from ....core.verbs import Blend, Connect, Plant
from ...bridge import clip as clips
from ...bridge import own_actions
from ...ground.blender_types import SlottedAction
from .reading import Read


def sentences(armature: bpy.types.Object, read: Read, made_of: list[SlottedAction], recipe: Recipe) -> list[str]:
    """Return sentences about the sources of a result on an armature."""
    found = []
    if isinstance(recipe, Blend | Connect):
        players = read.players or (0,) * len(made_of)
        own = [action for (action, _), player in zip(made_of, players, strict=True) if not player]
        found += [_part(armature, read, action) for action in dict.fromkeys(own)]
    if isinstance(recipe, Plant) or getattr(recipe, "plant_feet", False):
        found.append(_second(armature, read))
    return list(filter(None, found))


def _part(armature: bpy.types.Object, read: Read, action: bpy.types.Action) -> str:
    """Return a sentence about an action that keys only a part of the body."""
    bones = own_actions.keyed_bones(armature)
    keyed = own_actions.keys_of(action).bones & bones
    if not own_actions.is_layer(keyed, bones, read.body):
        return ""
    return (
        f"{action.name} keys {len(keyed)} of the {len(bones)} bones that actions of {armature.name} key: use Splice,"
        " which plays it on the body of another action"
    )


def _second(armature: bpy.types.Object, read: Read) -> str:
    skeleton = read.body.skeleton
    keyed = {target.bone for source in read.sources for target in source.targets}
    names = skeleton.names if read.body.controls is not None else clips.targets_of(read.body)
    moving = np.array([read.body.controls is not None or name in keyed for name in names])
    root = second_body.root_of(skeleton, moving)
    if root < 0:
        return ""
    return (
        f"{armature.name}: {skeleton.names[root]} is a second body, and its feet are not planted: give it an armature"
        " of its own"
    )
