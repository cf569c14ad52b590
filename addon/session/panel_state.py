"""What the panel says for a mode, as a value that changes when it does; weights apart, which are followed at once."""

from typing import Any

import bpy

from ...core.options import SHOWN
from ...core.verbs import VERBS
from .. import lists, properties, weights_over_time


def asked(scene: bpy.types.Scene, rig: Any, mode: str) -> tuple[Any, ...]:
    """Return all that decides what is woven in a mode of the panel with a list; quick enough to ask at every change."""
    settings = properties.settings_of(scene)
    names = (*properties.group_names(VERBS[mode].recipe), "result")
    options = [(getattr(settings, name), about.name) for name in names for about in properties.shown(name, *SHOWN)]
    values = tuple(_plain(getattr(group, option)) for group, option in options)
    ticked = lists.ticked(rig)
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
        )
        for line in ticked
    )
    reference = lists.reference_among(rig, ticked) if ticked else 0
    keyed = tuple(weights_over_time.keyed(scene, rig)) if mode == "blend" else ()
    return (values, lines, reference, keyed, *(_way(settings) if mode == "follow" else ()))


def _plain(value: Any) -> Any:
    return frozenset(value) if isinstance(value, set) else value


def _way(settings: Any) -> tuple[Any, ...]:
    """The curve as it is drawn, and what is done on stretches of it."""
    stretches = tuple((one.action.session_uid if one.action else 0, one.start, one.end) for one in settings.stretches)
    if settings.curve is None:
        return (stretches,)
    from ..bridge import curve_path

    return stretches, curve_path.drawn(settings.curve)
