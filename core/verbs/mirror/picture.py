"""The picture of a mirrored clip: paths and speeds of hips, head, hands and feet before and after."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import kinematics, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...plots import figures
from ...weave.results import EditResult

_ENDS = {  # role of a body end: name and colour
    "hips": ("hips", "#333333"),
    "head": ("head", "#888888"),
    "hand.L": ("left hand", "#1f4e79"),
    "hand.R": ("right hand", "#f0a030"),
    "foot.L": ("left foot", "#3c9a6d"),
    "foot.R": ("right foot", "#a83a36"),
}


def draw(result: EditResult) -> Figure:
    """Return a figure of hips, head, hands and feet: paths from above, speeds, and displacements."""
    figure = figures.new_figure(result.clip.name, 9.0, 8.0)
    above, speeds, moves = figure.subfigures(3, 1, height_ratios=(2, 1, 1), squeeze=False)[:, 0]
    places = {name: _ends(clip) for name, clip in (("before", result.before), ("after", result.clip))}
    for axis, (name, ends) in zip(above.subplots(1, 2), places.items(), strict=True):
        for role, path in ends.items():
            axis.plot(*path[:, :2].T, color=_ENDS[role][1], lw=1.2, label=_ENDS[role][0])
        axis.set_title(f"{name}, from above", fontsize=9)
        axis.set(aspect="equal", adjustable="datalim", xlabel="x (m)", ylabel="y (m)")
        axis.legend(fontsize=7, frameon=False)
    _draw_speeds(speeds.subplots(), result, places)
    _draw_moves(moves.subplots(), result, places)
    return figure


def _ends(clip: Clip) -> dict[str, Array]:
    """Return positions (F, 3) of the body's ends by role; without roles, of the travelling and the last joint."""
    at = kinematics.world(clip)[1]
    known = {role: at[:, clip.skeleton.roles[role]] for role in _ENDS if role in clip.skeleton.roles}
    if known:
        return known
    return {"hips": at[:, root_motion.travelling_joint(clip.skeleton)], "head": at[:, -1]}


def _draw_speeds(axis: Axes, result: EditResult, places: dict[str, dict[str, Array]]) -> None:
    for name, clip, style in (("before", result.before, ":"), ("after", result.clip, "-")):
        time = np.arange(len(clip)) / clip.rate
        for role, path in places[name].items():
            speed = np.linalg.norm(np.gradient(path, axis=0), axis=1) * clip.rate if len(clip) > 1 else 0.0 * time
            axis.plot(time, speed, style, color=_ENDS[role][1], lw=1.0)
    axis.set_ylabel("speed (m/s)")
    axis.set_title("dotted: before", fontsize=8, loc="right")


def _draw_moves(axis: Axes, result: EditResult, places: dict[str, dict[str, Array]]) -> None:
    count = min(len(result.before), len(result.clip))
    for role in places["after"]:
        away = np.linalg.norm(places["after"][role][:count] - places["before"][role][:count], axis=1)
        axis.plot(np.arange(count) / result.clip.rate, 100.0 * away, color=_ENDS[role][1], lw=1.2)
    axis.set(xlabel="time (s)", ylabel="moved (cm)")
