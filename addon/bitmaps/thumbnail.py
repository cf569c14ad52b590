"""Draw one pose of any body as a small stick figure, for lists.

Pixels are bytes (H, W, 4) from the bottom up; does not use Blender.
"""

import numpy as np
from numpy.typing import NDArray

from ...core.motion import kinematics, root_motion
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from . import bitmap, stretch_bitmap
from .bitmap import Color

SIZE = 64  # pixels; displayed at a third of this size
WIDE = 2.6  # pixels: half the width of a line
LINE = 5  # pixels: thickness of the underline
SMALL_PART = 0.04  # heights of the body: shorter bones, such as finger bones, would be blots


def of_pose(clip: Clip, color: Color, *, underlined: bool = False) -> NDArray[np.uint8]:
    """Draw the first pose of a clip in a colour, from its front right, independent of its heading."""
    skeleton = clip.skeleton
    _, points = kinematics.pose_clip(clip)
    pose = points[0] @ _to_the_front(clip).T
    flat = stretch_bitmap.aslant(pose)
    pairs = [(int(above), joint) for joint, above in enumerate(skeleton.parents) if above > 0]
    pairs += [(int(joint), len(skeleton) + k) for k, joint in enumerate(skeleton.tipped)]
    ends = flat[np.array(pairs or [(0, 0)], dtype=np.int64)]
    lengths = np.linalg.norm(np.diff(pose[np.array(pairs or [(0, 0)])], axis=1)[:, 0], axis=1)
    long = lengths > SMALL_PART * max(float(np.ptp(pose[:, 2])), 1e-9)
    pixels = _paint_lines(ends[long] if long.any() else ends, color)
    if underlined:
        pixels[:LINE, LINE:-LINE] = (*(round(255.0 * part) for part in color), 255)
    return pixels


def _to_the_front(clip: Clip) -> Array:
    """Return the rotation (3, 3) about the vertical that turns the body to face +y."""
    _, facing = root_motion.ground_frames(clip)
    c, s = np.cos(-facing[0]), np.sin(-facing[0])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _paint_lines(ends: Array, color: Color) -> NDArray[np.uint8]:
    """Draw the lines (N, 2, 2) into a square on a transparent background, scaled to fill it."""
    low, high = ends.min(axis=(0, 1)), ends.max(axis=(0, 1))
    room = SIZE - 2.0 * (WIDE + 1.0)
    scale = room / max(float((high - low).max()), 1e-9)
    placed = (ends - 0.5 * (low + high)) * scale + 0.5 * SIZE
    share = np.linspace(0.0, 1.0, SIZE)[:, None, None]
    dots = (placed[:, 0] + share * (placed[:, 1] - placed[:, 0])).reshape(-1, 2)
    cover = np.clip(WIDE + 0.5 - bitmap.distances_to(dots, (SIZE, SIZE), WIDE + 1.0), 0.0, 1.0)
    pixels = np.empty((SIZE, SIZE, 4))
    pixels[..., :3], pixels[..., 3] = cover[..., None] * np.array(color), cover  # premultiplied, like icons
    return (pixels * 255.0 + 0.5).astype(np.uint8)
