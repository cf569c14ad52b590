"""Contact sheets of sliders: a walk with less and more of each, as pictures of docs/measured/style.md."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core.motion import root_motion
from action_loom.core.motion.clip import Clip, joined
from action_loom.core.plots import png, stick_figures
from action_loom.core.recipes.style import SLIDERS
from action_loom.core.style.clip_in_style import ClipInStyle
from action_loom.core.verbs import Restyle
from action_loom.core.verbs.restyle import change
from action_loom.core.verbs.restyle import work as restyle
from action_loom.core.weave import planting
from matplotlib.figure import Figure
from quality_tables import grid
from style_material import put_on, walks

AMOUNTS = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
SHOWN = "cmu_mb_16_15"
WIDE = 7.0  # inches
PHASES = (0.0, 0.35)  # of a stride: the left foot comes down; the right leg swings past it
COLOURS = ("#1f4e79", "#f0a030")
IMAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "measured" / "images"
# By the name of a picture: what goes along, which sliders, whether seen from the front, and what was missed, by eye.
SHEETS = {
    "style_natural": (
        "natural",
        SLIDERS,
        False,
        "bounce, swing and lift stop at or before -1.5; at -3 speed the free foot is thrown up behind",
    ),
    "style_only": (
        "only",
        SLIDERS,
        False,
        "lean changes more than lean from 1 sd on; cadence and lift -2, stride, speed and lean +2, swing +3: a tipping"
        " trunk, an arm thrown forward; stride, speed and lean +2, +3: a foot under the floor",
    ),
    "style_front": (
        "only",
        ("width", "lean", "elbows", "swing"),
        True,
        "width: feet cross at -3 and are little farther apart at +3; lean +2, +3 bends the trunk aside; a strong swing"
        " brings one hand before the body; elbows show hardly anything",
    ),
    "style_front_natural": (
        "natural",
        ("width", "lean", "elbows", "swing"),
        True,
        "width: little wider at +3, a knee turns out, as with lean +2, +3; elbows and swing show little",
    ),
}
WORDS = (
    f"{SHOWN} with -3 to 3 sd of each slider, as on release; blue: its left foot comes down, orange: 0.35 of a stride"
    " later. Under each column: how far the slider went, held at 3 sd from the examples' mean."
)


def draw(_: list[str]) -> list[str]:
    lines, rows = [], []
    for name, (mode, sliders, front, missed) in SHEETS.items():
        figure = _sheet(mode, sliders, front=front)
        (IMAGES / f"{name}.png").write_bytes(png.as_png(figure))
        title = f"{mode}, from the {'front' if front else 'side'}"
        lines += [f"![{title}](images/{name}.png)", ""]
        rows.append((title, missed))
    return [*lines, *grid(("picture", "missed, by eye"), rows)]


def _sheet(mode: str, sliders: tuple[str, ...], *, front: bool) -> Figure:
    in_style = put_on(next(walk for walk in walks() if walk.clip.name == SHOWN))
    tall = 0.95 * in_style.clip.skeleton.height
    down, across = 1.2 * tall, (0.6 if front else 0.9) * tall
    figure = Figure(figsize=(WIDE, WIDE * (len(sliders) * down - 0.05 * tall) / ((len(AMOUNTS) + 0.5) * across)))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    for row, name in enumerate(sliders):
        clips = [_with(in_style, name, mode, amount) for amount in AMOUNTS]
        for colour, phase in zip(COLOURS, PHASES, strict=True):
            poses = _raised([_at(in_style, clip, phase) for clip, _ in clips], -down * row)
            aside = 0.5 * np.pi if front else 0.0
            stick_figures.draw(axis, poses, np.arange(len(AMOUNTS)) * across, colour, width=1.0, aside=aside)
        axis.annotate(name, (-0.5 * across, -down * row + 0.75 * tall), ha="center", fontsize=8)
        for place, (_, went) in enumerate(clips):
            axis.annotate(f"{went:+.1f}", (place * across, -down * row - 0.12 * tall), ha="center", fontsize=7)
    for line in list(axis.lines):
        line.remove()
    axis.set_axis_off()
    axis.set_xlim(-0.9 * across, (len(AMOUNTS) - 0.4) * across)
    axis.set_ylim(-down * (len(sliders) - 1) - 0.14 * tall, 1.01 * tall)
    return figure


def _with(in_style: ClipInStyle, name: str, mode: str, amount: float) -> tuple[Clip, float]:
    """A clip with so much more of a slider, and how far that went, in sd."""
    recipe = Restyle(goes_along=mode, **{name: amount})
    changed = change.asked(in_style, recipe)
    if changed is None:
        return in_style.clip, 0.0
    made, _ = planting.of_result(restyle.restyled(in_style, changed), recipe, one_source=False)
    reached = changed.sliders[name]
    return made, reached["after"] - reached["before"]


def _at(in_style: ClipInStyle, made: Clip, phase: float) -> Clip:
    """The pose of a restyled clip at a phase of its second stride."""
    frame = int(np.argmin(np.abs(in_style.phase - (1.0 + phase))))
    return made.taken(np.array([round(frame * (len(made) - 1) / (len(in_style.clip) - 1))]))


def _raised(poses: list[Clip], height: float) -> Clip:
    whole = joined([replace(one, rate=1.0) for one in poses])
    return root_motion.placed(whole, 0.0, np.array([0.0, 0.0, height]))
