"""Pictures of results, drawn with matplotlib."""

import io
import warnings
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")  # files only; no window, no display

from matplotlib import pyplot
from matplotlib.figure import Figure

from .. import files
from ..weave.woven import Woven

_UNITS = {"points": " (m)", "motion": " (no unit)"}


def registration(woven: Woven, path: Path) -> None:
    """Draw each clip's distance matrix with its registration curve; axes in frames of the clips as given."""
    registered, ready = woven.registration, woven.prepared
    shown = [(k, c) for k, c in enumerate(registered.curves) if c.matrix is not None]
    figure, axes = pyplot.subplots(
        1, len(shown), figsize=(6.4 * len(shown), 5.6), squeeze=False, layout="constrained"
    )
    for axis, (k, curve) in zip(axes[0], shown, strict=True):
        assert curve.matrix is not None
        across = ready.given_frames(registered.reference, np.array([-0.5, curve.matrix.shape[0] - 0.5]))
        up = ready.given_frames(k, np.array([-0.5, curve.matrix.shape[1] - 0.5]))
        image = axis.imshow(
            curve.matrix.T,
            origin="lower",
            cmap="gray",
            extent=(*across, *up),
            aspect="auto",
            interpolation="nearest",
        )
        figure.colorbar(image, ax=axis, shrink=0.8, label=f"pose distance, {curve.metric}{_UNITS[curve.metric]}")
        reference = curve.first + np.arange(len(curve.frames), dtype=float)
        reference = ready.given_frames(registered.reference, reference)
        axis.plot(reference, ready.given_frames(k, curve.frames), color="#ff9d2e", lw=2.0)
        axis.axvspan(across[0], reference[0], color="#ff9d2e", alpha=0.15, lw=0)
        axis.axvspan(reference[-1], across[1], color="#ff9d2e", alpha=0.15, lw=0)
        axis.set_xlim(across)
        axis.set_xlabel(f"frame of {ready.clips[registered.reference].name}", parse_math=False)
        axis.set_ylabel(f"frame of {ready.clips[k].name}", parse_math=False)
        left_out = ", tinted is left out" if curve.ends == "open" else ""
        axis.set_title(f"{curve.ends} ends{left_out}, mean distance {curve.cost:.3g}", fontsize=10)
    _write(figure, path)


def _write(figure: Figure, path: Path) -> None:
    image = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # names in any script
        figure.savefig(image, dpi=110, format="png")
    pyplot.close(figure)
    files.write(path, image.getvalue())
