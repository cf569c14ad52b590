"""A stretch of a clip as pixels: stick figures in a row, as time goes.

Pixels as in `bitmap`; nothing of Blender's is needed.
"""

import numpy as np
from numpy.typing import NDArray

from ...core.library import feature
from ...core.motion.quat import Array
from . import bitmap
from .bitmap import Color, Pixels

COUNT = 3  # figures
SIZE = 192  # pixels: previews are square
ASLANT = np.radians(35.0)  # as `plots.stick_figures`: from their right, so much turned to the front
LEFT, RIGHT = (0.95, 0.6, 0.2), (0.35, 0.7, 0.95)  # arms and legs of the sides
TRUNK = bitmap.INK
WIDE = 4.0  # pixels from the middle of a line to its rim
HEAD = 0.05  # heights of the body
TALL = 1.15  # heights of the body that there is room for


def small(places: NDArray[np.float32]) -> Pixels:
    """Return a square picture of poses (COUNT, joints, 3), the first one at the left."""
    pixels = np.empty((SIZE, SIZE, 3))
    pixels[:] = bitmap.GROUND
    across = np.sin(ASLANT) * places[..., 0] + np.cos(ASLANT) * places[..., 1]
    flat = np.stack([across, places[..., 2]], axis=-1).astype(np.float64)
    scale = SIZE / max(TALL, 1.1 * float(np.ptp(flat[..., 1])))
    lowest = min(float(flat[..., 1].min()), 0.0)
    for k, pose in enumerate(flat):
        middle = 0.5 * (pose[:, 0].min() + pose[:, 0].max())
        _figure(pixels, (pose - [middle, lowest]) * scale + [(k + 0.5) * SIZE / len(flat), 0.03 * SIZE], scale)
    return bitmap.as_bytes(pixels)


def _figure(pixels: Array, flat: Array, scale: float) -> None:
    """Paint a pose of joints (joints, 2) in pixels (H, W, 3); `scale` in pixels for a height of the body."""
    for color, bones in _bones().items():
        ends = flat[np.array(bones)]
        share = np.linspace(0.0, 1.0, SIZE // 2)[:, None, None]
        _paint(pixels, (ends[:, 0] + share * (ends[:, 1] - ends[:, 0])).reshape(-1, 2), color, WIDE)
    tip = flat[feature.ROLES.index("head")] + [0.0, HEAD * scale]
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
