"""The picture of reduced keys: keys of each joint over time, and displacement of the joints."""

import numpy as np
from matplotlib.figure import Figure

from ...motion import kinematics
from ...plots import figures
from ...weave.results import KeysResult

_ROTATION, _MOVE, _REST = "#1f4e79", "#f0a030", "#aaaaaa"
_SMALLEST = 7.0  # points; of joints' names


def draw(result: KeysResult) -> Figure:
    """Return a figure of the keys of each joint over time, and of the error of the farthest point."""
    keyed, rate = result.keyed, result.clip.rate
    names = keyed.skeleton.names
    figure = figures.new_figure(result.clip.name, 9.0, 2.5 + 0.13 * len(names))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(0.13 * len(names) + 0.5, 2.0))
    for joint in range(len(names)):
        above.axhline(joint, color=_REST, lw=0.3, zorder=0)
        for keys, colour, marker in (
            (keyed.rotations[joint], _ROTATION, "|"),
            (keyed.translations[joint], _MOVE, "."),
            (keyed.scales[joint], _MOVE, "x"),
        ):
            if keys is not None:
                above.plot(keys.frames / rate, np.full(len(keys.frames), joint), marker, color=colour, ms=4.0, mew=0.7)
    above.set_yticks(range(len(names)), names, fontsize=_SMALLEST * 0.8, parse_math=False)
    above.set_ylim(len(names) - 0.5, -0.5)
    before, after = result.report["fewer_keys"]["keys"]
    above.set_title(f"{before} keys → {after}: turns (lines), moves (dots)", fontsize=9)
    away = np.linalg.norm(kinematics.points(result.clip) - kinematics.points(result.before), axis=2).max(axis=1)
    below.plot(np.arange(len(away)) / rate, 1e3 * away, color=_ROTATION, lw=0.8)
    below.set_ylim(bottom=0.0)
    below.set(xlabel="time (s)", ylabel="farthest off (mm)")
    return figure
