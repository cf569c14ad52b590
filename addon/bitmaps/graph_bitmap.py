"""Draw a motion graph: clips as lanes, transitions as threads between them.

Pixels as in `bitmap`; does not use Blender. The largest component is bright: a walk on it never ends.
"""

import numpy as np

from ...core.graph.motion_graph import MotionGraph
from ...core.motion.quat import Array
from . import bitmap
from .bitmap import Color, LegendRow, Pixels

LARGE = (1600, 900)  # pixels, across and up
MOST_THREADS = 4000  # more can't be distinguished
SAMPLES = 400  # points per thread
LANE = 0.45  # height of a lane as a share of its row
OUTSIDE = 0.3  # brightness of a lane outside the largest component
FAINT = 0.035  # opacity of one thread


def small(graph: MotionGraph, colors: list[Color]) -> Pixels:
    """Draw a square picture; `colors` : of the given clips."""
    return bitmap.as_bytes(_draw_picture(graph, colors, bitmap.SMALL, bitmap.SMALL))


def large(graph: MotionGraph, colors: list[Color]) -> Pixels:
    """Draw a picture for the Image Editor; `colors` : of the given clips."""
    return bitmap.as_bytes(_draw_picture(graph, colors, *LARGE))


def legend(graph: MotionGraph, colors: list[Color]) -> tuple[LegendRow, ...]:
    """Return the legend of lanes and threads; `colors` : of the given clips."""
    lanes = tuple(((color,), clip.name) for clip, color in zip(graph.clips, colors, strict=False))
    red, green, blue = colors[0]
    darker = colors[0], (OUTSIDE * red, OUTSIDE * green, OUTSIDE * blue)
    return (((bitmap.INK,), "threads: transitions"), (darker, "dark: leads nowhere"), *lanes)


def _draw_picture(graph: MotionGraph, colors: list[Color], width: int, height: int) -> Array:
    """Draw the picture (H, W, 3), the first clip at the top."""
    given = graph.inputs.given
    pixels = np.empty((height, width, 3))
    pixels[:] = bitmap.GROUND
    longest = max(len(clip) for clip in graph.clips[:given])
    row = height / given
    inside = _in_largest(graph)
    for k, clip in enumerate(graph.clips[:given]):
        low, high = int(height - (k + 0.5 + 0.5 * LANE) * row), int(height - (k + 0.5 - 0.5 * LANE) * row)
        frames = (np.arange(width) + 0.5) / width * longest
        there = frames < len(clip)
        light = np.where(inside[k][np.minimum(frames.astype(int), len(clip) - 1)], 1.0, OUTSIDE)
        lane = light[:, None] * np.array(colors[k])
        pixels[low : max(high, low + 1), there] = lane[there]
    cover = _threads(graph, width, height, longest)[..., None]
    return np.asarray(pixels + (1.0 - np.exp(-FAINT * cover)) * (np.array(bitmap.INK) - pixels))


def _in_largest(graph: MotionGraph) -> list[Array]:
    """Return the frames of the given clips in the largest component; mirror images count for their clip."""
    given = graph.inputs.given
    inside = [np.zeros(len(clip), dtype=bool) for clip in graph.clips[:given]]
    along = np.flatnonzero(~graph.crosses & (graph.component[graph.start] == 0) & (graph.component[graph.end] == 0))
    for edge in along:
        node = graph.start[edge]
        inside[graph.clip[node] % given][graph.frame[node] : graph.frame[graph.end[edge]] + 1] = True
    return inside


def _threads(graph: MotionGraph, width: int, height: int, longest: int) -> Array:
    """Count the transitions through each pixel (H, W); one within a lane is drawn as an arc."""
    given = graph.inputs.given
    crossing = np.flatnonzero(graph.crosses & (graph.component[graph.start] == graph.component[graph.end]))
    crossing = crossing[:: max(1, len(crossing) // MOST_THREADS)]
    ends = []
    for node in (graph.start[crossing], graph.end[crossing]):
        up = height * (1.0 - (graph.clip[node] % given + 0.5) / given)
        ends.append((graph.frame[node] / longest * width, up))
    (x, y), (other_x, other_y) = ends
    share = np.linspace(0.0, 1.0, SAMPLES)
    across = x[:, None] + share * (other_x - x)[:, None]
    up = y[:, None] + share * (other_y - y)[:, None]
    arc = np.where(y == other_y, 0.5 * height / given, 0.0)[:, None] * 4.0 * share * (1.0 - share)
    cells = np.stack([up + arc, across], axis=-1).astype(int).reshape(-1, 2)
    cells = np.clip(cells, 0, (height - 1, width - 1))
    cover = np.bincount(cells[:, 0] * width + cells[:, 1], minlength=width * height)
    return np.asarray(cover.reshape(height, width) * (width / SAMPLES), dtype=np.float64)
