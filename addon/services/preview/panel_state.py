"""Return the panel's state for a mode as a comparable value, without weights, whose changes are handled separately."""

from typing import Any

import bpy

from ....core.options import SHOWN
from ....core.recipes.splice import SpliceOptions
from ....core.verbs import VERBS, Ask, Fill, Walk
from ...ground import option_properties
from ...model import hand_rows, lists, properties
from ..paths import path_stretches
from ..sources import posed as poses
from ..weights import weights_over_time

CLIPS_END = 5  # entries of Path's state before the stretches' places and the drawn curve: they decide the clips


def asked_state(scene: bpy.types.Scene, rig: Any, mode: str) -> tuple[Any, ...]:
    """Return everything that decides the result of a mode, for a list; quick enough to compare at every change."""
    settings = properties.settings_of(scene)
    names = (*properties.group_names(VERBS[mode].recipe), "result")
    options = [
        (getattr(settings, name), about.name) for name in names for about in properties.shown_options(name, *SHOWN)
    ]
    values = tuple(_plain(getattr(group, option)) for group, option in options)
    ticked = lists.ticked_lines(rig)
    lines = tuple(
        (
            line.action.session_uid,
            line.player.uid,
            line.rate,
            line.slot,
            line.use_range,
            line.first,
            line.last,
            line.label,
            hand_rows.text_of(line.action),
        )
        for line in ticked
    )
    reference = lists.reference_among(rig, ticked) if ticked else 0
    keyed = weights_over_time.keys(scene, rig) if mode == "blend" else ()
    posed = poses.state(rig) if mode == Fill.verb else ()
    drawn = (_read_curve(settings.ask_curve),) if mode in (Ask.verb, Walk.verb) else ()
    path = _drawn_path(settings, rig) if mode == "follow" else drawn
    return (values, lines, reference, (*keyed, *posed), *path)


def same_clips(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether two states of Path's panel use the same clips and options; curve and stretch places may differ."""
    return one[:CLIPS_END] == other[:CLIPS_END]


def _plain(value: Any) -> Any:
    return frozenset(value) if isinstance(value, set) else value


def _drawn_path(settings: Any, rig: Any) -> tuple[Any, ...]:
    """Return the actions on stretches of the curve; the stretches' places and options; and the curve as drawn."""
    stretches = settings.stretches
    clips = tuple(
        (one.label, *(line.action.session_uid for line in path_stretches.lines_of(rig, one)))
        if one.label
        else (one.action.session_uid if one.action else 0,)
        for one in stretches
    )
    clips = (*clips, (settings.ending_action.session_uid if settings.ending_action else 0,))
    spans = tuple((one.start, one.end, *option_properties.values_of(one, SpliceOptions).values()) for one in stretches)
    return clips, spans, _read_curve(settings.curve)


def _read_curve(curve: bpy.types.Object | None) -> tuple[Any, ...]:
    """Return everything that decides the points of a curve, () without one."""
    from ...bridge import curve_path

    return () if curve is None else curve_path.curve_state(curve)
