"""Read actions as clips from their curves alone, and write clips to new actions."""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...core.edit.keyed import Keying
from ...core.errors import RigError
from ...core.motion import closing, kinematics, quat, root_motion, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground.blender_types import Slot, SlottedAction
from . import curve_writing, curves, few_curves, other_channels
from .curves import KeyTimes, Target
from .few_curves import KeyedBone
from .rig import Rig

if TYPE_CHECKING:
    from ...core.edit.fewer_keys import Fewer

RESTS = {  # values at rest
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}
OUR_MARKER = re.compile(r"(front )?[LR] (down|up) \d+|Seam \d+")
_TURNS = 0.5  # degrees: a cycle that turns by more can't be repeated by curve modifiers
LEAST_KEYED = 1e-6  # radians, metres and factors: smaller movements get no keys, unless the sources key them
_OFF_FRAME = 1e-2  # frames: a range this close to a whole number of frames counts as whole
SPARSE = 1.0 / 3.0  # of all frames: fewer keys than this count as keyed by hand
_SEEN = 0.02  # of a cycle's length: a smaller change of speed is not reported


@dataclass(frozen=True, eq=False)
class ReadAction:
    """The clip read from an action, with details about its source.

    frames (F,) : scene frames; targets : properties with curves; notes : sentences about omissions and their reasons
    start : first values of the curves, so that a result can continue with the same Euler turns or quaternion signs
    hidden : bones whose keys would have no effect, where the clip was read visually
    properties : first values of the custom properties with curves, by data path
    key_times : frames of the clip with keys of controls, by keyed target
    """

    clip: Clip
    frames: Array
    targets: frozenset[Target]
    notes: tuple[str, ...] = ()
    start: dict[Target, Array] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    properties: dict[str, float] = field(default_factory=dict)
    key_times: dict[Target, KeyTimes] = field(default_factory=dict)

    @property
    def first_frame(self) -> float:
        """The scene frame that the clip begins at."""
        return float(self.frames[0])

    @property
    def is_sparse(self) -> bool:
        """Whether the action is keyed by hand: most controls have keys on few frames."""
        counts = [len(times.frames) for times in self.key_times.values() if len(times.frames) > 1]  # not held
        return bool(counts) and float(np.median(counts)) < SPARSE * len(self.frames)


def moves_object(action: bpy.types.Action, slot: Slot) -> bool:
    """Return whether an action's slot moves the object itself."""
    return any(curve.data_path in curves.CHANNELS and not curve.mute for curve in curves.curves_of(action, slot))


def read(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    body: Rig,
    rate: float,
    slot: Slot = None,
    span: tuple[float, float] | None = None,
    carried: frozenset[Target] = frozenset(),
) -> ReadAction:
    """Read an action on an armature from its curves alone, without constraints and drivers.

    span : first and last scene frame; by default the action's range, which may be a manual one
    slot : by default the one that `curves.choose_slot` returns
    carried : transforms of bones that become channels of the clip, also where they have no curves

    The clip has one frame per scene frame. A cycle that ends between two frames is resampled slightly, so that it
    closes on a whole number of frames; any other clip that ends there gets its last pose on an extra frame. A bone
    without curves keeps its current pose if no action keys it, and is at rest otherwise; an object without curves keeps
    its transform. All other curves of the slot become channels. The clip is cyclic if the action is marked cyclic, or
    if all its moving curves repeat. Raises RigError for an action that moves nothing of the armature.
    """
    slot = curves.choose_slot(action, armature) if slot is None else slot
    every = curves.curves_of(action, slot)
    ours = frozenset(targets_of(body))
    keyed = {t: by_index for t, by_index in curves.transforms(every).items() if t.bone in ours}
    if not keyed:
        raise RigError(f"{action.name} moves no bone of {armature.name}")
    first, last = curves.frame_range(action, slot) if span is None else span
    if last < first:
        raise RigError(f"Action {action.name!r} has no frames {first:g} to {last:g}")
    frames, whole = _frames(first, last)
    sampled = _sample_targets(armature, keyed, frames, body)
    clip = from_channels(action.name, armature, body, rate, sampled, len(frames))
    cyclic, notes = _is_cycle(action, slot, body, keyed, sampled, (first, last))
    if not whole:
        even = np.linspace(first, last, max(2, round(last - first)) + 1)
        fitted = _sample_targets(armature, keyed, even, body)
        closing_clip = from_channels(action.name, armature, body, rate, fitted, len(even))
        if cyclic or closing.of(closing_clip).kind:
            clip, sampled, frames = closing_clip, fitted, even
            notes += _describe_stretch(action.name, last - first, len(even) - 1)
    modes = dict(zip(targets_of(body), body.modes, strict=True))
    channels, left_out = other_channels.read(armature, modes, every, frames)
    channels |= other_channels.read_siblings(action, slot, frames)
    for target in sorted(target for target in carried if target.bone in body.bones and _shows(target, body)):
        values = sampled[target] if target in sampled else _repeat_unkeyed(target, len(frames), armature, body)
        channels |= other_channels.of_transform(target, values)
    named = replace(clip, channels=channels, cyclic=cyclic)
    start = {target: values[0] for target, values in sampled.items()}
    return ReadAction(named, frames, frozenset(keyed), (*notes, *left_out), start)


def read_frames(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot, body: Rig, frames: Array) -> Clip:
    """Return the poses of an action on an armature at some scene frames (F,); raises RigError as `read`."""
    every = curves.curves_of(action, slot)
    ours = frozenset(targets_of(body))
    keyed = {target: by_index for target, by_index in curves.transforms(every).items() if target.bone in ours}
    return from_channels(action.name, armature, body, 1.0, _sample_targets(armature, keyed, frames, body), len(frames))


def object_turn(armature: bpy.types.Object, action: bpy.types.Action, slot: Slot) -> tuple[float, ...]:
    """Return the rotation (4,) of the object in the first frame of an action."""
    keyed = curves.transforms(curves.curves_of(action, slot))
    turning = Target("", rotation_modes.property_of(armature.rotation_mode))
    if turning not in keyed:
        values = np.array(getattr(armature, turning.property), dtype=np.float64)[None]
    else:
        first = np.array(action.frame_range[:1], dtype=np.float64)
        values = _sample_targets(armature, {turning: keyed[turning]}, first)[turning]
    return tuple(rotation_modes.to_quaternion(values, armature.rotation_mode)[0].tolist())


def _frames(first: float, last: float) -> tuple[Array, bool]:
    """Return the scene frames (F,) from `first` to `last` inclusive, and whether their distance is a whole number."""
    count = round(last - first)
    whole = abs(last - first - count) <= _OFF_FRAME
    if whole:
        return first + np.arange(count + 1, dtype=np.float64), True
    return np.append(np.arange(first, last, dtype=np.float64), last), False


def _describe_stretch(name: str, length: float, count: int) -> list[str]:
    """Return a note that a cycle is played faster or slower, if the change is visible."""
    change = count / length - 1.0
    if abs(change) <= _SEEN:
        return []
    how = "slower" if change > 0.0 else "faster"
    return [f"{name}: its {length:.4g} frames are played in {count}, {abs(change):.1%} {how}"]


def _sample_targets(
    armature: bpy.types.Object,
    keyed: dict[Target, dict[int, bpy.types.FCurve]],
    frames: Array,
    body: Rig | None = None,
) -> dict[Target, Array]:
    rows = iter(curves.sample_all([curve for by_index in keyed.values() for curve in by_index.values()], frames))
    found = {}
    for target, by_index in keyed.items():
        values = _repeat_unkeyed(target, len(frames), armature, body)
        for index in by_index:
            values[:, index] = next(rows)
        found[target] = values
    return found


def _repeat_unkeyed(target: Target, count: int, armature: bpy.types.Object, body: Rig | None) -> Array:
    """Return the values (F, n) that a target has without curves."""
    if target.bone == "":
        still = _place_of(armature, target, body)
    else:
        still = (body.posed.get(target) if body is not None else None) or RESTS[target.property]
    return np.tile(np.array(still, dtype=np.float64), (count, 1))


def _place_of(armature: bpy.types.Object, target: Target, body: Rig | None) -> tuple[float, ...]:
    """Return a property of the object where no action moves it; results may move it at the moment."""
    placed = body.placed.get(target) if body is not None else None
    return placed or tuple(getattr(armature, target.property)[:])


def from_channels(
    name: str, armature: bpy.types.Object, body: Rig, rate: float, sampled: dict[Target, Array], count: int
) -> Clip:
    """Return a clip from channel values (F, n) by target.

    A bone without values keeps its current pose if nothing keys it, and is at rest otherwise; an object without values
    keeps its transform. Raises RigError for an action that scales the object.
    """
    skeleton = body.skeleton
    stands = {target: np.tile(row, (count, 1)) for target, row in body.posed.items() if target not in sampled}
    sampled = {**stands, **sampled}
    rotations = np.tile(quat.IDENTITY, (count, len(skeleton), 1))
    translations = np.zeros((count, len(skeleton), 3))
    scales = np.ones((count, len(skeleton), 3))
    for joint, target in enumerate(targets_of(body)):
        mode = body.modes[joint]
        turn, move = Target(target, rotation_modes.property_of(mode)), Target(target, "location")
        turning, moving = sampled.get(turn), sampled.get(move)
        if target == "":
            turning = _repeat_unkeyed(turn, count, armature, body) if turning is None else turning
            moving = _repeat_unkeyed(move, count, armature, body) if moving is None else moving
        if turning is not None:
            rotations[:, joint] = rotation_modes.to_quaternion(turning, mode)
        if moving is not None and body.movable[joint]:
            translations[:, joint] = body.units[joint] * moving
        scaling = sampled.get(Target(target, "scale"))
        if scaling is not None and target == "":
            if np.abs(scaling - np.array(armature.scale)).max() > 1e-4:
                raise RigError(f"Action {name!r} scales the object {armature.name}: scale a root bone instead")
        elif scaling is not None:
            scales[:, joint] = scaling
        if target in body.still and (turning is not None or moving is not None):
            rotations[:, joint], translations[:, joint] = _since_still(
                rotations[:, joint], translations[:, joint], body, target
            )
    scaled = bool(np.abs(scales - 1.0).max() > LEAST_KEYED)
    return Clip(name, skeleton, rate, rotations, translations, scales if scaled else None)


def pose_unkeyed(clip: Clip, body: Rig, targets: frozenset[Target]) -> Clip:
    """Return a clip with the current pose of bones that nothing keys; targets : properties that the clip keys."""
    posed = {target: row for target, row in body.posed.items() if target not in targets}
    if not posed:
        return clip
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    scales = np.ones_like(translations) if clip.scales is None else clip.scales.copy()
    for target, row in posed.items():
        joint, values = targets_of(body).index(target.bone), np.array(row)
        if target.property == "location":
            translations[:, joint] = body.units[joint] * values
        elif target.property == "scale":
            scales[:, joint] = values
        else:
            rotations[:, joint] = rotation_modes.to_quaternion(values[None], body.modes[joint])[0]
    sized = any(target.property == "scale" for target in posed)
    return replace(clip, rotations=rotations, translations=translations, scales=scales if sized else clip.scales)


def _since_still(rotations: Array, translations: Array, body: Rig, bone: str) -> tuple[Array, Array]:
    """Convert keyed rotations (F, 4) and translations (F, 3) of an unkeyed bone: from its rest to its current pose."""
    away, back = _still_of(body, bone)[0], quat.inv(_still_of(body, bone)[1])
    return quat.mul(back, rotations), quat.rotate(back, translations - away)


def _from_rest(rotations: Array, translations: Array, body: Rig, bone: str) -> tuple[Array, Array]:
    """Undo `_since_still`."""
    away, turned = _still_of(body, bone)
    return quat.mul(turned, rotations), away + quat.rotate(turned, translations)


def _still_of(body: Rig, bone: str) -> tuple[Array, Array]:
    still = body.still[bone]
    return body.units[targets_of(body).index(bone)] * np.array(still.location), np.array(still.rotation)


def _is_cycle(
    action: bpy.types.Action,
    slot: Slot,
    body: Rig,
    keyed: dict[Target, dict[int, bpy.types.FCurve]],
    sampled: dict[Target, Array],
    span: tuple[float, float],
) -> tuple[bool, list[str]]:
    """Return whether a span of an action is a whole number of cycles, and a note if it only nearly is."""
    every = {(target, index): curves.period(c) for target, by_index in keyed.items() for index, c in by_index.items()}
    (first, last), (begins, ends) = span, curves.frame_range(action, slot)
    length, whole = last - first, ends - begins
    declared = action.use_frame_range and action.use_cyclic and whole > 0.0  # one frame is too short for a cycle
    if length == 0.0 or not (declared or any(every.values())):
        return False, []
    periods = [
        period
        for (target, index), period in every.items()
        if _shows(target, body) and _moves(sampled[target][:, index])
    ]
    missing = periods.count(0.0)
    if not (declared or (periods and 2 * missing <= len(periods))):
        return False, []
    if missing and not declared:
        do = "does" if missing == 1 else "do"
        return False, [f"{action.name}: {missing} of its moving curves {do} not repeat"]
    spans = np.array([*filter(None, (whole, *periods))])
    cycles = np.maximum(np.round(length / spans), 1.0)
    if np.abs(length - cycles * spans).max() > _OFF_FRAME:
        frames_read = f"frames {first:g} to {last:g}"
        return False, [f"{action.name}: {frames_read} are no whole number of its cycles"]
    return True, []


def _moves(values: Array) -> bool:
    return bool(np.ptp(values) > LEAST_KEYED * (1.0 + np.abs(values).max()))  # more than rounding does


def _shows(target: Target, body: Rig) -> bool:
    """Return whether keys on a target have an effect; keys of a connected bone's location do not."""
    joint = targets_of(body).index(target.bone)
    if target.property == "location":
        return bool(body.movable[joint])
    return target.property in ("scale", rotation_modes.property_of(body.modes[joint]))


def targets_of(body: Rig) -> tuple[str, ...]:
    """Return the bone name that each joint is keyed under, "" for the object."""
    return ("", *body.bones) if body.moving_object else body.bones


def write(armature: bpy.types.Object, clip: Clip, body: Rig, **how: Any) -> bpy.types.Action:
    """Write a clip to a new action as `fill` does; the action has a fake user and is not assigned."""
    with curves.whole(clip.name, armature) as slotted:
        fill(slotted, clip, body, **how)
    return slotted[0]


def fill(
    into: SlottedAction,
    clip: Clip,
    body: Rig,
    *,
    first_frame: float,
    targets: frozenset[Target] = frozenset(),
    held: frozenset[Target] = frozenset(),
    start: dict[Target, Array] | None = None,
    hidden: frozenset[str] = frozenset(),
    key_frames: Array | None = None,
    interpolation: str = "LINEAR",
    repeats: bool | None = None,
    few: few_curves.Few | None = None,
) -> "Fewer | None":
    """Replace the curves of an action's slot with a clip, in each bone's own rotation mode.

    targets : what the sources keyed; these curves are written even where the clip does not move
    held : properties that get one key where the clip does not move them
    start : previous values of Euler angles and quaternions; the written values start in the nearest equivalent
    hidden : bones that are left out
    key_frames : fractional clip frames to key, by default every frame; a cycle also has keys at both ends
    few : tolerances for key reduction; the function then returns the achieved fit
    repeats : whether the curves get Cycles modifiers; by default if the clip is cyclic and does not turn
    """
    action, holder, last, found = into[0], curves.empty_slot(*into), len(clip) - 1, None
    full = as_keyed(clip, body, targets | held)
    if repeats is None:
        repeats = does_repeat(full)
    bones = _bones(full, body, targets | held, start or {})
    shown = [bone for bone in bones if bone.name not in hidden]
    if few is not None:
        found = few_curves.fit_clip(clip, bones, few)
        few_curves.write(few_curves.FewWriter(holder, first_frame, repeats=repeats), found.keyed, shown)
    else:
        at = np.arange(len(full), dtype=float) if key_frames is None else np.asarray(key_frames, dtype=float)
        at = np.union1d(at, [0.0, last]) if repeats else at
        frames = (first_frame + at).astype(np.float32)
        writer = curve_writing.Writer(holder, frames, interpolation, repeats=repeats, held=held - targets)
        _write(writer, full, shown, at)
    if repeats:
        # Blender's tools treat the frame of the closing key as the end of a cycle.
        action.use_frame_range = action.use_cyclic = True
        action.frame_start, action.frame_end = first_frame, first_frame + last
    else:
        action.use_frame_range = action.use_cyclic = False
    return found


def _bones(full: Clip, body: Rig, targets: frozenset[Target], start: dict[Target, Array]) -> list[KeyedBone]:
    """Decide how each joint of a clip is keyed, from its sources' keys and from its movement."""
    found = []
    for joint, name in enumerate(targets_of(body)):
        mode = body.modes[joint]
        turn, move, size = (Target(name, what) for what in (rotation_modes.property_of(mode), "location", "scale"))
        scales = np.ones(3) if full.scales is None else full.scales[:, joint]
        # Properties that keep their current value get no keys.
        back = quat.inv(rotation_modes.to_quaternion(_row(body, turn)[None], mode)[0])
        stays = body.units[joint] * _row(body, move)
        keying = Keying(
            mode=mode,
            turned=_still_of(body, name)[1] if name in body.still else None,
            start=start.get(turn),
            turns=turn in targets
            or bool(np.abs(quat.log(quat.mul(back, full.rotations[:, joint]))).max() > LEAST_KEYED),
            moves=bool(body.movable[joint])
            and (move in targets or np.abs(full.translations[:, joint] - stays).max() > LEAST_KEYED),
            # Write a source's scale even if it stays 1: without curves another action's scale would linger.
            scales=bool(name) and (size in targets or np.abs(scales - _row(body, size)).max() > LEAST_KEYED),
        )
        away = _still_of(body, name)[0] if name in body.still else np.zeros(3)
        found.append(KeyedBone(joint, name, keying, float(body.units[joint]), away, stays))
    return found


def _row(body: Rig, target: Target) -> Array:
    """Return the current or rest values (n,) of an unkeyed property."""
    return np.array(body.posed.get(target, RESTS[target.property]), dtype=np.float64)


def moved_targets(clip: Clip, body: Rig) -> frozenset[Target]:
    """Return the properties that a clip moves; they get keys even if its sources lack them."""
    found = set()
    for bone in _bones(as_keyed(clip, body, frozenset()), body, frozenset(), {}):
        keying = bone.keying
        wanted = (bone.turn, keying.turns), (bone.move, keying.moves), (bone.size, keying.scales)
        found |= {target for target, is_keyed in wanted if is_keyed}
    return frozenset(found)


def _write(writer: curve_writing.Writer, full: Clip, bones: list[KeyedBone], at: Array) -> None:
    """Write a clip's keys at frames (K,) that may be fractional."""
    from ...core.motion import resample

    whole = len(at) == len(full) and np.array_equal(at, np.arange(len(full)))
    clip = full if whole else resample.sample(full, at)
    for bone in bones:
        joint, keying = bone.joint, bone.keying
        if keying.turns:
            # Rotations must be continuous over all frames, not only over the keyed ones.
            values = rotation_modes.from_quaternion(full.rotations[:, joint], keying.mode, keying.start)
            writer.write(bone.turn, values if whole else resample.curve(values, at))
        if keying.moves:
            travels = np.abs(full.translations[-1, joint] - full.translations[0, joint]) > few_curves.TRAVELS
            writer.write(bone.move, clip.translations[:, joint] / bone.unit, travels=travels)
        if keying.scales:
            writer.write(bone.size, np.ones((len(at), 3)) if clip.scales is None else clip.scales[:, joint])
    for path, channel in clip.channels.items():
        writer.write_channel(path, channel.values, constant=channel.discrete)


def as_keyed(clip: Clip, body: Rig, targets: frozenset[Target]) -> Clip:
    """Convert a clip's unkeyed bones back to offsets from rest, where the clip moves them or its sources key them."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for name in body.still:
        joint = targets_of(body).index(name)
        stays = (
            np.abs(quat.log(rotations[:, joint])).max() <= LEAST_KEYED
            and np.abs(translations[:, joint]).max() <= LEAST_KEYED
        )
        if not stays or any(target.bone == name for target in targets):
            rotations[:, joint], translations[:, joint] = _from_rest(
                rotations[:, joint], translations[:, joint], body, name
            )
    return replace(clip, rotations=rotations, translations=translations) if body.still else clip


def does_repeat(clip: Clip) -> bool:
    """Return whether a clip is written to repeat for ever: it is a cycle and does not turn."""
    return clip.cyclic and len(clip) > 1 and turn_a_cycle(clip) is None


def turn_a_cycle(clip: Clip) -> float | None:
    """Return the degrees that a cycle turns by, if that prevents repeating it; None for all other clips.

    Curve modifiers can't turn its travel.
    """
    if not clip.cyclic:
        return None
    rotations, positions = kinematics.world(clip)
    # Compare first and last frame only, so that whole turns don't count.
    start, end = root_motion.raw_heading(clip.skeleton, rotations[[0, -1]], positions[[0, -1]])
    degrees = abs(float(np.degrees(end - start)))
    return degrees if degrees > _TURNS else None


def mark(action: bpy.types.Action, notes: dict[str, float]) -> None:
    """Replace our pose markers on an action with new ones, given as scene frames (rounded) by text."""
    for marker in [marker for marker in action.pose_markers if OUR_MARKER.fullmatch(marker.name)]:
        action.pose_markers.remove(marker)
    for text, frame in notes.items():
        action.pose_markers.new(text).frame = round(frame)
