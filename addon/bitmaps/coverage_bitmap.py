"""Draw the coverage of a set: its loops by speed (up) and turn rate (across; left turns on the left).

Pixels as in `bitmap`; does not use Blender.
"""

from collections.abc import Sequence

import numpy as np

from ...core.motion.quat import Array
from . import bitmap
from .bitmap import Color, Pixels

SIZE = 384  # pixels: previews are square
SPEED, TURN = 1.0, 45.0  # m/s and degrees per second between two lines
LEAST = (2.0, 90.0)  # smallest range of the picture: m/s, degrees per second to either side
EDGE = 48  # pixels beside the plot for numbers
DOT = 3  # pixels of a dot of a digit
RADIUS = 9.0
LINE = 0.22  # brightness
COLORS: dict[str, Color] = {"idle": (0.6, 0.6, 0.6), "walk": (0.35, 0.75, 0.5), "run": (0.95, 0.55, 0.25)}


def draw(loops: Sequence[tuple[float, float, str]]) -> Pixels:
    """Draw loops, each given by its speed (m/s), turn rate (degrees per second, to the left) and kind."""
    fastest = max([LEAST[0], *(speed for speed, _, _ in loops)])
    widest = max([LEAST[1], *(abs(turn) for _, turn, _ in loops)])
    top, side = SPEED * np.ceil(fastest / SPEED + 0.1), TURN * np.ceil(widest / TURN + 0.1)
    pixels = np.empty((SIZE, SIZE, 3))
    pixels[:] = bitmap.GROUND
    plot = SIZE - 2 * EDGE

    def x(turn: float) -> float:
        return EDGE + plot * 0.5 * (1.0 - turn / side)

    def y(speed: float) -> float:
        return EDGE + plot * speed / top

    rows = [(f"{speed:.0f}", round(y(speed))) for speed in np.arange(0.0, top + 0.1, SPEED)]
    columns = [(f"{turn:.0f}", round(x(turn))) for turn in np.arange(-side, side + 0.1, TURN)]
    for _, row in rows:
        pixels[row, EDGE:-EDGE] = LINE
    for text, column in columns:
        pixels[EDGE:-EDGE, column] = 2.0 * LINE if text == "0" else LINE
    for speed, turn, kind in loops:
        _dot(pixels, x(turn), y(speed), COLORS.get(kind, bitmap.INK))
    painted = bitmap.as_bytes(pixels)
    ink = bitmap.as_bytes(0.6 * np.array(bitmap.INK))
    high = bitmap.GLYPH_HEIGHT * DOT
    for text, row in rows:
        bitmap.write(painted, text, (EDGE - 8 - bitmap.text_width(text) * DOT, row - high // 2), DOT, ink)
    for text, column in columns[1:-1]:
        if float(text) % (2.0 * TURN):
            continue
        wide = bitmap.text_width(text) * DOT
        bitmap.write(painted, text, (column - wide // 2, EDGE - 8 - high), DOT, ink)
    return painted


def _dot(pixels: Array, x: float, y: float, color: Color) -> None:
    away = bitmap.distances_to(np.array([[x, y]]), pixels.shape[:2], RADIUS + 1.5)
    cover = np.clip(RADIUS + 0.5 - away, 0.0, 1.0)[..., None]
    pixels += np.where(cover > 0.0, cover * (np.array(color) - pixels), 0.0)
