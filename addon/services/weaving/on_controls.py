"""Solve for the keys of a result on a rig's controls, in steps, and keep them until it is written."""

from dataclasses import replace
from typing import NamedTuple

import bpy

from ....core.cache import Cache
from ....core.motion import rotation_modes
from ....core.motion.clip import Clip
from ...bridge import control_body, control_keys, few_control_keys, rig
from ...bridge.control_keys import ControlKeys, Wanted
from ...bridge.curves import Target
from ...bridge.few_control_keys import FewControlKeys
from ...bridge.few_curves import Few
from ...ground import memory, steps
from . import prepared
from .reading import Inputs, Read

BY_HAND = Few(1e-3, 0.5e-3)  # metres, for results of hand-keyed sources


class OnRig(NamedTuple):
    """The keys of a result's controls, and the reduced keys if requested."""

    keys: ControlKeys
    few: FewControlKeys | None


_SOLVED: Cache[str, OnRig] = memory.cache(32)  # a take has many short results


def as_source(read: Read) -> Wanted:
    """Return the settings to key the same controls as the sources, on every frame."""
    if not read.sources or any(read.players):
        return Wanted()  # a motion of another body needs further controls
    keyed = frozenset(target for one in read.sources for target in one.targets)
    return Wanted(keyed=keyed, values=read.sources[0].properties, start=read.sources[0].start)


def control_settings(inputs: Inputs, clip: Clip, few: Few | None) -> Wanted:
    """Return the settings of a result's control keys: as requested, or like the armature's own sources."""
    found, sources = as_source(inputs.read), inputs.read.sources
    by_hand = bool(found.keyed) and all(one.is_sparse for one in sources)
    aligned = by_hand and inputs.recipe.of_action and len(sources[0].clip) == len(clip)
    return replace(
        found,
        limbs=inputs.request.result.limbs,
        few=BY_HAND if few is None and by_hand else few,
        times=sources[0].key_times if aligned else {},
        alike=inputs.read.alike,
    )


def keys_in_steps(armature: bpy.types.Object, clip: Clip, body: rig.Rig, wanted: Wanted) -> steps.Steps[OnRig]:
    """Return the keys of a body's controls for a clip, from the cache if they were solved before."""
    plain = wanted.limbs, wanted.few, sorted(wanted.keyed), sorted(wanted.values.items()), sorted(wanted.times.items())
    key = prepared.hash_of([clip], repr((control_body.state(armature), control_body.chosen_controls(armature), plain)))
    known = _SOLVED.get(key)
    if known is None:
        share = 1 if wanted.few is None else 2
        solving = control_keys.solved_in_steps(armature, clip, body, wanted)
        keys = yield from steps.within(solving, 0, share)
        few = None
        if wanted.few is not None:
            few = yield from steps.within(few_control_keys.fitted_in_steps(armature, clip, body, keys, wanted), 1, 2)
        known = _SOLVED.keep(key, OnRig(keys, few))
    return known


keys = steps.at_once(keys_in_steps)


def moved_properties(on_rig: OnRig, body: rig.Rig) -> frozenset[Target]:
    """Return the properties that keys of controls move."""
    turns, goes = few_control_keys.moving(on_rig.keys, body)
    named = list(zip(on_rig.keys.names, on_rig.keys.modes, strict=True))
    turned = {Target(*one) for k, one in enumerate((n, rotation_modes.property_of(m)) for n, m in named) if turns[k]}
    return frozenset(turned | {Target(name, "location") for k, (name, _) in enumerate(named) if goes[k]})
