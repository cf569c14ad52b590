"""Read an action only if its keys have changed; otherwise return the cached clip of the same content.

Blender does not indicate changes of an action, so its keys are hashed each time; a result stores that hash, too.
"""

from functools import partial

import bpy

from ...bridge import clip as clips
from ...bridge import curves, fingerprint, rig
from ...ground.blender_types import Slot
from . import prepared


def read(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: rig.Rig,
    rate: float,
    slot: Slot,
    span: tuple[float, float] | None,
    carried: frozenset[curves.Target] = frozenset(),
) -> tuple[clips.ReadAction, str]:
    """Return the result of `bridge.clip.read`, and the hash of the action's content, see `bridge.fingerprint`."""
    slot = curves.choose_slot(action, armature) if slot is None else slot
    every = curves.curves_of(action, slot)
    content = fingerprint.fingerprint(action, slot)
    how = action.name, armature.name, rate, span, sorted(carried), _own_transform(armature)
    reading = partial(clips.read, armature, action, body, rate, slot, span, carried)
    # Other curves depend on the animated property, which the action's hash does not include.
    ours = frozenset(clips.targets_of(body))
    others = curves.siblings_of(action, slot)
    if others or any((target := curves.target_of(one)) is None or target.bone not in ours for one in every):
        return reading(), content
    found: clips.ReadAction = prepared.of_action(f"{content} {fingerprint.of_body(body)} {how!r}", reading)
    return found, content


def _own_transform(armature: bpy.types.Object) -> list[object]:
    transforms = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    return [armature.rotation_mode, *(getattr(armature, name)[:] for name in transforms)]
