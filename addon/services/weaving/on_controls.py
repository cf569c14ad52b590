"""Solve for the keys of a result on a rig's controls: in steps before it is written, and remembered until then."""

import bpy

from ....core.cache import Cache
from ....core.motion.clip import Clip
from ...bridge import control_body, keys_on_controls, rig
from ...bridge.keys_on_controls import ControlKeys, Wanted
from ...ground import memory, steps
from . import prepared
from .reading import Inputs

_SOLVED: Cache[str, ControlKeys] = memory.cache(4)


def wanted(inputs: Inputs) -> Wanted:
    """Return how limbs are to be keyed: as asked, or as the armature's own sources are."""
    read = inputs.read
    players = read.players or (0,) * len(read.sources)
    own = [one for one, player in zip(read.sources, players, strict=True) if not player]
    keyed = frozenset(target for one in own for target in one.targets)
    return Wanted(inputs.request.result.limbs, keyed, own[0].properties if own else {})


def keys_in_steps(armature: bpy.types.Object, clip: Clip, body: rig.Rig, wanted: Wanted) -> steps.Steps[ControlKeys]:
    """Return the keys of a body's controls for a clip, from memory where they were solved before."""
    plain = wanted.limbs, sorted(wanted.keyed), sorted(wanted.values.items())
    key = prepared.hash_of([clip], repr((control_body.state(armature), plain)))
    known = _SOLVED.get(key)
    if known is None:
        known = yield from keys_on_controls.solved_in_steps(armature, clip, body, wanted)
        _SOLVED.keep(key, known)
    return known


keys = steps.at_once(keys_in_steps)
