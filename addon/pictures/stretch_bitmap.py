"""A stretch of a clip as pixels: stick figures in a row, as time goes.

Pixels as in `bitmap`; nothing of Blender's is needed.
"""

import numpy as np
from numpy.typing import NDArray

from ...core.library import feature
from ...core.motion.quat import Array
from . import bitmap
from .bitmap import Color, Pixels

COUNT = 4  # figures, of which two stand above the others: previews are square
SIZE = 192  # pixels
ASLANT = np.radians(35.0)  # as `plots.stick_figures`: from their right, so much turned to the front
LEFT, RIGHT = (0.95, 0.6, 0.2), (0.35, 0.7, 0.95)  # arms and legs of the sides
TRUNK = bitmap.INK
WIDE = 2.4  # pixels from the middle of a line to its rim
HEAD = 0.055  # heights of the body
TALL = 1.08  # heights of the body that a figure has room for


def small(places: NDArray[np.float32]) -> Pixels:
    """Return a square picture of poses (COUNT, joints, 3), the first one at the upper left."""
    half = SIZE // 2
    pixels = np.empty((SIZE, SIZE, 3))
    pixels[:] = bitmap.GROUND
    for k, pose in enumerate(places):
        left, bottom = half * (k % 2), half * (1 - k // 2)
        _figure(pixels[bottom : bottom + half, left : left + half], pose.astype(np.float64))
    return bitmap.as_bytes(pixels)


def _figure(pixels: Array, pose: Array) -> None:
    """Paint a pose (joints, 3), in heights of the body, into pixels (H, W, 3)."""
    size = len(pixels)
    across = np.sin(ASLANT) * pose[:, 0] + np.cos(ASLANT) * pose[:, 1]
    flat = np.stack([across, pose[:, 2]], axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = size / max(TALL, *(1.1 * (high - low)))
    flat = (flat - [0.5 * (low[0] + high[0]), min(low[1], 0.0)]) * scale + [0.5 * size, 0.03 * size]
    for color, bones in _bones().items():
        ends = flat[np.array(bones)]
        share = np.linspace(0.0, 1.0, size)[:, None, None]
        points = (ends[:, 0] + share * (ends[:, 1] - ends[:, 0])).reshape(-1, 2)
        _paint(pixels, points, color, WIDE * size / 96.0)
    head = feature.ROLES.index("head")
    tip = flat[head] + [0.0, HEAD * scale]
    _paint(pixels, tip[None], TRUNK, HEAD * scale)


def _bones() -> dict[Color, list[tuple[int, int]]]:
    """The bones by their colours, the side that is farther away first."""
    found: dict[Color, list[tuple[int, int]]] = {LEFT: [], TRUNK: [], RIGHT: []}
    for above, joint in feature.BONES:
        side = feature.ROLES[joint].partition(".")[2]
        found[{"L": LEFT, "R": RIGHT}.get(side, TRUNK)].append((above, joint))
    return found


def _paint(pixels: Array, points: Array, color: Color, radius: float) -> None:
    """Paint dots, smooth at their rims."""
    cover = np.clip(radius + 0.5 - bitmap.distances_to(points, pixels.shape[:2], radius + 1.0), 0.0, 1.0)
    pixels += cover[..., None] * (np.array(color) - pixels)
