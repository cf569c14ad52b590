"""Store the style learnt from each armature's sources, and the measures reached by its sliders, for the panel.

Blender data is not stored.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.cache import Cache
from ...ground import memory
from ..preview import previews

if TYPE_CHECKING:
    from ....core.style.style import Style


class KnownStyle(NamedTuple):
    """A summary of a learnt style.

    asked : the panel's state when it was learnt (see `panel_state`)
    """

    asked: tuple[Any, ...]
    short: str
    lines: tuple[str, ...]
    ranges: Mapping[str, tuple[float, float]]


class Reached(NamedTuple):
    """The measures reached by the sliders of the last result.

    measured : measures before and after, by slider name
    held : sliders whose effect was limited
    """

    measured: Mapping[str, Mapping[str, float]]
    held: tuple[str, ...]


# By the session id of the armature; the latest is the last entry.
_known: Cache[int, KnownStyle] = memory.cache(4)
_reached: Cache[int, Reached] = memory.cache(4)


def is_learnt(armature: bpy.types.Object) -> bool:
    """Return whether any style was learnt for an armature."""
    return _known.get(armature.session_uid) is not None


def style_of(armature: bpy.types.Object, asked: tuple[Any, ...]) -> KnownStyle | None:
    """Return the learnt style if the panel's examples are still the same, or None; cheap enough for drawing."""
    known = _known.get(armature.session_uid)
    return known if known is not None and known.asked == asked else None


def keep(armature: int, asked: tuple[Any, ...], style: "Style") -> KnownStyle:
    """Store a learnt style for an armature's session id."""
    of, known = style.material, style.sliders
    people = {of.people[clip] for clip in of.of}
    what = "strides" if of.gait else "repetitions"
    lines = [f"{len(of)} {what} of {len(people)} people", *of.left_out[:3]]
    for column, found in style.report["style"]["labels"].items():
        lines.append(f"{column}: {found['component']}, effect {found['effect']:+.1f}, chance {found['chance']:.0%}")
    ranges = {name: (float(known.lowest[k]), float(known.highest[k])) for k, name in enumerate(known.names)}
    return _known.keep(armature, KnownStyle(asked, f"{len(of)} {what}", tuple(lines), ranges))


def keep_sliders(armature: int, report: Mapping[str, Any]) -> None:
    """Store the measures reached by the sliders, from a result's report."""
    reported = report["style"]
    _reached.keep(armature, Reached(reported["sliders"], tuple(one.partition(":")[0] for one in reported["held"])))


def unit_of(name: str) -> str:
    """Return the unit of a measure; this loads numpy, so it is called only when needed."""
    from ....core.style.measures import UNITS

    return UNITS[name]


def reached_measures(armature: bpy.types.Object) -> Reached | None:
    """Return the measures reached by the sliders of the preview, or of the last result."""
    ghost = previews.of(armature.session_uid)
    if ghost is not None and ghost.woven is not None and "style" in ghost.woven.report:
        reported = ghost.woven.report["style"]
        return Reached(reported["sliders"], tuple(one.partition(":")[0] for one in reported["held"]))
    return _reached.get(armature.session_uid)
