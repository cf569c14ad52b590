"""Draw how well a clip repeats: the score over the cycle's length, and below it over the cycle's first frame.

Pixels as in `bitmap`; does not use Blender.
"""

from dataclasses import dataclass

import numpy as np

from ...core.motion.quat import Array
from ...core.sync import cycle_search
from ...core.sync.cycle_search import Cycle, Repetition
from . import bitmap
from .bitmap import Axis, Color, LegendRow, Pixels

WIDTH, HEIGHT = 1000, 320  # pixels of each plot in a picture with axes
TOP, LOWEST = 1.05, -1.0  # highest score and lowest possible score of a plot
DASH = 8  # pixels: length of dashes and gaps
SPAN = 0.25  # opacity of the colour over the frames of the cycle


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """Scores (K,) at places (K,) along an axis, in frames.

    marks : places of offered cycles; span : first and last frame of the best cycle
    """

    places: Array
    scores: Array
    marks: tuple[float, ...] = ()
    span: tuple[float, float] | None = None


def curves_of(
    found: Repetition, offered: list[Cycle], rate: float, first_frame: float
) -> tuple[ScoreCurve, ScoreCurve]:
    """Return the scores over the cycle's length in frames, and over its first scene frame."""
    best = offered[0]
    lengths = tuple(float(cycle.length) for cycle in offered)
    span = first_frame + best.start, first_frame + best.start + best.length
    return (
        ScoreCurve(found.lags * rate, found.scores, lengths),
        ScoreCurve(first_frame + found.starts.astype(np.float64), found.start_scores, (span[0],), span),
    )


def small(curves: tuple[ScoreCurve, ScoreCurve], color: Color) -> Pixels:
    """Draw a square picture without axes."""
    half = bitmap.SMALL // 2
    above, below = (_plot(curve, color, bitmap.SMALL, half - 2, radius=1.2) for curve in curves)
    gap = np.zeros((4, bitmap.SMALL, 3))
    return bitmap.as_bytes(np.concatenate([below, gap, above]))


def large(curves: tuple[ScoreCurve, ScoreCurve], color: Color) -> Pixels:
    """Draw a picture with axes: lengths in frames above, scene frames below."""
    dot = 2
    margin, label = 60, (bitmap.GLYPH_HEIGHT + 8) * dot
    pixels = np.empty((2 * (HEIGHT + label) + dot * 10, WIDTH + 2 * margin, 3), dtype=np.uint8)
    pixels[:] = bitmap.as_bytes(np.array(bitmap.GROUND))
    ink = bitmap.as_bytes(np.array(bitmap.INK))
    for curve, bottom in ((curves[1], label), (curves[0], HEIGHT + 2 * label)):
        plot = _plot(curve, color, WIDTH, HEIGHT, radius=2.0)
        pixels[bottom : bottom + HEIGHT, margin : margin + WIDTH] = bitmap.as_bytes(plot)
        first, last = curve.places[0], curve.places[-1]
        axis = Axis(float(first), 1.0, round(last - first) + 1, (first, last))
        for tick in bitmap.ticks_along(axis, WIDTH / max(last - first, 1.0), 80):
            x = margin + min(tick.place, WIDTH - 1)
            pixels[bottom - 3 * dot : bottom, x] = ink
            corner = x - bitmap.text_width(tick.text) * dot // 2, bottom - (bitmap.GLYPH_HEIGHT + 5) * dot
            bitmap.write(pixels, tick.text, corner, dot, ink)
    return pixels


def legend(color: Color) -> tuple[LegendRow, ...]:
    """Return the legend of a picture."""
    white, grey = (1.0, 1.0, 1.0), 0.5 * np.array(bitmap.INK)
    taken = (1.0 - SPAN) * np.array(bitmap.GROUND) + SPAN * np.array(color)
    return (
        ((color,), "up: repeats itself better"),
        ((white,), "cycles in the list"),
        ((_plain(grey),), "line: it repeats; dashes: hardly"),
        ((_plain(taken),), "frames of the best cycle"),
    )


def _plain(color: Array) -> Color:
    red, green, blue = (float(side) for side in color)
    return red, green, blue


def _plot(curve: ScoreCurve, color: Color, width: int, height: int, radius: float) -> Array:
    """Draw a curve (H, W, 3) with lines at the thresholds and marks at the offered cycles."""
    pixels = np.empty((height, width, 3))
    pixels[:] = bitmap.GROUND
    low = max(min(0.0, float(curve.scores.min())), LOWEST)
    ink, grey = np.array(color), np.array(bitmap.INK)
    across = (np.arange(width) + 0.5) / width * (curve.places[-1] - curve.places[0]) + curve.places[0]
    if curve.span is not None:
        inside = (across >= curve.span[0]) & (across <= curve.span[1])
        pixels[:, inside] += SPAN * (ink - pixels[:, inside])
    for score, dashed in ((cycle_search.PERIODIC, False), (cycle_search.WEAK, True)):
        line = np.ones(width, dtype=bool) if not dashed else np.arange(width) % (2 * DASH) < DASH
        pixels[int((score - low) / (TOP - low) * height), line] = 0.5 * grey
    heights = (np.clip(np.interp(across, curve.places, curve.scores), low, TOP) - low) / (TOP - low) * (height - 1)
    at = np.linspace(0.0, width - 1.0, 4 * width)
    points = np.stack([at + 0.5, np.interp(at, np.arange(width), heights) + 0.5], axis=1)
    _paint(pixels, points, ink, radius)
    marks = np.array(curve.marks)
    if len(marks):
        x = np.clip((marks - curve.places[0]) / max(curve.places[-1] - curve.places[0], 1.0) * width, 0, width - 1)
        _paint(pixels, np.stack([x, np.interp(x, np.arange(width), heights) + 0.5], axis=1), np.ones(3), 2.5 * radius)
    return pixels


def _paint(pixels: Array, points: Array, ink: Array, radius: float) -> None:
    """Paint dots with antialiased rims."""
    away = bitmap.distances_to(points, pixels.shape[:2], radius + 1.5)
    near = away < radius + 0.5
    pixels[near] += np.minimum(radius + 0.5 - away[near], 1.0)[:, None] * (ink - pixels[near])
