"""Cycles and transitions that were found in the sources of each armature, to be chosen from in the panel.

What is kept holds nothing of Blender's.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from . import analysis, pictures, properties

if TYPE_CHECKING:
    from ..core.sync.repetition import Cycle, Repetition
    from ..core.sync.transitions import Transition
    from . import painting, painting_scores, weaving

MOST = 8  # kept at a time, over all armatures


@dataclass(frozen=True)
class Candidate:
    """One possibility: what the list says, the scene frame where it is, and the options of the recipe that take it."""

    text: str
    frame: float
    options: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Found:
    """What was found in some sources; icon : of the picture, 0 for none; curves : what the picture shows."""

    sources: tuple[analysis.Reading, ...]
    as_seen: bool
    candidates: tuple[Candidate, ...]
    icon: int = 0
    curves: "tuple[painting_scores.Curve, painting_scores.Curve] | None" = None
    color: "painting.Color" = (1.0, 1.0, 1.0)


# By the session id of the armature and the mode; the last found is the last.
_found: dict[tuple[int, str], Found] = {}

# What leaves the choice to the recipe.
AUTOMATIC = {"loop": (("start", 0), ("length", 0)), "connect": (("from_frame", -1), ("to_frame", -1))}


def of(scene: Any, armature: Any) -> Found | None:
    """Return what was found for the panel's mode in the sources that are ticked now, or None; cheap for drawing."""
    found = _found.get((armature.session_uid, scene.action_loom.mode))
    lines = properties.ticked(properties.rig_of(scene, armature))
    asked = analysis.listed(lines), scene.action_loom.result.as_seen
    return found if found is not None and (found.sources, found.as_seen) == asked else None


def is_chosen(settings: Any, candidate: Candidate) -> bool:
    group = getattr(settings, settings.mode)
    return all(getattr(group, name) == value for name, value in candidate.options)


def keep_cycles(
    context: Any, request: "weaving.Request", read: "weaving.Read", found: "Repetition", offered: "list[Cycle]"
) -> None:
    """Keep the cycles of an action, and paint how well it repeats itself."""
    from . import painting_scores

    source, name = read.sources[0], f"{read.armature} loop"
    first, rate = source.first_frame, source.clip.rate
    curves = painting_scores.curves_of(found, offered, rate, first)
    color = _color(context, read)
    rows = []
    for one in offered:
        begin = first + one.start
        text = f"{begin:.0f}–{begin + one.length:.0f} · {one.length / rate:.2f} s · {one.score:.2f}"
        rows.append(Candidate(text, begin, (("start", one.start), ("length", one.length))))
    icon = pictures.preview(name, painting_scores.small(curves, color))
    _keep(read, "loop", Found(analysis.requested(request), request.as_seen, tuple(rows), icon, curves, color))


def keep_transitions(request: "weaving.Request", read: "weaving.Read", offered: "list[Transition]") -> None:
    """Keep where one action can go over into another."""
    leave, enter = (source.first_frame for source in read.sources)
    rows = tuple(
        Candidate(
            f"{leave + one.from_frame:.0f} → {enter + one.to_frame:.0f} · {100.0 * one.distance:.1f} cm",
            leave + one.from_frame,
            (("from_frame", one.from_frame), ("to_frame", one.to_frame)),
        )
        for one in offered
    )
    _keep(read, "connect", Found(analysis.requested(request), request.as_seen, rows))


def forget() -> None:
    _found.clear()


def _keep(read: "weaving.Read", mode: str, found: Found) -> None:
    _found.pop((read.armature, mode), None)
    _found[read.armature, mode] = found
    for key in list(_found)[:-MOST]:
        del _found[key]


def _color(context: Any, read: "weaving.Read") -> "painting.Color":
    armature = properties.of_session(bpy.data.objects, read.armature)
    return analysis.colors(properties.rig_of(context.scene, armature), [read.sources[0].clip.name])[0]


def register() -> None:
    """Nothing has been found yet."""


def unregister() -> None:
    forget()
