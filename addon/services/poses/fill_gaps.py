"""The gaps of Fill: what fills each, and the choices for single ones."""

from typing import Any, NamedTuple

import bpy

from ....core.options import declared
from ....core.verbs import Fill
from ...model import contact_rows
from ..preview import previews
from ..sources import posed

AUTO = -1.0


class Gap(NamedTuple):
    """A row of the panel: the keyed frame before a gap, in the recipe (`key`) and in the scene, and what fills it."""

    key: int
    first: int
    text: str
    candidate: int
    found: int
    locked: bool
    whole: bool


def rows(settings: Any, armature: bpy.types.Object) -> list[Gap]:
    """Return a row for each gap of the preview, or none where nothing is previewed."""
    ghost = previews.of(armature.session_uid)
    if ghost is None or ghost.mode != Fill.verb or ghost.woven is None:
        return []
    action = posed.action_of(armature)
    start = 0 if action is None else contact_rows.frames_of(action)[0]
    wanted = _wanted(settings)
    return [
        Gap(
            gap["first"],
            gap["first"] + start,
            gap["text"],
            gap["candidate"],
            len(gap["candidates"]),
            wanted.get(gap["first"], (AUTO, AUTO))[0] >= 0.0,
            wanted.get(gap["first"], (AUTO, AUTO))[1] >= 1.0,
        )
        for gap in ghost.woven.report["fill"]["gaps"]
    ]


def want(settings: Any, key: int, *, candidate: float | None = None, share: float | None = None) -> None:
    """Set which stretch fills the gap after a keyed frame of the recipe, and its share; −1 leaves it to Fill."""
    wanted = _wanted(settings)
    before = wanted.pop(key, (AUTO, AUTO))
    now = before[0] if candidate is None else candidate, before[1] if share is None else share
    if now != (AUTO, AUTO):
        wanted[key] = now
    about = declared(Fill)["gaps"]
    settings.fill.gaps = about.as_text(tuple((float(at), *values) for at, values in sorted(wanted.items())))


def _wanted(settings: Any) -> dict[int, tuple[float, float]]:
    table = declared(Fill)["gaps"].checked(settings.fill.gaps)
    return {int(row[0]): (row[1], row[2]) for row in table if len(row) == 3}
