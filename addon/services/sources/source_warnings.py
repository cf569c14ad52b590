"""Warn beside a source's line of a suspicious rate, range or frame, or if the feet do not show its walking speed."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.recipes.reading import Request
from ...ground import memory
from ...ground.blender_types import scene_of
from ...model import properties
from . import body_roles

if TYPE_CHECKING:
    from ....core.edit import spikes
    from ....core.motion.clip import Clip
    from ..weaving import reading

_NOTES = memory.cache(500)  # warnings of clips, by content


def note(context: bpy.types.Context, armature: bpy.types.Object, request: Request, read: "reading.Read") -> None:
    """Put a warning beside each line whose action looks wrong, or walks in place at an unknown speed."""
    from ....core.weave import add_root_motion

    rig = properties.rig_of(scene_of(context), armature)
    if rig is None:
        return
    guessed = _of_roles(armature, read.sources[0].clip) if read.sources else ""
    # Clips that all stay on the spot are woven there: the speed that their feet show does not matter.
    moved = len(read.sources) == 1 or any(add_root_motion.travels(one.clip) for one in read.sources)
    lines: dict[tuple[str, str], list[Any]] = {}
    for line in rig.sources:
        if line.action is not None:
            lines.setdefault((line.action.name_full, line.armature), []).append(line)
    for asked, source, retargeted in zip(request.sources, read.sources, read.retargeted, strict=True):
        doubt, spike, travel = _of_motion(source.clip)
        warning = f"{asked.name}: {doubt}" if doubt else ""
        if spike is not None and not warning:
            frame = round(source.first_frame) + spike.frame
            jump = f"{spike.joint} jumps by {spike.degrees:.0f}° at frame {frame}: mend it with Filter"
            warning = f"{asked.name}: {jump}"
        warning = warning or (travel if moved else "") or guessed
        for line in lines.get((asked.name, asked.armature), ()):
            line.warning, line.carried = _of_range(line) or warning, retargeted


def doubt_of(clip: "Clip") -> str:
    """Return a warning about a clip's rate, "" for none."""
    return _of_motion(clip)[0]


def _of_motion(clip: "Clip") -> "tuple[str, spikes.Spike | None, str]":
    """Return a warning about a clip's rate, its worst spike, and a warning about a doubtful speed in place."""
    from ....core.edit import spikes
    from ....core.quality import cadence
    from ....core.weave import add_root_motion
    from ..weaving import prepared

    found: tuple[str, spikes.Spike | None, str] = _NOTES.made(
        prepared.hash_of([clip], ""),
        lambda: (cadence.doubt(clip) or "", spikes.find_worst(clip), add_root_motion.note(clip, doubtful=True)),
    )
    return found


def _of_roles(armature: bpy.types.Object, clip: "Clip") -> str:
    from ....core.motion import roles

    guessed = list(body_roles.found_by(armature, clip.skeleton).values()).count(roles.SHAPE)
    return _describe_guess(armature, guessed) if guessed >= roles.GUESSED else ""


def _describe_guess(armature: bpy.types.Object, count: int) -> str:
    return f"{armature.name}: {count} body roles were guessed from its shape: look at them in Body Roles"


def roles_accepted(rig: Any, armature: bpy.types.Object, count: int) -> None:
    """Remove the warning that `count` roles were guessed."""
    for line in rig.sources:
        if line.warning == _describe_guess(armature, count):
            line.warning = ""


def _of_range(line: Any) -> str:
    first, last = line.action.curve_frame_range
    if line.use_range and (line.first < first - 0.5 or line.last > last + 0.5):
        asked = f"frames {line.first}–{line.last} are asked for"
        return f"{line.action.name}: {asked}, its keys go from {first:g} to {last:g}"
    return ""
