"""Draw a stretch of a clip as a row of stick figures in order of time.

Pixels as in `bitmap`; does not use Blender.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.library import feature
from ...core.motion.quat import Array
from . import bitmap
from .bitmap import Color, Pixels

COUNT = 3  # figures
SIZE = 192  # pixels: previews are square
ASLANT = np.radians(35.0)  # view from the right, turned to the front by this angle, as in `plots.stick_figures`
LEFT, RIGHT = (0.95, 0.6, 0.2), (0.35, 0.7, 0.95)  # colours of the left and right limbs
TRUNK = bitmap.INK
WIDE = 4.0  # pixels: half the width of a line
HEAD = 0.05  # heights of the body: radius of the head
TALL = 1.15  # height of the picture in heights of the body
_TOP = feature.ROLES.index("head")
Bones = dict[Color, list[tuple[int, int]]]  # pairs of joints by their colours, in the order of painting


def small(places: NDArray[np.float32]) -> Pixels:
    """Draw poses (COUNT, joints, 3) in a square picture, the first one at the left."""
    return row(aslant(places), known_bones(), SIZE, TALL, HEAD)


def aslant(places: NDArray[Any]) -> Array:
    """Project places (…, 3) to (…, 2), seen from the right and the front."""
    across = np.sin(ASLANT) * places[..., 0] + np.cos(ASLANT) * places[..., 1]
    return np.stack([across, places[..., 2]], axis=-1).astype(np.float64)


def row(flat: Array, bones: Bones, size: int, tall: float, head: float) -> Pixels:
    """Draw poses (N, joints, 2) in a square picture, the first one at the left; joints that are NaN are left out.

    size : pixels; tall : least height that the picture shows; head : radius of the head, 0 for none
    tall and head are in the units of the poses.
    """
    pixels = np.empty((size, size, 3))
    pixels[:] = bitmap.GROUND
    scale = size / max(tall, 1.1 * float(np.nanmax(flat[..., 1]) - np.nanmin(flat[..., 1])))
    lowest = min(float(np.nanmin(flat[..., 1])), 0.0)
    for k, pose in enumerate(flat):
        middle = 0.5 * (np.nanmin(pose[:, 0]) + np.nanmax(pose[:, 0]))
        place = [(k + 0.5) * size / len(flat), 0.03 * size]
        _figure(pixels, (pose - [middle, lowest]) * scale + place, bones, head * scale)
    return bitmap.as_bytes(pixels)


def _figure(pixels: Array, flat: Array, bones: Bones, head: float) -> None:
    """Paint a pose (joints, 2) into pixels (H, W, 3).

    head : radius of the head in pixels, 0 for bodies other than `known_bones`
    """
    share = np.linspace(0.0, 1.0, len(pixels) // 2)[:, None, None]
    for color, pairs in bones.items():
        ends = flat[np.array(pairs, dtype=np.int64).reshape(-1, 2)]
        ends = ends[np.isfinite(ends).all(axis=(1, 2))]
        points = (ends[:, 0] + share * (ends[:, 1] - ends[:, 0])).reshape(-1, 2)
        _paint(pixels, points, color, WIDE * len(pixels) / SIZE)
    if head > 0.0 and np.isfinite(flat[_TOP]).all():
        _paint(pixels, (flat[_TOP] + [0.0, head])[None], TRUNK, head)


def known_bones() -> Bones:
    """Return the bones of the library's feature body by colour, the farther side first."""
    found: Bones = {LEFT: [], TRUNK: [], RIGHT: []}
    for above, joint in feature.BONES:
        side = feature.ROLES[joint].partition(".")[2]
        found[{"L": LEFT, "R": RIGHT}.get(side, TRUNK)].append((above, joint))
    return found


def _paint(pixels: Array, points: Array, color: Color, radius: float) -> None:
    """Paint dots with antialiased rims."""
    cover = np.clip(radius + 0.5 - bitmap.distances_to(points, pixels.shape[:2], radius + 1.0), 0.0, 1.0)
    pixels += cover[..., None] * (np.array(color) - pixels)
