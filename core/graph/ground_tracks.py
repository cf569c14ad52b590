"""Ground tracks of clips: smoothed root path and smoothed facing (methods: Following a drawn path)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import kinematics, mass, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

SIGMA, FACING_SIGMA = 0.3, 0.2  # s; the sway of steps does not belong to the root path


@dataclass(frozen=True, eq=False)
class GroundTracks:
    """Ground tracks of clips, concatenated.

    ground (F,) : positions of the root path as x + iy, metres
    facing (F,) : radians
    climbed (F,) : height of the ground, metres
    firsts (N + 1,) : the first frame of each clip, and the end of the last one
    """

    ground: NDArray[np.complex128]
    facing: Array
    climbed: Array
    firsts: NDArray[np.int64]


def ground_tracks_of(
    clips: Sequence[Clip], climbed: Sequence[Array] | None = None, follows: str = "hips"
) -> GroundTracks:
    """Return the ground tracks of clips.

    climbed : heights of the ground (F,) of each, None for 0
    follows : the tracked point: "hips", or "mass" for the centre of mass

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import ground_tracks
        >>> walk, turn = actions.walk(), actions.turn_left()
        >>> tracks = ground_tracks.ground_tracks_of([walk, turn])
        >>> tracks.firsts.tolist() == [0, len(walk), len(walk) + len(turn)]
        True
        >>> round(float(tracks.facing[-1] - tracks.facing[len(walk)]), 1)  # a quarter to the left
        1.6
    """
    tracks = [_track(clip, follows) for clip in clips]
    ground, facing = (np.concatenate([track[k] for track in tracks]) for k in (0, 1))
    firsts = np.cumsum([0, *map(len, clips)])
    return GroundTracks(ground, facing, np.zeros(firsts[-1]) if climbed is None else np.concatenate(climbed), firsts)


def _track(clip: Clip, follows: str) -> tuple[NDArray[np.complex128], Array]:
    """Return the root path (F,) and the facing (F,) of a clip, both smoothed."""
    rotations, positions = kinematics.world(clip)
    ground = positions[:, root_motion.travelling_joint(clip.skeleton), :2]
    if follows == "mass":
        ground = mass.centre_of_mass(clip)[:, :2]
    facing = root_motion.raw_heading(clip.skeleton, rotations, positions)
    path = root_motion.smooth(ground, SIGMA * clip.rate)
    # Add the smoothed residual, because a single pass shifts the path inside a bend, by up to 0.03 body heights in a
    # run.
    path = path + root_motion.smooth(ground - path, SIGMA * clip.rate)
    return path[:, 0] + 1j * path[:, 1], root_motion.smooth(facing, FACING_SIGMA * clip.rate)
