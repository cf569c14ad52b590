"""A clip with its body placed in the world: worked out once, for all measures."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array


@dataclass(frozen=True, eq=False)
class WorldPose:
    """A clip and where its body is.

    rotations (F, J, 4) : of the joints in the world
    points (F, P, 3) : of the joints, then of the tips, metres
    """

    clip: Clip
    rotations: Array
    points: Array

    @cached_property
    def ground(self) -> Array:
        """Path (F, 2) of the body on the ground."""
        return self.points[:, root_motion.travelling_joint(self.clip.skeleton), :2]

    @cached_property
    def heading(self) -> Array:
        """Smoothed facing direction (F,), radians about Z; what `root_motion.heading` gives."""
        positions = self.points[:, : len(self.clip.skeleton)]
        raw = root_motion.raw_heading(self.clip.skeleton, self.rotations, positions)
        return root_motion.smooth(raw, root_motion.HEADING_SIGMA * self.clip.rate)

    @cached_property
    def accelerations(self) -> Array:
        """Root mean square acceleration (F−2,) of the points, by their weight, m/s²; the first is that of frame 1."""
        second = np.diff(self.points, n=2, axis=0) * self.clip.rate**2
        return np.asarray(np.sqrt(((second**2).sum(axis=2) * self.clip.skeleton.point_weights).sum(axis=1)))


def pose(clip: Clip) -> WorldPose:
    return WorldPose(clip, *kinematics.posed(clip))
