"""Push actions down as strips of an NLA track, which play in the same way as the active action."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy

from ....core.errors import LoomError, RigError, some
from ....core.recipes.reading import Source
from ...bridge import curves
from ...ground.blender_types import Slot, present
from ..sources import source_list

NOWHERE = 1e-3  # armature units: a bone that ends this near its start has not travelled


@dataclass
class Pushed:
    """The new track and strips, and messages for the user."""

    track: bpy.types.NlaTrack
    strips: list[bpy.types.NlaStrip] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def push_down(
    armature: bpy.types.Object, sources: Sequence[Source], *, start: float | None = None, repeat: int = 1
) -> Pushed:
    """Put actions of an armature on a new top NLA track, one after the other, and clear its current action.

    start : frame at which the first strip begins, None for the action's own first frame; the others follow
    repeat : how often each action is played; an action with Cycles modifiers keeps cycling, and its travel accumulates

    Raises LoomError kinds, before any change, for an action that is gone or lacks a slot of the armature.
    """
    found = [_find_source(armature, source) for source in sources]
    data = present(armature.animation_data or armature.animation_data_create())
    others = [strip for track in data.nla_tracks for strip in track.strips]
    playing, how = data.action, (data.action_blend_type, data.action_influence)
    track = data.nla_tracks.new()
    track.name = found[0][0].name
    pushed = Pushed(track)
    begin = math.floor(_range(found[0][0], sources[0])[0]) if start is None else round(start)
    for (action, slot), source in zip(found, sources, strict=True):
        strip = _strip(track, action, slot, source, begin)
        if action == playing:
            _as_played(strip, *how)
        _repeat(pushed, armature, strip, slot, repeat)
        strip.extrapolation = "HOLD_FORWARD"
        pushed.strips.append(strip)
        # A cycle's last pose is its first: the next strip starts on it, and after other actions a frame later.
        begin = math.ceil(strip.frame_end) + (not source_list.repeats(action))
    _let_others_show(pushed, others)
    if playing is not None:
        playing.use_fake_user = True
        data.action = None
        if playing not in [action for action, _ in found]:
            pushed.notes.append(f"{playing.name} was taken off {armature.name}: else it plays on top")
    pushed.notes += _describe_hidden(armature, track)
    return pushed


def _find_source(armature: bpy.types.Object, source: Source) -> tuple[bpy.types.Action, Slot]:
    action = next((one for one in bpy.data.actions if one.name_full == source.name), None)
    if action is None:
        raise LoomError(f"There is no action named {source.name!r}")
    slot = curves.slot_called(action, source.slot, armature)
    if not curves.curves_of(action, slot):
        raise RigError(f"{action.name} moves no bone of {armature.name}")
    return action, slot


def _range(action: bpy.types.Action, source: Source) -> tuple[float, float]:
    first, last = source.span or action.frame_range[:]
    return float(first), float(last)


def _strip(
    track: bpy.types.NlaTrack, action: bpy.types.Action, slot: Slot, source: Source, begin: int
) -> bpy.types.NlaStrip:
    """Return a new strip that shows an action's whole frames on whole frames."""
    first, last = _range(action, source)
    strip = track.strips.new(action.name, begin, action)
    if slot is not None:
        strip.action_slot = slot
    strip.use_sync_length = False  # the range is ours
    strip.action_frame_start, strip.action_frame_end = whole_frames(first, last)
    return strip


def whole_frames(first: float, last: float) -> tuple[int, int]:
    """Return the whole frames that a strip plays of an action's first to last frame."""
    return math.floor(first), max(math.ceil(last), math.floor(first) + 1)


def _as_played(strip: bpy.types.NlaStrip, blend: Any, influence: float) -> None:
    """Give a strip the blending of the armature's action."""
    strip.blend_type = blend
    if influence != 1.0:
        strip.use_animated_influence = True
        strip.influence = influence
        strip.keyframe_insert("influence", frame=strip.frame_start)  # without a key the influence counts as 0


def _repeat(pushed: Pushed, armature: bpy.types.Object, strip: bpy.types.NlaStrip, slot: Slot, repeat: int) -> None:
    """Repeat a strip: extend its action range if Cycles modifiers repeat the action, or set the strip's Repeat."""
    if repeat <= 1:
        return
    action = present(strip.action)
    if any(modifier.type == "CYCLES" for curve in curves.curves_of(action, slot) for modifier in curve.modifiers):
        strip.action_frame_end += (repeat - 1) * (strip.action_frame_end - strip.action_frame_start)
        return
    strip.repeat = repeat
    if _travels(armature, strip, slot):
        pushed.notes.append(
            f"{action.name} travels and does not repeat by itself: each time it begins where it did first; Loop makes"
            " a cycle of it that goes on"
        )


def _travels(armature: bpy.types.Object, strip: bpy.types.NlaStrip, slot: Slot) -> bool:
    """Return whether the object or a root bone ends away from its start."""
    roots = {"", *(bone.name for bone in present(armature.pose).bones if bone.parent is None)}
    first, last = strip.action_frame_start, strip.action_frame_end
    return any(
        abs(curve.evaluate(last) - curve.evaluate(first)) > NOWHERE
        for target, by_index in curves.transforms(curves.curves_of(present(strip.action), slot)).items()
        for curve in by_index.values()
        if target.property == "location" and target.bone in roots
    )


def _let_others_show(pushed: Pushed, others: list[bpy.types.NlaStrip]) -> None:
    """Let the strips hold their poses only if that hides no other strip, as Blender does for a first strip."""
    first, last = pushed.strips[0], pushed.strips[-1]
    if not others:
        first.extrapolation = "HOLD"
    elif any(other.frame_end > last.frame_end for other in others):
        last.extrapolation = "NOTHING"


def _describe_hidden(armature: bpy.types.Object, track: bpy.types.NlaTrack) -> list[str]:
    """Return messages about settings and tracks that hide a new track."""
    data = present(armature.animation_data)
    notes = []
    if not data.use_nla:
        notes.append(f"The NLA of {armature.name} is switched off: tick its box in the NLA Editor to see the strips")
    solo = [one.name for one in data.nla_tracks if one.is_solo and one != track]
    if solo:
        notes.append(f"The track {some(solo)} plays alone (its star is on), so {track.name} is not seen")
    return notes
