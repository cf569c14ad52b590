"""What carries a body's travel: its hips, or the root bone above them; every joint stays where it is in the world."""

import numpy as np

from ..errors import SkeletonError
from ..motion import kinematics, quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from . import root_blend

SIGMA = 0.5  # s; of a walk's sway, about once a second, a hundredth is left


def by_hips(clip: Clip) -> Clip:
    """Return the clip with the joints above the hips standing still, and the hips going the whole way."""
    rotations, positions = kinematics.world(clip)
    above = _above_hips(clip)
    if not above:
        return clip
    still = {joint: (np.repeat(rotations[:1, joint], len(clip), axis=0), positions[:1, joint]) for joint in above}
    poses = {joint: (turn, np.repeat(place, len(clip), axis=0)) for joint, (turn, place) in still.items()}
    return root_blend.place_joints(clip, _others(clip, rotations, positions, above) | poses)


def by_root(clip: Clip) -> Clip:
    """Return the clip with its travel and facing, smoothed, on the topmost joint above the hips, sway on the hips.

    Raises SkeletonError for a body that has no joint above the hips.
    """
    above = _above_hips(clip)
    if not above:
        name = clip.skeleton.names[root_motion.travelling_joint(clip.skeleton)]
        raise SkeletonError(f"{clip.name}: there is no root bone above {name}, so its travel can't be put on one")
    rotations, positions = kinematics.world(clip)
    sigma = SIGMA * clip.rate
    hips = positions[:, root_motion.travelling_joint(clip.skeleton)]
    turned = root_motion.smooth(root_motion.raw_heading(clip.skeleton, rotations, positions), sigma)
    turning = quat.about_axis("Z", turned - turned[0])
    ground = np.column_stack([root_motion.smooth(hips[:, :2], sigma), np.zeros(len(clip))])
    poses = {}
    for joint in above:
        beside = positions[0, joint] - ground[0]
        poses[joint] = quat.mul(turning, rotations[0, joint]), ground + quat.rotate(turning, beside)
    return root_blend.place_joints(clip, _others(clip, rotations, positions, above) | poses)


def _above_hips(clip: Clip) -> list[int]:
    """The joints above the hips, topmost first."""
    found, parents = [], clip.skeleton.parents
    joint = int(parents[root_motion.travelling_joint(clip.skeleton)])
    while joint >= 0:
        found.append(joint)
        joint = int(parents[joint])
    return found[::-1]


def _others(clip: Clip, rotations: Array, positions: Array, above: list[int]) -> dict[int, tuple[Array, Array]]:
    """World poses, as they are, of the hips and of everything else that hangs on the joints above them."""
    hips = root_motion.travelling_joint(clip.skeleton)
    kept = [joint for joint in (*root_blend.outside(clip.skeleton), hips) if joint not in above]
    return {joint: (rotations[:, joint], positions[:, joint]) for joint in kept}
