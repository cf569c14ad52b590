"""Store how the sources of each armature were last matched, and whether the match is up to date.

Blender data is not stored. A depsgraph update only marks an analysis as possibly outdated; reading the sources again
shows from their content whether they have changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.cache import Cache
from ....core.options import declared_options
from ....core.recipes.matching import Matching
from ....core.recipes.reading import Request, Source
from ...bitmaps import images
from ...ground import action_changes, memory, option_properties, registrar
from ...ground.blender_types import scene_of
from ...model import lists, properties
from ..sources import source_list

if TYPE_CHECKING:
    from ....core.sync.registration_curve import Registration
    from ....core.weave.preprocess import PreparedClips
    from ....core.weave.results import Result
    from ...bitmaps import bitmap, match_bitmap
    from ..weaving.reading import Inputs

UP_TO_DATE = "up to date"
OPTIONS_CHANGED = "options changed"
MAY_HAVE_CHANGED = "sources may have changed"
NOT_ANALYSED = "not analysed"


class Asked(NamedTuple):
    """All inputs of matching: the sources, their reading options, and the matching options."""

    sources: tuple[Source, ...]
    visual: bool
    options: tuple[tuple[str, Any], ...]

    @property
    def names(self) -> list[str]:
        return [source.name for source in self.sources]


class Pair(NamedTuple):
    """The figures that the panel shows for a source and the reference.

    kept : shares of the reference and of the source that take part
    limit : limit of the slope, 0 for none
    """

    which: int
    name: str
    likeness: float
    ends: str
    kept: tuple[float, float]
    limit: int


@dataclass(eq=False)
class Analysis:
    """The matching of an armature's sources.

    armature : session id of the armature
    actions : session ids of the source actions, compared with each update to notice a change
    evaluated : session ids of the actions evaluated before by Blender
    icons : icon ids of the displayed pictures, by the number of their source
    """

    asked: Asked
    armature: int
    prepared: "PreparedClips"
    registered: "Registration"
    starts: tuple[float, ...]
    actions: frozenset[int]
    evaluated: set[int]
    colors: "list[bitmap.Color]"
    pairs: list[Pair] = field(default_factory=list)
    icons: dict[int, int] = field(default_factory=dict)
    may_have_changed: bool = False

    @property
    def reference(self) -> str:
        return self.asked.names[self.registered.reference]

    def looks_like(self, other: "Analysis") -> bool:
        """Return whether another analysis has the same pictures and figures, as after a change of weights only."""
        same = self.registered is other.registered and self.prepared is other.prepared
        return same and (self.asked, self.starts, self.colors) == (other.asked, other.starts, other.colors)


# By the session id of the armature; the latest match is the last entry.
_last: Cache[int, Analysis] = memory.cache(4)


def analysis_of(armature: bpy.types.Object) -> Analysis | None:
    """Return the latest analysis of an armature's sources, or None."""
    return _last.get(armature.session_uid)


def shown_pair(scene: bpy.types.Scene, known: Analysis) -> Pair:
    """Return the pair of the displayed picture."""
    return known.pairs[properties.settings_of(scene).picture % len(known.pairs)]


def icon_of(known: Analysis, pair: Pair) -> int:
    """Return the icon id of a pair's picture, painted when first displayed; 0 if Blender lacks icons."""
    if pair.which not in known.icons:
        known.icons[pair.which] = _small(known.armature, known, pair.which)
    return known.icons[pair.which]


def pair_in(shown_image: bpy.types.Image) -> tuple[Analysis, Pair] | None:
    """Return the latest analysis and pair displayed by one of our images, or None."""
    across, up = images.names_of(shown_image)
    found = [(known, pair) for known in _last for pair in known.pairs if (known.reference, pair.name) == (across, up)]
    return found[-1] if found else None


def state(scene: bpy.types.Scene, armature: bpy.types.Object) -> str:
    """Return how the analysis compares to the panel's request; cheap enough for drawing."""
    known = analysis_of(armature)
    if known is None:
        return NOT_ANALYSED
    settings, rig = properties.settings_of(scene), properties.rig_of(scene, armature)
    lines = lists.ticked_lines(rig)
    if not are_listed(lines, known.asked.sources):
        same_names = [line.action.name_full for line in lines] == known.asked.names
        return OPTIONS_CHANGED if same_names else NOT_ANALYSED
    options = option_properties.values_of(settings.matching, Matching)
    options["reference"] = str(lists.reference_among(rig, lines) + 1) if lines else "1"
    if (settings.result.visual, tuple(sorted(options.items()))) != (known.asked.visual, known.asked.options):
        return OPTIONS_CHANGED
    return MAY_HAVE_CHANGED if known.may_have_changed else UP_TO_DATE


def asked_for(request: Request, matching: Matching) -> Asked:
    """Return the sources and options of an operator call."""
    options = {name: getattr(matching, name) for name in declared_options(Matching)}
    return Asked(request.sources, request.reading.visual, tuple(sorted(options.items())))


def are_listed(lines: list[Any], sources: Sequence[Source]) -> bool:
    """Return whether some lines of a list describe these sources; cheap enough for drawing."""
    return len(lines) == len(sources) and all(map(source_list.is_read_as, lines, sources))


def keep(context: bpy.types.Context, inputs: "Inputs", prepared: "PreparedClips", registered: "Registration") -> None:
    """Store the analysis of some sources, and paint the displayed pictures."""
    read = inputs.read
    armature = properties.of_session(bpy.data.objects, read.armature)
    if armature is None:
        return
    asked = asked_for(inputs.request, inputs.recipe)
    known = Analysis(
        asked,
        read.armature,
        prepared,
        registered,
        starts=tuple(source.first_frame for source in read.sources),
        actions=frozenset(uid for uid, _ in read.made_of),
        evaluated=set(action_changes.among(context.evaluated_depsgraph_get().ids)),
        colors=colors(properties.rig_of(scene_of(context), armature), asked.names),
    )
    before = analysis_of(armature)
    if before is not None and before.looks_like(known):
        known.pairs, known.icons = before.pairs, before.icons
        _last.keep(read.armature, known)
        return
    known.pairs = _pairs(known)
    _last.keep(read.armature, known)
    icon_of(known, shown_pair(scene_of(context), known))
    painted = images.every()
    for pair in known.pairs:
        if (known.reference, pair.name) in painted:
            large(known, pair)


def keep_woven(context: bpy.types.Context, inputs: "Inputs", woven: "Result") -> None:
    """Store the matching of a result's sources, if an analysis would give the same match."""
    from ....core.weave.results import BlendResult
    from ..weaving import prepared

    # Weights that do not close turn a cyclic match into another one, which belongs to its result alone.
    if isinstance(woven, BlendResult) and prepared.holds(woven.registration):
        keep(context, inputs, woven.prepared, woven.registration)


def match_of(known: Analysis, which: int) -> "match_bitmap.Match":
    """Return the data of the picture of a source and the reference."""
    from ...bitmaps import match_bitmap

    return match_bitmap.match_of(known.prepared, known.registered, which, known.starts)


def large(known: Analysis, pair: Pair) -> bpy.types.Image:
    """Paint the full-size image of a source and the reference again, and return it."""
    from ...bitmaps import match_bitmap

    match, color = match_of(known, pair.which), known.colors[pair.which]
    return images.image(known.reference, pair.name, match_bitmap.large(match, color), match_bitmap.legend(match, color))


def preview_name(armature: int, which: int) -> str:
    """Return the name of a source's preview image, made of the session id of its armature."""
    return f"{armature} {which}"


def _pairs(known: Analysis) -> list[Pair]:
    from ....core.weave import reporting

    which = [k for k in range(len(known.starts)) if k != known.registered.reference]
    free = dict(known.asked.options)["slope"] < 0
    return [
        Pair(
            k,
            known.asked.names[k],
            report["likeness"],
            report["ends"],
            tuple(report["kept"]),
            0 if free else report["slope_limit"],
        )
        for k, report in zip(which, reporting.describe(known.prepared, known.registered), strict=True)
    ]


def _small(armature: int, known: Analysis, which: int) -> int:
    from ...bitmaps import match_bitmap

    pixels = match_bitmap.small(match_of(known, which), known.colors[which])
    return images.preview(preview_name(armature, which), pixels)


def colors(rig: Any, names: list[str]) -> "list[bitmap.Color]":
    """Return the colours of sources from their lines in the list; unlisted sources get the colours of new lines."""
    lines = [] if rig is None else [line for line in rig.sources if line.action is not None]
    listed = {line.action.name: tuple(line.color) for line in lines}
    listed |= {line.action.name_full: tuple(line.color) for line in lines}
    return [listed.get(name, lists.COLORS[k % len(lists.COLORS)]) for k, name in enumerate(names)]


def _color_changed(scene: bpy.types.Scene, _context: bpy.types.Context) -> None:
    """Repaint the sources whose colour in the list has changed."""
    for rig in properties.settings_of(scene).rigs:
        armature = properties.armature_of(rig)
        known = None if armature is None else analysis_of(armature)
        if armature is None or known is None:
            continue
        before, known.colors = known.colors, colors(rig, known.asked.names)
        for which in [which for which in known.icons if before[which] != known.colors[which]]:
            known.icons[which] = _small(armature.session_uid, known, which)


def _may_have_changed(uids: frozenset[int] | None) -> None:
    """Mark the analyses whose sources may have changed."""
    for known in _last:
        # A first evaluation only means that the action was listed or assigned, not that it changed.
        known.may_have_changed |= uids is None or not uids.isdisjoint(known.actions & known.evaluated)
        known.evaluated |= uids or frozenset()


def register() -> None:
    registrar.append(lists.when_color_changed, _color_changed)
    registrar.append(action_changes.listeners, _may_have_changed)
