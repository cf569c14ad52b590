"""The picture of a splice: the swing of pelvis and chest, the rotation of the trunk, and which frames are played."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...motion import quat
from ...motion.clip import Clip
from ...plots import figures
from ...quality import trunk_swing
from ...weave.results import SpliceResult

_PELVIS, _LOCOMOTION, _ACTION, _RESULT = "#888888", "#1f4e79", "#f0a030", "#a83a36"


def draw(woven: SpliceResult) -> Figure:
    """Return a figure of the swing of locomotion, action and result, the correction, and the action's frames."""
    figure = figures.new_figure(woven.clip.name, 9.0, 7.0)
    above, middle, below = figure.subplots(3, 1, sharex=True, height_ratios=[2.2, 1.0, 1.0])
    chest = ((woven.locomotion, "locomotion", _LOCOMOTION), (woven.action, "action", _ACTION))
    for clip, called, colour in (*chest, (woven.clip, "result", _RESULT)):
        _draw_swing(above, clip, called, colour, 2.5 if clip is woven.clip else 1.3)
    above.axhline(0.0, color="black", lw=0.6)
    above.set_ylabel("swing about the vertical (°)")
    if above.lines[:-1]:
        above.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, fontsize=8, frameon=False)
    frames = np.arange(len(woven.clip))
    angles = np.degrees(np.linalg.norm(quat.log(woven.corrections), axis=1))
    middle.plot(frames, angles, color=_RESULT, lw=1.5)
    middle.set(ylabel="trunk turned by (°)", ylim=(0.0, max(1.1 * float(angles.max()), 1.0)))
    # Break the line where the action restarts.
    breaks = np.flatnonzero(np.diff(woven.action_frames) < 0.0) + 1
    across, up = (np.insert(np.asarray(values, float), breaks, np.nan) for values in (frames, woven.action_frames))
    below.plot(across, up, color=_ACTION)
    below.set_ylabel("frame of the action")
    report = woven.report["splice"]
    played = "in step" if report["timing"] == "sync" else "at its own speed"
    below.set_title(f"played {played}: {report['why']}", fontsize=9, parse_math=False)
    below.set(xlabel="frame of the result", xlim=(0, max(len(frames) - 1, 1)))
    return figure


def _draw_swing(axis: Axes, clip: Clip, called: str, colour: str, width: float) -> None:
    yaws = trunk_swing.yaws(clip)
    if yaws is None:
        return
    pelvis, chest = np.degrees(yaws)
    against = trunk_swing.counter(clip)
    about = "" if against is None else f" ({against:+.2f} with its pelvis)"
    if called == "locomotion":
        axis.plot(pelvis, color=_PELVIS, lw=1.3, ls="--", label="pelvis, of locomotion and result")
    axis.plot(chest, color=colour, lw=width, label=f"chest, {called}{about}")
