"""Read clips of bodies with controls (see `control_rig` and `control_body`) as the rig shows them."""

from collections.abc import Collection

import bpy

from ...core.errors import some
from ...core.motion import quat
from ...core.motion.clip import Clip
from ..ground import steps
from ..ground.blender_types import Slot, present
from . import clip as clips
from . import control_body, curves, evaluated_action, own_values, result_mark, rig
from .clip import ReadAction
from .controls import BodyControls, Controls, FoundControls
from .curves import Target
from .rig import Rig
from .rig_controls import Part


def read_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot = None,
    span: tuple[float, float] | None = None,
) -> steps.Steps[ReadAction]:
    """Read an action as a rig's evaluated body, whichever controls it keys; keys of other bones become channels.

    The keyed controls are listed in `targets`, so that a result can key the same ones. Scales are left out. Raises
    RigError for an action that moves nothing of the armature.
    """
    controls = present(body.controls)
    slot = curves.choose_slot(action, armature) if slot is None else slot
    every = rig.read(armature, moving_object=body.moving_object)
    by_target = curves.transforms(curves.curves_of(action, slot))
    keyed = frozenset(target for target in by_target if target.bone)
    others = frozenset(target for target in keyed if not _is_seen(target.bone, controls))
    as_keyed = clips.read(armature, action, every, rate, slot, span, others)
    looked_at = (action, slot), body, controls.seen, as_keyed.frames, controls.seen_from
    switched, note = _find_switches(armature, action, slot, controls)
    carried = _describe_carried(action, others, controls), _describe_replaced(action, keyed - others, controls)
    notes = (note, _switching(armature, action, slot, controls), *carried)
    linear, places = yield from evaluated_action.seen_before_in_steps(scene, armature, *looked_at, settings=switched)
    rotations, translations = evaluated_action.as_seen(linear, places, body)
    set_by_us = {f"{path}[0]" for path in settings_of(controls)}
    channels = {name: one for name, one in as_keyed.clip.channels.items() if name not in set_by_us}
    clip = Clip(
        action.name,
        body.skeleton,
        rate,
        quat.continuous(rotations),
        translations,
        channels=channels,
        cyclic=as_keyed.clip.cyclic,
    )
    properties = {
        name.removesuffix("[0]"): float(one.values[0])
        for name, one in as_keyed.clip.channels.items()
        if name.endswith('"][0]') or name in set_by_us
    }
    properties |= switched
    ours = keyed - others
    first = float(as_keyed.frames[0])
    key_times = {target: curves.key_times(by_target[target].values(), first) for target in ours}
    return ReadAction(
        clip,
        as_keyed.frames,
        ours,
        (*as_keyed.notes, *filter(None, notes)),
        as_keyed.start,
        properties=properties,
        key_times=key_times,
    )


def _is_seen(bone: str, controls: BodyControls) -> bool:
    """Return whether keys on a bone are visible in the evaluated body."""
    if isinstance(controls, FoundControls):
        return bone in controls.above
    return bone in controls.names or bone in controls.idle or "_ik" in bone


def _describe_carried(action: bpy.types.Action, others: Collection[Target], controls: BodyControls) -> str:
    """Return a sentence about keys that move deforming bones outside the body, "" for none."""
    if not isinstance(controls, FoundControls):
        return ""
    names = sorted({target.bone for target in others} & controls.beside)
    if not names:
        return ""
    return f"{action.name}: keys of {some(names)} are carried as they are: no bone was found that each moves alone"


def _describe_replaced(action: bpy.types.Action, ours: Collection[Target], controls: BodyControls) -> str:
    """Return a sentence on keys of controls that results do not key, "" for none."""
    names = sorted({target.bone for target in ours} & set(controls.idle))
    if not names or result_mark.is_keyed_by_us(action):  # these keys are at rest there
        return ""
    return f"{action.name}: keys of {some(names)} go onto other controls; what no other control moves stays at rest"


def _find_switches(
    armature: bpy.types.Object, action: bpy.types.Action, slot: Slot, controls: BodyControls
) -> tuple[dict[str, float], str]:
    """Return the IK/FK switches, by path, that contradict the keyed controls and lack a curve, and a note on them.

    A previously played action may have left them in that state, in which the keyed controls would not move the limb.
    """
    every = curves.curves_of(action, slot)
    paths = {curve.data_path for curve in every}
    keyed = {target.bone for target in curves.transforms(every)}
    parts = _parts(armature, keyed, controls)
    found: dict[str, float] = {}
    names = []
    for part in parts:
        kind = part.kind_of(keyed)
        wrong = {
            switch.path: value
            for switch in part.switches
            for value in [switch.ik if kind == "ik" else switch.fk]
            if kind and switch.path not in paths and own_values.value(armature, switch.path) != value
        }
        found |= wrong
        names += [f"{part.name} on {kind.upper()}"] if wrong else []
    if not names:
        return found, ""
    return found, f"{action.name} keys {', '.join(names)}, but the rig is switched to the other: read as it is keyed"


def _switching(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot, controls: BodyControls) -> str:
    """Return a sentence on limbs that an action switches between forward and inverse kinematics, "" for none."""
    every = curves.curves_of(action, slot)
    changing = {curve.data_path for curve in every if len({point.co[1] for point in curve.keyframe_points}) > 1}
    parts = _parts(armature, {target.bone for target in curves.transforms(every)}, controls)
    names = [part.name for part in parts if any(switch.path in changing for switch in part.switches)]
    if not names:
        return ""
    return f"{action.name} switches {', '.join(names)} between FK and IK: as in the source is as in its first frame"


def _parts(armature: bpy.types.Object, keyed: Collection[str], controls: BodyControls) -> tuple[Part, ...]:
    """Return the parts of a body; of Rigify's human, whose FK is known without a search, only if IK is keyed."""
    if isinstance(controls, FoundControls):
        return controls.found.parts
    return control_body.controls_of(armature).parts if any("_ik" in name for name in keyed) else ()


def settings_of(controls: BodyControls) -> dict[str, float]:
    """Return the properties that results set, by path on the armature, with their values for forward kinematics."""
    if isinstance(controls, Controls):
        named = bpy.utils.escape_identifier
        return {f'pose.bones["{named(bone)}"]["{named(key)}"]': one for (bone, key), one in controls.settings.items()}
    parts = controls.found.parts if isinstance(controls, FoundControls) else ()
    switches = {switch.path: switch.fk for part in parts for switch in part.switches}
    return {setting.path: setting.value for part in parts for setting in part.settings} | switches


read = steps.at_once(read_in_steps)
