"""Find the values of bone properties that an action does not key, because Blender shows the action with them.

Importers store a root above the body in this way, and sometimes a whole pose. A property without keys in any action has
the value of the pose. A property with keys in other actions may still have a value from one of these actions. In that
case it has the value from when the add-on first read the armature, or its rest value. Results may key such properties,
therefore the armature stores the values.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion import rotation_modes
from ...core.motion.quat import Array
from ..ground import kept_values, memory
from ..ground.blender_types import present
from . import clip as clips
from . import curves, left_poses, own_actions, result_mark
from .curves import Target
from .left_poses import SAME, Values
from .rig import Rig, Still

_KEY, _POSED = "action_loom_still", "action_loom_posed"
_MOVED = 1e-6  # units of the armature, which can be 100 m, and radians: smaller changes count as rest
_SCALED = 5e-5  # smaller changes of a scale are rounding of importers, and 0.05 mm of a limb of 1 m
ALIKE, SOME = 0.02, 5  # units of a property within which actions begin alike; sampled frames of each action
Flags = NDArray[np.bool_]
Stance = tuple[Mapping[Target, Values], Mapping[Target, set[int]]]  # the values now, and the components that move
_seen = memory.cache(64)  # values when the add-on first read each armature, by session id
_stood, _begun = memory.cache(64), memory.cache(64)


def note(armature: bpy.types.Object) -> None:
    """Remember the pose of an armature when the add-on first reads it."""
    if armature.session_uid not in _seen:
        _seen.keep(armature.session_uid, _standing(armature, {}))


def keep_pose(armature: bpy.types.Object, values: Mapping[Target, Values]) -> None:
    """Store the values of properties that an action does not key, where a file tells them."""
    kept_values.keep(armature, _POSED, {curves.path_of(target): list(row) for target, row in values.items()})


def with_posed(armature: bpy.types.Object, body: Rig, *, as_now: bool = True) -> Rig:
    """Return a body with the values of properties that an action of it may not key.

    as_now : whether the current pose is used, in addition to the pose from when the armature was first read
    """
    body = replace(body, placed=_read_placement(armature)) if body.moving_object else body
    if body.controls is not None:
        return body
    posed = find_unkeyed(armature, as_now=as_now)
    posed = {target: row for target, row in posed.items() if target.bone in body.bones and not _rests(target, row)}
    posed = {t: row for t, row in posed.items() if t.bone not in body.still or t.property == "scale"}
    movable = dict(zip(clips.targets_of(body), body.movable.tolist(), strict=True))
    posed = {t: row for t, row in posed.items() if movable[t.bone] or t.property != "location"}
    return replace(body, posed=posed)


def with_lasting_pose(armature: bpy.types.Object, body: Rig) -> Rig:
    """Return a body with the values of properties, as for a new motion that no action of the armature is a source of.

    The current values of properties that actions key may remain from an action that was deleted. Therefore these have
    the values from when the armature was first read.
    """
    if body.controls is not None:
        return body
    keyed = own_actions.keyed_components(own_actions.of(armature))
    now, before = (with_posed(armature, body, as_now=as_now).posed for as_now in (True, False))
    lasting = {t: row for t, row in now.items() if t not in keyed} | {t: row for t, row in before.items() if t in keyed}
    return replace(body, posed=lasting)


def find_unkeyed(armature: bpy.types.Object, *, as_now: bool = True) -> dict[Target, Values]:
    """Return the values of bone properties that an action may not key; unknown properties are at rest."""
    note(armature)
    known = (_seen.get(armature.session_uid) or {}) | _kept_values(armature)
    known = known | (_standing(armature, known) if as_now else {})
    return _usual_starts(armature, known) | known


def find_left(armature: bpy.types.Object) -> set[Target]:
    """Return the properties away from rest with values that a deleted result has left."""
    now = left_poses.pose_of(armature)
    return left_poses.find(armature, {target: row for target, row in now.items() if not _rests(target, row)})


def _read_placement(armature: bpy.types.Object) -> dict[Target, Values]:
    """Return the location and rotation of an object; where actions or what they left move it, as before a result."""
    properties = "location", rotation_modes.property_of(armature.rotation_mode)
    now: dict[Target, Values] = {Target("", what): tuple(getattr(armature, what)[:]) for what in properties}
    known = {target: row for target, row in _kept_values(armature).items() if target in now}
    moved = own_actions.keyed_components(_playing(armature)).keys()
    every = own_actions.of(armature) if known else ()
    left = [_left_over(action, (now, {}), set(known), together=False) for action in every]
    stands = {target: row for target, row in now.items() if target not in moved}
    return stands | {t: row for t, row in known.items() if t in moved or any(t in one for one in left)}


def put(armature: bpy.types.Object, values: Mapping[Target, Values]) -> None:
    """Pose all bones of an armature with the values of `find_unkeyed`, so that no pose of an action remains."""
    for bone in present(armature.pose).bones:
        for what in ("location", rotation_modes.property_of(bone.rotation_mode), "scale"):
            setattr(bone, what, values.get(Target(bone.name, what), clips.RESTS[what]))


def _standing(armature: bpy.types.Object, known: Mapping[Target, Values]) -> dict[Target, Values]:
    """Return the values of all properties that no action or driver moves at the moment.

    known : earlier values; they replace a value that remains from an action
    """
    moved, now = own_actions.keyed_components(_playing(armature)), {}
    data = armature.animation_data
    for driver in () if data is None else data.drivers:
        target = curves.target_of(driver)
        if target is not None:
            moved.setdefault(target, set()).add(driver.array_index)
    for target, row in left_poses.pose_of(armature).items():
        by = moved.get(target, set())
        if len(by) < len(row):
            now[target] = tuple(clips.RESTS[target.property][k] if k in by else value for k, value in enumerate(row))
    # An action may have left a property at rest, too, which is known to be posed.
    changed = {one for one, row in now.items() if not _rests(one, row) or _differs(row, known.get(one, row))}
    if not changed:
        return now
    uids, scene = tuple(action.session_uid for action in bpy.data.actions), present(bpy.context.scene)
    key = (
        armature.session_uid,
        uids,
        tuple(one.session_uid for one in _playing(armature)),
        (scene.frame_start, scene.frame_end, scene.render.frame_map_old, scene.render.frame_map_new),
        tuple(sorted(now.items())),
        tuple(sorted(known.items())),
    )
    found: dict[Target, Values] = _stood.made(key, lambda: _without_left_over(armature, (now, moved), changed, known))
    return found


def _differs(row: Values, other: Values) -> bool:
    return max(abs(a - b) for a, b in zip(row, other, strict=True)) > SAME


def _without_left_over(
    armature: bpy.types.Object, stance: Stance, changed: set[Target], known: Mapping[Target, Values]
) -> dict[Target, Values]:
    stands, playing = dict(stance[0]), _playing(armature)
    for action in (one for one in own_actions.of(armature) if one not in playing):
        for target, begins in _left_over(action, stance, changed, together=not known).items():
            if target in known:
                stands[target] = known[target]
            elif known or not begins or result_mark.is_result(action):
                stands.pop(target, None)
    for target in left_poses.find(armature, {one: stance[0][one] for one in changed}):
        if target in known:
            stands[target] = known[target]
        else:
            stands.pop(target, None)
    return stands


def _playing(armature: bpy.types.Object) -> list[bpy.types.Action]:
    """Return the actions that move an armature at the moment."""
    data = armature.animation_data
    if data is None:
        return []
    tracks = [track for track in data.nla_tracks if not track.mute] if data.use_nla else []
    strips = [strip for track in tracks for strip in track.strips if not strip.mute]
    return [action for action in (data.action, *(strip.action for strip in strips)) if action is not None]


def _rests(target: Target, row: Sequence[float]) -> bool:
    rest = clips.RESTS[target.property]
    if target.property == "rotation_quaternion":
        return float(np.abs(row[1:]).max()) <= _MOVED
    limit = _SCALED if target.property == "scale" else _MOVED
    return max(abs(a - b) for a, b in zip(row, rest, strict=True)) <= limit


def _left_over(action: bpy.types.Action, stance: Stance, changed: set[Target], *, together: bool) -> dict[Target, bool]:
    """Return the properties with the values of a frame of an action, and whether that is its first frame.

    Components that something moves do not count.

    together : whether one frame has to have the values of every property that the action keys and nothing moves, as
        for an armature that is read for the first time
    """
    first, last = action.frame_range[:]
    if not np.isfinite([first, last]).all():
        return {}
    frames = left_poses.played_frames(action, first, last)
    now, moved = stance
    found: dict[Target, Flags] = {}
    for slot in curves.slots_of(action):
        for target, by_index in curves.transforms(curves.curves_of(action, slot)).items():
            still = {k: curve for k, curve in by_index.items() if k not in moved.get(target, ())}
            if still and target in now and (together or target in changed):
                found[target] = _frames_with(still, now[target], frames)
    if together:
        every = np.all(list(found.values()), axis=0) if found else np.zeros(1, dtype=bool)
        found = dict.fromkeys(found, every)
    return {target: bool(same[0]) for target, same in found.items() if target in changed and same.any()}


def _frames_with(still: Mapping[int, bpy.types.FCurve], row: Values, frames: Array) -> Flags:
    """Return in which frames some curves have the values of a row at their indices."""
    rows = np.arange(len(frames))
    for k, curve in still.items():  # each is sampled only in the frames that the ones before leave
        rows = rows[np.abs(curves.sample(curve, frames[rows]) - row[k]) < SAME]
        if not len(rows):
            break
    return np.isin(np.arange(len(frames)), rows)


def _usual_starts(armature: bpy.types.Object, known: Mapping[Target, Values]) -> dict[Target, Values]:
    """Return the values with which most actions begin, for properties that only some of an armature's actions key.

    known : properties with another value. Properties with their rest value in one of the actions are excluded.
    """
    own = list(own_actions.of(armature, results=False))
    each = [set(keys.components) for keys in own_actions.distinct_keys(own)]
    asked = set[Target]().union(*each) - set[Target].intersection(*each) - known.keys() if each else set()
    if not asked:
        return {}
    key = armature.session_uid, tuple(action.session_uid for action in own), frozenset(asked)
    found: dict[Target, Values] = _begun.made(key, lambda: _common_starts(own, asked))
    return found


def _common_starts(actions: Sequence[bpy.types.Action], asked: set[Target]) -> dict[Target, Values]:
    starts: dict[Target, list[Array]] = {}
    for action in actions:
        first, last = action.frame_range[:]
        if asked.isdisjoint(own_actions.keys_of(action).components) or not np.isfinite([first, last]).all():
            continue
        frames = np.linspace(first, last, SOME)
        for slot in curves.slots_of(action):
            for target, by_index in curves.transforms(curves.curves_of(action, slot)).items():
                if target in asked:
                    rows = np.tile(clips.RESTS[target.property], (len(frames), 1))
                    for index, curve in by_index.items():
                        rows[:, index] = [curve.evaluate(frame) for frame in frames]
                    starts.setdefault(target, []).append(rows)
    return {target: usual for target, rows in starts.items() if (usual := _usual_start(target, np.array(rows)))}


def _usual_start(target: Target, rows: Array) -> Values:
    """Return the values with which more than half of the actions begin, or (); rows (A, F, n) : of each action."""
    usual, rest = np.median(rows[:, 0], axis=0), clips.RESTS[target.property]
    begins = np.abs(rows[:, 0] - usual).max(axis=1)
    # Where all actions begin with exactly one pose, a later frame near rest is a part of their motion.
    counted = rows[:, :1] if begins.max() < SAME else rows
    rests = np.abs(counted - rest).max(axis=2) < ALIKE
    alike = len(rows) > 1 and (begins < ALIKE).mean() > 0.5
    return tuple(usual.tolist()) if alike and not rests.any() else ()


def still_bones(armature: bpy.types.Object, names: Iterable[str]) -> dict[str, Still]:
    """Return the transforms of the named bones away from rest that no action except our results keys."""
    bones, values = present(armature.pose).bones, find_unkeyed(armature)
    keyed = own_actions.keyed_bones(armature)
    found = {name: _transform(bones[name], values) for name in names if name in bones and name not in keyed}
    return {name: one for name, one in found.items() if one is not None}


def _transform(bone: bpy.types.PoseBone, values: Mapping[Target, Values]) -> Still | None:
    """Return the location and rotation of a bone by the values of its properties, None at rest."""
    turn = Target(bone.name, rotation_modes.property_of(bone.rotation_mode))
    rows = {one: values.get(one, clips.RESTS[one.property]) for one in (Target(bone.name, "location"), turn)}
    if all(_rests(target, row) for target, row in rows.items()):
        return None
    location, angles = rows.values()
    rotation = rotation_modes.to_quaternion(np.array(angles)[None], bone.rotation_mode)[0]
    return Still(tuple(location), tuple(rotation.tolist()))


def keep(armature: bpy.types.Object, body: Rig, result: bpy.types.Action) -> None:
    """Store the values of properties without keys on an armature if a result keys some of them.

    The rows of the result are remembered as well, because a pose of it remains if the artist deletes it.
    """
    own = [own_actions.keys_of(action).components.keys() for action in own_actions.of(armature, results=False)]
    left_poses.remember(armature, result, unless=set(own[0]).intersection(*own) if own else set())
    if armature.library is not None:
        return
    values = {target: row for target, row in _kept_values(armature).items() if not target.bone}
    values |= {**body.posed, **body.placed}
    for name in body.still.keys() & present(armature.pose).bones.keys():
        values |= _values_of(present(armature.pose).bones[name], *body.still[name])
    if not values.keys().isdisjoint(own_actions.keys_of(result).components):
        keep_pose(armature, values)


def _values_of(bone: bpy.types.PoseBone, location: Sequence[float], rotation: Sequence[float]) -> dict[Target, Values]:
    """Return the values of a bone's properties with a location and a rotation, a quaternion."""
    angles = rotation_modes.from_quaternion(np.array(rotation)[None], bone.rotation_mode)[0]
    turn = Target(bone.name, rotation_modes.property_of(bone.rotation_mode))
    return {Target(bone.name, "location"): tuple(location), turn: tuple(angles.tolist())}


def _kept_values(armature: bpy.types.Object) -> dict[Target, Values]:
    """Return the values that `keep` has stored, also in the form of earlier versions, without damaged entries."""
    return _kept_before(armature) | curves.values_at(kept_values.read_value(armature, _POSED))


def _kept_before(armature: bpy.types.Object) -> dict[Target, Values]:
    """Return values that an earlier version has stored: location and quaternion of bones above the hips."""
    stored = kept_values.read_value(armature, _KEY)
    found: dict[Target, Values] = {}
    bones = present(armature.pose).bones
    for name, row in stored.items() if isinstance(stored, dict) else ():
        if name in bones and hasattr(row, "__len__") and len(row) == 7 and all(isinstance(v, float) for v in row):
            found |= _values_of(bones[name], row[:3], row[3:])
    return found
