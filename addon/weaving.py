"""From actions to clips and from a woven clip to a new action: what every operator does before and after the recipe.

Reading and writing touch Blender's data; the recipe in between does not, and may run elsewhere. Nothing of
Blender's is kept in between: it is found again by its session id, and what is gone is said.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy
import numpy as np

from ..core import verbs
from ..core.check import contacts
from ..core.errors import LoomError, some
from ..core.motion import cycles, limits, retarget, root_motion
from ..core.motion.clip import Clip
from ..core.motion.quat import Array
from ..core.progress import Progress
from ..core.recipes.base import Recipe
from ..core.recipes.loop import Loop
from ..core.recipes.reading import ReadingOptions, Request, Source
from ..core.recipes.style import StyleOptions
from ..core.weave import root_carrier
from ..core.weave.results import ConnectResult, EditResult, Result
from . import (
    contact_rows,
    few_keys,
    kept_styles,
    kept_way,
    other_bodies,
    pose_markers,
    properties,
    rates,
    still_bones,
    storage,
)
from .blender_types import Data, SlottedAction, named, present, scene_of
from .bridge import clip as clips
from .bridge import clip_on_controls, control_rig, curves, evaluated_action, rig
from .session import prepared

TURNING_CYCLES = 8  # of a loop that no modifier can repeat


@dataclass(frozen=True, eq=False)
class Again:
    """What a result was made of and how, found as it is now; holds Blender's data, so it is for use at once.

    armature : None where that which it was made for is gone
    """

    armature: bpy.types.Object | None
    made_of: list[SlottedAction]
    request: Request
    recipe: Recipe
    into: SlottedAction


def again(action: bpy.types.Action, *, overwrite_edits: bool) -> Again:
    """Return what it takes to make a result anew.

    Raises LoomError for what is no result or can't be written, for a source that is gone, and for keys that were
    edited by hand unless they may be overwritten.
    """
    kept = storage.of_result(action)
    storage.writable(action)
    if not overwrite_edits and storage.edited_by_hand(action):
        raise LoomError(f"{action.name} was edited by hand: allow overwriting edits, or rename it and weave again")
    made_of = storage.find_sources(action)
    now = zip(kept.request.sources, made_of, storage.players_of(action), strict=True)
    renamed = tuple(
        dataclasses.replace(source, name=found[0].name_full, armature="" if player is None else player.name_full)
        for source, found, player in now
    )
    into = action, storage.find_slot(action, kept.slot)
    request = dataclasses.replace(kept.request, sources=renamed)
    return Again(kept.armature, made_of, request, recipe_now(kept, made_of), into)


def recipe_now(kept: storage.Stored, made_of: list[SlottedAction]) -> Recipe:
    """Return the recipe of a result with the names that its sources have today, where it has them by name."""
    return kept.recipe.with_names({s.name: action.name for s, (action, _) in zip(kept.sources, made_of, strict=True)})


@dataclass(frozen=True, eq=False)
class Read:
    """The sources as clips on the armature's rig, and session ids of the armature, the actions and their slots.

    players : session ids of the armatures whose actions they are, 0 for this one
    said : how each came from its own armature, "" for this one's
    each : how many of them belong together, where the same is done with several
    bodies : clips that come before the sources', of which no motion is used
    """

    body: rig.Rig
    sources: tuple[clips.ReadAction, ...]
    armature: int
    made_of: tuple[tuple[int, int], ...]
    players: tuple[int, ...] = ()
    said: tuple[str, ...] = ()
    bodies: tuple[Clip, ...] = ()
    each: int = 1

    @property
    def clips(self) -> list[Clip]:
        return [*self.bodies, *(source.clip for source in self.sources)]

    def only(self, which: int) -> "Read":
        """Return what was read of one source, and of those that belong to it."""
        return self.in_order(range(which * self.each, (which + 1) * self.each))

    def in_order(self, places: Sequence[int]) -> "Read":
        """Return what was read of the sources at some places, in that order."""
        return dataclasses.replace(
            self,
            sources=tuple(self.sources[k] for k in places),
            made_of=tuple(self.made_of[k] for k in places),
            players=tuple(self.players[k] for k in places),
            said=tuple(self.said[k] for k in places),
        )

    @property
    def notes(self) -> list[str]:
        """What was left out of the sources and why, and how the body was read, for the user."""
        about_body = [self.body.note] if self.body.note else []
        return about_body + sorted({note for source in self.sources for note in source.notes})

    @property
    def came(self) -> list[str]:
        """How the sources of other armatures were carried, a sentence each."""
        return [f"{one.clip.name}: {said}" for one, said in zip(self.sources, self.said, strict=False) if said]


def read(
    context: bpy.types.Context, armature: bpy.types.Object, request: Request, recipe: Recipe | None = None
) -> Read:
    """Read the requested actions on an armature, as `read_actions` does; raises LoomError kinds."""
    made_of = []
    for source in request.sources:
        action = called(bpy.data.actions, source.name)
        if action is None:
            raise LoomError(f"There is no action named {source.name!r}: choose the sources again")
        made_of.append((action, curves.slot_called(action, source.slot, player_of(source, armature) or armature)))
    return read_actions(scene_of(context), armature, made_of, request, recipe)


def player_of(source: Source, armature: bpy.types.Object) -> bpy.types.Object | None:
    """Return the armature whose action a source is, None where it is the one it is read for; raises LoomError."""
    found = called(bpy.data.objects, source.armature) if source.armature else None
    if source.armature and (found is None or found.type != "ARMATURE" or not found.users_scene):
        raise LoomError(
            f"{source.name} is an action of {source.armature}, which is gone: choose its armature in Active Source"
        )
    return None if found == armature else found


def called(kept: "bpy.types.bpy_prop_collection[Data]", name: str) -> Data | None:
    """Return the data of a full name, or else of a name; None if there is none."""
    return next((one for one in kept if one.name_full == name), None) or named(kept, name)


def read_actions(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    made_of: Sequence[SlottedAction],
    request: Request,
    recipe: Recipe | None = None,
) -> Read:
    """Read actions, with their slots, that have been found already.

    Those of other armatures are read on these and carried onto the armature's body; where the recipe does that itself,
    they stay as they are. Raises LoomError kinds.
    """
    present(bpy.context.view_layer).update()  # a script may have moved the armature just now
    players = [player_of(source, armature) for source in request.sources]
    own = [one for one, player in zip(made_of, players, strict=True) if player is None]
    body = _body(armature, own)
    carried = evaluated_action.carried(armature, own) if request.reading.visual else frozenset()
    by_recipe = recipe is not None and verbs.VERBS[recipe.verb].several_bodies
    if by_recipe or len(own) < len(made_of):
        control_rig.refuse_unknown(armature, body)
    sources, said = [], []
    for one, player, source in zip(made_of, players, request.sources, strict=True):
        if player is None and not by_recipe:
            sources.append(_read_one(scene, armature, one, body, (source, request.reading), carried))
            said.append("")
            continue
        owner = player or armature
        theirs = _read_one(scene, owner, one, _body(owner, [one]), (source, request.reading))
        if by_recipe:
            pairs = other_bodies.pairs_of(theirs.clip.skeleton, body.skeleton, (owner.name, armature.name))
            theirs = dataclasses.replace(theirs, clip=other_bodies.without_others(theirs.clip))
            targets, notes, came = other_bodies.keyed_by(pairs, body), theirs.notes, ""
        else:
            brought = other_bodies.bring(theirs.clip, body, owner.name, armature.name)
            theirs = dataclasses.replace(theirs, clip=brought.clip)
            targets, notes, came = brought.targets, (*theirs.notes, *brought.notes), brought.said
        targets |= other_bodies.played_on(armature)
        sources.append(dataclasses.replace(theirs, targets=targets, notes=notes, start={}, hidden=frozenset()))
        said.append(came)
    ids = tuple((action.session_uid, slot.handle if slot else 0) for action, slot in made_of)
    uids = tuple(0 if player is None else player.session_uid for player in players)
    bodies = (other_bodies.still(body, armature.name, sources[0].clip.rate),) if by_recipe else ()
    found = Read(body, tuple(sources), armature.session_uid, ids, uids, tuple(said), bodies)
    if isinstance(recipe, StyleOptions) and recipe.kept:
        prepared.keep(recipe, found.clips, kept_styles.load(recipe.kept))
    return found


def together(parts: Sequence[Read]) -> Read:
    """Return what was read of several sources, or of as many together, on the same armature, one after the other."""
    return dataclasses.replace(
        parts[0],
        each=len(parts[0].sources),
        sources=tuple(one for part in parts for one in part.sources),
        made_of=tuple(one for part in parts for one in part.made_of),
        players=tuple(one for part in parts for one in part.players),
        said=tuple(one for part in parts for one in part.said),
    )


def _body(armature: bpy.types.Object, played: Sequence[SlottedAction]) -> rig.Rig:
    moving_object = any(clips.moves_object(*one) for one in played)
    return control_rig.body_or_bones(armature, moving_object=moving_object, still=partial(still_bones.found, armature))


def _read_one(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: rig.Rig,
    how: tuple[Source, ReadingOptions],
    carried: frozenset[curves.Target] = frozenset(),
) -> clips.ReadAction:
    (action, slot), (source, reading) = played, how
    rate = source.rate or rates.rate_of(action) or rates.of_scene(scene)
    first, last = source.span or action.frame_range[:]
    visual = reading.visual or body.controls is not None
    limits.check_reading(action.name, first, last, len(body.skeleton), visual=visual)
    if body.controls is not None:
        return clip_on_controls.read(scene, armature, action, body, rate, slot, source.span)
    if reading.visual:
        return evaluated_action.read(scene, armature, action, body, rate, slot, source.span, carried)
    return clips.read(armature, action, body, rate, slot, source.span)


def weave(read: Read, recipe: Recipe, progress: Progress) -> Any:
    """Do what a recipe says with what was read; touches nothing of Blender's, so it can run in a thread.

    A registration or a graph that is known for the same clips and options is used again. Returns what `verbs.apply`
    does.
    """
    ready = prepared.prepared(recipe, read.clips, progress.part(0.0, 0.7))
    return verbs.apply(recipe, read.clips, progress.part(0.7, 1.0), ready)


@dataclass(frozen=True, eq=False)
class Written:
    """The action that was written, and what the user has to know of it.

    keys : how many there were and are, where an action was changed by itself
    few : what came of few keys, where some were asked for, in a few words
    """

    action: bpy.types.Action
    notes: tuple[str, ...] = ()
    keys: tuple[int, int] | None = None
    few: str = ""


def write(
    context: bpy.types.Context,
    request: Request,
    read: Read,
    recipe: Recipe,
    woven: Result,
    *,
    into: SlottedAction | None = None,
) -> Written:
    """Write a woven clip as an action that begins where its reference does, with its recipe.

    A new action, or the action and slot of `into`, whose keys are replaced; if that fails, nothing has changed. Raises
    LoomError if the armature, one of its bones or a source is gone by now.
    """
    scene, armature = scene_of(context), found(bpy.data.objects, read.armature, "The armature")
    notices = [_check_bones(armature, read.body)]
    made_of = [source_of(read, k) for k in range(len(read.made_of))]
    players = [_player(read, k) for k in range(len(read.made_of))]
    reference = read.sources[woven.reference]
    clip, first_frame, notice = as_written(context, request, read, recipe, few_keys.unfitted(woven))
    options = request.result
    start = {} if options.place == "cursor" else reference.start
    notes = _contact_notes(clip, first_frame) if options.mark_contacts else {}
    if isinstance(woven, ConnectResult):
        notes |= {f"Seam {k}": first_frame + f for k, f in enumerate(woven.seams, start=1)}
    kept_way.ensure(armature, clip)
    with curves.whole(clip.name, armature, into) as (action, slot):
        how: dict[str, Any] = {
            "first_frame": first_frame,
            "targets": keyed(read),
            "start": start,
            "interpolation": options.interpolation.upper(),
        }
        kept = few_keys.kept(recipe, woven, made_of[0][0], first_frame, notes.values())
        few = few_keys.asked(options, recipe, kept, len(clip))
        fewer = None
        if read.body.controls is not None:
            notices.append(clip_on_controls.fill((action, slot), armature, clip, read.body, **how))
            notices.append(few_keys.on_controls(armature, few))
        else:
            fewer = clips.fill((action, slot), clip, read.body, hidden=reference.hidden, few=few, **how)
        still_bones.keep(armature, read.body.still, action)
        clips.mark(action, notes)
        if recipe.of_action and into is None:
            pose_markers.carry_over(made_of[0][0], action, woven)
        if options.result_name and into is None:
            action.name = options.result_name
        rates.set_rate(action, 0.0 if clip.rate == rates.of_scene(scene) else clip.rate)
        storage.store(action, slot, recipe, made_of, armature=armature, request=request.to_json(), players=players)
        if options.assign and into is None:
            curves.assign(armature, action, slot)
    notices.append(notice and f"{action.name} {notice}")
    keys = (curves.key_count(*made_of[0]), curves.key_count(action, slot)) if recipe.of_action else None
    return Written(action, tuple(filter(None, notices)), keys, few_keys.said(fewer, recipe))


def keyed(read: Read) -> frozenset[curves.Target]:
    """Return what any of the sources has keys for."""
    return frozenset().union(*(source.targets for source in read.sources))


def as_written(
    context: bpy.types.Context, request: Request, read: Read, recipe: Recipe, woven: Result
) -> tuple[Clip, float, str]:
    """Return a woven clip as it is to be written, the scene frame that it begins at, and a notice about it."""
    first_frame = float(np.floor(read.sources[woven.reference].first_frame + 0.5))  # keys stand on frames
    clip, notice = _in_a_row(woven, recipe)
    clip = retarget.onto(clip, read.body.skeleton)  # what a graph from a file has walked may be of another body
    options = request.result
    if options.travel != "reference":
        clip = root_carrier.by_root(clip) if options.travel == "root" else root_carrier.by_hips(clip)
    if options.place == "cursor":
        clip = _at_cursor(clip, read.body, scene_of(context).cursor)
    return clip, first_frame, notice


def _in_a_row(woven: Result, recipe: Recipe) -> tuple[Clip, str]:
    """The clip as it is to be written, and a notice about it: a loop that turns several times in a row."""
    turn = clips.turn_a_cycle(woven.clip)
    if turn is None:
        return woven.clip, ""
    notice = f"turns {turn:.3g}° a cycle: repeat offsets can't turn its travel, so it was not made to repeat"
    if not isinstance(recipe, Loop) or recipe.repeat > 1:
        return woven.clip, notice
    several = dataclasses.replace(cycles.unrolled(woven.clip, 0, TURNING_CYCLES - 1), cyclic=False)
    return several, f"{notice} but written {TURNING_CYCLES} times in a row (Repeat says how often)"


def source_of(read: Read, which: int) -> SlottedAction:
    """Return the action and slot that was read as a source; raises LoomError if it is gone."""
    uid, handle = read.made_of[which]
    action = found(bpy.data.actions, uid, f"The action {read.sources[which].clip.name!r}")
    slots = getattr(action, "slots", ())
    return action, next((slot for slot in slots if slot.handle == handle), None)


def _player(read: Read, which: int) -> bpy.types.Object | None:
    uid = read.players[which] if read.players else 0
    return found(bpy.data.objects, uid, f"The armature of {read.sources[which].clip.name!r}") if uid else None


def found(kept: Iterable[Data], uid: int, what: str) -> Data:
    """Return the data of a session id; that of one that was deleted is never given again."""
    there = properties.of_session(kept, uid)
    if there is None or (isinstance(there, bpy.types.Object) and not there.users_scene):
        raise LoomError(f"{what} was deleted while its actions were woven: nothing was written")
    return there


def _check_bones(armature: bpy.types.Object, body: rig.Rig) -> str:
    """Return a notice about bones that are new since a rig was read; raises LoomError where others are not the same."""
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
    """The clip turned and moved so that it begins at the 3D cursor, facing along its y axis."""
    return root_motion.beginning_at(clip, *cursor_place(cursor, body))


def cursor_place(cursor: bpy.types.View3DCursor, body: rig.Rig) -> tuple[Array, float]:
    """Return where the 3D cursor is on the ground (2,), metres, and which way its y axis faces, radians."""
    axis = [cursor.matrix[row][1] for row in range(2)]
    return np.array(cursor.location[:2]) * body.world_metres, float(np.arctan2(-axis[0], axis[1]))


def summary(written: Written, made: Result) -> str:
    """Return the main figures of a result in one line."""
    report, action = made.report, written.action
    after = report["quality"]["after"]["slide_cm_s"]
    figures = "" if after is None else f", feet slide {after:.1f} cm/s"
    if isinstance(made, EditResult) and after is not None:
        before = report["quality"]["before"][0]["slide_cm_s"]
        figures = figures if before is None else f", feet slide {before:.1f} → {after:.1f} cm/s"
    planted = contact_rows.figures(report)
    if planted:
        figures = f", feet that stand {planted}"
    if "follow" in report:
        figures += f", {100.0 * report['follow']['rms']:.1f} cm off the curve"
    figures = written.few + figures
    if written.keys is not None:
        figures = ", keys {:,} → {:,}".format(*written.keys) + figures
    first, last = action.curve_frame_range[:]
    return f"{action.name}: {round(last - first) + 1} frames in {report['seconds_taken']:.2f} s{figures}"


def _contact_notes(clip: Clip, first_frame: float) -> dict[str, float]:
    """Return what markers say of the feet, and at which scene frame."""
    notes = {}
    for side, flags in contacts.detect(clip).items():
        for number, (start, end) in enumerate(contacts.runs(flags), start=1):
            notes[f"{side} down {number}"] = first_frame + start
            notes[f"{side} up {number}"] = first_frame + end - 1
    return notes
