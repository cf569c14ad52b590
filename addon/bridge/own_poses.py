"""Poses of an armature in its own actions: they show which parts of the body belong together."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import bpy
import numpy as np

from ...core.bodies import leading, own_legs
from ...core.errors import LoomError, RigError
from ...core.motion.clip import Clip, join_clips
from ..ground import memory
from ..ground.blender_types import Slot, SlottedAction
from . import clip as clips
from . import curves, fingerprint, other_bodies, own_actions
from .rig import Rig, chosen_roles

MOST, SAMPLED = 20, 12  # actions, and frames of each
_known, _leaders, _legs, _many_legs = (memory.cache(32) for _ in range(4))


def read(armature: bpy.types.Object, body: Rig, rate: float) -> Clip:
    """Return some poses of each of an armature's own actions in a row, or its rest pose if it has none.

    Only curves of its bones count, so a body with keyed controls is at rest.
    """
    resting = other_bodies.still(body, armature.name, rate)
    if body.controls is not None or body.moving_object:
        return resting
    actions = list(islice(own_actions_and_slots(armature), MOST))
    contents = tuple(fingerprint.fingerprint(*one) for one in actions)
    key = contents, fingerprint.of_body(body), rate
    found: Clip = _known.made(key, lambda: _join_actions(armature, actions, body, rate) or resting)
    return found


def _join_actions(armature: bpy.types.Object, actions: Sequence[SlottedAction], body: Rig, rate: float) -> Clip | None:
    shown = [clip for action, slot in actions for clip in _sample_action(armature, action, slot, body)]
    shown = [replace(clip, scales=None) for clip in shown]  # scales do not change which joints belong together
    return replace(join_clips(shown), name=armature.name, rate=rate) if shown else None


def with_leaders(armature: bpy.types.Object, body: Rig) -> Rig:
    """Return a body whose skeleton knows its attached joints and legs, by all of the armature's own actions."""
    clip = read(armature, body, 1.0)
    leaders = _leaders.made(clip, lambda: leading.of_clip(clip))
    skeleton = body.skeleton
    if not own_legs.are_known(skeleton):
        legs = _legs.made(clip, lambda: own_legs.find_legs(clip))
        skeleton = own_legs.add_roles(skeleton, legs, without=chosen_roles(armature))
    if many := _many_legs.made(clip, lambda: own_legs.many(clip)):
        skeleton = replace(skeleton, legs=many)
    if leaders:
        skeleton = replace(skeleton, leaders=leaders)
    return body if skeleton is body.skeleton else replace(body, skeleton=skeleton)


def own_actions_and_slots(armature: bpy.types.Object) -> Iterator[SlottedAction]:
    """Yield an armature's own actions with the one slot that moves it, without results."""
    for action in own_actions.of(armature, results=False):
        with suppress(RigError):
            yield action, curves.choose_slot(action, armature)


def _sample_action(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot, body: Rig) -> list[Clip]:
    """Return a few poses of an action, none if it can't be read."""
    first, last = action.frame_range[:]
    if not np.isfinite([first, last]).all():
        return []
    try:
        return [clips.read_frames(armature, action, slot, body, np.linspace(first, last, SAMPLED))]
    except LoomError:
        return []
