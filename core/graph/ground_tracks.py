"""Where bodies go: their smoothed root path over the ground and their smoothed facing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

SIGMA, FACING_SIGMA = 0.3, 0.2  # s; what sways from step to step is no part of the root path


@dataclass(frozen=True, eq=False)
class GroundTracks:
    """Of clips, one after the other: places (F,) on the ground, as x + iy, metres, and facings (F,), radians.

    firsts (N + 1,) : first frame of each clip, and the end of the last
    """

    ground: NDArray[np.complex128]
    facing: Array
    firsts: NDArray[np.int64]


def ground_tracks_of(clips: Sequence[Clip]) -> GroundTracks:
    """Return the ground tracks of clips."""
    every = [_of(clip) for clip in clips]
    ground, facing = (np.concatenate([track[k] for track in every]) for k in (0, 1))
    return GroundTracks(ground, facing, np.cumsum([0, *map(len, clips)]))


def _of(clip: Clip) -> tuple[NDArray[np.complex128], Array]:
    rotations, positions = kinematics.world(clip)
    ground = positions[:, root_motion.travelling_joint(clip.skeleton), :2]
    facing = root_motion.raw_heading(clip.skeleton, rotations, positions)
    way = root_motion.smooth(ground, SIGMA * clip.rate)
    # Once more what was smoothed away: else a way that turns is led inside, by up to 0.03 body heights where one runs.
    way = way + root_motion.smooth(ground - way, SIGMA * clip.rate)
    return way[:, 0] + 1j * way[:, 1], root_motion.smooth(facing, FACING_SIGMA * clip.rate)
