"""Draw an action as stick figures of some of its poses, for asset browsers.

Pixels as in `bitmap`; does not use Blender.
"""

import numpy as np

from ...core.errors import LibraryError
from ...core.library import feature
from ...core.motion import kinematics
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from . import stretch_bitmap
from .bitmap import Pixels
from .stretch_bitmap import Bones

COUNT = 3  # figures
SIZE = 128  # pixels: as Blender's own previews of assets
TALL = 1.25  # height of the picture in heights of the body: leaves room for arms and legs side by side
BESIDE = 0.6  # distance between figures in widths of a figure


def picture(clip: Clip) -> Pixels:
    """Draw poses of a clip in a square picture, the first one at the left.

    A body with hips and legs is seen from its right, wherever it faces; any other from a fixed side of the world.
    """
    try:
        places = feature.places(feature.rows(clip))
    except LibraryError:
        flat, bones = _other(clip)
        flat = flat[_choose_frames(len(flat), clip.cyclic)]
        wide, high = np.ptp(flat[..., 0], axis=1).max(), np.ptp(flat[..., 1])
        tall = max(1.1 * high, BESIDE * len(flat) * wide, 1e-6)
        return stretch_bitmap.row(flat - [0.0, flat[..., 1].min()], bones, SIZE, tall, 0.0)
    flat = stretch_bitmap.aslant(places[_choose_frames(len(places), clip.cyclic)])
    return stretch_bitmap.row(flat, stretch_bitmap.known_bones(), SIZE, TALL, stretch_bitmap.HEAD)


def _choose_frames(frames: int, cyclic: bool) -> list[int]:
    """Return the frames to draw: without a cycle's last pose, which equals its first; a single pose once."""
    count = min(COUNT, frames)
    steps = count if cyclic else max(count - 1, 1)
    return [round(k * (frames - 1) / steps) for k in range(count)]


def _other(clip: Clip) -> tuple[Array, Bones]:
    """Return the projected joints and tips (F, points, 2) of any body, and its bones as pairs of points."""
    skeleton = clip.skeleton
    _, points = kinematics.pose_clip(clip)
    bones = [(int(above), joint) for joint, above in enumerate(skeleton.parents) if above >= 0]
    bones += [(int(joint), len(skeleton) + k) for k, joint in enumerate(skeleton.tipped)]
    return stretch_bitmap.aslant(points), {stretch_bitmap.TRUNK: bones}
