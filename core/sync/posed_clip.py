"""A clip with its points, which several metrics need: they are computed once (methods: Pose distance)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..check.world_pose import WorldPose
from ..motion import blocks, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

HEADING_SIGMA = 0.5  # s
VELOCITY_SIGMA = 2.0 / 120.0  # s
ROWS, POINTS = 32, 64  # frames and points whose velocities are computed at a time


@dataclass(frozen=True, eq=False)
class FacingPoints:
    """Points as they are in the heading frame: facing along y, the ground point of the travelling joint in the origin.

    places (F, P, 3) : in the world, metres
    frames (F, 4) : ground point, and cosine and sine of the direction that is faced
    """

    places: Array
    frames: Array

    def taken(self, frames: slice) -> "FacingPoints":
        return FacingPoints(self.places[frames], self.frames[frames])

    def some(self, frames: slice, points: slice | NDArray[np.int64] = slice(None)) -> Array:  # noqa: B008
        """Return the places (K, Q, 3) of some points in some frames."""
        places = self.places[frames][:, points]
        origin_x, origin_y, cosine, sine = (self.frames[frames, k, None] for k in range(4))
        x, y = places[..., 0] - origin_x, places[..., 1] - origin_y
        local = np.empty(places.shape)
        np.add(cosine * x, sine * y, out=local[..., 0])
        np.subtract(cosine * y, sine * x, out=local[..., 1])
        local[..., 2] = places[..., 2]
        return local


@dataclass(frozen=True, eq=False)
class PosedClip:
    """A clip, and what metrics need of it, computed when the first one asks."""

    clip: Clip

    @classmethod
    def of(cls, clip: "Clip | PosedClip") -> "PosedClip":
        return clip if isinstance(clip, PosedClip) else cls(clip)

    def __len__(self) -> int:
        return len(self.clip)

    def cut(self, start: int, end: int) -> "PosedClip":
        """Return the frames start … end − 1, the points as they are in the whole clip."""
        if start == 0 and end == len(self):
            return self
        part = PosedClip(self.clip.cut(start, end))
        vars(part)["_posed"] = tuple(values[start:end] for values in self._posed)  # where the property keeps its value
        return part

    @cached_property
    def _posed(self) -> tuple[Array, Array, Array]:
        """World rotations (F, J, 4), points (F, P, 3), and the raw direction (F,) in which the pelvis faces, radians."""
        skeleton = self.clip.skeleton
        rotations, points = kinematics.kept(self.clip)
        return rotations, points, root_motion.raw_pelvis_heading(skeleton, rotations, points[:, : len(skeleton)])

    @property
    def pose(self) -> WorldPose:
        """The clip with its body in the world, as other measures take it."""
        return WorldPose(self.clip, *self._posed[:2])

    @property
    def points(self) -> Array:
        """World positions (F, P, 3) of joints and tips, metres; not to be written."""
        return self._posed[1]

    def heading(self, sigma: float) -> Array:
        """Return the direction (F,) in which the pelvis faces, smoothed by `sigma` seconds, radians."""
        return root_motion.smooth(self._posed[2], sigma * self.clip.rate)

    @cached_property
    def facing_points(self) -> FacingPoints:
        """The points as they are in the heading frame."""
        origin = self.points[:, root_motion.travelling_joint(self.clip.skeleton), :2]
        facing = self.heading(HEADING_SIGMA)
        return FacingPoints(self.points, np.column_stack([origin, np.cos(facing), np.sin(facing)]))

    @property
    def local(self) -> Array:
        """Points (F, P, 3) turned to face along y, with the ground point of the travelling joint in the origin."""
        return self.facing_points.some(slice(None))

    @cached_property
    def velocities(self) -> Array:
        """Velocities (F, P, 3) of `local`, smoothed a little, metres a frame."""
        points, count = self.facing_points, len(self)
        velocities = np.empty(self.points.shape)
        kernel = root_motion.smoothing(VELOCITY_SIGMA * self.clip.rate, count)
        reach, inner = len(kernel) // 2 + 1, _rates(ROWS, 2 * ROWS, 3 * ROWS + len(kernel), kernel)
        for columns in blocks.slices(points.places.shape[1], blocks.NUMBERS // POINTS):
            for rows in blocks.slices(count, 3 * (columns.stop - columns.start)):
                low, high = max(rows.start - reach, 0), min(rows.stop + reach, count)
                local = points.some(slice(low, high), columns).reshape(high - low, -1)
                for first in range(rows.start, rows.stop, ROWS):
                    last = min(first + ROWS, rows.stop)
                    whole = first >= reach and last + reach <= count and last - first == ROWS
                    weights = inner if whole else _rates(first, last, count, kernel)
                    begin = max(first - reach, 0) - low
                    moved = weights @ local[begin : begin + weights.shape[1]]
                    velocities[first:last, columns] = moved.reshape(last - first, -1, 3)
        return velocities


def _rates(first: int, last: int, count: int, kernel: Array) -> Array:
    """Return the weights (R, C) of frames in the smoothed velocities of the frames first … last − 1 of `count`.

    Velocities are half the difference of both neighbours, at an end the difference from it. What is smoothed goes on
    beyond the ends by odd reflection. The C frames reach as far as those that count.
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
        np.add.at(weights, (every, np.where(at < 0, -at, np.where(at > end, 2 * end - at, at)) - low), share * np.where(beyond, -1.0, 1.0))
        np.add.at(weights, (every[beyond], np.clip(at[beyond], 0, end) - low), 2.0 * share[beyond])
    return weights
