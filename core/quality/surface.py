"""Measure whether the surface of a body sinks, floats or stretches more than in the body's own actions.

Method: Measures of quality.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

# Unit: height of the surface.
STANDS = 0.03  # height above the floor up to which a vertex counts as standing
SHORT = 0.01  # shorter edges are treated as this long, because their length is dominated by rounding
LOWER, OFF_FLOOR = 0.008, 0.03  # limits of `sinking` and `off_floor`

STRETCHED = 2.5  # limit of `stretching`
MOST = 0.995  # quantile of all edges that defines the stretch of a surface


@dataclass(frozen=True, eq=False)
class Extent:
    """Extreme heights and edge lengths of a surface over some frames.

    lows (V,) : the least height of each vertex, metres; lengths (E,) : the largest length of each edge, metres
    height : median over frames of the height from the lowest to the highest vertex, metres
    floor : median over frames of the height of the lowest vertex, metres
    """

    lows: Array
    lengths: Array
    height: float
    floor: float


@dataclass(frozen=True)
class Difference:
    """Differences of a surface from its extent in the body's own actions, with the frames of the largest ones.

    height : of the surface, metres
    sinking : metres that standing vertices are lower; sinking_at : frame
    off_floor : median height of the lowest of these vertices above the floor of the own actions, metres
    stretching : factor of edge length; stretching_at : frame
    """

    height: float
    sinking: float
    sinking_at: int
    off_floor: float
    stretching: float
    stretching_at: int


def measure_extent(places: Array, edges: NDArray[np.int64]) -> Extent:
    """Return the extent of a surface over some frames.

    places (F, V, 3) : vertices, metres, z up; edges (E, 2) : the vertices of each edge

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import surface
        >>> places = np.array([[[0.0, 0, 0], [0, 0, 2]], [[0.0, 0, 1], [0, 0, 2]]])
        >>> extent = surface.measure_extent(places, np.array([[0, 1]]))
        >>> extent.lows.tolist(), extent.lengths.tolist(), extent.height
        ([0.0, 2.0], [2.0], 1.5)
    """
    heights = places[:, :, 2]
    height, floor = np.median(np.ptp(heights, axis=1)), np.median(heights.min(axis=1))
    return Extent(heights.min(axis=0), _lengths(places, edges).max(axis=0), float(height), float(floor))


def join_extents(extents: Sequence[Extent]) -> Extent:
    """Return the extent of a surface over the frames of several extents.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import surface
        >>> one = surface.Extent(np.array([0.0, 1.0]), np.array([1.0]), 1.0, 0.0)
        >>> other = surface.Extent(np.array([0.5, 0.5]), np.array([2.0]), 3.0, 0.5)
        >>> both = surface.join_extents([one, other])
        >>> both.lows.tolist(), both.lengths.tolist(), both.height
        ([0.0, 0.5], [2.0], 2.0)
    """
    lows = np.min([one.lows for one in extents], axis=0)
    lengths = np.max([one.lengths for one in extents], axis=0)
    height, floor = (float(np.median([getattr(one, name) for one in extents])) for name in ("height", "floor"))
    return Extent(lows, lengths, height, floor)


def compare(places: Array, edges: NDArray[np.int64], own: Extent) -> Difference:
    """Return the differences of a surface from its extent in the body's own actions.

    places (F, V, 3) : vertices, metres, z up; edges (E, 2) : the vertices of each edge

    Heights are measured on vertices that stand in the body's own actions, so a sword may sink below the feet.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.quality import surface
        >>> body = np.array([[[0.0, 0, 0], [0, 0, 2]]])
        >>> edges = np.array([[0, 1]])
        >>> own = surface.measure_extent(body, edges)
        >>> surface.compare(body - [0, 0, 0.1], edges, own).sinking
        0.1
    """
    lowest = float(own.lows.min())
    standing = own.lows < own.floor + STANDS * own.height
    low = places[:, standing, 2].min(axis=1)
    least = np.maximum(own.lengths, SHORT * own.height)
    each = _lengths(places, edges) / least
    times = np.quantile(each, MOST, axis=1) if len(edges) else np.ones(len(places))
    sinking = lowest - low
    return Difference(
        own.height,
        float(sinking.max()),
        int(np.argmax(sinking)),
        float(np.median(low)) - own.floor,
        float(times.max()),
        int(np.argmax(times)),
    )


def _lengths(places: Array, edges: NDArray[np.int64]) -> Array:
    return np.asarray(np.linalg.norm(places[:, edges[:, 1]] - places[:, edges[:, 0]], axis=2))
