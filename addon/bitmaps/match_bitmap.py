"""Draw two matched clips: the distances of their frames and the registration curve, small or with axes.

Frames of the reference run to the right, frames of the other clip upwards. Does not use Blender.
"""

from dataclasses import dataclass

import numpy as np

from ...core.motion.quat import Array
from ...core.sync.registration_curve import Registration
from ...core.weave.preprocess import PreparedClips
from .bitmap import (
    GLYPH_HEIGHT,
    GLYPH_STEP,
    GROUND,
    INK,
    SMALL,
    Axis,
    Color,
    LegendRow,
    Pixels,
    Tick,
    as_bytes,
    distances_to,
    text_width,
    ticks_along,
    write,
)

LARGE = 2000  # pixels: limit of the longer side up to which a frame gets three pixels
USUAL = 1000  # pixels: target for the longer side, and half of it for the other, in whole pixels per frame
TINT = 0.4  # share of the curve's colour over omitted frames
DIM = 0.7  # brightness of omitted frames


@dataclass(frozen=True, eq=False)
class Match:
    """The contents of a picture of two matched clips.

    matrix (M, N) : distances between frames of the reference and of the other clip
    curve (K, 2) : corresponding frames of both, in order; past the last frame it continues at the first
    cyclic : whether both are cycles, so that the curve covers each cycle once
    """

    matrix: Array
    curve: Array
    across: Axis
    up: Axis
    cyclic: bool = False


def match_of(prepared: PreparedClips, registered: Registration, which: int, starts: tuple[float, ...]) -> Match:
    """Return the contents of the picture of a clip and the reference; `starts` are the clips' first scene frames."""
    found, reference = registered.curves[which], registered.reference
    assert found.matrix is not None
    frames = np.linspace(found.first, found.last, 8 * (len(found.frames) - 1) + 1)
    curve = np.stack([frames, found.at(frames)], axis=1) / found.every
    common = registered.grid[[0, -1]]
    axes = []
    for clip, side in ((reference, 0), (which, 1)):
        count = found.matrix.shape[side]
        first, second = starts[clip] + prepared.given_frames(clip, np.array([0.0, 1.0]))
        begin, end = (0.0, count - 1.0) if found.ends == "cyclic" else registered.curves[clip].at(common) / found.every
        axes.append(Axis(float(first), float(second - first) * found.every, count, (float(begin), float(end))))
    across, up = axes
    return Match(found.matrix.astype(np.float64), curve, across, up, cyclic=found.ends == "cyclic")


def small(match: Match, color: Color) -> Pixels:
    """Return a square picture without axes, filled by both clips."""
    shades = _resize_axis(_resize_axis(_shades(match.matrix), SMALL, 0), SMALL, 1)
    scale = SMALL / match.across.count, SMALL / match.up.count
    return as_bytes(_draw_shades(shades.T, match, color, scale, radius=2.0))


@dataclass(frozen=True)
class Layout:
    """The layout of a picture with axes, in pixels.

    scale : of a frame, across and up; dot : of a dot of the digits; left, bottom : the plot's corner; size : of the
        picture
    """

    scale: tuple[int, int]
    dot: int
    left: int
    bottom: int
    size: tuple[int, int]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]

    @property
    def tick(self) -> int:
        """Length of a tick's stroke in pixels."""
        return 3 * self.dot

    def corner_across(self, tick: Tick) -> tuple[int, int]:
        """Return the lower left corner of the number below a tick."""
        return self.left + tick.place - self._width(tick) // 2, self.bottom - 2 * self.tick - GLYPH_HEIGHT * self.dot

    def corner_up(self, tick: Tick) -> tuple[int, int]:
        """Return the lower left corner of the number left of a tick."""
        return (
            self.left - 2 * self.tick - self._width(tick),
            self.bottom + tick.place - GLYPH_HEIGHT * self.dot // 2,
        )

    def _width(self, tick: Tick) -> int:
        return text_width(tick.text) * self.dot


def layout_of(match: Match) -> Layout:
    """Return the layout of a picture with axes: at least three pixels per frame up to `LARGE`, never less than one."""
    counts = match.across.count, match.up.count
    least = max(USUAL // max(counts), min(3, LARGE // max(counts)), 1)
    scale = max(least, USUAL // (2 * counts[0])), max(least, USUAL // (2 * counts[1]))
    width, height = scale[0] * counts[0], scale[1] * counts[1]
    dot = max(2, round(max(width, height) / 500))
    widest = max(len(f"{frame:.0f}") for axis in (match.across, match.up) for frame in axis.ends)
    label = (GLYPH_STEP * widest - 1) * dot
    left, bottom = label + 10 * dot, (GLYPH_HEIGHT + 10) * dot
    return Layout(
        scale,
        dot,
        left,
        bottom,
        (left + width + label, bottom + height + GLYPH_HEIGHT * dot),
        ticks_along(match.across, scale[0], label + 4 * GLYPH_STEP * dot),
        ticks_along(match.up, scale[1], 4 * GLYPH_HEIGHT * dot),
    )


def large(match: Match, color: Color) -> Pixels:
    """Draw a picture with axes in scene frames."""
    layout = layout_of(match)
    shades = np.repeat(np.repeat(_shades(match.matrix).T, layout.scale[1], axis=0), layout.scale[0], axis=1)
    plot = _draw_shades(shades, match, color, layout.scale, radius=max(2.0, max(shades.shape) / 400))
    width, height = layout.size
    pixels = np.empty((height, width, 3), dtype=np.uint8)
    pixels[:] = as_bytes(np.array(GROUND))
    ink, left, bottom, tick = as_bytes(np.array(INK)), layout.left, layout.bottom, layout.tick
    pixels[bottom - 1, left - 1 : left + plot.shape[1]] = ink
    pixels[bottom - 1 : bottom + plot.shape[0], left - 1] = ink
    pixels[bottom : bottom + plot.shape[0], left : left + plot.shape[1]] = as_bytes(plot)
    for one in layout.across:
        pixels[bottom - tick : bottom, left + one.place] = ink
        write(pixels, one.text, layout.corner_across(one), layout.dot, ink)
    for one in layout.up:
        pixels[bottom + one.place, left - tick : left] = ink
        write(pixels, one.text, layout.corner_up(one), layout.dot, ink)
    return pixels


def legend(match: Match, color: Color) -> tuple[LegendRow, ...]:
    """Return the legend of a picture."""
    rows: list[LegendRow] = [
        (((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), "alike … different"),
        ((color,), "frames that correspond"),
    ]
    if any(axis.used[0] > 0.5 or axis.used[1] < axis.count - 1.5 for axis in (match.across, match.up)):
        red, green, blue = (DIM * ((1.0 - TINT) * 0.5 + TINT * side) for side in color)
        rows.append((((red, green, blue),), "left out"))
    return tuple(rows)


def _shades(matrix: Array) -> Array:
    """Scale distances to shades from 0 (smallest, black) to 1 (largest, white)."""
    low, high = float(matrix.min()), float(matrix.max())
    return np.asarray((matrix - low) / max(high - low, 1e-12))


def _resize_axis(values: Array, count: int, axis: int) -> Array:
    """Resample an axis to `count` means over equal stretches; a stretch may be shorter than one value."""
    moved = np.moveaxis(values, axis, 0)
    sums = np.concatenate([np.zeros((1, moved.shape[1])), np.cumsum(moved, axis=0)])
    edges = np.linspace(0.0, len(moved), count + 1)
    below = np.minimum(edges.astype(np.int64), len(moved) - 1)
    upto = sums[below] + (edges - below)[:, None] * moved[below]
    return np.moveaxis(np.diff(upto, axis=0) * (count / len(moved)), 0, axis)


def _draw_shades(shades: Array, match: Match, color: Color, scale: tuple[float, float], radius: float) -> Array:
    """Draw shades (H, W) in colour, with tinted omitted frames, and the curve with a contrasting margin."""
    pixels = np.repeat(shades[..., None], 3, axis=2)
    ink = np.array(color)
    beyond = []
    for axis, size, length in ((match.up, scale[1], shades.shape[0]), (match.across, scale[0], shades.shape[1])):
        at = (np.arange(length) + 0.5) / size - 0.5
        beyond.append((at < axis.used[0] - 0.5) | (at > axis.used[1] + 0.5))
    outside = beyond[0][:, None] | beyond[1]
    pixels[outside] = DIM * ((1.0 - TINT) * pixels[outside] + TINT * ink)
    margin = np.zeros(3) if ink @ (0.3, 0.59, 0.11) > 0.5 else np.ones(3)
    away = distances_to(_path(match, scale, shades.shape), shades.shape, radius + 2.5)
    for paint, reach in ((margin, radius + 1.5), (ink, radius)):
        near = away < reach + 0.5
        cover = np.minimum(reach + 0.5 - away[near], 1.0)[:, None]
        pixels[near] += cover * (paint - pixels[near])
    return pixels


def _path(match: Match, scale: tuple[float, float], shape: tuple[int, ...]) -> Array:
    """Return the curve as points (K, 2), across and up, with steps of half a pixel."""
    corners = (match.curve + 0.5) * scale
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    places = np.linspace(0.0, length[-1], max(int(2 * length[-1]), 2))
    # A cycle that begins in the middle of the other wraps around to its start.
    return np.stack([np.interp(places, length, side) for side in corners.T], axis=1) % (shape[1], shape[0])
