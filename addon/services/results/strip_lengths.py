"""Give the NLA strips that play a result its new length when it is made again."""

from collections.abc import Iterator

import bpy

from ...ground.blender_types import present
from . import nla_strips

_SAME = 0.5  # frames by which a strip that plays the whole action may differ from it


def fit(action: bpy.types.Action, was: tuple[float, float]) -> list[str]:
    """Fit the NLA strips of a whole action to its new range, at the same speed and repetition; return warnings.

    was : first and last frame of the action before
    Strips that play a part of the action do not change. A warning names each strip without room.
    """
    (before, old), (first, last) = (nla_strips.whole_frames(*span) for span in (was, action.frame_range[:]))
    if (before, old) == (first, last):
        return []
    notes = []
    for track, strip in _playing(action):
        times = (strip.action_frame_end - strip.action_frame_start) / (old - before)
        if abs(strip.action_frame_start - before) > _SAME or abs(times - round(times)) * (old - before) > _SAME:
            continue
        notes.append(_fit_strip(track, strip, first, first + max(1, round(times)) * (last - first)))
    return list(filter(None, notes))


def _playing(action: bpy.types.Action) -> Iterator[tuple[bpy.types.NlaTrack, bpy.types.NlaStrip]]:
    """Yield the strips that play an action, with their tracks; strips with animated time are left out."""
    for owner in bpy.data.objects:
        data = owner.animation_data if owner.library is None else None
        for track in () if data is None else data.nla_tracks:
            for strip in track.strips:
                if strip.action == action and not strip.use_animated_time:
                    yield track, strip


def _fit_strip(track: bpy.types.NlaTrack, strip: bpy.types.NlaStrip, first: int, end: int) -> str:
    """Set a strip's action range, or keep its length and return a warning if the next strip is in its way."""
    begin, length = strip.frame_start, strip.action_frame_end - strip.action_frame_start
    until = begin + (end - first) * strip.scale * strip.repeat
    behind = min(
        (one for one in track.strips if one.frame_start > begin), key=lambda one: one.frame_start, default=None
    )
    if behind is None or until <= behind.frame_start:
        _play(strip, begin, first, end)
        return ""
    _play(strip, begin, first, first + length)
    away = until - behind.frame_start
    return (
        f"The strip {strip.name} ends early, as {behind.name} follows it: move that one {away:.4g} frames on, then let"
        f" the strip's action end at frame {end}"
    )


def _play(strip: bpy.types.NlaStrip, begin: float, first: float, end: float) -> None:
    """Set the scene frame and action range of a strip, and keep its scale and repetition."""
    scale, repeat = strip.scale, strip.repeat
    if first > strip.action_frame_end:  # Blender refuses a first frame behind the last one
        strip.action_frame_end = end
    strip.action_frame_start, strip.action_frame_end = first, end
    strip.scale, strip.repeat = scale, repeat
    present(strip.id_data).update_tag()
    if abs(strip.frame_start - begin) > 1e-4:
        strip.frame_start_raw = begin
