"""Pictures of warped clips: the offsets of joints over time, and the mapping of frames."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import kinematics
from ...motion.clip import Clip
from ...motion.quat import Array
from ...plots import figures
from ...weave.results import EventsResult, WarpResult

_COLOURS = ("#1f4e79", "#f0a030", "#3c9a6d", "#a83a36", "#7a5195", "#333333", "#2a9d8f", "#c77dff")
_GUIDE = "#aaaaaa"


def draw_poses(result: WarpResult) -> Figure:
    """Return a figure of rotations, translations and world displacements of joints; lines mark the poses."""
    figure = figures.new_figure(result.clip.name, 9.0, 7.5)
    turned, moved, away = figure.subplots(3, 1, sharex=True)
    clip = result.before
    places = kinematics.world(result.clip)[1] - kinematics.world(clip)[1]
    for axis, values, what in (
        (turned, np.degrees(result.added.turns), "turned by (°)"),
        (moved, 100.0 * result.added.moves, "moved by (cm)"),
        (away, 100.0 * places, "in the world, away by (cm)"),
    ):
        _draw_most(axis, clip, np.linalg.norm(values, axis=2))
        for frame in result.frames:
            axis.axvline(frame, color=_GUIDE, lw=0.8, zorder=0)
        axis.set_ylabel(what)
    away.set_xlabel("frame")
    return figure


def _draw_most(axis: Axes, clip: Clip, sizes: Array) -> None:
    """Draw sizes (F, J) of the joints that change most."""
    most = sizes.max(axis=0)
    chosen = [joint for joint in np.argsort(-most, kind="stable")[: len(_COLOURS)] if most[joint] > 0.0]
    for colour, joint in zip(_COLOURS, chosen, strict=False):
        axis.plot(sizes[:, joint], color=colour, lw=1.2, label=clip.skeleton.names[joint].replace("$", r"\$"))
    left = int(np.count_nonzero(most > 0.0)) - len(chosen)
    title = f"and {left} more joints, by less" if left > 0 else ""
    if chosen:
        axis.legend(fontsize=7, frameon=False, title=title, title_fontsize=7, loc="upper right")


def draw_events(result: EventsResult) -> Figure:
    """Return a figure of the time map with its events, and of the playing speed."""
    figure = figures.new_figure(result.clip.name, 7.0, 8.0)
    played, speed = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    times = np.linspace(0.0, len(result.clip) - 1.0, 20 * len(result.clip))
    frames = result.curve.at(times)
    played.plot(times, times, color=_GUIDE, lw=0.8)
    played.plot(times, frames, color=_COLOURS[0], lw=1.5)
    for event in result.report["move_events"]["coming"]:
        first, to, held = event["frame"], event["at"], event["held"]
        played.plot([first, to], [first, first], color=_COLOURS[1], lw=1.0)
        played.plot([to], [first], "o", color=_COLOURS[1])
        if held:
            played.plot([to, to + held], [first, first], color=_COLOURS[3], lw=4.0, solid_capstyle="butt", zorder=3)
        what = f"{first:g} at {to:g}" + (f", held to {to + held:g}" if held else "")
        played.annotate(what, (to, first), (6, -10), textcoords="offset points", fontsize=8)
    played.set_ylabel("frame of the action")
    least, most = result.report["move_events"]["speeds"]
    beside = ", holds apart" if any(one.event.held for one in result.curve.events) else ""
    played.set_title(f"{least:.2f} to {most:.2f} times its speed{beside}", fontsize=9)
    if len(times) > 1:
        speed.plot(times, np.gradient(frames, times), color=_COLOURS[0], lw=1.2)
    speed.axhline(1.0, color=_GUIDE, lw=0.8)
    speed.set(ylabel="speed", xlabel="frame of the result")
    return figure
