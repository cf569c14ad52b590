"""A figure as the bytes of a picture."""

import io
import warnings

from matplotlib.figure import Figure


def as_png(figure: Figure) -> bytes:
    """Return a figure as a PNG."""
    image = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # names in any script
        figure.savefig(image, dpi=110, format="png")
    return image.getvalue()
