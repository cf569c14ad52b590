"""An action as a small picture: stick figures of some of its poses, for asset browsers.

Pixels as in `bitmap`; nothing of Blender's is needed.
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
TALL = 1.25  # heights of the body that there is room for: arms and legs need it beside each other
BESIDE = 0.6  # of its width from one figure to the next


def picture(clip: Clip) -> Pixels:
    """Return a square picture of poses of a clip, the first one at the left.

    A body with hips and legs is seen from its right, wherever it faces; any other as it stands in the world.
    """
    try:
        places = feature.places(feature.rows(clip))
    except LibraryError:
        flat, bones = _other(clip)
        flat = flat[_chosen(len(flat), clip.cyclic)]
        wide, high = np.ptp(flat[..., 0], axis=1).max(), np.ptp(flat[..., 1])
        tall = max(1.1 * high, BESIDE * len(flat) * wide, 1e-6)
        return stretch_bitmap.row(flat - [0.0, flat[..., 1].min()], bones, SIZE, tall, 0.0)
    flat = stretch_bitmap.aslant(places[_chosen(len(places), clip.cyclic)])
    return stretch_bitmap.row(flat, stretch_bitmap.known_bones(), SIZE, TALL, stretch_bitmap.HEAD)


def _chosen(frames: int, cyclic: bool) -> list[int]:
    """Return which frames are seen: a cycle's last pose is its first, a single pose is seen once."""
    count = min(COUNT, frames)
    steps = count if cyclic else max(count - 1, 1)
    return [round(k * (frames - 1) / steps) for k in range(count)]


def _other(clip: Clip) -> tuple[Array, Bones]:
    """Return where the joints and tips of a body are seen (F, points, 2), and its bones; what stands alone is none."""
    skeleton = clip.skeleton
    _, points = kinematics.posed(clip)
    bones = [(int(above), joint) for joint, above in enumerate(skeleton.parents) if above >= 0]
    bones += [(int(joint), len(skeleton) + k) for k, joint in enumerate(skeleton.tipped)]
    return stretch_bitmap.aslant(points), {stretch_bitmap.TRUNK: bones}
