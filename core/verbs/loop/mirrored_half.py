"""Half a cycle, such as one step of a walk, completed by its mirror image (methods: Loops)."""

import numpy as np

from ...motion import kinematics, mirror, quat, root_motion
from ...motion.clip import Clip, join_clips
from ...motion.quat import Array
from ...weave.seam import tracks

NEAR = 0.05  # body heights between the last pose and the mirrored first; a smaller distance suggests half a cycle


def complete_with_mirror(clip: Clip) -> Clip:
    """Return a clip followed by its mirror image; the gap between its last pose and the image's first is spread.

    Raises SkeletonError for bodies that can't be mirrored or placed.
    """
    means = quat.mean_of_frames(clip.rotations)
    rows = tracks.tracks_about(clip, means)
    opposite = tracks.tracks_about(_following(clip, mirror.mirror_clip(clip)).cut(0, 1), means)
    share = np.linspace(0.0, 1.0, len(clip))[:, None]
    half = rows.clip(rows.values - share * (rows.values[-1] - opposite.values[0]), np.arange(len(clip)))
    image = _following(half, mirror.mirror_clip(half))
    return join_clips([half.cut(0, len(half) - 1), image])


def is_near(clip: Clip) -> bool:
    """Return whether a clip's last pose is nearly its first one mirrored, regardless of place and facing."""
    image = _following(clip, mirror.mirror_clip(clip)).cut(0, 1)
    ends: list[Array] = [kinematics.points(one)[-1] for one in (clip, image)]
    counting = clip.skeleton.point_weights > 0.0
    return bool(np.linalg.norm(ends[0] - ends[1], axis=1)[counting].max() < NEAR * clip.skeleton.height)


def _following(clip: Clip, image: Clip) -> Clip:
    """Return a clip turned and moved to start where another ends."""
    ground, facing = root_motion.ground_frames(clip)
    own_ground, own_facing = root_motion.ground_frames(image)
    turn = facing[-1] - own_facing[0]
    c, s = np.cos(turn), np.sin(turn)
    return root_motion.place_clip(image, float(turn), ground[-1] - np.array([[c, -s], [s, c]]) @ own_ground[0])
