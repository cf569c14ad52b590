"""The gaps of Fill: the source of each, the choices for single gaps, and the proposed timing of poses."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy

from ....core.errors import LoomError
from ....core.options import declared_options
from ....core.recipes.reading import Source
from ....core.verbs import Fill
from ....core.verbs.fill import locks
from ...model import contact_rows
from ..preview import previews
from ..sources import posed

AUTO = -1.0
NAMED = 8  # frames that a sentence names


class Gap(NamedTuple):
    """A row of the panel: the keyed frame before a gap, in the recipe (`key`) and in the scene, and its source.

    candidate : index of the chosen candidate; found : the stretches of each candidate
    """

    key: int
    first: int
    text: str
    candidate: int
    found: tuple[tuple[locks.Lock, ...], ...]
    locked: bool
    whole: bool


def rows(settings: Any, armature: bpy.types.Object) -> list[Gap]:
    """Return a row for each gap of the preview, or none without a preview."""
    report, start = _find_preview(armature)
    shares, kept = _shares(settings), locks.read(settings.fill.locked)
    return [
        Gap(
            gap["first"],
            gap["first"] + start,
            _short(gap),
            gap["candidate"],
            tuple(locks.of_report(one["stretches"]) for one in gap["candidates"]),
            gap["first"] in kept,
            shares.get(gap["first"], AUTO) >= 1.0,
        )
        for gap in report.get("gaps", ())
    ]


def _short(gap: dict[str, Any]) -> str:
    """Return a short name of a gap's source with its similarity in percent; a sentence if nothing is similar."""
    from ....core.inbetween import trust  # numpy is loaded at first use, not when Blender starts

    if gap["alike"] < trust.NOTHING_LIKE:
        return str(gap["text"])
    return f"{100.0 * gap['alike']:.0f} % {gap['candidates'][gap['candidate']]['text']}"


def timing(armature: bpy.types.Object) -> list[tuple[int, int]] | None:
    """Return the scene frame of each pose of the preview and its proposed frame; None if they are unknown."""
    report, start = _find_preview(armature)
    if not report.get("timing"):
        return None
    return [(start + key, start + to) for key, to in zip(report["keys"], report["timing"], strict=True)]


def move(settings: Any, armature: bpy.types.Object) -> None:
    """Move the poses of the action to the frames of `timing`, and the choices for gaps with them.

    Raises LoomError, with nothing changed, if that is impossible.
    """
    from ...bridge import curves, keyed_poses, result_mark, retiming

    action, moves, (report, _) = posed.action_of(armature), timing(armature), _find_preview(armature)
    if action is None or moves is None:
        raise LoomError("Preview Fill with Suggest Timing first")
    result_mark.check_writable(action)
    slot = curves.choose_slot(action, armature)
    frames, to = zip(*moves, strict=True)
    if not set(frames) <= set(keyed_poses.frames_of(action, slot)):
        raise LoomError(f"{action.name}: its poses are no longer those of the preview: preview Fill again")
    retiming.move(action, slot, frames, to)
    now = dict(zip(report["keys"], report["timing"], strict=True))
    _keep(settings, {now.get(key, key): share for key, share in _shares(settings).items()})
    kept = {now.get(key, key): one for key, one in locks.read(settings.fill.locked).items()}
    settings.fill.locked = locks.as_text(kept)


def standing(gaps: str, locked: str, key_frames: str) -> tuple[str, str]:
    """Return the shares and locked stretches whose gaps still exist, since poses may have been moved."""
    frames = sorted({frame for row in declared_options(Fill)["key_frames"].checked(key_frames) for frame in row})[:-1]
    about = declared_options(Fill)["gaps"]
    kept = {key: one for key, one in locks.read(locked).items() if key in frames}
    return about.as_text(tuple(row for row in about.checked(gaps) if row[0] in frames)), locks.as_text(kept)


def check(name: str, key_frames: str, rate: float) -> None:
    """Raise OptionError if keyed frames are too far from each other at a frame rate."""
    import numpy as np

    from ....core.verbs.fill import work

    frames = sorted({int(frame) for row in declared_options(Fill)["key_frames"].checked(key_frames) for frame in row})
    if len(frames) > 1:
        work.check_gaps(name, np.array(frames), rate)


def check_partner(armature: bpy.types.Object, name: str, sources: Sequence[Source], key_frames: str) -> None:
    """Raise LoomError unless a partner's action has its keyed poses at the frames of the first source."""
    from ...bridge import curves, keyed_poses  # numpy is loaded at first use, not when Blender starts
    from ..weaving import partner_actions

    (source, *_), partner = sources, partner_actions.find_partner(armature, name, Fill)
    action = bpy.data.actions[source.name]
    theirs = partner_actions.find_action(action, source, armature, partner, len(sources))
    first = contact_rows.frames_of(action, source.span)[0]
    rows = declared_options(Fill)["key_frames"].checked(key_frames)
    wanted = sorted(first + int(frame) for row in rows for frame in row)
    every = keyed_poses.frames_of(theirs, curves.choose_slot(theirs, partner), chosen=False)
    found = [frame for frame in every if wanted and wanted[0] <= frame <= wanted[-1]]
    if found != wanted:
        frames, others = (", ".join(map(str, one[:NAMED])) + ", …" * (len(one) > NAMED) for one in (found, wanted))
        raise LoomError(
            f"{theirs.name} has keyed poses at frames {frames or 'none'}, but {action.name} at {others}: key both at"
            " the same frames"
        )


def _find_preview(armature: bpy.types.Object) -> tuple[dict[str, Any], int]:
    """Return the preview's report of Fill, and the scene frame of its frame 0; empty without a preview."""
    ghost, action = previews.of(armature.session_uid), posed.action_of(armature)
    if ghost is None or ghost.mode != Fill.verb or ghost.woven is None:
        return {}, 0
    return ghost.woven.report["fill"], 0 if action is None else contact_rows.frames_of(action)[0]


def lock(settings: Any, key: int, stretches: tuple[locks.Lock, ...]) -> None:
    """Set the stretches that fill the gap after a keyed frame of the recipe; () lets Fill choose."""
    kept = locks.read(settings.fill.locked)
    kept.pop(key, None)
    settings.fill.locked = locks.as_text({**kept, key: stretches} if stretches else kept)


def share(settings: Any, key: int, share: float) -> None:
    """Set the share of the source in the gap after a keyed frame of the recipe; −1 lets Fill choose."""
    shares = _shares(settings)
    shares.pop(key, None)
    _keep(settings, shares if share == AUTO else {**shares, key: share})


def _keep(settings: Any, shares: dict[int, float]) -> None:
    about = declared_options(Fill)["gaps"]
    settings.fill.gaps = about.as_text(tuple((float(at), AUTO, value) for at, value in sorted(shares.items())))


def _shares(settings: Any) -> dict[int, float]:
    table = declared_options(Fill)["gaps"].checked(settings.fill.gaps)
    return {int(row[0]): row[2] for row in table if len(row) == 3 and row[2] != AUTO}
