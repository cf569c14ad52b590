"""From actions to clips and from a woven clip to a new action: what every operator does before and after the recipe.

Reading and writing touch Blender's data; the recipe in between does not, and may run elsewhere. Nothing of
Blender's is kept in between: it is found again by its session id, and what is gone is said.
"""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..core.check import contacts
from ..core.errors import LoomError
from ..core.motion import cycles, trajectory
from ..core.motion.clip import Clip
from ..core.progress import Progress
from ..core.recipes import Blend, Loop, Recipe, ShortestPath, Synchronise, Walking
from ..core.weave import carry
from ..core.weave.woven import Connected, Woven
from . import properties, rates, remembered, storage
from .bridge import clip as clips
from .bridge import curves, rig, seen

TURNING_CYCLES = 8  # of a loop that no modifier can repeat


@dataclass(frozen=True)
class SourceRequest:
    """Which action is to be read, and how.

    name : as Blender tells linked ones of the same name apart, such as "Walk [library.blend]"
    rate : frames per second, 0 is the action's own or else the scene's; slot : its identifier, empty is the fitting one
    first, last : the scene frames to read; the whole action where both are the same
    """

    name: str
    rate: float = 0.0
    slot: str = ""
    first: int = 0
    last: int = 0

    @property
    def span(self) -> tuple[int, int] | None:
        return None if self.first == self.last else (self.first, self.last)


@dataclass(frozen=True)
class Request:
    """What the user wants of the actions and of the result, apart from the recipe.

    curve : name of the curve object whose points are the recipe's path, as they were
    """

    sources: tuple[SourceRequest, ...]
    result_name: str = ""
    assign: bool = True
    place: str = "REFERENCE"
    travel: str = "REFERENCE"
    as_seen: bool = False
    interpolation: str = "LINEAR"
    mark_contacts: bool = False
    curve: str = ""

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), sort_keys=True)


def request_from_json(text: str) -> Request:
    """Return what `to_json` gave; raises ValueError, TypeError or KeyError for anything else."""
    values = json.loads(text)
    sources = tuple(SourceRequest(**one) for one in values.pop("sources"))
    return Request(sources, **values)


def asked_of(kept: storage.Stored) -> Request:
    """Return what was asked of a result; as usual where it does not say."""
    try:
        return request_from_json(kept.request)
    except (ValueError, TypeError, KeyError, AttributeError):
        return Request(tuple(SourceRequest(source.name) for source in kept.sources))


@dataclass(frozen=True, eq=False)
class Again:
    """What a result was made of and how, found as it is now; holds Blender's data, so it is for use at once.

    armature : None where that which it was made for is gone
    """

    armature: Any
    made_of: list[tuple[Any, Any]]
    request: Request
    recipe: Recipe
    into: tuple[Any, Any]


def again(action: Any, *, overwrite_edits: bool) -> Again:
    """Return what it takes to make a result anew.

    Raises LoomError for what is no result or can't be written, for a source that is gone, and for keys that were
    edited by hand unless they may be overwritten.
    """
    kept = storage.stored(action)
    if kept is None:
        raise LoomError(f"{action.name} was not made by Action Loom")
    storage.writable(action)
    if not overwrite_edits and storage.edited_by_hand(action):
        raise LoomError(f"{action.name} was edited by hand: allow overwriting edits, or rename it and weave again")
    made_of, request = storage.find_sources(action), asked_of(kept)
    now = zip(request.sources, made_of, strict=True)
    renamed = tuple(dataclasses.replace(source, name=source_action.name_full) for source, (source_action, _) in now)
    into = action, storage.find_slot(action, kept.slot)
    request = dataclasses.replace(request, sources=renamed)
    return Again(kept.armature, made_of, request, recipe_now(kept, made_of), into)


def recipe_now(kept: storage.Stored, made_of: list[tuple[Any, Any]]) -> Recipe:
    """Return the recipe of a result with the names that its sources have today, where it tells them by name."""
    recipe = kept.recipe
    if not isinstance(recipe, ShortestPath):
        return recipe
    pairs = [(source.name, action.name) for source, (action, _) in zip(kept.sources, made_of, strict=True)]
    today = dict(pairs) | {f"{before} mirrored": f"{now} mirrored" for before, now in pairs}
    (leave, _, first), (reach, _, last) = recipe.leave.rpartition(":"), recipe.reach.rpartition(":")
    leave, reach = f"{today.get(leave, leave)}:{first}", f"{today.get(reach, reach)}:{last}"
    return dataclasses.replace(recipe, leave=leave, reach=reach)


@dataclass(frozen=True, eq=False)
class Read:
    """The sources as clips on the armature's rig, and session ids of the armature, the actions and their slots."""

    body: rig.Rig
    sources: tuple[clips.Source, ...]
    armature: int
    made_of: tuple[tuple[int, int], ...]

    @property
    def clips(self) -> list[Clip]:
        return [source.clip for source in self.sources]

    @property
    def notes(self) -> list[str]:
        """What was left out of the sources and why, for the user."""
        return sorted({note for source in self.sources for note in source.notes})


def read(context: Any, armature: Any, request: Request) -> Read:
    """Read the requested actions on an armature; raises LoomError kinds."""
    scene = context.scene
    made_of = []
    for wanted in request.sources:
        action = called(bpy.data.actions, wanted.name)
        if action is None:
            raise LoomError(f"There is no action named {wanted.name!r}: choose the sources again")
        made_of.append((action, curves.slot_called(action, wanted.slot, armature)))
    return read_actions(scene, armature, made_of, request)


def called(kept: Any, name: str) -> Any:
    """Return the data of a full name, or else of a name; None if there is none."""
    return next((one for one in kept if one.name_full == name), None) or kept.get(name)


def read_actions(scene: Any, armature: Any, made_of: Sequence[tuple[Any, Any]], request: Request) -> Read:
    """Read actions, with their slots, that have been found already."""
    bpy.context.view_layer.update()  # a script may have moved the armature just now
    body = rig.read(armature, moving_object=any(clips.moves_object(*source) for source in made_of))
    sources = []
    for (action, slot), wanted in zip(made_of, request.sources, strict=True):
        rate = wanted.rate or rates.rate_of(action) or rates.of_scene(scene)
        if request.as_seen:
            sources.append(seen.read(scene, armature, action, body, rate, slot, wanted.span))
        else:
            sources.append(clips.read(armature, action, body, rate, slot, wanted.span))
    ids = tuple((action.session_uid, slot.handle if slot else 0) for action, slot in made_of)
    return Read(body, tuple(sources), armature.session_uid, ids)


def weave(read: Read, recipe: Recipe, progress: Progress) -> Woven:
    """Apply a recipe to what was read; touches nothing of Blender's, so it can run in a thread.

    A registration or a graph that is known for the same clips and options is used again.
    """
    if isinstance(recipe, Blend | Synchronise):
        known = remembered.matched(read.clips, recipe, progress.part(0.0, 0.7))
        return recipe.apply(read.clips, progress.part(0.7, 1.0), known)
    if isinstance(recipe, Walking):
        graph = remembered.graph(recipe.walked(read.clips), recipe, progress.part(0.0, 0.5))
        return recipe.apply(read.clips, progress.part(0.5, 1.0), graph)
    return recipe.apply(read.clips, progress)


@dataclass(frozen=True, eq=False)
class Written:
    """The action that was written, and what the user has to know of it."""

    action: Any
    notes: tuple[str, ...] = ()


def write(
    context: Any, request: Request, read: Read, recipe: Recipe, woven: Woven, *, into: tuple[Any, Any] | None = None
) -> Written:
    """Write a woven clip as an action that begins where its reference does, with its recipe.

    A new action, or the action and slot of `into`, whose keys are replaced. Raises LoomError if the armature or a
    source is gone by now.
    """
    armature = found(bpy.data.objects, read.armature, "The armature")
    made_of = [_source(read, k) for k in range(len(read.made_of))]
    reference = read.sources[woven.reference]
    clip, notice = _in_a_row(woven, recipe)
    start = reference.start
    notes = _contact_notes(clip, reference.first_frame) if request.mark_contacts else {}
    if request.travel != "REFERENCE":
        clip = carry.by_root(clip) if request.travel == "ROOT" else carry.by_hips(clip)
    if request.place == "CURSOR":
        clip, start = _at_cursor(clip, read.body, context.scene.cursor), {}
    action = clips.write(
        armature,
        clip,
        read.body,
        first_frame=reference.first_frame,
        targets=frozenset().union(*(source.targets for source in read.sources)),
        start=start,
        hidden=reference.hidden,
        interpolation=request.interpolation,
        into=into,
    )
    if isinstance(woven, Connected):
        notes |= {f"Seam {k}": reference.first_frame + f for k, f in enumerate(woven.seams, start=1)}
    clips.mark(action, notes)
    if request.result_name and into is None:
        action.name = request.result_name
    rates.set_rate(action, 0.0 if clip.rate == rates.of_scene(context.scene) else clip.rate)
    slot = curves.choose_slot(action, armature) if into is None else into[1]
    storage.store(action, slot, recipe, made_of, armature=armature, request=request.to_json())
    if request.assign and into is None:
        curves.assign(armature, action, slot)
    return Written(action, (f"{action.name} {notice}",) if notice else ())


def _in_a_row(woven: Woven, recipe: Recipe) -> tuple[Clip, str]:
    """The clip as it is to be written, and what is to be said of it: a loop that turns several times in a row."""
    turn = clips.turn_a_cycle(woven.clip)
    if turn is None:
        return woven.clip, ""
    said = f"turns {turn:.3g}° a cycle: repeat offsets can't turn its travel, so it was not made to repeat"
    if not isinstance(recipe, Loop) or recipe.repeat > 1:
        return woven.clip, said
    several = dataclasses.replace(cycles.unrolled(woven.clip, 0, TURNING_CYCLES - 1), cyclic=False)
    return several, f"{said} but written {TURNING_CYCLES} times in a row (Repeat says how often)"


def _source(read: Read, which: int) -> tuple[Any, Any]:
    uid, handle = read.made_of[which]
    action = found(bpy.data.actions, uid, f"The action {read.sources[which].clip.name!r}")
    slots = getattr(action, "slots", ())
    return action, next((slot for slot in slots if slot.handle == handle), None)


def found(kept: Any, uid: int, what: str) -> Any:
    """Return the data of a session id; that of one that was deleted is never given again."""
    there = properties.of_session(kept, uid)
    if there is None or (isinstance(there, bpy.types.Object) and not there.users_scene):
        raise LoomError(f"{what} was deleted while its actions were woven: nothing was written")
    return there


def _at_cursor(clip: Clip, body: rig.Rig, cursor: Any) -> Clip:
    """The clip turned and moved so that it begins at the 3D cursor, facing along its y axis."""
    place = np.array(cursor.location[:2]) * body.world_metres
    axis = cursor.matrix.col[1]
    wanted = float(np.arctan2(-axis[0], axis[1]))
    return trajectory.beginning_at(clip, place, wanted)


def _contact_notes(clip: Clip, first_frame: float) -> dict[str, float]:
    """Return what markers say of the feet, and at which scene frame."""
    notes = {}
    for side, flags in contacts.detect(clip).items():
        for number, (start, end) in enumerate(contacts.runs(flags), start=1):
            notes[f"{side} down {number}"] = first_frame + start
            notes[f"{side} up {number}"] = first_frame + end - 1
    return notes
