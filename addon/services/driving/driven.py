"""Start a drive: prepare the ticked actions for searching, at the character's place."""

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ....core.drive import variety
from ....core.drive.controller import STEP
from ....core.errors import LoomError
from ....core.progress import SILENT
from ....core.recipes.reading import ReadingOptions, Request, Source
from ....core.verbs import Drive
from ....core.verbs.drive import work
from ...bridge import control_body, ground_mesh
from ...bridge.controls import FoundControls
from ...bridge.rig import Rig
from ...ground import option_properties, steps
from ...ground.blender_types import present, scene_of
from ...model import lists, preferences, properties, readiness
from ..sources import source_list
from ..weaving import prepared, reading, standing
from .figure import Figure
from .session import Session

_current: Session | None = None


# Results of a drive, which are not options of it.
_DRIVEN = ("wishes", "places", "start", "ground", "crowd", "which", "spans")


def prepare_drive(
    context: bpy.types.Context, armature: bpy.types.Object, sources: Sequence[Source] = (), number: int = 0
) -> Figure:
    """Prepare a drive of an armature at its place, from its ticked actions or from given sources.

    number : index of a companion, 0 for the main character; a companion with the same sources moves as a different
        person

    Raises LoomError with the reason if the actions can't be driven.
    """
    scene = scene_of(context)
    settings, rig = properties.settings_of(scene), properties.rig_of(scene, armature)
    options = option_properties.values_of(settings.drive, Drive)
    recipe = Drive(**{name: value for name, value in options.items() if name not in _DRIVEN})
    recipe = replace(recipe, library=preferences.library(context) if settings.with_library else recipe.library)
    own = () if rig is None else tuple(source_list.source_of(line) for line in lists.in_order(rig, Drive))
    own = own if len(own) >= Drive.least or not sources else tuple(sources)
    if len(own) < Drive.least:
        raise LoomError(f"Tick two actions or more, such as one that walks and one that stands ({len(own)} ticked)")
    if recipe.upper_body_only:
        own = (plays(scene, armature), *own)
    request = Request(sources=own, reading=ReadingOptions(visual=settings.result.visual))
    read = reading.read(context, armature, request, recipe)
    _refuse_unsolved(armature, read.body)
    if read.body.moving_object or read.covered:
        raise LoomError(f"{armature.name}: only bones are driven: bake its actions on bones first, with Bake Action")
    known = prepared.read_prepared(recipe, read.clips, SILENT)
    data = work.rows(recipe.prepared_of(read.clips), recipe, known=known)
    if number and own == tuple(sources):
        recipe = replace(recipe, which=number)
        data = variety.vary_person(data, number, recipe.variety) or data
    legs = read.clips[0] if recipe.upper_body_only else None
    row = steps.run_steps(standing.place_in_steps(scene, armature, read.body)) or (0.0, 0.0, 0.0)
    under = None
    if settings.ground is not None and legs is None:
        # The body stands where its first clip begins, and so does the ground: the current frame does not matter.
        begins, floor = float(read.sources[0].frames[0]), float(read.body.space[2, 3])
        under = ground_mesh.read(settings.ground, armature, begins, metres=read.body.world_metres, floor=floor)
    session = Session(
        data,
        work.manner_of(recipe),
        complex(row[0], row[1]),
        float(np.radians(row[2])),
        under,
        number=recipe.which if recipe.variety else 0,
    )
    session.later = variety.later(data, number, recipe.variety)
    if legs is not None and not legs.cyclic:
        session.longest = round(legs.seconds / STEP)
    return Figure(armature, read, session, request, recipe, legs)


def plays(scene: bpy.types.Scene, armature: bpy.types.Object) -> Source:
    """Return the action that an armature plays, whose legs are kept; raises LoomError if it plays none."""
    data = armature.animation_data
    if data is None or data.action is None:
        raise LoomError(f"{armature.name}: Upper Body Only keeps the legs of the action that plays, and none does")
    return source_list.source_of_action(scene, armature, data.action)


def prepare_all(context: bpy.types.Context, armature: bpy.types.Object) -> tuple[list[Figure], list[str]]:
    """Prepare an armature and the other selected ones as companions; return figures and reasons for omissions.

    Each one plays its own ticked actions; one without any, but with the same bones, plays the first one's as a
    different person. Raises LoomError if the first one can't be driven.
    """
    first, left = prepare_drive(context, armature), list[str]()
    figures, bones = [first], {bone.name for bone in present(armature.pose).bones}
    for number, other in enumerate(source_list.selected_others(context, armature), 1):
        why = readiness.why_not(other)
        alike = {bone.name for bone in present(other.pose).bones} == bones
        try:
            if not why:
                which = 1 + (number - 1) % work.MOST
                figures.append(prepare_drive(context, other, first.request.sources if alike else (), which))
        except LoomError as error:
            why = str(error)
        if why:
            left.append(why if other.name in why else f"{other.name}: {why}")
    first.session.others = [one.session for one in figures[1:]]
    keep(first.session)
    return figures, left


def _refuse_unsolved(armature: bpy.types.Object, body: Rig) -> None:
    """Raise LoomError for a rig whose controls can't play the drive: most of the body, or a leg."""
    if body.controls is None:
        return
    control_body.refuse_unknown(armature, body)
    parts = body.controls.found.parts if isinstance(body.controls, FoundControls) else ()
    legs = [part.note for part in parts if part.note and any(role.startswith("thigh") for role, _ in part.bones)]
    if legs:
        raise LoomError(f"{armature.name}: {legs[0].partition(';')[0]}: mend that, then it can be driven")


def keep(session: Session | None) -> None:
    """Set the running drive, None for none."""
    global _current
    _current = session


def current() -> Session | None:
    """Return the running drive, for scripts and tests."""
    return _current
