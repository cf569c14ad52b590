"""Turn poses made by an artist on top of an action into the corrections that a recipe spreads.

Method: Warping in space and time.
"""

from typing import Any

import bpy
import numpy as np

from ....core.errors import LoomError, no_frame
from ....core.motion import quat
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ...bridge import pose_now
from ...ground.blender_types import scene_of
from ..weaving import reading
from .spread_poses import Row

# Smaller differences don't count as posed, because Blender stores poses in single precision.
TURNED, MOVED = 1e-4, 1e-5  # radians, metres


def rows(
    context: bpy.types.Context, armature: bpy.types.Object, source: reading.Read, shown: reading.Read, known: list[Row]
) -> list[Row]:
    """Return the known corrections and new ones that move a source to the armature's pose at the current frame.

    shown : the action on top of which the pose was made
    known : existing corrections of the source

    An unposed bone gets a row only if it had one at this frame; if no bone was posed the known rows are returned.
    Raises LoomError if the frame is outside the action, and if there is no correction at all.
    """
    clip, frame = source.clips[0], current_frame(context, source)
    pose = pose_now.read(armature, source.body, clip.rate)
    posed = _compare_pose(pose, shown.clips[0].cut(frame, frame + 1))
    if not posed.any() and known:
        return known
    if not posed.any():
        number = scene_of(context).frame_current
        raise LoomError(
            f"The pose at frame {number} is that of {shown.clips[0].name}: pose bones first, without keying them"
        )
    here = {int(row[1]) - 1 for row in known if row[0] == frame}
    wanted = sorted(here | {int(joint) for joint in np.flatnonzero(posed)})
    turn, move = correction(clip, frame, pose)
    new = [(float(frame), joint + 1.0, *np.degrees(turn[joint]), *move[joint]) for joint in wanted]
    kept = [row for row in known if row[0] != frame]
    return sorted([*kept, *new])


def current_frame(context: bpy.types.Context, read: reading.Read) -> int:
    """Return the scene's current frame as a frame of a source's clip; raises LoomError if it is outside."""
    number, clip = scene_of(context).frame_current, read.clips[0]
    first = round(read.sources[0].first_frame)
    last = first + len(clip) - 1
    if not first <= number <= last:
        raise no_frame(clip.name, number, first, last)
    return number - first


def correction(clip: Clip, frame: int, pose: Clip) -> tuple[Array, Array]:
    """Return rotation vectors (J, 3), radians, and moves (J, 3), metres, from a clip's frame to a one-frame pose."""
    turn = quat.log(quat.mul(quat.inv(clip.rotations[frame]), pose.rotations[0]))
    return turn, pose.translations[0] - clip.translations[frame]


def _compare_pose(pose: Clip, was: Clip) -> Any:
    turn, move = correction(was, 0, pose)
    return (np.abs(turn).max(axis=1) > TURNED) | (np.abs(move).max(axis=1) > MOVED)
