"""Where bodies go: their smoothed root path over the ground and their smoothed facing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import kinematics, mass, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

SIGMA, FACING_SIGMA = 0.3, 0.2  # s; what sways from step to step is no part of the root path


@dataclass(frozen=True, eq=False)
class GroundTracks:
    """Of clips, one after the other: places (F,) on the ground, as x + iy, metres, and facings (F,), radians.

    climbed (F,) : how high the ground is there, metres; firsts (N + 1,) : first frame of each clip, the last one's end
    """

    ground: NDArray[np.complex128]
    facing: Array
    climbed: Array
    firsts: NDArray[np.int64]


def ground_tracks_of(
    clips: Sequence[Clip], climbed: Sequence[Array] | None = None, follows: str = "hips"
) -> GroundTracks:
    """Return the ground tracks of clips; climbed : (F,) of each, 0 if None; follows : hips or mass, what is tracked."""
    every = [_of(clip, follows) for clip in clips]
    ground, facing = (np.concatenate([track[k] for track in every]) for k in (0, 1))
    firsts = np.cumsum([0, *map(len, clips)])
    return GroundTracks(ground, facing, np.zeros(firsts[-1]) if climbed is None else np.concatenate(climbed), firsts)


def _of(clip: Clip, follows: str) -> tuple[NDArray[np.complex128], Array]:
    rotations, positions = kinematics.world(clip)
    ground = positions[:, root_motion.travelling_joint(clip.skeleton), :2]
    if follows == "mass":
        ground = mass.centre_of_mass(clip)[:, :2]
    facing = root_motion.raw_heading(clip.skeleton, rotations, positions)
    way = root_motion.smooth(ground, SIGMA * clip.rate)
    # Once more what was smoothed away: else a way that turns is led inside, by up to 0.03 body heights where one runs.
    way = way + root_motion.smooth(ground - way, SIGMA * clip.rate)
    return way[:, 0] + 1j * way[:, 1], root_motion.smooth(facing, FACING_SIGMA * clip.rate)
