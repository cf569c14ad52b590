"""Draw digits, axes, lines and colours into pixels, without Blender.

Pixels are bytes (H, W, 3) from the bottom up, as in Blender.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.motion.quat import Array

Pixels = NDArray[np.uint8]
Color = tuple[float, float, float]
LegendRow = tuple[tuple[Color, ...], str]  # colours (several form a gradient), and their meaning

SMALL = 384  # pixels; wider than a sidebar on most screens
GROUND = (0.11, 0.11, 0.11)
INK = (0.85, 0.85, 0.85)

# Five dots across, seven down, the top row first; the highest of the five bits is the left dot.
GLYPHS = {
    "0": (0x0E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0E),
    "1": (0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E),
    "2": (0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F),
    "3": (0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E),
    "4": (0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02),
    "5": (0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E),
    "6": (0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E),
    "7": (0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08),
    "8": (0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E),
    "9": (0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C),
    "-": (0x00, 0x00, 0x00, 0x1F, 0x00, 0x00, 0x00),
}
GLYPH_WIDTH, GLYPH_HEIGHT, GLYPH_STEP = 5, 7, 6


@dataclass(frozen=True, eq=False)
class Axis:
    """The frames of a clip along one axis of a picture.

    first : scene frame of the first frame; step : scene frames between two frames; count : number of frames
    used : first and last frame shared by all clips; frames beyond them do not enter the result
    """

    first: float
    step: float
    count: int
    used: tuple[float, float]

    @property
    def ends(self) -> tuple[float, float]:
        """The scene frames of the first and last frame."""
        return self.first, self.first + self.step * (self.count - 1)


@dataclass(frozen=True)
class Tick:
    """A number at an axis: its pixel along the axis, from the plot's corner, and its text."""

    place: int
    text: str


def text_width(text: str) -> int:
    """Return the width of a text of digits in dots."""
    return GLYPH_STEP * len(text) - (GLYPH_STEP - GLYPH_WIDTH)


def text_dots(text: str) -> NDArray[np.bool_]:
    """Return the dots (7, ·) of a text of digits, from the bottom up."""
    dots = np.zeros((GLYPH_HEIGHT, text_width(text)), dtype=bool)
    for place, letter in enumerate(text):
        rows = np.array(GLYPHS[letter])[::-1, None] >> np.arange(GLYPH_WIDTH)[::-1] & 1
        dots[:, GLYPH_STEP * place : GLYPH_STEP * place + GLYPH_WIDTH] = rows
    return dots


def write(pixels: Pixels, text: str, corner: tuple[int, int], dot: int, ink: Pixels) -> None:
    """Write digits into pixels; each dot is `dot` pixels wide and high."""
    dots = np.kron(text_dots(text), np.ones((dot, dot), dtype=bool))
    x, y = corner
    pixels[y : y + dots.shape[0], x : x + dots.shape[1]][dots] = ink


def ticks_along(axis: Axis, scale: float, room: int) -> tuple[Tick, ...]:
    """Return ticks at round scene frames, with a distance of at least `room` pixels; `scale` is pixels per frame."""
    per_frame = scale / axis.step
    steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
    step = next(step for step in steps if step * per_frame >= room)
    first, last = axis.ends
    frames = range(int(np.ceil(first / step - 1e-6)) * step, int(np.floor(last + 1e-6)) + 1, step)
    return tuple(Tick(int((frame - first) * per_frame + 0.5 * scale), f"{frame}") for frame in frames)


def distances_to(points: Array, shape: tuple[int, ...], reach: float) -> Array:
    """Return the distance of each pixel's centre (H, W) from the nearest point; infinite beyond `reach`."""
    away = np.full(shape, np.inf)
    cells = points.astype(np.int64)
    for x in range(-int(reach) - 1, int(reach) + 2):
        for y in range(-int(reach) - 1, int(reach) + 2):
            around = cells + np.array((x, y))
            inside = ((around >= 0) & (around < (shape[1], shape[0]))).all(axis=1)
            around = around[inside]
            far = np.hypot(*(around + 0.5 - points[inside]).T)
            np.minimum.at(away, (around[:, 1], around[:, 0]), far)
    return away


def as_bytes(values: Array) -> Pixels:
    """Return colours from 0 to 1 as bytes."""
    return np.rint(255.0 * values).astype(np.uint8)
