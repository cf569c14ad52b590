"""A clip with its points, which are computed once for several metrics (methods: Pose distance)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion import blocks, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..quality.world_pose import WorldPose

HEADING_SIGMA = 0.5  # s; sigma for smoothing the heading
VELOCITY_SIGMA = 2.0 / 120.0  # s; sigma for smoothing velocities
ROWS = 32  # frames per block for computing velocities


@dataclass(frozen=True, eq=False)
class PosedClip:
    """A clip, and derived data for metrics, computed on first use; keep : see `kinematics.get_cached_pose`."""

    clip: Clip
    keep: bool = True

    @classmethod
    def of(cls, clip: "Clip | PosedClip") -> "PosedClip":
        return clip if isinstance(clip, PosedClip) else cls(clip)

    def __len__(self) -> int:
        return len(self.clip)

    def cut(self, start: int, end: int) -> "PosedClip":
        """Return the frames start … end − 1, with points as in the whole clip."""
        if start == 0 and end == len(self):
            return self
        part = PosedClip(self.clip.cut(start, end))
        # where the cached property stores its value
        vars(part)["_world_pose"] = tuple(values[start:end] for values in self._world_pose)
        return part

    @cached_property
    def _world_pose(self) -> tuple[Array, Array, Array]:
        """World rotations (F, J, 4), points (F, P, 3), and the raw direction (F,) of the pelvis, radians."""
        skeleton = self.clip.skeleton
        rotations, points = kinematics.get_cached_pose(self.clip, keep=self.keep)
        return rotations, points, root_motion.raw_pelvis_heading(skeleton, rotations, points[:, : len(skeleton)])

    @property
    def pose(self) -> WorldPose:
        """The clip with its body in the world, for other measures."""
        return WorldPose(self.clip, *self._world_pose[:2])

    @property
    def points(self) -> Array:
        """World positions (F, P, 3) of joints and tips, metres; read-only."""
        return self._world_pose[1]

    def heading(self, sigma: float) -> Array:
        """Return the facing (F,) of the pelvis, smoothed by `sigma` seconds, radians."""
        return root_motion.smooth(self._world_pose[2], sigma * self.clip.rate)

    @cached_property
    def local(self) -> Array:
        """Points (F, P, 3) turned to face along y, with the ground point of the travelling joint at the origin."""
        points, travelling = self.points, root_motion.travelling_joint(self.clip.skeleton)
        facing, local = self.heading(HEADING_SIGMA)[:, None], np.empty(self.points.shape)
        cosine, sine = np.cos(facing), np.sin(facing)
        for some in blocks.slices(len(self), points[0].size):
            x, y = (points[some, :, k] - points[some, travelling, None, k] for k in range(2))
            local[some, :, 0] = cosine[some] * x + sine[some] * y
            local[some, :, 1] = cosine[some] * y - sine[some] * x
            local[some, :, 2] = points[some, :, 2]
        return local

    @cached_property
    def velocities(self) -> Array:
        """Velocities (F, P, 3) of `local`, slightly smoothed, metres per frame."""
        count, width = len(self), self.points[0].size
        places, velocities = self.local.reshape(count, width), np.empty((count, width))
        kernel = root_motion.smoothing(VELOCITY_SIGMA * self.clip.rate, count)
        reach, inner = len(kernel) // 2 + 1, _rates(ROWS, 2 * ROWS, 3 * ROWS + len(kernel), kernel)
        for first in range(0, count, ROWS):
            last, begin = min(first + ROWS, count), max(first - reach, 0)
            whole = first >= reach and last + reach <= count and last - first == ROWS
            weights = inner if whole else _rates(first, last, count, kernel)
            around = slice(begin, begin + weights.shape[1])
            for some in blocks.slices(width, ROWS):
                np.matmul(weights, places[around, some], out=velocities[first:last, some])
        return velocities.reshape(self.points.shape)


def _rates(first: int, last: int, count: int, kernel: Array) -> Array:
    """Return the weights (R, C) of frames in the smoothed velocities of frames first … last − 1 of `count`.

    Velocities are central differences, and one-sided at the ends. Before smoothing, positions are extended by odd
    reflection. The C frames are all frames with a nonzero weight.
    """
    reach = len(kernel) // 2
    low, high = max(first - 1 - reach, 0), min(last + 1 + reach, count)
    rows = np.arange(first, last)
    before, after = np.maximum(rows - 1, 0), np.minimum(rows + 1, count - 1)
    weights = np.zeros((last - first, high - low))
    every, end = np.broadcast_to((rows - first)[:, None], (len(rows), len(kernel))), count - 1
    for middle, sign in ((after, 1.0), (before, -1.0)):
        at = middle[:, None] + np.arange(-reach, reach + 1)
        share = sign * kernel / np.maximum(after - before, 1)[:, None]
        beyond = (at < 0) | (at > end)
        np.add.at(
            weights,
            (every, np.where(at < 0, -at, np.where(at > end, 2 * end - at, at)) - low),
            share * np.where(beyond, -1.0, 1.0),
        )
        np.add.at(weights, (every[beyond], np.clip(at[beyond], 0, end) - low), 2.0 * share[beyond])
    return weights
