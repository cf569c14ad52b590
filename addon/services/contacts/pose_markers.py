"""Carry the pose markers of an action over to the action edited from it."""

from typing import Any

import bpy
import numpy as np

from ...bridge.clip import OUR_MARKER
from . import contact_markers

_SIDES = {"L": "R", "R": "L", "left": "right", "right": "left"}


def carry_over(source: bpy.types.Action, action: bpy.types.Action, made: Any) -> None:
    """Replace the markers of an action with its source's; new contact notes of ours win over the source's."""
    new = [(marker.name, marker.frame) for marker in action.pose_markers if OUR_MARKER.fullmatch(marker.name)]
    markers = carried(source, round(action.curve_frame_range[0]), made)
    markers = [(name, frame) for name, frame in markers if not (new and OUR_MARKER.fullmatch(name))]
    for marker in list(action.pose_markers):
        action.pose_markers.remove(marker)
    for name, frame in markers + new:
        action.pose_markers.new(name).frame = frame


def carried(source: bpy.types.Action, first: int, made: Any) -> list[tuple[str, int]]:
    """Return names and scene frames of a source's markers on its result, which begins at frame `first`.

    Foot markers change sides if the clip was mirrored; all markers move if the events were moved.
    """
    markers = [(marker.name, marker.frame) for marker in source.pose_markers]
    if "mirror" in made.report:
        markers = [(_other_side(name), frame) for name, frame in markers]
    if "move_events" in made.report:
        frames = made.report["move_events"]["frame"]
        markers = [(name, first + round(_when(frames, frame - first))) for name, frame in markers]
    return markers


def _when(frames: list[float], frame: float) -> float:
    """Return when a source frame first plays, from the source frame (F,) of each result frame; outside unchanged."""
    if not frames[0] <= frame <= frames[-1]:
        return frame
    played, when = np.unique(frames, return_index=True)
    return float(np.interp(frame, played, when))


def _other_side(name: str) -> str:
    """Return the name of one of our markers on the other foot; other markers keep their names."""
    if not OUR_MARKER.fullmatch(name) and not contact_markers.is_ours(name):
        return name
    return " ".join(_SIDES.get(word, word) for word in name.split(" "))
