"""The picture of a connection: possible transitions, and the cost of each method."""

import numpy as np
from matplotlib.figure import Figure

from ...plots import figures
from ...weave.results import ConnectResult

_CURVE, _MARK = "#1f4e79", "#a83a36"


def draw(woven: ConnectResult) -> Figure:
    """Return a figure with two plots per seam: candidate transitions, and the cost of each repair method."""
    report = woven.report["connect"]
    joints = report.get("joints", [report])
    figure = figures.new_figure(woven.clip.name, 8.0, 1.0 + 2.6 * len(joints))
    rows = figure.subplots(len(joints), 2, squeeze=False)
    for (left, right), joint in zip(rows, joints, strict=True):
        frames = [(one["from_frame"], one["to_frame"], one["distance"]) for one in joint["candidates"]]
        across, up, distance = np.array(frames).T
        drawn = left.scatter(across, up, c=100.0 * distance, cmap="viridis_r", s=40, edgecolors="white", linewidths=0.5)
        left.plot(joint["from_frame"], joint["to_frame"], "o", ms=12, mfc="none", mec=_MARK, mew=2)
        figure.colorbar(drawn, ax=left, label="pose distance (cm)")
        left.set(xlabel="frame where the first is left", ylabel="frame where the next is entered")
        names = [one["name"] for one in joint["methods"]]
        costs = [one["K"] if one["K"] is not None else np.nan for one in joint["methods"]]
        colours = [_MARK if name == joint["method"] else _CURVE for name in names]
        right.barh(range(len(names)), costs, color=colours)
        right.set_yticks(range(len(names)), names)
        right.invert_yaxis()
        right.set_xlabel("cost of the seam (K)")
    return figure
