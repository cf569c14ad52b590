"""The picture of a search in a library: stick figures of each stretch, from its first frame to its last."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from ..motion import root_motion
from ..motion.clip import Clip
from . import stick_figures

POSES = 7
MOST = 24  # rows
_QUERY, _FOUND = "#f0a030", "#1f4e79"


def draw(query: Clip | None, found: Sequence[tuple[Clip, str]]) -> Figure:
    """Return a figure with a row for the query, if any, and for each found clip with its text; at most 24 rows.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.plots import finds
        >>> figure = finds.draw(actions.walk(), [(actions.sneak(), "sneak, frames 0 to 60: 0.021")])
        >>> [axis.get_title(loc="left") for axis in figure.axes]
        ['searched for: walk', 'sneak, frames 0 to 60: 0.021']
    """
    asked = [] if query is None else [(query, f"searched for: {query.name}", _QUERY)]
    rows = [*asked, *((clip, text, _FOUND) for clip, text in found[:MOST])]
    figure = Figure(figsize=(9.0, 1.25 * max(len(rows), 1)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(max(len(rows), 1), 1))
    for axis, (clip, text, colour) in zip(axes, rows, strict=False):
        frames = np.round(np.linspace(0, len(clip) - 1, POSES)).astype(np.int64)
        poses = clip.take_frames(frames)
        height = max(clip.skeleton.height, 1e-6)
        _, facing = root_motion.ground_frames(poses)
        places = height * 0.75 * np.arange(POSES)
        turned = float(facing[0])
        for k in range(POSES):
            # All poses are seen from the side of the first one, so that a turn is visible.
            pose = poses.cut(k, k + 1)
            stick_figures.draw(
                axis, pose, places[k : k + 1], colour, width=1.1, aside=_measure_view(facing[k] - turned)
            )
        axis.set_title(text, fontsize=8, loc="left", parse_math=False)
        axis.set_axis_off()
    return figure


def _measure_view(turn: float) -> float:
    return float(stick_figures.ASLANT + turn)
