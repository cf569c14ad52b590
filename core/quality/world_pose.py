"""A clip with the world transforms of its body, computed once for all measures (methods: Measures of quality)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..motion import blocks, kinematics, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array


@dataclass(frozen=True, eq=False)
class WorldPose:
    """A clip and its body in the world.

    rotations (F, J, 4) : of the joints in the world
    points (F, P, 3) : positions of the joints, then of the tips, metres
    Both are read-only.
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
        """Smoothed facing direction (F,), radians about Z, as from `root_motion.heading`."""
        positions = self.points[:, : len(self.clip.skeleton)]
        raw = root_motion.raw_heading(self.clip.skeleton, self.rotations, positions)
        return root_motion.smooth(raw, root_motion.HEADING_SIGMA * self.clip.rate)

    @cached_property
    def accelerations(self) -> Array:
        """Weighted root mean square acceleration (F−2,) of the points, m/s²; the first value is for frame 1."""
        squares = np.zeros(max(len(self.points) - 2, 0))
        for some in blocks.slices(len(squares), self.points[0].size):
            second = np.diff(self.points[some.start : some.stop + 2], n=2, axis=0) * self.clip.rate**2
            squares[some] = ((second**2).sum(axis=2) * self.clip.skeleton.point_weights).sum(axis=1)
        return np.sqrt(squares)


def pose(clip: Clip) -> WorldPose:
    """Return a clip with its body in the world, for measures that need the same pose.

    Example:
        >>> from action_loom.core.quality import world_pose
        >>> from action_loom.core.demo_character import actions
        >>> body = world_pose.pose(actions.walk())
        >>> body.points.shape, body.ground.shape, body.accelerations.shape
        ((97, 26, 3), (97, 2), (95,))
    """
    return WorldPose(clip, *kinematics.get_cached_pose(clip))
