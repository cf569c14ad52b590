"""Read an action to bake it onto the bones of its armature, or onto its controls; explain if that is impossible."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import bpy

from ....core.errors import LoomError, RigError
from ....core.recipes.reading import Source
from ....core.verbs import Bake
from ...bridge import baking, control_body, rig, unkeyed_pose
from ...bridge import clip as clips
from ...bridge.baking import Baked
from ...bridge.clip import ReadAction
from ...ground import steps
from ...ground.blender_types import SlottedAction


class ToBake(NamedTuple):
    """The body that gets keys, the action as a clip on it, and the bones to key; None if controls are keyed."""

    body: rig.Rig
    action: ReadAction
    baked: Baked | None


def why_not(armature: bpy.types.Object, played: SlottedAction, recipe: Bake) -> str:
    """Return the reason why an action can't be baked, in a sentence; "" if it can."""
    name = played[0].name
    if recipe.onto == "controls":
        if not control_body.has_controls(armature):
            return f"{armature.name} has no controls that move its bones"
        return "" if baking.keys_deforming(armature, played) else f"{name} keys no bone of {armature.name} that deforms"
    baked = baking.onto_bones(armature, everything=recipe.bones == "all")
    if not baked.bones:
        return f"{armature.name} has no bone that deforms: bake all bones"
    if not baked.covered and baking.is_baked(played, baked.bones):
        return f"{name} is baked already: it has a key on every frame of each bone that it moves"
    return ""


def read_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    recipe: Bake,
    source: Source,
    rate: float,
) -> steps.Steps[ToBake]:
    """Read an action to bake it; raises LoomError kinds."""
    if source.armature not in ("", armature.name_full):
        raise LoomError(f"{source.name} is an action of {source.armature}: use Retarget Actions")
    why = why_not(armature, played, recipe)
    if why:
        raise RigError(why)
    moving, still = clips.moves_object(*played), partial(unkeyed_pose.still_bones, armature)
    if recipe.onto == "controls":
        body = control_body.body_of(armature, moving_object=moving, still=still)
        if body.controls is None:
            raise RigError(f"{armature.name} has no controls that move its bones")
        control_body.refuse_unknown(armature, body)
        action, slot = played
        return ToBake(body, baking.read_keyed(armature, action, body, rate, slot, source.span), None)
    known = control_body.body_or_bones(armature, moving_object=moving, still=still)
    known = unkeyed_pose.with_posed(armature, known)
    body = known if known.controls is None else _every_bone(armature, known)
    baked = baking.onto_bones(armature, everything=recipe.bones == "all")
    read = yield from baking.read_shown_in_steps(scene, armature, played, body, known, baked, rate, source.span)
    return ToBake(body, read, baked)


def _every_bone(armature: bpy.types.Object, known: rig.Rig) -> rig.Rig:
    """Return all bones of an armature as a body, with the roles of the body moved by its controls."""
    every = rig.read(armature, moving_object=known.moving_object)
    names = every.skeleton.names
    roles = {role: names.index(known.skeleton.names[joint]) for role, joint in known.skeleton.roles.items()}
    return replace(every, skeleton=replace(every.skeleton, roles=roles))
