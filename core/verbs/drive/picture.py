"""The picture of a drive: requested and driven path from above, the jumps, and the speed."""

import numpy as np
from matplotlib.figure import Figure

from .work import DriveResult

_WISHED, _DRIVEN, _JUMP = "#f0c890", "#1f4e79", "#a83a36"


def draw(woven: DriveResult) -> Figure:
    """Return a figure of the requested and the driven path, the jumps between clips, and the speed."""
    route, rate = woven.route, 60.0
    figure = Figure(figsize=(9.0, 8.0), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(3.0, 1.0))
    above.plot(route.wished.real, route.wished.imag, color=_WISHED, lw=5.0, label="wished")
    above.plot(route.place.real, route.place.imag, color=_DRIVEN, lw=1.4, label="driven")
    jumps = np.flatnonzero(route.jumped)
    above.plot(route.place[jumps].real, route.place[jumps].imag, "o", color=_JUMP, ms=3.0, label="jumps")
    above.set(aspect="equal", adjustable="datalim", xlabel="x (m)", ylabel="y (m)")
    above.set_title(woven.clip.name, fontsize=10, parse_math=False)
    above.legend(loc="best", frameon=False, fontsize=8)
    seconds = np.arange(len(route)) / rate
    for track, colour in ((route.wished, _WISHED), (route.place, _DRIVEN)):
        below.plot(seconds[1:], np.abs(np.diff(track)) * rate, color=colour, lw=1.4)
    below.set(xlabel="time (s)", ylabel="speed (m/s)")
    return figure
