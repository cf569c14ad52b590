"""The example of document 000, three steps of a walk and a sneak: what is made of it, and pictures."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.motion import kinematics, resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import curve_fit, dtw, register_pair
from action_loom.core.sync.positions import PointMetric
from action_loom.core.verbs import Blend, Synchronise
from matplotlib.figure import Figure
from source_pages import (
    captured,
    distances,
    gait,
)

# Its settings: joints as points that all weigh alike, heights aligned, single frames, its belt, no limit of the slope.
THEIRS = Matching(metric="points", align_height=True, window=0.0, slope=-1, band=0.7, ends="pinned", smoothing="none")
SNEAK, WALK, STEPS = "cmu_asf_17_03", "cmu_asf_16_15", (183, 428)  # three steps of the walk
LOST = 250.0  # ms; farther off is another footfall, or none
COLOURS = {"none": "#d9534f", "10": "#f0a030", "20": "#3c9a6d", "Loom": "#1f4e79"}


def their_matrix(reference: Clip, clip: Clip) -> np.ndarray:
    """Its distances of all frames, every joint and tip alike, heights aligned."""
    clouds = [kinematics.points(one)[:, one.skeleton.point_weights > 0.0] for one in (reference, clip)]
    alike = np.full(clouds[0].shape[1], 1.0 / clouds[0].shape[1])
    level = [cloud - cloud.mean(axis=1, keepdims=True) * [0.0, 0.0, 1.0] for cloud in clouds]
    one, other = (PointMetric.of_cloud(cloud, alike) for cloud in level)
    return np.asarray(one.matrix(other, 0))


@dataclass(frozen=True, eq=False)
class Example:
    """Three steps of a walk, a sneak, the sneak in time with it, both blended, and when the third foot comes down."""

    walk: Clip
    sneak: Clip
    synchronised: Clip
    blend: Clip
    frames: tuple[int, int, int, int]
    report: dict[str, Any]
    steps: float
    errors: str


def example() -> Example:
    walk, sneak = captured(WALK).cut(*STEPS), captured(SNEAK)
    retimed = verbs.apply(Synchronise(), [walk, sneak])
    made = verbs.apply(Blend(), [walk, sneak])
    third = round(max(gait.events(walk)["strike.L"]))
    curve = retimed.registration.curves[1]
    steps = np.diff(curve.at(retimed.registration.grid))
    off = []
    for strike in ("strike.R", "strike.L"):
        for frame in gait.events(walk)[strike]:
            theirs = gait.events(sneak)[strike]
            off.append(np.abs(theirs - curve.at(np.array([frame]))[0]).min() / walk.rate * 1000.0)
    in_blend = int(np.argmin(np.abs(made.reference_frames - third)))
    frames = (third, round(float(curve.at(np.array([float(third)]))[0])), third - retimed.registration.first, in_blend)
    near = ", ".join(f"{error:.0f}" for error in sorted(error for error in off if error <= LOST))
    return Example(
        walk, sneak, retimed.clip, made.clip, frames, made.report, float((0.5 + 0.5 * steps).sum() + 1), near
    )


# --- pictures --------------------------------------------------------------------------------------------------------


def footfall(shown: Example) -> Figure:
    """The third footfall in all four clips, the left leg's bones in colour."""
    figure = Figure(figsize=(9.0, 2.9), layout="constrained")
    third, sneak_third, there, in_blend = shown.frames
    of = (
        (shown.walk, third, f"walk, frame {third}"),
        (shown.sneak, third, f"sneak as it is, frame {third}"),
        (shown.synchronised, there, f"sneak in time with it ({sneak_third})"),
        (shown.blend, in_blend, f"blend 50:50, frame {in_blend}"),
    )
    for axis, (clip, frame, title) in zip(figure.subplots(1, 4, sharey=True), of, strict=True):
        stick_figures.draw(axis, clip.cut(frame, frame + 1), np.zeros(1), "#1f4e79", aside=stick_figures.ASLANT)
        _mark_foot(axis, clip, frame)
        axis.set_title(title, fontsize=9)
        axis.set_xlim(-0.75, 0.75)
        axis.set_ylim(-0.1, 1.85)
        axis.set_xticks([])
    return figure


def _mark_foot(axis: Any, clip: Clip, frame: int) -> None:
    """A dot on the left foot, which comes down."""
    ground, facing = root_motion.ground_frames(clip)
    ankle = kinematics.world(clip)[1][frame, clip.skeleton.roles["foot.L"]]
    away = (ankle[0] - ground[frame, 0]) + 1j * (ankle[1] - ground[frame, 1])
    along = (away * np.exp(1j * (stick_figures.ASLANT - facing[frame]))).imag
    axis.plot([along], [ankle[2]], "o", color="#f0a030", markersize=7)


def curves(shown: Example) -> Figure:
    """The distances of walk and sneak with the curve by each smoothing, and what its belts leave."""
    figure = Figure(figsize=(9.6, 3.5), layout="constrained")
    left, *others = figure.subplots(1, 4)
    walk, sneak = (resample.to_rate(clip, 30.0) for clip in (shown.walk, shown.sneak))
    matrix = their_matrix(walk, sneak)
    for axis in (left, *others):
        distances(axis, matrix)
        axis.set_xlabel("walk, frame")
    left.set_ylabel("sneak, frame")
    for radius in (0, 10, 20):
        matching = replace(THEIRS, smoothing="average" if radius else "none", radius=radius / 30.0)
        frames = register_pair.pair(walk, sneak, matching).frames
        name = str(radius) if radius else "none"
        left.plot(frames, color=COLOURS[name], lw=1.4, label=f"{name} frames" if radius else "none")
    default = register_pair.pair(walk, sneak, Matching(ends="pinned"))
    left.plot(default.frames, color=COLOURS["Loom"], lw=1.4, label="default")
    left.legend(fontsize=7, loc="lower right")
    left.set_title("smoothing", fontsize=9)
    for axis, band in zip(others, (0.1, 0.3, 0.7), strict=True):
        masked = register_pair.in_band(matrix, band)
        left_out = np.where(np.isfinite(masked), np.nan, 1.0).T
        axis.imshow(left_out, origin="lower", cmap="winter", aspect="auto", alpha=0.6)
        axis.plot(*dtw.pinned(masked, max(masked.shape)).cells.T, color="#d9534f", lw=1.4)
        axis.set_title(f"belt {band:g}: {100.0 * np.isinf(masked).mean():.0f} % left out", fontsize=9)
    return figure


def waves() -> Figure:
    """Its one-dimensional example: a wave brought into the time of another."""
    one, other = np.linspace(0.0, 1.0, 110), np.linspace(0.0, 1.0, 150)
    f, g = np.sin(2.0 * np.pi * 2.0 * one**1.4), 0.9 * np.sin(2.0 * np.pi * 2.0 * other**0.8)
    matrix = (f[:, None] - g[None]) ** 2
    path = dtw.pinned(matrix, len(other))
    figure = Figure(figsize=(7.6, 2.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.6, 1.0))
    left.plot(f, color="#d9534f", label="F")
    left.plot(g, color="#9ab7d8", label="G")
    left.plot(g[np.round(curve_fit.midpoints(path.cells)[1]).astype(int)], color="#1f4e79", label="G in F's time")
    left.legend(fontsize=7)
    distances(right, matrix)
    right.plot(*path.cells.T, color="#d9534f")
    return figure
