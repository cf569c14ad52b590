"""Write a woven clip as an action, completely or not at all."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.bodies import attachments
from ....core.errors import LoomError, some
from ....core.motion import cycles, kinematics, retarget, root_motion
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.quality import contacts
from ....core.recipes.base import Recipe
from ....core.verbs import Drive, Loop, completing, source_frames
from ....core.verbs.fill.result import FillResult
from ....core.weave import root_carrier
from ....core.weave.results import ConnectResult, Result
from ....core.weave.root_carrier import Carrying
from ...bridge import (
    baking,
    carriers,
    control_keys,
    curve_looks,
    curve_path,
    curves,
    keyed_poses,
    keys_on_controls,
    mirrored_properties,
    own_actions,
    rates,
    rig,
    shown,
    shown_mesh,
    stored_root_motion,
    unkeyed_pose,
)
from ...bridge import clip as clips
from ...bridge.clip import OUR_MARKER
from ...bridge.few_curves import Few
from ...ground import steps
from ...ground.blender_types import Data, SlottedAction, by_full_name, present, scene_of
from ...model import properties, storage
from ..contacts import hand_contacts, pose_markers
from . import carried_objects, few_keys, on_controls, result_parts, standing, told_bodies
from .reading import Inputs, Read, is_mirrored

_Where = tuple[bpy.types.Scene, bpy.types.Object, SlottedAction, Clip, rig.Rig, float]
TURNING_CYCLES = 8  # cycles written of a loop that no modifier can repeat


@dataclass(frozen=True, eq=False)
class Written:
    """The written action, and messages for the user.

    keys : number of keys before and after, if an action itself was edited
    few : short summary of the key reduction, "" if none was requested
    limbs : short summary of the FK and IK controls keyed on arms and legs, "" if bones are keyed
    """

    action: bpy.types.Action
    notes: tuple[str, ...] = ()
    keys: tuple[int, int] | None = None
    few: str = ""
    limbs: str = ""
    partner: "Written | None" = None


def write(context: bpy.types.Context, inputs: Inputs, woven: Result, *, into: SlottedAction | None = None) -> Written:
    """Write a woven clip as an action, and that of its partner; see `write_one`. Both are written, or none is new."""
    theirs, beside = inputs.read.partner, woven.partner
    if theirs is None or beside is None:
        return write_one(context, inputs, woven, into=into)
    armature = find_data(bpy.data.objects, inputs.read.armature, "The armature")
    inputs = standing.found(scene_of(context), armature, inputs)
    moved = _moved_by_place(context, inputs, woven)
    beside = dataclasses.replace(beside, clip=root_motion.place_clip(beside.clip, *moved))
    known = None if into is None else storage.action_beside(into[0])
    place = None if known is None else (known, storage.find_slot(known, storage.of_result(known).slot))
    partner = write_one(context, theirs, beside, into=place, leads=False)
    try:
        written = write_one(context, inputs, woven, into=into, beside=partner.action)
    except LoomError:
        if known is None:
            bpy.data.actions.remove(partner.action)
        raise
    storage.link_to_leader(partner.action, written.action)
    return dataclasses.replace(written, partner=partner)


def _moved_by_place(context: bpy.types.Context, inputs: Inputs, woven: Result) -> tuple[float, Array]:
    """Return the turn and the shift (2,) that the place of a result gives to it."""
    frames = [root_motion.ground_frames(one.cut(0, 1)) for one in (woven.clip, as_written(context, inputs, woven)[0])]
    turn = float(frames[1][1][0] - frames[0][1][0])
    ground = frames[0][0][0] @ np.array([1.0, 1j])
    turned = np.exp(1j * turn) * ground
    return turn, frames[1][0][0] - np.array([turned.real, turned.imag])


def write_one(
    context: bpy.types.Context,
    inputs: Inputs,
    woven: Result,
    *,
    into: SlottedAction | None = None,
    beside: bpy.types.Action | None = None,
    leads: bool = True,
) -> Written:
    """Write a woven clip as an action that starts where its reference does, and store its recipe.

    The action is new, or it is the action of `into`, whose keys in the slot are replaced. Every bone
    that had keys there gets keys again, so that it can't stay in the pose of another action. On failure nothing
    changes. Raises LoomError if the armature, one of its bones or a source no longer exists.

    beside : the partner's action; leads : False for the partner's, which stands where it is
    """
    scene, armature = scene_of(context), find_data(bpy.data.objects, inputs.read.armature, "The armature")
    inputs = standing.found(scene, armature, inputs) if leads else inputs
    request, read, recipe, options = inputs.request, inputs.read, inputs.recipe, inputs.request.result
    made_of = sources_of(read)
    notices = [_check_bones(armature, read.body), *told_bodies.sentences(armature, read, made_of, recipe)]
    players = [_player(read, k) for k in range(len(read.made_of))]
    reference = read.sources[woven.reference]
    clip, seen, first_frame, notice, notes, few = _plan_writing(context, inputs, woven)
    wanted = on_controls.control_settings(inputs, clip, few)
    on_rig = None if read.body.controls is None else on_controls.keys(armature, clip, read.body, wanted)
    stored_root_motion.ensure(armature, clip)
    had = {} if into is None or on_rig is not None else curves.transforms(curves.curves_of(*into))
    holds = {target for target, by_index in had.items() if curves.have_one_key(by_index.values())}
    looks = None if into is None else curve_looks.of(into)
    with curves.whole(clip.name, armature, into) as (action, slot):
        how: dict[str, Any] = {
            "first_frame": first_frame,
            "targets": keyed_targets(read) | had.keys() - holds,
            "start": reference.start if options.place == "reference" else {},
            "interpolation": options.interpolation.upper(),
        }
        if on_rig is not None:
            notices += keys_on_controls.fill((action, slot), armature, clip, read.body, *on_rig, wanted=wanted, **how)
            fewer = few_keys.of_controls(on_rig.few)
        else:
            fewer = few_keys.of_bones(
                clips.fill(
                    (action, slot),
                    clip,
                    read.body,
                    hidden=reference.hidden,
                    held=held_targets(armature, read, recipe) | holds,
                    few=few,
                    **how,
                )
            )
        if looks is not None:
            curve_looks.give_back((action, slot), looks)
        within = 0.0 if (on_rig is not None and on_rig.few is None) or few is None else few.most
        where = scene, armature, (action, slot), seen, read.body, first_frame
        notices.append(_as_shown(inputs, where, within=within, held=seen is not clip))
        notices += _mesh_as_shown(inputs, where, woven)
        unkeyed_pose.keep(armature, read.body, action)
        if is_mirrored(recipe):
            mirrored_properties.keep(armature, clip)
        clips.mark(action, notes)
        if isinstance(woven, FillResult):
            spans = [(round(first_frame) + gap.first, round(first_frame) + gap.last) for gap in woven.done.gaps]
            keyed_poses.mark(action, slot, [round(first_frame) + key for key in woven.keys], spans)
        if recipe.of_action and into is None:
            pose_markers.carry_over(made_of[0][0], action, woven)
        else:
            _carry_events(inputs, woven, action, (round(first_frame), len(clip)))
        hand_contacts.carry_over(action, woven, first_frame)
        if options.result_name and into is None:
            action.name = options.result_name
        rates.set_rate(action, 0.0 if clip.rate == rates.of_scene(scene) else clip.rate)
        parts = result_parts.of(woven, recipe, [one.name for one in read.clips], len(clip)).to_json()
        about: dict[str, Any] = {"request": request.to_json(), "players": players, "parts": parts}
        about |= {"contents": read.contents, "contexts": read.contexts, "beside": beside}
        storage.store(action, slot, recipe, made_of, armature=armature, **about)
        if options.assign and into is None and not read.covered:
            curves.assign(armature, action, slot)
        notices += carried_objects.write(scene, inputs, woven, seen, first_frame, action)
    notices += [notice and f"{action.name}: {notice}", _changed_shape(inputs, clip, first_frame)]
    keys = (curves.key_count(*made_of[0]), curves.key_count(action, slot)) if recipe.of_action else None
    if options.limbs != control_keys.AS_SOURCE and (on_rig is None or not on_rig.keys.limbs):
        notices.append(f"Limbs had no effect: {armature.name} has no arm or leg with controls of both kinds")
    limbs = "" if on_rig is None else on_rig.keys.summary
    return Written(action, tuple(filter(None, notices)), keys, few_keys.summary(fewer, recipe), limbs)


def _carry_events(inputs: Inputs, woven: Result, action: bpy.types.Action, span: tuple[int, int]) -> None:
    """Give an action the event markers of its sources; span : its first scene frame and its number of frames."""
    read, (first, length) = inputs.read, span
    made_of = [action for action, _ in sources_of(read)]
    sources = [pose_markers.Source(one, source.frames) for one, source in zip(made_of, read.sources, strict=True)]
    if not any(pose_markers.events(one) for one in made_of):
        return
    if inputs.recipe.of_action:
        markers = [
            one for one in pose_markers.carry_markers(made_of[0], first, woven) if not OUR_MARKER.fullmatch(one[0])
        ]
    else:
        shown = source_frames.of(woven, inputs.recipe, read.clips)
        shown = [dataclasses.replace(one, source=one.source - len(read.bodies)) for one in shown]
        repeats = len(woven.clip) - 1 if woven.clip.cyclic else 0
        markers = pose_markers.of_sources(sources, shown, first, length, repeats=repeats)
    pose_markers.renew(action, sources, markers)


class _Planned(NamedTuple):
    """A clip to write, the clip that is seen, its first scene frame, a notice, its markers, tolerances of reduction."""

    clip: Clip
    seen: Clip
    first_frame: float
    notice: str
    markers: dict[str, float]
    few: Few | None


def _plan_writing(context: bpy.types.Context, inputs: Inputs, woven: Result) -> _Planned:
    clip, first_frame, notice = as_written(context, inputs, few_keys.undo_fit(woven))
    options, recipe = inputs.request.result, inputs.recipe
    notes = _contact_notes(clip, first_frame) if options.mark_contacts else {}
    if isinstance(woven, ConnectResult):
        notes |= {f"Seam {k}": first_frame + f for k, f in enumerate(woven.seams, start=1)}
    kept = few_keys.kept_frames(recipe, woven, sources_of(inputs.read)[0][0], first_frame, notes.values())
    few = few_keys.key_settings(options, recipe, kept, len(clip))
    return _Planned(*_hold_path(scene_of(context), inputs, clip, first_frame), first_frame, notice, notes, few)


def _hold_path(scene: bpy.types.Scene, inputs: Inputs, clip: Clip, first_frame: float) -> tuple[Clip, Clip]:
    """Return a clip as it is to be keyed and as it is seen, which differ where a path is held while parents move."""
    read = inputs.read
    if not inputs.on_path or read.baked is not None:
        return clip, clip
    armature = find_data(bpy.data.objects, read.armature, "The armature")
    curve = by_full_name(bpy.data.objects, inputs.request.curve)
    frames, begins = first_frame + np.arange(len(clip), dtype=np.float64), float(read.sources[0].frames[0])
    return carriers.hold(scene, armature, clip, read.body, frames, curve, begins)


def _changed_shape(inputs: Inputs, clip: Clip, first_frame: float) -> str:
    """Return a warning if the curve of a walk changes its shape while the walk plays, or "" if it does not."""
    curve, read = by_full_name(bpy.data.objects, inputs.request.curve), inputs.read
    if curve is None or not inputs.on_path:
        return ""
    frames = first_frame + np.arange(len(clip), dtype=np.float64)
    return curve_path.note_shape(curve, read.body.world_metres, float(read.sources[0].frames[0]), frames)


def ready_in_steps(context: bpy.types.Context, inputs: Inputs, woven: Result | LoomError) -> steps.Steps[None]:
    """Solve for the control keys that `write` needs, in cancellable steps, without writing."""
    if inputs.read.body.controls is None or isinstance(woven, LoomError):
        return
    armature = find_data(bpy.data.objects, inputs.read.armature, "The armature")
    clip, *_, few = _plan_writing(context, inputs, woven)
    yield from on_controls.keys_in_steps(
        armature, clip, inputs.read.body, on_controls.control_settings(inputs, clip, few)
    )


def all_ready_in_steps(
    context: bpy.types.Context, inputs: Sequence[Inputs], made: Sequence[Result | LoomError]
) -> steps.Steps[None]:
    """Call `ready_in_steps` for several results."""
    for k, (given, woven) in enumerate(zip(inputs, made, strict=True)):
        yield from steps.within(ready_in_steps(context, given, woven), k, len(made))


def keyed_alike(context: bpy.types.Context, inputs: tuple[Inputs, ...], made: list[Any]) -> tuple[Inputs, ...]:
    """Return inputs such that each result keys the targets moved by any of them, so that no result's pose remains.

    made : their results, or errors
    """
    body = inputs[0].read.body
    done = [pair for pair in zip(inputs, made, strict=True) if not isinstance(pair[1], LoomError)]
    if body.controls is not None:
        alike = frozenset[curves.Target]().union(*(_moved_controls(context, *pair) for pair in done))
        return tuple(dataclasses.replace(one, read=dataclasses.replace(one.read, alike=alike)) for one in inputs)
    moves: frozenset[curves.Target] = frozenset().union(*(clips.moved_targets(one.clip, body) for _, one in done))

    def wider(read: Read) -> Read:
        sources = [dataclasses.replace(one, targets=one.targets | moves) for one in read.sources]
        return dataclasses.replace(read, sources=type(read.sources)(sources))

    return tuple(dataclasses.replace(one, read=wider(one.read)) for one in inputs)


def _moved_controls(context: bpy.types.Context, inputs: Inputs, woven: Result) -> frozenset[curves.Target]:
    """Return the controls moved by a result with reduced keys; dense results key all controls anyway."""
    armature = find_data(bpy.data.objects, inputs.read.armature, "The armature")
    clip, *_, few = _plan_writing(context, inputs, woven)
    wanted = on_controls.control_settings(inputs, clip, few)
    if wanted.few is None:
        return frozenset()
    return on_controls.moved_properties(on_controls.keys(armature, clip, inputs.read.body, wanted), inputs.read.body)


def keyed_targets(read: Read) -> frozenset[curves.Target]:
    """Return the union of all properties that the sources have keys for."""
    return frozenset().union(*(source.targets for source in read.sources))


def as_written(context: bpy.types.Context, inputs: Inputs, woven: Result) -> tuple[Clip, float, str]:
    """Return a woven clip ready to write, its first scene frame, and a notice about it."""
    read, options = inputs.read, inputs.request.result
    first_frame = float(np.floor(read.sources[woven.reference].first_frame + 0.5))  # keys are on whole frames
    clip, notice = _in_a_row(woven, inputs.recipe)
    clip = retarget.onto(clip, read.body.skeleton)  # a graph from a file may have walked on another body
    if options.travel != "reference":
        attached = attachments.find([clip])
        clip = attached.restore(_carry_travel(attached.hang([clip])[0], read, options.travel), [clip])
    clip, bends = _bend_legs(inputs, clip)
    if options.place == "cursor":
        clip = _at_cursor(clip, read.body, scene_of(context).cursor)
    if options.place == standing.FIGURE and options.stand:
        clip = standing.move_to_stand(clip, options.stand[0], read.body)
    same = clip.rotations is woven.clip.rotations and clip.translations is woven.clip.translations
    if read.baked is not None and not same:  # again would add rounding, so that Rebuild would change bytes
        clip = baking.alone(clip, read.body, read.baked)
    return clip, first_frame, " and ".join(filter(None, (notice, bends)))


def _bend_legs(inputs: Inputs, clip: Clip) -> tuple[Clip, str]:
    """Return a clip with legs adapted to a rig's controls, and a message about it."""
    body = inputs.read.body
    if body.controls is None:
        return clip, ""
    armature = find_data(bpy.data.objects, inputs.read.armature, "The armature")
    return control_keys.bend_legs(
        clip, body, control_keys.kinds(armature, body, on_controls.control_settings(inputs, clip, None))
    )


def _carry_travel(clip: Clip, read: Read, travel: str) -> Clip:
    """Return the clip with its travel on the hips or the root bone; for baked bones, on a deforming root."""
    if travel == "hips":
        return root_carrier.by_hips(clip)
    if read.baked is None:
        return root_carrier.by_root(clip)
    return root_carrier.by_joint(clip, read.baked.carrier(clip.skeleton), Carrying())


def _as_shown(inputs: Inputs, where: _Where, *, within: float, held: bool) -> str:
    """Return a message on the difference between a written action and its clip; raises RigError if it is large.

    held : whether the keys undo the movement of parents and constraints
    """
    _, armature, (action, _), clip, _, _ = where
    read, request = inputs.read, inputs.request
    if not read.covered:
        hidden = frozenset[str]().union(*(source.hidden for source in read.sources))
        seen = shown.compare_bones(*where, within=within, played=request.result.assign, in_the_world=held)
        visual = request.reading.visual
        sentences = (
            shown.check(seen.off, clip.name, hidden, visual=visual),
            seen.twisted and f"{clip.name}: {seen.twisted}",
        )
        return "; ".join(filter(None, sentences))
    return (
        f"{action.name} was not assigned to {armature.name}, whose constraints and drivers pose the bones: use"
        " it on an exported skeleton"
    )


def _mesh_as_shown(inputs: Inputs, where: _Where, woven: Result) -> list[str]:
    """Return messages about the mesh in a written action."""
    scene, armature, written, clip, body, first_frame = where
    read, report = inputs.read, woven.report
    if read.covered:
        return []
    frames = first_frame + np.arange(len(clip), dtype=np.float64)
    sources = sources_of(read)
    own = [(one, source.frames) for one, source in zip(sources, read.sources, strict=True)]
    carried = any(read.players) or read.bodies
    judge = shown_mesh.Judge(scene, armature, body, zip(sources, read.contents, strict=False))
    floor = floor_of(inputs.recipe, report)
    lowest = [float(frames[lowest_frame(clip)])]  # a long result may dip between evenly spaced frames
    return judge.sentences((written, frames), None if carried else own, floor, report["warnings"], lowest)


def lowest_frame(clip: Clip) -> int:
    """Return the frame in which a joint is lowest, without joints that keep their height, such as a root."""
    heights = kinematics.world(clip)[1][:, :, 2]
    moving = np.ptp(heights, axis=0) > 0.0
    return int(heights[:, moving].min(axis=1).argmin()) if moving.any() else 0


def floor_of(recipe: Recipe, report: dict[str, Any]) -> float | None:
    """Return the metres by which a result's floor is higher than its sources', None if it climbs."""
    if recipe.verb == Drive.verb or getattr(recipe, "climbing", False):
        return None
    return float((report.get("place") or {}).get("raised_m", 0.0))


def _in_a_row(woven: Result, recipe: Recipe) -> tuple[Clip, str]:
    """Return the clip to write and a notice about it; a loop that turns is unrolled into several cycles."""
    turn = clips.turn_a_cycle(woven.clip)
    if turn is None:
        return woven.clip, ""
    notice = f"it closes, but Blender can't repeat its turn of {turn:.3g}° a cycle"
    if not isinstance(recipe, Loop) or recipe.repeat > 1:
        return woven.clip, notice
    several = dataclasses.replace(cycles.unroll_cycle(woven.clip, 0, TURNING_CYCLES - 1), cyclic=False)
    return several, f"{notice}; it is written {TURNING_CYCLES} times in a row (Repeat says how often)"


def sources_of(read: Read) -> list[SlottedAction]:
    """Return the actions and slots of the sources; raises LoomError if an action was deleted."""
    actions, sources = {action.session_uid: action for action in bpy.data.actions}, []
    for source, (uid, handle) in zip(read.sources, read.made_of, strict=True):
        action = _still_there(actions.get(uid), f"The action {source.clip.name!r}")
        slots = getattr(action, "slots", ())
        sources.append((action, next((slot for slot in slots if slot.handle == handle), None)))
    return sources


def held_targets(armature: bpy.types.Object, read: Read, recipe: Recipe | None) -> frozenset[curves.Target]:
    """Return the properties keyed constantly by a result, because another action may leave its pose there."""
    if read.body.controls is not None or (recipe is not None and recipe.verb in completing.KEYS_AS_GIVEN):
        return frozenset()
    return own_actions.keyed_elsewhere(armature, keyed_targets(read), read.body, unkeyed_pose.find_left(armature))


def _player(read: Read, which: int) -> bpy.types.Object | None:
    uid = read.players[which] if read.players else 0
    return find_data(bpy.data.objects, uid, f"The armature of {read.sources[which].clip.name!r}") if uid else None


def find_data(kept: Iterable[Data], uid: int, what: str) -> Data:
    """Return the data with a session id; raises LoomError if it was deleted. Blender never reuses a session id."""
    return _still_there(properties.of_session(kept, uid), what)


def _still_there(there: Data | None, what: str) -> Data:
    if there is None or (isinstance(there, bpy.types.Object) and not there.users_scene):
        raise LoomError(f"{what} was deleted while its actions were woven: nothing was written")
    return there


def _check_bones(armature: bpy.types.Object, body: rig.Rig) -> str:
    """Return a notice about bones added since a rig was read; raises LoomError if others were deleted or changed."""
    bones = present(armature.pose).bones
    modes = dict(zip(clips.targets_of(body), body.modes, strict=True))
    if body.controls is not None:
        modes = dict(zip(body.controls.names, body.controls.modes, strict=True))
    gone = [name for name in modes if name and name not in bones]
    turned = [name for name, mode in modes.items() if name in bones and bones[name].rotation_mode != mode]
    for names, what in ((gone, "deleted or renamed"), (turned, "given another rotation mode")):
        if names:
            raise LoomError(
                f"Bones of {armature.name} were {what} while its actions were woven ({some(names)}):"
                " nothing was written; weave again"
            )
    new = [bone.name for bone in bones if bone.name not in modes] if body.controls is None else []
    return f"Bones came to {armature.name} while its actions were woven, and got no keys: {some(new)}" if new else ""


def _at_cursor(clip: Clip, body: rig.Rig, cursor: bpy.types.View3DCursor) -> Clip:
    """Return the clip turned and moved so that it starts at the 3D cursor, facing along its y axis."""
    return root_motion.beginning_at(clip, *cursor_place(cursor, body))


def cursor_place(cursor: bpy.types.View3DCursor, body: rig.Rig) -> tuple[Array, float]:
    """Return the 3D cursor's ground position (2,) in metres and the heading of its y axis in radians."""
    axis = [cursor.matrix[row][1] for row in range(2)]
    return np.array(cursor.location[:2]) * body.world_metres, float(np.arctan2(-axis[0], axis[1]))


def _contact_notes(clip: Clip, first_frame: float) -> dict[str, float]:
    """Return the texts of foot contact markers, each with its scene frame."""
    notes = {}
    for side, flags in contacts.detect(clip).items():
        for number, (start, end) in enumerate(contacts.runs(flags), start=1):
            notes[f"{side} down {number}"] = first_frame + start
            notes[f"{side} up {number}"] = first_frame + end - 1
    return notes
