"""Begin a drive: the ticked actions as rows to be searched, and where the character stands."""

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ....core.errors import LoomError
from ....core.progress import SILENT
from ....core.recipes.reading import ReadingOptions, Request
from ....core.verbs import Drive
from ....core.verbs.drive import work
from ...bridge import control_body, ground_mesh
from ...bridge.controls import FoundControls
from ...bridge.rig import Rig
from ...ground import option_properties, steps
from ...ground.blender_types import scene_of
from ...model import lists, properties
from ..sources import source_list
from ..weaving import prepared, reading, standing
from .session import Session

if TYPE_CHECKING:
    from ..weaving.reading import Read


_current: Session | None = None


def begun(context: bpy.types.Context, armature: bpy.types.Object) -> "tuple[Read, Session]":
    """Return the ticked actions of an armature as they are read, and a drive that stands where it does.

    Raises LoomError for actions that can't be driven, with a sentence that says why.
    """
    scene = scene_of(context)
    settings, rig = properties.settings_of(scene), properties.rig_of(scene, armature)
    recipe = Drive(
        **{
            name: value
            for name, value in option_properties.values_of(settings.drive, Drive).items()
            if name not in ("wishes", "places", "start", "ground", "spans")
        }
    )
    sources = tuple(source_list.source_of(line) for line in lists.in_order(rig, Drive))
    if len(sources) < Drive.least:
        raise LoomError(f"Tick two actions or more, such as one that walks and one that stands ({len(sources)} ticked)")
    how = ReadingOptions(visual=settings.result.visual)
    read = reading.read(context, armature, Request(sources=sources, reading=how), recipe)
    _refuse_unsolved(armature, read.body)
    if read.body.moving_object or read.covered:
        raise LoomError(f"{armature.name}: only bones are driven: bake its actions on bones first, with Bake Action")
    data = prepared.prepared(recipe, read.clips, SILENT)
    row = steps.finished(standing.place_in_steps(scene, armature, read.body)) or (0.0, 0.0, 0.0)
    under = None
    if settings.ground is not None:
        floor = armature.matrix_world.translation.z
        under = ground_mesh.read(settings.ground, read.body.world_metres, floor)
    session = Session(data, work.manner_of(recipe), complex(row[0], row[1]), float(np.radians(row[2])), under)
    keep(session)
    return read, session


def _refuse_unsolved(armature: bpy.types.Object, body: Rig) -> None:
    """Raise LoomError for a rig with controls that can't play what is driven: most of it, or a leg."""
    if body.controls is None:
        return
    control_body.refuse_unknown(armature, body)
    parts = body.controls.found.parts if isinstance(body.controls, FoundControls) else ()
    legs = [part.note for part in parts if part.note and any(role.startswith("thigh") for role, _ in part.bones)]
    if legs:
        raise LoomError(f"{armature.name}: {legs[0].partition(';')[0]}: mend that, then it can be driven")


def keep(session: Session | None) -> None:
    """Remember the drive that goes on, None for none."""
    global _current
    _current = session


def current() -> Session | None:
    """Return the drive that goes on, for scripts and tests."""
    return _current
