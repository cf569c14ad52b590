"""Carry the pose markers of actions over to the action made of them."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.motion.quat import Array
from ....core.verbs.source_frames import Shown
from ...bridge.clip import OUR_MARKER
from . import contact_markers

SAME = 2  # frames within which markers of one name, of several sources, are one event
# "L" in step_L and "L hit", "left" in left_foot, "Left" in footLeft: but none in bright, ALL and leftover.
_SIDE = re.compile(
    r"(?<![A-Za-z])(?:[lrLR]|LEFT|RIGHT)(?![A-Za-z\'])|(?<![A-Za-z])(?:left|right)(?![a-z])"
    r"|(?<![A-Z])(?:Left|Right)(?![a-z])|(?<=[a-z])[LR](?![A-Za-z])"
)
_SIDES = {"l": "r", "r": "l", "L": "R", "R": "L", "left": "right", "right": "left", "Left": "Right", "Right": "Left"}
_SIDES |= {"LEFT": "RIGHT", "RIGHT": "LEFT"}


class Source(NamedTuple):
    """An action and the scene frames (F,) of its clip."""

    action: bpy.types.Action
    frames: Array


def carry_over(source: bpy.types.Action, action: bpy.types.Action, made: Any) -> None:
    """Replace the markers of an action with its source's; new contact notes of ours win over the source's."""
    new = [(marker.name, marker.frame) for marker in action.pose_markers if OUR_MARKER.fullmatch(marker.name)]
    markers = carry_markers(source, round(action.curve_frame_range[0]), made)
    markers = [(name, frame) for name, frame in markers if not (new and OUR_MARKER.fullmatch(name))]
    for marker in list(action.pose_markers):
        action.pose_markers.remove(marker)
    _put(action, markers + new)


def carry_markers(source: bpy.types.Action, first: int, made: Any) -> list[tuple[str, int]]:
    """Return names and scene frames of a source's markers on its result, which begins at frame `first`.

    Markers change sides if the clip was mirrored; all markers move if the events were moved.
    """
    markers = [(marker.name, marker.frame) for marker in source.pose_markers]
    if "mirror" in made.report:
        markers = [(other_side(name), frame) for name, frame in markers]
    if "move_events" in made.report:
        frames = made.report["move_events"]["frame"]
        markers = [(name, first + round(_when(frames, frame - first))) for name, frame in markers]
    return markers


def renew(action: bpy.types.Action, sources: Sequence[Source], markers: Iterable[tuple[str, int]]) -> None:
    """Replace a result's markers of these names with the markers carried over from its sources."""
    names = {name for one in sources for name, _ in events(one.action)}
    names |= {other_side(name) for name in names}
    for marker in [marker for marker in action.pose_markers if marker.name in names]:
        action.pose_markers.remove(marker)
    _put(action, markers)


def of_sources(
    sources: Sequence[Source], shown: Sequence[Shown], first: int, length: int, *, repeats: int
) -> list[tuple[str, int]]:
    """Return names and scene frames of the sources' event markers on a result of `length` frames.

    shown : the played frames of the sources; repeats : frames after which they play again, 0 for never

    Of several sources, the one with the largest weight takes precedence; markers of the same name near it are left out,
    and so is a marker on the last frame of a cycle if the first frame has the same one.
    """
    found = [
        (weight, name, place + again, one.source)
        for one in shown
        if 0 <= one.source < len(sources)
        for name, frame in _in_clip(sources[one.source])
        for place, weight in one.when(frame)
        for again in (range(0, length - 1, repeats) if repeats else (0,))
        if weight > 0.0 and place + again < length
        for name in [other_side(name) if one.mirrored else name]
    ]
    kept: dict[tuple[str, int], int] = {}
    for _, name, place, source in sorted(found, key=lambda row: (-row[0], row[2])):
        at = round(place)
        near = [(other, by) for (of, other), by in kept.items() if of == name and abs(other - at) <= SAME]
        if not any(by != source or other == at for other, by in near):
            kept[name, at] = source
    ends = {(name, length - 1) for name, at in kept if at <= SAME} if repeats else set()
    return sorted(((name, first + at) for name, at in kept.keys() - ends), key=lambda row: (row[1], row[0]))


def events(action: bpy.types.Action) -> list[tuple[str, int]]:
    """Return names and frames of an action's markers that the add-on did not create."""
    return [
        (marker.name, marker.frame)
        for marker in action.pose_markers
        if not OUR_MARKER.fullmatch(marker.name) and not contact_markers.is_ours(marker.name)
    ]


def other_side(name: str) -> str:
    """Return the name of a marker with left and right exchanged."""
    return _SIDE.sub(lambda found: _SIDES[found.group()], name)


def _in_clip(source: Source) -> list[tuple[str, float]]:
    """Return names of a source's event markers and the frames of its clip; those outside are left out."""
    frames = source.frames
    at = np.arange(len(frames), dtype=float)
    return [
        (name, float(np.interp(frame, frames, at)))
        for name, frame in events(source.action)
        if frames[0] - 0.5 <= frame <= frames[-1] + 0.5
    ]


def _put(action: bpy.types.Action, markers: Iterable[tuple[str, int]]) -> None:
    for name, frame in markers:
        action.pose_markers.new(name).frame = frame


def _when(frames: list[float], frame: float) -> float:
    """Return when a source frame first plays, from the source frame (F,) of each result frame; outside unchanged."""
    if not frames[0] <= frame <= frames[-1]:
        return frame
    played, when = np.unique(frames, return_index=True)
    return float(np.interp(frame, played, when))
