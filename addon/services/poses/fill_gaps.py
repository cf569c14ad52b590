"""The gaps of Fill: what fills each, the choices for single ones, and where poses would move in time."""

from typing import Any, NamedTuple

import bpy

from ....core.errors import LoomError
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
    report, start = _previewed(armature)
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
        for gap in report.get("gaps", ())
    ]


def timing(armature: bpy.types.Object) -> list[tuple[int, int]] | None:
    """Return from where to where in the scene each pose of the preview would move; None where that is not known."""
    report, start = _previewed(armature)
    if not report.get("timing"):
        return None
    return [(start + key, start + to) for key, to in zip(report["keys"], report["timing"], strict=True)]


def move(settings: Any, armature: bpy.types.Object) -> None:
    """Move the poses of the action in time as `timing` says, and the choices for gaps with them.

    Raises LoomError, with nothing changed, where it can't.
    """
    from ...bridge import curves, keyed_poses, result_mark, retiming

    action, moves, (report, _) = posed.action_of(armature), timing(armature), _previewed(armature)
    if action is None or moves is None:
        raise LoomError(f"{armature.name}: preview Fill with Suggest Timing first")
    result_mark.check_writable(action)
    slot = curves.choose_slot(action, armature)
    frames, to = zip(*moves, strict=True)
    if not set(frames) <= set(keyed_poses.frames_of(action, slot)):
        raise LoomError(f"{action.name}: its poses are no longer those of the preview: preview Fill again")
    retiming.move(action, slot, frames, to)
    now = dict(zip(report["keys"], report["timing"], strict=True))
    _keep(settings, {now.get(key, key): one for key, one in _wanted(settings).items()})


def standing(gaps: str, key_frames: str) -> str:
    """Return those choices that are for gaps between keyed frames: poses may have been moved since."""
    frames = sorted({frame for row in declared(Fill)["key_frames"].checked(key_frames) for frame in row})[:-1]
    about = declared(Fill)["gaps"]
    return about.as_text(tuple(row for row in about.checked(gaps) if row[0] in frames))


def check(name: str, key_frames: str, rate: float) -> None:
    """Raise OptionError where keyed frames are too far apart at so many frames a second."""
    import numpy as np

    from ....core.verbs.fill import work

    frames = sorted({int(frame) for row in declared(Fill)["key_frames"].checked(key_frames) for frame in row})
    if len(frames) > 1:
        work.check_gaps(name, np.array(frames), rate)


def _previewed(armature: bpy.types.Object) -> tuple[dict[str, Any], int]:
    """Return what the preview's report says of Fill, and the scene frame from which it counts; empty without one."""
    ghost, action = previews.of(armature.session_uid), posed.action_of(armature)
    if ghost is None or ghost.mode != Fill.verb or ghost.woven is None:
        return {}, 0
    return ghost.woven.report["fill"], 0 if action is None else contact_rows.frames_of(action)[0]


def want(settings: Any, key: int, *, candidate: float | None = None, share: float | None = None) -> None:
    """Set which stretch fills the gap after a keyed frame of the recipe, and its share; −1 leaves it to Fill."""
    wanted = _wanted(settings)
    before = wanted.pop(key, (AUTO, AUTO))
    now = before[0] if candidate is None else candidate, before[1] if share is None else share
    if now != (AUTO, AUTO):
        wanted[key] = now
    _keep(settings, wanted)


def _keep(settings: Any, wanted: dict[int, tuple[float, float]]) -> None:
    about = declared(Fill)["gaps"]
    settings.fill.gaps = about.as_text(tuple((float(at), *values) for at, values in sorted(wanted.items())))


def _wanted(settings: Any) -> dict[int, tuple[float, float]]:
    table = declared(Fill)["gaps"].checked(settings.fill.gaps)
    return {int(row[0]): (row[1], row[2]) for row in table if len(row) == 3}
