"""Pictures of styles: differences between people, the joints involved, and every slider as stick figures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from ...motion import root_motion
from ...motion.clip import Clip, join_clips
from ...motion.quat import Array
from ...plots import stick_figures
from ...style import directions
from ...style import form as forms
from ...style.components import Effect
from ...style.form import PHASES
from ...style.groups import Groups, curves
from ...style.style import KINDS, Learnt, Style

AMOUNTS = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
_SEEN = (0, round(0.35 * PHASES))  # phases of a stride drawn as figures
_TITLES = {"apart": "posture and dynamics apart", "together": "together", "source": "about the rest pose"}
_COLOURS = ("#1f4e79", "#f0a030", "#3c9a6d", "#a83a36", "#7a5195", "#333333")
_SHOWN = 6  # components
_AXES = 4  # joint axes drawn for a label


def draw(made: "Style | tuple[Style, Groups]") -> Figure:
    """Return a figure of the components' shares, the joints involved, labels, and sliders as stick figures.

    For a pair of a style and groups of its strides, the figure compares the groups.
    """
    return _draw_style(made) if isinstance(made, Style) else _draw_groups(*made)


def _draw_style(style: Style) -> Figure:
    labels = style.effects("apart")
    heights = [2.6, 3.0, *[2.6] * len(labels), 1.35 * len(style.sliders.names) + 0.6]
    figure = Figure(figsize=(11.0, sum(heights) + 0.4), layout="constrained")
    of = style.material
    people = len({of.people[clip] for clip in of.of})
    figure.suptitle(f"{style.name}: {len(of)} strides of {people} people", parse_math=False)
    places: list[SubFigure] = list(figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0])
    for axis, kind in zip(places[0].subplots(1, len(KINDS)), KINDS, strict=True):
        _draw_shares(axis, style.learnt(kind), kind)
    _draw_carriers(places[1].subplots(1, 1), style, style.learnt("apart"))
    for place, (column, found) in zip(places[2:], labels.items(), strict=False):
        _draw_label(place, style, column, found)
    _draw_sliders(places[-1].subplots(1, 1), style)
    return figure


def _draw_groups(style: Style, grouped: Groups) -> Figure:
    """Draw, per joint axis, the component that separates groups best, and the group means of the axes it turns most."""
    learnt = style.learnt("apart")
    names, turns = _of_axes(style, learnt)
    size = turns[grouped.component]
    figure = Figure(figsize=(11.0, 7.4), layout="constrained")
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.0, 1.7))[:, 0]
    title = f"by {grouped.by}: {learnt.names[grouped.component]} tells groups apart best, {grouped.share:.0%} of it"
    above.suptitle(title, fontsize=9, parse_math=False)
    bars = above.subplots(1, 1)
    bars.bar(np.arange(len(size)), size, color=[_COLOURS[k % 3] for k in range(len(size))])
    bars.set_xticks(np.arange(1, len(names), 3), [name[:-2] for name in names[1::3]], rotation=90, fontsize=7)
    bars.set_ylabel("°, x y z of each joint", fontsize=8)
    rows, phase = style.rows_in(learnt.form), np.arange(PHASES) / PHASES
    drawn = [(group, *curves(learnt, rows, group)) for group in grouped.every[: len(_COLOURS)]]
    chosen = np.argsort(-size, kind="stable")[: 2 * _AXES]
    for axis, which in zip(below.subplots(2, _AXES).flat, chosen, strict=False):
        for colour, (group, mean, spread) in zip(_COLOURS, drawn, strict=False):
            middle, by = mean[:, which], spread[:, which]
            axis.fill_between(phase, middle - by, middle + by, color=colour, alpha=0.18, lw=0.0)
            axis.plot(phase, middle, color=colour, lw=1.3, label=f"{group.name} ({group.strides.sum()})")
        axis.set_title(names[which], fontsize=8)
        axis.tick_params(labelsize=7)
    below.axes[0].legend(fontsize=7, frameon=False)
    return figure


def _draw_shares(axis: Axes, learnt: Learnt, kind: str) -> None:
    shares = 100.0 * learnt.parts.shares[: min(_SHOWN, len(learnt.names))]
    axis.bar(np.arange(len(shares)), shares, color=_COLOURS[0])
    for place, share in enumerate(shares):
        axis.annotate(f"{share:.1f}", (place, share), (0, 2), textcoords="offset points", ha="center", fontsize=8)
    names = [name if kind == "apart" else str(k + 1) for k, name in enumerate(learnt.names[: len(shares)])]
    axis.set_xticks(np.arange(len(shares)), names, fontsize=7, rotation=30 if kind == "apart" else 0)
    axis.set_title(_TITLES[kind], fontsize=9)
    axis.set_ylabel("% of what differs")
    axis.margins(y=0.15)


def _draw_carriers(axis: Axes, style: Style, learnt: Learnt) -> None:
    """Draw how many degrees one standard deviation of each component turns each joint axis (the source's figure 4)."""
    names, turns = _of_axes(style, learnt)
    image = axis.imshow(turns[:_SHOWN], aspect="auto", cmap="viridis", interpolation="nearest")
    axis.set_yticks(np.arange(min(_SHOWN, len(turns))), learnt.names[:_SHOWN], fontsize=8)
    axis.set_xticks(np.arange(1, len(names), 3), [name[:-2] for name in names[1::3]], rotation=90, fontsize=7)
    axis.figure.colorbar(image, ax=axis, label="° (x, y, z of each joint)")


def _of_axes(style: Style, learnt: Learnt) -> tuple[list[str], Array]:
    """Return the joint axes of the components, and the turn (K, A) of each in degrees for one standard deviation."""
    joints = [style.form.skeleton.names[joint] for joint in style.form.joints] + ["hips"]
    names = [f"{joints[column // 3]} {'xyz'[column % 3]}" for column in learnt.turning]
    each = learnt.parts.directions.reshape(len(learnt.names), PHASES, -1)
    size = np.sqrt((each**2).mean(axis=1)) * learnt.parts.deviations[:, None]
    return names, np.degrees(size)


def _draw_label(place: SubFigure, style: Style, column: str, found: Effect) -> None:
    """Draw each group's mean angles over a stride, of the axes its component turns most (the source's figure 5)."""
    learnt = style.learnt("apart")
    names, turns = _of_axes(style, learnt)
    groups = {value: row for value, row in style.people.items() if value.startswith(f"{column}=")}
    title = f"{column}: {learnt.names[found.component]}, effect size {found.size:+.2f}"
    place.suptitle(title, fontsize=9, parse_math=False)
    chosen = np.argsort(-turns[found.component], kind="stable")[:_AXES]
    phase = np.arange(PHASES) / PHASES
    for axis, which in zip(place.subplots(1, _AXES), chosen, strict=True):
        for colour, (value, row) in zip(_COLOURS, list(groups.items())[: len(_COLOURS)], strict=False):
            angles = row[:-1].reshape(PHASES, -1)[:, learnt.turning[which]]
            axis.plot(phase, np.degrees(angles), color=colour, lw=1.2, label=value.partition("=")[2])
        axis.set_title(names[which], fontsize=8)
        axis.tick_params(labelsize=7)
    axis.legend(fontsize=7, frameon=False)


def _draw_sliders(axis: Axes, style: Style) -> None:
    """Draw the mean stride with every slider at several amounts, including correlated changes."""
    known, tall = style.sliders, 1.25 * style.form.skeleton.height
    for place, name in enumerate(known.names):
        strides = [_slid(style, place, amount) for amount in AMOUNTS]
        for colour, phase in zip(("#1f4e79", "#f0a030"), _SEEN, strict=True):
            poses = _raise_poses([one.take_frames(np.array([phase])) for one in strides], -tall * place)
            stick_figures.draw(axis, poses, np.arange(len(AMOUNTS)) * tall, colour, width=1.0)
        axis.annotate(name, (-0.6 * tall, -tall * place + 0.5 * tall), ha="right", fontsize=8)
    for line in list(axis.lines):
        line.remove()
    axis.set_xticks(np.arange(len(AMOUNTS)) * tall, [f"{amount:+g}" for amount in AMOUNTS])
    axis.set_yticks([])
    axis.set_xlim(-1.3 * tall, (len(AMOUNTS) - 0.4) * tall)


def _slid(style: Style, slider: int, amount: float) -> Clip:
    """Return the mean stride as a clip, with a slider at an amount and its correlated changes."""
    row = style.mean + np.clip(amount, -directions.FARTHEST, directions.FARTHEST) * style.sliders.natural[slider]
    return forms.as_clip(style.form, row[:-1].reshape(PHASES, -1), float(np.exp(row[-1])))


def _raise_poses(poses: Sequence[Clip], height: float) -> Clip:
    whole = join_clips([replace(one, rate=1.0) for one in poses])
    return root_motion.place_clip(whole, 0.0, np.array([0.0, 0.0, height]))
