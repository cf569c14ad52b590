"""Find the content of the timeline strip: the sources played over time in the ghost or in the action, and contacts.

It is computed again only if its content has changed: drawing only compares.
"""

import dataclasses
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.cache import Cache
from ....core.errors import LoomError
from ....core.recipes.base import Recipe
from ....core.verbs import Blend, Walk
from ...ground import colors, memory, registrar
from ...ground.blender_types import scene_of
from ...model import contact_rows, lists, parts, properties, storage, target_armature
from ...model.parts import Parts
from ...model.spans import Area, Color, Handle, Row, Span, Strip
from . import previews, take_strip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .shapes import Ghost

# Kinds of handles.
WEIGHT, SEAM, FADE, CONTACT, PIN = "weight", "seam", "fade", "contact", "pin"
BETWEEN, MIRRORED = " + ", " mirrored"  # in names, like in names of results and clips
PINNED = ("poses", "verbatim")  # options of a variation whose rows begin with seconds
HIGH, FOOT = 2.6, 1.1  # lines of text that weights and feet take


class Shown(NamedTuple):
    """The content of a strip; `parts` and `recipe` are None if it is not a result.

    action : its session id, 0 for the ghost; start : its first frame in the scene
    """

    strip: Strip
    action: int
    start: float
    parts: Parts | None
    recipe: Recipe | None
    names: tuple[str, ...]


# By the session id of the armature: the compared content, and the strip.
_known: "Cache[int, tuple[tuple[Any, ...], Shown | None]]" = memory.cache(4)


def of(context: bpy.types.Context) -> Shown | None:
    """Return the strip of the tab's armature, or None; cheap enough for drawing if nothing changed."""
    armature, scene = target_armature.of_tab(context), scene_of(context)
    if armature is None:
        return None
    ghost, action, cut = (
        ghost_in(scene, armature),
        contact_rows.action_of(armature),
        take_strip.content(scene, armature),
    )
    if cut and action is not None:
        content: tuple[Any, ...] = (action.session_uid, cut)
    elif ghost is not None:
        content = (ghost,)
    elif action is None:
        return None
    else:
        held = contact_rows.of(scene, action)
        rows = () if held is None else tuple(contact_rows.contacts_of(held))
        texts = storage.parts_text(action), storage.recipe_text(action)
        content = (action.session_uid, action.frame_range[:], *texts, rows)
    known = _known.get(armature.session_uid)
    if known is None or known[0] != content:
        if cut and action is not None:
            shown: Shown | None = Shown(take_strip.of(cut), action.session_uid, 0.0, None, None, ())
        elif ghost is not None:
            shown = _of_ghost(scene, armature, ghost)
        else:
            shown = _of_action(scene, armature, action, rows)
        known = content, shown
        _known.keep(armature.session_uid, known)
    return known[1]


def ghost_in(scene: bpy.types.Scene, armature: bpy.types.Object) -> "Ghost | None":
    """Return the preview that matches the panel's mode or tool, or None."""
    return previews.of_panel(properties.settings_of(scene), armature.session_uid)


def forget(*_: Any) -> None:
    """Forget all strips, for example after a change of colours."""
    _known.clear()


def as_if(scene: bpy.types.Scene, armature: bpy.types.Object, shown: Shown, woven: Parts, recipe: Recipe) -> Strip:
    """Return a strip with other parts and another recipe, and the same feet."""
    above = bool(woven.shares) + len(woven.tracks) + has_pins(recipe)
    return _strip(woven, recipe, shown.start, _sources(scene, armature, shown.names), shown.strip.rows[above:])


def _of_ghost(scene: bpy.types.Scene, armature: bpy.types.Object, ghost: "Ghost") -> Shown | None:
    if ghost.parts is None or ghost.recipe is None:
        return None
    start = float(ghost.figures[-1].playing.frames[0])
    names = tuple(source.name for source in ghost.request.sources)
    report = {} if ghost.woven is None else ghost.woven.report
    feet = _feet(tuple(contact_rows.of_report(report, round(start))))  # as the strip of the result will have them
    if ghost.hands is not None:
        feet += _list_hands(start, ghost.hands.ends, ghost.hands.marks)
    keyed = _keyed_places(scene, armature) if isinstance(ghost.recipe, Blend) else None
    strip = _strip(ghost.parts, ghost.recipe, start, _sources(scene, armature, names), feet, keyed)
    ticked = lists.in_order(properties.rig_of(scene, armature), type(ghost.recipe))
    if tuple(line.action.name_full for line in ticked) != names:  # of a script: the panel does not apply to it
        strip = dataclasses.replace(strip, handles=())
    return Shown(strip, 0, start, ghost.parts, ghost.recipe, names)


def _list_hands(start: float, ends: Sequence[str], marks: "NDArray[np.int64]") -> list[Row]:
    """Return when each hand is on its contacts, and when it misses them; ends, marks (F, N) as in `Hands`."""
    from ....core.contacts.keep import HANDS
    from ....core.motion import arrays  # numpy is loaded at first use, not when Blender starts

    found = []
    for own, label in zip(marks.T, map(HANDS.__getitem__, ends), strict=True):
        spans = [
            Span(start + first, start + end - 1, "", colors.of(color)[:3])
            for kind, color in ((1, colors.GOOD), (2, colors.BAD))
            for first, end in arrays.find_runs(own == kind)
        ]
        found.append(Row(tuple(spans), label=label, high=FOOT))
    return found


def _keyed_places(scene: bpy.types.Scene, armature: bpy.types.Object) -> tuple[float, ...]:
    """Return the places of weight keys of the list in the blend, 0 to 1; () if weights are constant."""
    from ..weights import weights_over_time

    return weights_over_time.keyed_places(scene, properties.rig_of(scene, armature))


def _of_action(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    action: bpy.types.Action | None,
    contacts: tuple[contact_rows.Contact, ...],
) -> Shown | None:
    assert action is not None
    start, last = contact_rows.frames_of(action)
    woven, recipe, names = _read_stored(action, last - start)
    feet = _feet(contacts)
    editable = action.library is None and action.override_library is None
    if woven is None and not feet:
        return None
    sources = _sources(scene, armature, names)
    strip = Strip(tuple(feet)) if woven is None else _strip(woven, recipe, float(start), sources, feet)
    handles = (*strip.handles, *_ends(contacts, len(strip.rows) - len(feet))) if editable else ()
    return Shown(dataclasses.replace(strip, handles=handles), action.session_uid, float(start), woven, recipe, names)


def _read_stored(action: bpy.types.Action, length: float) -> tuple[Parts | None, Recipe | None, tuple[str, ...]]:
    """Return an action's stored parts and recipe, and its sources' names; None if its length has changed."""
    woven = parts.from_json(storage.parts_text(action))
    try:
        kept = None if woven is None else storage.read_stored(action)
    except LoomError:  # written by something else: other parts of the interface report it
        kept = None
    if kept is None or woven is None or abs(woven.last - length) > 0.5:
        return None, None, ()
    names = tuple(source.name for source in kept.sources)
    return (woven, kept.recipe, names) if _fits(woven, len(names)) else (None, None, ())


def _fits(woven: Parts, count: int) -> bool:
    """Return whether parts refer to existing sources only, since anybody can write custom properties."""
    numbers = [number for track in woven.tracks for part in track for number in part.sources]
    return all(0 <= number < count for number in numbers) and all(len(row) == count + 2 for row in woven.shares)


def _sources(scene: bpy.types.Scene, armature: bpy.types.Object, names: tuple[str, ...]) -> list[tuple[str, Color]]:
    """Return names and colours of sources, as in the list."""
    rig = properties.rig_of(scene, armature)
    lines = () if rig is None else [line for line in rig.sources if line.action is not None]
    listed = {line.action.name_full: (line.color[0], line.color[1], line.color[2]) for line in lines}
    return [(name, listed.get(name, lists.COLORS[k % len(lists.COLORS)])) for k, name in enumerate(names)]


def _strip(
    woven: Parts,
    recipe: Recipe | None,
    start: float,
    sources: list[tuple[str, Color]],
    feet: Sequence[Row],
    keyed: tuple[float, ...] | None = None,
) -> Strip:
    """Return the strip of parts; keyed : the places of a blend's keys, by default from its recipe."""
    rows: list[Row] = []
    handles: list[Handle] = []
    if woven.shares:
        row, handles = _weights(woven, recipe, start, sources, keyed)
        rows.append(row)
    for number, track in enumerate(woven.tracks):
        spans = []
        for part in track:
            chosen = [sources[k] for k in part.sources]
            name = BETWEEN.join(name for name, _ in chosen) + (MIRRORED if part.mirrored else "")
            spans.append(Span(start + part.first, start + part.last, name, chosen[0][1]))
        seams = woven.seams if not number else ()
        fades = tuple(Span(start + s.first, start + s.last, "", colors.of(colors.TRANSITION)[:3], True) for s in seams)
        rows.append(Row((*spans, *fades), marks=tuple(start + s.at for s in seams)))
    for k, seam in enumerate(woven.seams):
        if seam.left >= 0:
            handles.append(Handle(SEAM, (k,), 0, start + seam.at))
            if seam.fades:
                handles += [Handle(FADE, (k,), 0, start + at) for at in (seam.first, seam.last)]
    if isinstance(recipe, Walk) and has_pins(recipe):
        rows.append(_pins(recipe, start, woven.rate, [name for name, _ in sources]))
        handles += [
            Handle(PIN, (number, option), len(rows) - 1, start + row[0] * woven.rate)
            for option, name in enumerate(PINNED)
            for number, row in enumerate(getattr(recipe, name))
        ]
    return Strip((*rows, *feet), tuple(handles))


def has_pins(recipe: Recipe | None) -> bool:
    """Return whether a recipe fixes poses or stretches, which have a row of their own."""
    return isinstance(recipe, Walk) and bool(recipe.poses or recipe.verbatim)


def _pins(recipe: Walk, start: float, rate: float, names: Sequence[str]) -> Row:
    """Return the row of poses and stretches that a variation must play."""
    color = colors.of(colors.STRETCH)[:3]
    spans = tuple(
        Span(
            start + row[0] * rate,
            start + row[0] * rate + row[3] - row[2],
            names[int(row[1]) - 1] if 0 < row[1] <= len(names) else "",
            color,
        )
        for row in recipe.verbatim
    )
    return Row(spans, marks=tuple(start + row[0] * rate for row in recipe.poses), high=FOOT)


def _weights(
    woven: Parts,
    recipe: Recipe | None,
    start: float,
    sources: list[tuple[str, Color]],
    keyed: tuple[float, ...] | None,
) -> tuple[Row, list[Handle]]:
    """Return the row of a blend's weights, stacked by source, and the handles of its keys."""
    heaped = [(row[0], *accumulate(row[2:], initial=0.0)) for row in woven.shares]
    areas = tuple(
        Area(name, color, tuple((start + row[0], row[k + 1], row[k + 2]) for row in heaped))
        for k, (name, color) in enumerate(sources)
    )
    places: tuple[float, ...] | None = keyed
    if places is None and isinstance(recipe, Blend):
        places = tuple(row[0] for row in recipe.weight_keys)
    handles, marks = [], []
    for number, place in enumerate(places or (0.5,)):
        frame = woven.frame_at(place)
        if places:
            marks.append(start + frame)
        for k in range(1, len(sources)):
            level = parts.between([(row[0], row[k + 1]) for row in heaped], frame)
            handles.append(Handle(WEIGHT, (number, k), 0, start + frame, level, False))
    return Row((), areas, tuple(marks), high=HIGH), handles


def _feet(contacts: tuple[contact_rows.Contact, ...]) -> list[Row]:
    """Return a row of contacts for each foot with contacts; heel contacts are drawn faint."""
    good, bad = colors.of(colors.GOOD)[:3], colors.of(colors.BAD)[:3]
    rows = []
    for foot in contact_rows.FEET:
        spans = [
            Span(one.first, one.last, "", bad if one.why else good, one.part == "heel")
            for one in contacts
            if one.foot == foot
        ]
        if spans:
            rows.append(Row(tuple(spans), label=contact_rows.FEET[foot][0], high=FOOT))
    return rows


def _ends(contacts: tuple[contact_rows.Contact, ...], above: int) -> list[Handle]:
    """Return handles for the ends of contacts, whose rows are below `above` other rows."""
    known = [foot for foot in contact_rows.FEET if any(one.foot == foot for one in contacts)]
    return [
        Handle(CONTACT, (number, end), above + known.index(one.foot), float(frame))
        for number, one in enumerate(contacts)
        for end, frame in enumerate((one.first, one.last))
    ]


def register() -> None:
    registrar.append(lists.when_color_changed, forget)
    registrar.append(colors.when_changed, forget)
