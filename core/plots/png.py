"""Figures as PNG files."""

import io
import warnings

from matplotlib.figure import Figure


def as_png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file.

    Example:
        >>> from action_loom.core.plots import png
        >>> from matplotlib.figure import Figure
        >>> png.as_png(Figure())[1:4]
        b'PNG'
    """
    image = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # names have letters of any script
        figure.savefig(image, dpi=110, format="png")
    return image.getvalue()
