"""From actions to clips and from a woven clip to a new action: what every operator does before and after the recipe.

Reading and writing touch Blender's data; the recipe in between does not, and may run elsewhere.
"""

from dataclasses import dataclass
from typing import Any

import bpy

from ..core.check import contacts
from ..core.errors import LoomError
from ..core.motion.clip import Clip
from ..core.recipes import Recipe
from ..core.weave.woven import Woven
from . import storage
from .bridge import clip as clips
from .bridge import curves, rig, seen


@dataclass(frozen=True)
class Request:
    """What the user wants of the actions and of the result, apart from the recipe.

    sources : name, rate (0 is the scene's) and slot identifier (empty is the fitting one) of each action
    """

    sources: tuple[tuple[str, float, str], ...]
    result_name: str = ""
    assign: bool = True
    as_seen: bool = False
    interpolation: str = "LINEAR"
    mark_contacts: bool = False


@dataclass(frozen=True, eq=False)
class Read:
    """The sources as clips on the armature's rig, and the actions and slots they are of."""

    body: rig.Rig
    sources: tuple[clips.Source, ...]
    made_of: tuple[tuple[Any, Any], ...]

    @property
    def notes(self) -> list[str]:
        """What was left out of the sources and why, for the user."""
        return sorted({note for source in self.sources for note in source.notes})


def read(context: Any, request: Request) -> Read:
    """Read the requested actions on the active armature; raises LoomError kinds."""
    armature, scene = context.object, context.scene
    made_of = []
    for name, _, identifier in request.sources:
        action = bpy.data.actions.get(name)
        if action is None:
            raise LoomError(f"There is no action named {name!r}: choose the sources again")
        made_of.append((action, curves.slot_called(action, identifier, armature)))
    context.view_layer.update()  # a script may have moved the armature just now
    body = rig.read(armature, moving_object=any(clips.moves_object(*source) for source in made_of))
    scene_rate = scene.render.fps / scene.render.fps_base
    sources = []
    for (action, slot), (_, rate, _) in zip(made_of, request.sources, strict=True):
        if request.as_seen:
            sources.append(seen.read(scene, armature, action, body, rate or scene_rate, slot))
        else:
            sources.append(clips.read(armature, action, body, rate or scene_rate, slot))
    return Read(body, tuple(sources), tuple(made_of))


@dataclass(frozen=True, eq=False)
class Written:
    """The new action, and what the user has to know of it."""

    action: Any
    notes: tuple[str, ...] = ()


def write(context: Any, request: Request, read: Read, recipe: Recipe, woven: Woven) -> Written:
    """Write a woven clip as a new action that begins where its reference does, with its recipe."""
    armature = context.object
    reference = read.sources[woven.registration.reference]
    action = clips.write(
        armature,
        woven.clip,
        read.body,
        first_frame=reference.first_frame,
        targets=frozenset().union(*(source.targets for source in read.sources)),
        start=reference.start,
        hidden=reference.hidden,
        interpolation=request.interpolation,
    )
    if request.mark_contacts:
        clips.mark(action, _contact_notes(woven.clip, reference.first_frame))
    if request.result_name:
        action.name = request.result_name
    slot = curves.choose_slot(action, armature)
    storage.store(action, slot, recipe, read.made_of, armature=armature)
    if request.assign:
        curves.assign(armature, action, slot)
    why = clips.unrepeatable(woven.clip)
    return Written(action, () if why is None else (f"{action.name} {why}",))


def _contact_notes(clip: Clip, first_frame: float) -> dict[str, float]:
    """Return what markers say of the feet, and at which scene frame."""
    notes = {}
    for side, flags in contacts.detect(clip).items():
        for number, (start, end) in enumerate(contacts.runs(flags), start=1):
            notes[f"{side} down {number}"] = first_frame + start
            notes[f"{side} up {number}"] = first_frame + end - 1
    return notes
