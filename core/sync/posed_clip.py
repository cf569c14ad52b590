"""A clip with its points, which several metrics need: they are computed once (methods: Pose distance)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array

HEADING_SIGMA = 0.5  # s
VELOCITY_SIGMA = 2.0 / 120.0  # s


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
        points, facing = self._posed
        vars(part)["_posed"] = points[start:end], facing[start:end]  # where the property keeps its value
        return part

    @cached_property
    def _posed(self) -> tuple[Array, Array]:
        """Points (F, P, 3), and the raw direction (F,) in which the pelvis faces, radians."""
        skeleton = self.clip.skeleton
        rotations, points = kinematics.posed(self.clip)
        return points, root_motion.raw_pelvis_heading(skeleton, rotations, points[:, : len(skeleton)])

    @property
    def points(self) -> Array:
        """World positions (F, P, 3) of joints and tips, metres."""
        return self._posed[0]

    def heading(self, sigma: float) -> Array:
        """Return the direction (F,) in which the pelvis faces, smoothed by `sigma` seconds, radians."""
        return root_motion.smooth(self._posed[1], sigma * self.clip.rate)

    @cached_property
    def local(self) -> Array:
        """Points (F, P, 3) turned to face along y, with the ground point of the travelling joint in the origin."""
        origin = self.points[:, root_motion.travelling_joint(self.clip.skeleton), None, :2]
        facing = self.heading(HEADING_SIGMA)[:, None]
        cosine, sine = np.cos(facing), np.sin(facing)
        local = self.points.copy()
        x, y = np.moveaxis(self.points[..., :2] - origin, 2, 0)
        local[..., 0] = cosine * x + sine * y
        local[..., 1] = cosine * y - sine * x
        return local

    @cached_property
    def velocities(self) -> Array:
        """Velocities (F, P, 3) of `local`, smoothed a little, metres a frame."""
        smooth = root_motion.smooth(self.local, VELOCITY_SIGMA * self.clip.rate)
        # As numpy's gradient does, in an eighth of the time.
        velocities = np.empty_like(smooth)
        velocities[1:-1] = 0.5 * (smooth[2:] - smooth[:-2])
        velocities[0], velocities[-1] = smooth[1] - smooth[0], smooth[-1] - smooth[-2]
        return velocities
