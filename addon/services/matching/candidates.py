"""Keep the cycles and transitions found in the sources of each armature, for the panel to offer.

No Blender data is kept.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.cache import Cache
from ....core.recipes.reading import Source
from ...bitmaps import images
from ...ground import memory
from ...ground.blender_types import scene_of
from ...model import lists, properties
from . import analysis

if TYPE_CHECKING:
    from ....core.sync.cycle_search import Cycle, Repetition
    from ....core.sync.transitions import Transition
    from ...bitmaps import bitmap, score_bitmap
    from ..weaving import reading
    from ..weaving.reading import Inputs


class Candidate(NamedTuple):
    """A cycle or transition to choose: its text in the list, its scene frame, and the recipe options that select it."""

    text: str
    frame: float
    options: tuple[tuple[str, int], ...]


class FoundCandidates(NamedTuple):
    """The candidates of some sources.

    icon : icon id of the picture, 0 for none
    curves : the curves in the picture
    """

    sources: tuple[Source, ...]
    visual: bool
    candidates: tuple[Candidate, ...]
    icon: int = 0
    curves: "tuple[score_bitmap.ScoreCurve, score_bitmap.ScoreCurve] | None" = None
    color: "bitmap.Color" = (1.0, 1.0, 1.0)


# By the session id of the armature and the mode; the latest search is the last entry.
_found: Cache[tuple[int, str], FoundCandidates] = memory.cache(8)

# Option values that leave the choice to the recipe.
AUTOMATIC = {"loop": (("start", 0), ("length", 0)), "connect": (("from_frame", -1), ("to_frame", -1), ("seams", ""))}


def candidates_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> FoundCandidates | None:
    """Return the candidates for the panel's mode and the sources ticked now, or None; cheap enough for drawing."""
    settings = properties.settings_of(scene)
    found = _found.get((armature.session_uid, settings.mode))
    if found is None or found.visual != settings.result.visual:
        return None
    lines = lists.ticked_lines(properties.rig_of(scene, armature))
    return found if analysis.are_listed(lines, found.sources) else None


def source_of_cycle(scene: bpy.types.Scene, armature: bpy.types.Object | None) -> Source | None:
    """Return the source whose cycle is chosen in the panel, or None if no found cycle is chosen."""
    found = None if armature is None else _found.get((armature.session_uid, "loop"))
    group = properties.settings_of(scene).loop
    if found is None or not any(_is_set(group, candidate) for candidate in found.candidates):
        return None
    return found.sources[0]


def is_chosen(settings: Any, candidate: Candidate) -> bool:
    return _is_set(getattr(settings, settings.mode), candidate)


def _is_set(group: Any, candidate: Candidate) -> bool:
    return all(getattr(group, name) == value for name, value in candidate.options)


def keep_cycles(context: bpy.types.Context, inputs: "Inputs", found: "Repetition", offered: "list[Cycle]") -> None:
    """Keep the cycles of an action, and paint how well the action repeats itself."""
    from ...bitmaps import score_bitmap

    read = inputs.read
    source, name = read.sources[0], f"{read.armature} loop"
    first, rate = source.first_frame, source.clip.rate
    curves = score_bitmap.curves_of(found, offered, rate, first)
    color = _color(context, read)
    rows = []
    for cycle in offered:
        begin = first + cycle.start
        text = f"{begin:.0f}–{begin + cycle.length:.0f} · {cycle.length / rate:.2f} s · {cycle.score:.0%} alike"
        rows.append(Candidate(text, begin, (("start", cycle.start), ("length", cycle.length))))
    icon = images.preview(name, score_bitmap.small(curves, color))
    _keep(inputs, "loop", tuple(rows), icon, curves, color)


def keep_transitions(inputs: "Inputs", offered: "list[Transition]") -> None:
    """Keep the transitions from one action to another."""
    leave, enter = (source.first_frame for source in inputs.read.sources)
    rows = tuple(
        Candidate(
            f"{leave + one.from_frame:.0f} → {enter + one.to_frame:.0f} · {100.0 * one.distance:.1f} cm",
            leave + one.from_frame,
            (("from_frame", one.from_frame), ("to_frame", one.to_frame)),
        )
        for one in offered
    )
    _keep(inputs, "connect", rows)


def _keep(inputs: "Inputs", mode: str, rows: tuple[Candidate, ...], *picture: Any) -> None:
    found = FoundCandidates(inputs.request.sources, inputs.request.reading.visual, rows, *picture)
    _found.keep((inputs.read.armature, mode), found)


def _color(context: bpy.types.Context, read: "reading.Read") -> "bitmap.Color":
    armature = properties.of_session(bpy.data.objects, read.armature)
    return analysis.colors(properties.rig_of(scene_of(context), armature), [read.sources[0].clip.name])[0]
