"""Where bodies go: their smoothed root path over the ground and their smoothed facing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

SIGMA = 0.2  # s; what sways from step to step is no part of the root path


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
    smooth = root_motion.smooth(np.column_stack([ground, facing]), SIGMA * clip.rate)
    return smooth[:, 0] + 1j * smooth[:, 1], smooth[:, 2]
