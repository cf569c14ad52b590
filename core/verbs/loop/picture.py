"""The picture of a loop: the periodicity of a clip, and its cycle."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...plots import figures
from ...sync import cycle_search
from ...weave.results import LoopResult

_CURVE, _MARK, _GREY = "#1f4e79", "#a83a36", "#888888"


def draw(woven: LoopResult) -> Figure:
    """Return a figure of the score over the cycle's length and over its start."""
    figure = figures.new_figure(woven.clip.name, 8.0, 6.0)
    if woven.found is None:
        axis = figure.add_subplot()
        why = "start and length were set by hand" if woven.closing is None else "the whole clip is one cycle"
        axis.text(0.5, 0.5, why, ha="center", va="center")
        axis.set_axis_off()
        return figure
    found, rate = woven.found, woven.clip.rate
    above, below = figure.subplots(2, 1)
    above.plot(found.lags, found.scores, color=_CURVE, lw=1.5)
    best = found.best
    above.axvline(best.length / rate, color=_MARK, lw=1.5, label=f"cycle of {best.length} frames")
    for other in found.cycles[1:4]:
        above.plot(other.length / rate, other.score, "o", color=_GREY, ms=5)
    _thresholds(above)
    above.set(xlabel="length of the cycle (s)", ylabel="best score")
    above.legend(loc="lower right", frameon=False)
    below.plot(found.starts, found.start_scores, color=_CURVE, lw=1.5)
    start, end = woven.cycle.start, woven.cycle.start + woven.cycle.length
    below.axvspan(start, end, color=_MARK, alpha=0.15, lw=0, label=f"frames {start} to {end}, the loop")
    _thresholds(below)
    below.set(
        xlabel="first frame of the cycle",
        ylabel=f"score at {best.length} frames",
        xlim=(0, max(float(found.starts[-1]), end)),
    )
    below.legend(loc="lower right", frameon=False)
    return figure


def _thresholds(axis: Axes) -> None:
    """Draw the thresholds of the score: a cycle, and a weak one."""
    low = min(axis.get_ylim()[0], 0.0)
    axis.set_ylim(max(low, -1.0), 1.05)
    axis.axhline(cycle_search.PERIODIC, color=_GREY, lw=0.8, ls="--")
    axis.axhline(cycle_search.WEAK, color=_GREY, lw=0.8, ls=":")
    axis.text(1.0, cycle_search.PERIODIC, " a cycle", transform=axis.get_yaxis_transform(), va="center", fontsize=8)
    axis.text(1.0, cycle_search.WEAK, " weak", transform=axis.get_yaxis_transform(), va="center", fontsize=8)
