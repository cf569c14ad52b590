"""The picture of a blend: how its clips were registered, their weights, and foot contacts."""

import numpy as np
from matplotlib import colors, patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ...motion.quat import Array
from ...quality import contacts
from ...quality.contacts import Flags
from ...recipes.metrics import METRICS
from ...weave.results import BlendResult

# One per clip; neighbours also differ in lightness, for grey prints.
_COLOURS = ("#1f4e79", "#f0a030", "#3c9a6d", "#a9d3ef", "#a83a36", "#d9c6e8")
_LONGEST = 28  # letters of a name shown
_IN_A_ROW = 4  # matrices per row
_LANE = 0.25  # inches
_FRAMED = (patheffects.withStroke(linewidth=4.0, foreground="white"),)


def draw(woven: BlendResult) -> Figure:
    """Return a figure of distance matrices with registration curves, weights and foot contacts."""
    matched = [k for k, curve in enumerate(woven.registration.curves) if curve.matrix is not None]
    across, down = min(len(matched), _IN_A_ROW), -(-len(matched) // _IN_A_ROW)
    lanes = _standing(woven)
    # Weights are not informative if each frame uses a single clip.
    mixed = not (woven.weights == 1.0).all(axis=1).any()
    heights = [1.5] * mixed + [0.3 + _LANE * len(lanes)] * len(lanes[0])
    # A single clip has no registration, and some bodies have no feet.
    parts = [4.4 * down] * bool(matched) + [sum(heights) + 0.5] * bool(heights)
    width = max(8.0, 4.8 * across)
    figure = Figure(figsize=(width, sum(parts) + 0.4), layout=ConstrainedLayoutEngine(w_pad=0.1))
    figure.suptitle(_short(woven.clip.name, round(9.0 * width)), parse_math=False)
    places = figure.subfigures(max(1, len(parts)), 1, squeeze=False, height_ratios=parts or None)[:, 0]
    for place, k in enumerate(matched):
        _draw_match(places[0], places[0].add_subplot(down, across, place + 1), woven, k)
    if heights:
        _draw_frames(places[-1], woven, lanes, mixed, heights)
    return figure


def _draw_match(figure: SubFigure, axis: Axes, woven: BlendResult, k: int) -> None:
    """Draw a clip's distance matrix with its registration curve; axes are frames of the clips as given."""
    registered, ready = woven.registration, woven.prepared
    curve, reference = registered.curves[k], registered.reference
    assert curve.matrix is not None
    across = ready.given_frames(reference, np.array([-0.5, curve.matrix.shape[0] - 0.5]) * curve.every)
    up = ready.given_frames(k, np.array([-0.5, curve.matrix.shape[1] - 0.5]) * curve.every)
    image = axis.imshow(
        curve.matrix.T,
        origin="lower",
        cmap="gray",
        extent=(*across, *up),
        aspect="auto",
        interpolation="nearest",
    )
    unit = METRICS[curve.metric].unit or "no unit"
    figure.colorbar(image, ax=axis, shrink=0.8, label=f"pose distance, {curve.metric} ({unit})")
    frames = curve.first + np.arange(len(curve.frames), dtype=float)
    at, found = frames, curve.frames
    if curve.ends == "cyclic":
        at, found = _wrap_curve(frames, found, len(ready.clips[k]))
    colour = _colour(k)
    axis.plot(ready.given_frames(reference, at), ready.given_frames(k, found), color=colour, lw=2, path_effects=_FRAMED)
    notes = [f"{curve.ends} ends, mean distance {curve.cost:.3g}"]
    first, last = ready.given_frames(reference, frames[[0, -1]] + np.array([-0.5, 0.5]))
    left_out = [(start, end) for start, end in ((across[0], first), (last, across[1])) if start < end]
    for start, end in left_out:
        axis.axvspan(start, end, color=colour, alpha=0.2, lw=0)
        axis.axvline(first if end == first else last, color="white", lw=1, ls="--")
    if left_out:
        notes.append("beyond the dashed line is left out")
    axis.set_xlim(*across)
    axis.set_ylim(*up)
    axis.set_xlabel(f"frame of {_short(ready.clips[reference].name)}", parse_math=False)
    axis.set_ylabel(f"frame of {_short(ready.clips[k].name)}", parse_math=False)
    axis.set_title("\n".join(notes), fontsize=9)


def _wrap_curve(across: Array, up: Array, rows: int) -> tuple[Array, Array]:
    """Return a curve wrapped to a cycle of `rows` frames (the last is the first again), with gaps where it wraps."""
    turns, up = np.divmod(up, rows - 1)
    places = np.flatnonzero(np.diff(turns)) + 1
    return np.insert(across, places, np.nan), np.insert(up, places, np.nan)


def _draw_frames(
    figure: SubFigure, woven: BlendResult, lanes: list[dict[str, Flags]], mixed: bool, heights: list[float]
) -> None:
    """Draw over the result's frames: weights above, a row of lanes for each foot below."""
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    if mixed:
        _draw_shares(axes[0], woven)
    for axis, side in zip(axes[int(mixed) :], lanes[0], strict=True):
        _draw_contacts(axis, woven, [lane[side] for lane in lanes], contacts.NAMES[side])
    axes[-1].set(xlim=(-0.5, len(woven.clip) - 0.5), xlabel="frame of the result")


def _draw_shares(axis: Axes, woven: BlendResult) -> None:
    frames, names = np.arange(len(woven.clip)), [clip.name for clip in woven.prepared.clips]
    colours = [_colour(k) for k in range(len(names))]
    axis.stackplot(frames, woven.weights, colors=colours, edgecolor="white", lw=0.8)
    tops = np.cumsum(woven.weights, axis=0)
    for k, share in enumerate(woven.weights):
        # The name is placed at the middle of the clip's largest share, or beside it at an end.
        most = np.flatnonzero(share >= share.max() - 1e-9)
        at = int(most[len(most) // 2])
        if share[at] < 0.1:
            continue
        side = "left" if at < 0.1 * len(frames) else "right" if at > 0.9 * len(frames) else "center"
        text = axis.text(at, tops[k, at] - 0.5 * share[at], f" {_short(names[k])} ", ha=side, va="center", fontsize=8)
        # An outline in the area's colour keeps names readable that extend beyond the area.
        around = patheffects.withStroke(linewidth=3.0, foreground=colours[k])
        text.set(color="white" if _is_dark(colours[k]) else "black", path_effects=[around], parse_math=False)
    axis.set(ylim=(0.0, 1.0), ylabel="share")


def _draw_contacts(axis: Axes, woven: BlendResult, lanes: list[Flags], foot: str) -> None:
    """Draw the contacts of a foot: a lane for each clip, the last for the result."""
    names = [clip.name for clip in woven.prepared.clips]
    for place, flags in enumerate(lanes):
        bars = [(start - 0.5, end - start) for start, end in contacts.runs(flags)]
        colour = "black" if place == len(names) else _colour(place)
        axis.broken_barh(bars, (place - 0.36, 0.72), facecolor=colour, edgecolor="black", lw=0.4)
    for start, end in contacts.runs(lanes[-1]):
        for edge in (start - 0.5, end - 0.5):
            axis.axvline(edge, color="black", lw=0.6, ls=":", zorder=0)
    axis.set_yticks(range(len(lanes)), [*map(_short, names), "result"], fontsize=8, parse_math=False)
    axis.tick_params(axis="y", length=0)
    axis.set(ylim=(len(lanes) - 0.4, -0.6), ylabel=foot)


def _standing(woven: BlendResult) -> list[dict[str, Flags]]:
    """Return foot contacts at the result's frames, for every clip and last for the result itself.

    Only feet known in all of them are included.
    """
    clips, frames = woven.prepared.clips, woven.registration.frames(woven.reference_frames)
    found = []
    for clip, curve, at in zip(clips, woven.registration.curves, frames, strict=True):
        rows = np.round(at).astype(np.int64)
        if curve.ends == "cyclic" or clip.cyclic:
            rows %= len(clip) - 1
        inside, rows = (rows >= 0) & (rows < len(clip)), np.clip(rows, 0, len(clip) - 1)
        found.append({side: flags[rows] & inside for side, flags in contacts.detect(clip).items()})
    found.append(contacts.detect(woven.clip))
    known = [side for side in contacts.NAMES if all(side in flags for flags in found)]
    return [{side: flags[side] for side in known} for flags in found]


def _colour(k: int) -> str:
    return _COLOURS[k % len(_COLOURS)]


def _is_dark(colour: str) -> bool:
    return float(np.dot(colors.to_rgb(colour), (0.3, 0.59, 0.11))) < 0.5


def _short(name: str, longest: int = _LONGEST) -> str:
    """Return a name shortened in its middle, because the end often distinguishes takes."""
    if len(name) <= longest:
        return name
    return f"{name[: longest - 1 - longest // 2]}…{name[-(longest // 2) :]}"
