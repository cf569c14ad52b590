"""Convert frames of sources between recipes, which count from 0 in each clip, and the scene."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy

from ...core.errors import LoomError, no_frame
from ...core.verbs import VERBS
from ..ground.blender_types import present
from . import lists

# Index of the source, in the recipe's order, that an option's frame refers to; 0 if not listed.
_FRAMES = re.compile(r"frames (\d+) to (\d+)")
_OF = {("connect", "to_frame"): 1, ("splice", "start"): 1}


def first_frame(line: Any) -> int:
    """Return the first scene frame to read of a line's action."""
    return int(line.first) if line.use_range else round(line.action.frame_range[0])


def last_frame(line: Any) -> int:
    """Return the last scene frame to read of a line's action."""
    return int(line.last) if line.use_range else round(line.action.frame_range[1])


def source_of(rig: Any, group: str, option: str) -> Any:
    """Return the ticked line that a frame option refers to, or None.

    For recipes that change one action it is the armature's active action, which need not be listed.
    """
    if VERBS[group].recipe.of_action:
        return _own_line(rig)
    lines, which = lists.in_order(rig, VERBS[group].recipe), _OF.get((group, option), 0)
    return lines[which] if which < len(lines) else None


class _Unlisted(NamedTuple):
    """A replacement for the line of an action outside the list."""

    action: bpy.types.Action
    use_range: bool = False


def _own_line(rig: Any) -> Any:
    armature = lists.read_identity(rig.owner).find(bpy.data.objects)
    data = None if armature is None else armature.animation_data
    action = None if data is None else data.action
    ticked = next((line for line in lists.each_ticked(rig) if line.action == action), None)
    return ticked if ticked is not None or action is None else _Unlisted(action)


def in_scene(rig: Any, group: str, option: str, frame: int) -> str:
    """Describe the scene frame of a frame option in words; "" if it is unknown."""
    line = source_of(rig, group, option)
    return "" if line is None or frame < 0 else f"frame {first_frame(line) + frame} of {line.action.name}"


def frames_in_scene(text: str, first: int) -> str:
    """Return a sentence about frames of a clip, counted from 0, with frames of the scene.

    first : the scene frame of the clip's first frame
    """
    return _FRAMES.sub(lambda found: f"frames {first + int(found[1])} to {first + int(found[2])}", text)


def frames_of_clips(sentences: Sequence[str], firsts: Sequence[tuple[str, float]]) -> list[str]:
    """Return sentences on frames of named clips, such as "walk (frame 11)", with frames of the scene.

    firsts : the name of each clip and the scene frame of its first one
    """
    starts = dict(firsts)
    # All names at once, longest first, because a name may be the end of another one.
    names = "|".join(re.escape(name) for name in sorted(starts, key=len, reverse=True))
    found = re.compile(rf"({names}) \(frame (\d+)\)")
    return [
        found.sub(lambda one: f"{one[1]} (frame {round(starts[one[1]]) + int(one[2])})", text) for text in sentences
    ]


def place_in_scene(rig: Any, text: str) -> str:
    """Rewrite a clip and frame such as "walk:11" with the scene frame: "walk, frame 12"."""
    name, _, number = text.rpartition(":")
    line = next((line for line in lists.each_ticked(rig) if line.action.name_full == name), None)
    if line is None or not number.isdecimal():
        return text
    return f"{name}, frame {first_frame(line) + int(number)}"


def shown_line(rig: Any, armature: bpy.types.Object, frame: int, *, line: Any = None) -> tuple[Any, int]:
    """Return the ticked line whose action the armature shows, and a scene frame as a frame of its clip.

    line : the only acceptable line, by default any ticked one

    Raises LoomError if another action is shown, and for a frame outside of it.
    """
    data = armature.animation_data
    action = None if data is None else data.action
    lines = lists.ticked_lines(rig) if line is None else [line]
    there = [one for one in lines if one.action == action]
    if not there:
        wanted = "one of the ticked actions" if line is None else line.action.name
        raise LoomError(f"Play {wanted} on {armature.name}, go to the frame, and press this again")
    first = first_frame(there[0])
    last = last_frame(there[0])
    if not first <= frame <= last:
        raise no_frame(present(action).name, frame, first, last)
    return there[0], frame - first
