"""Determine which source a woven result plays at each time."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ....core.drive.database import RATE
from ....core.graph.walk_result import WalkResult
from ....core.inbetween.trust import NOTHING_LIKE
from ....core.quality import contacts
from ....core.recipes.base import Recipe
from ....core.verbs import Drive, Follow, source_frames
from ....core.verbs.drive.work import DriveResult
from ....core.verbs.fill.result import FillResult
from ....core.verbs.follow.result import FollowResult
from ....core.weave.results import BlendResult, ConnectResult, KeyPosesResult, Result, SpliceResult
from ...model.parts import Part, Parts, Seam

SHARES = 64  # number of steps at which the shares of a blend are stored
FADES = ("ease", "registered")  # methods of Connect whose length is the overlap's


def of(woven: Result, recipe: Recipe, names: Sequence[str], length: int) -> Parts:
    """Return the parts of a result made of clips with these names, whose action has `length` frames."""
    last, rate = length - 1.0, woven.clip.rate
    whole = Parts(last, rate, ((Part((woven.reference,), 0.0, last),),))
    if length != len(woven.clip):  # a loop written several times in a row
        return whole
    if isinstance(woven, BlendResult):
        return Parts(last, rate, shares=_shares(woven))
    if isinstance(woven, ConnectResult):
        return _list_connected_parts(woven, last)
    if isinstance(woven, WalkResult):
        return _list_walked_parts(woven, recipe, names)
    if isinstance(woven, SpliceResult):
        upper = tuple(range(1, len(names)))
        return Parts(last, rate, ((Part((0,), 0.0, last),), (Part(upper, 0.0, last),)))
    if isinstance(woven, KeyPosesResult):
        return _list_posed_parts(woven, last)
    if isinstance(woven, FillResult):
        return Parts(last, rate, (_list_filled_parts(woven, last),))
    if isinstance(woven, DriveResult):
        return _of_drive(woven, recipe, names, last)
    return whole


def _shares(woven: BlendResult) -> tuple[tuple[float, ...], ...]:
    """Return rows of a frame, its place and the shares there, on few frames, which suffice for a picture."""
    frames = np.unique(np.linspace(0, len(woven.clip) - 1, SHARES + 1).round().astype(int))
    places = woven.registration.share_of_way(woven.reference_frames[frames])
    rows = np.column_stack([frames, places, woven.weights[:, frames].T])
    return tuple(tuple(row) for row in rows.round(5).tolist())


def _list_connected_parts(woven: ConnectResult, last: float) -> Parts:
    own = woven.report["connect"]
    seams = [
        Seam(
            one["corrected"][0],
            one["seam_frame"],
            one["corrected"][1],
            one["from_frame"],
            one["method"] in FADES,
            one["step"],
        )
        for one in own.get("joints", [own])
    ]
    ends = [0.0, *woven.seams, last]
    parts = tuple(Part((k,), start, end) for k, (start, end) in enumerate(pairwise(ends)))
    return Parts(last, woven.clip.rate, (parts,), seams=tuple(seams))


def _list_walked_parts(woven: WalkResult, recipe: Recipe, names: Sequence[str]) -> Parts:
    """Return the clip of each stretch of a walk."""
    walked = source_frames.in_graph(woven.inputs, names, recipe.prepared_of(range(len(names))))
    if walked is None:
        return Parts(len(woven.clip) - 1.0, woven.clip.rate)
    origin, last = woven.origin, len(woven.clip) - 1.0
    given, starts = (
        woven.inputs.given,
        [0, *(np.flatnonzero(np.diff(origin.clip)) + 1).tolist(), len(origin.clip)],
    )
    track = tuple(
        Part((walked[origin.clip[start] % given],), start, min(end, last), bool(origin.clip[start] >= given))
        for start, end in pairwise(starts)
        if origin.clip[start] >= 0
    )
    if isinstance(woven, FollowResult) and woven.ended is not None and len(woven.ended.played):
        track = (*track, Part((len(names) - 1,), float(woven.ended.seam), last))
    seams = tuple(Seam(start, 0.5 * (start + end - 1.0), end - 1.0) for start, end in contacts.runs(origin.other >= 0))
    tracks = [track]
    if isinstance(woven, FollowResult) and isinstance(recipe, Follow) and recipe.stretches:
        share = woven.gone / woven.path.length
        upper = []
        for start, end, numbers in recipe.stretch_rows(len(names)):
            inside = np.flatnonzero((share >= start) & (share <= end))
            if len(inside):
                upper.append(Part(tuple(number - 1 for number in numbers), float(inside[0]), float(inside[-1])))
        tracks.append(tuple(upper))
    return Parts(last, woven.clip.rate, tuple(tracks), seams=seams)


def _list_filled_parts(woven: FillResult, last: float) -> tuple[Part, ...]:
    """Return the stretches that fill gaps; elsewhere the first source plays its own or interpolated frames."""
    parts, at = [], 0.0
    for gap, row in zip(woven.done.gaps, woven.report["fill"]["gaps"], strict=True):
        if gap.filled is None or gap.gain < NOTHING_LIKE:
            continue
        if gap.first > at:
            parts.append(Part((0,), at, gap.first))
        at = float(gap.first)
        stretches = row["candidates"][gap.chosen]["stretches"]
        for piece, one in zip(gap.found[gap.chosen].pieces, stretches, strict=True):
            end = at + piece.share * (gap.last - gap.first)
            parts.append(Part((one["number"] - 1,), at, min(end, float(gap.last)), one["mirrored"]))
            at = end
        at = float(gap.last)
    return (*parts, Part((0,), at, last)) if at < last or not parts else tuple(parts)


def _of_drive(woven: DriveResult, recipe: Recipe, names: Sequence[str], last: float) -> Parts:
    """Return the clip of each stretch of a drive; unknown if the drive was optimized along its line."""
    rate = woven.clip.rate
    if "along" in woven.report["drive"]:
        return Parts(last, rate)
    over = isinstance(recipe, Drive) and recipe.upper_body_only
    upper = _list_driven_parts(woven, names, last, first=1 if over else 0)
    return Parts(last, rate, ((Part((0,), 0.0, last),), upper) if over else (upper,))


def _list_driven_parts(woven: DriveResult, names: Sequence[str], last: float, first: int) -> tuple[Part, ...]:
    """Return the clip of each driven stretch, to 0.1 s, because the written clip jumps at the best nearby frame.

    first : index of the first name used for driving; clips of a library have no name here
    """
    data, each, known = woven.data, woven.clip.rate / RATE, list(names[first:])
    source = [known.index(clip.name) + first if clip.name in known else -1 for clip in data.clips[: data.given]]
    clips = data.clip[woven.route.row]
    starts = [0, *(np.flatnonzero(np.diff(clips)) + 1).tolist(), len(clips)]
    return tuple(
        Part((which,), min(start * each, last), min(end * each, last), bool(clips[start] >= data.given))
        for start, end in pairwise(starts)
        for which in [source[clips[start] % data.given]]
        if start * each < last and which >= 0
    )


def _list_posed_parts(woven: KeyPosesResult, last: float) -> Parts:
    """Return the clip of each held or passed pose."""
    names = woven.report["names"]
    poses = woven.report["key_poses"]["poses"]
    parts = tuple(
        Part((names.index(one["clip"]),), first, end)
        for one, first, end in zip(poses, woven.arrive, woven.leave, strict=True)
    )
    return Parts(last, woven.clip.rate, (parts,))
