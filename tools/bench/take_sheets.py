"""Sheets of sets of five people, a row of poses for each action: *Sets as pictures* in docs/measured/takes.md."""

import sys
from pathlib import Path

import numpy as np
import page_sections
from action_loom.core.motion import root_motion
from action_loom.core.plots import png, stick_figures
from action_loom.core.verbs.take import take_set
from action_loom.core.verbs.take.take_set import Item
from matplotlib.axes import Axes
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from oracles import takes

COLUMNS = 10
INCHES = 0.75  # of a column
ACROSS, DOWN = 0.62, 1.25  # of a column and of a row, in heights
COLOURS = {True: "#1f4e79", False: "#b5651d"}  # of loops, and of what lies between them
# A take of each person, and what was seen in its sheet.
SEEN = {
    "16 a": "names fit, ends are the loops' poses; *Walk Left* turns in the first half of its second alone",
    "35 a": "names fit, ends are the loops' poses; the run's arms come down within a step",
    "127 a": "names fit, ends are the loops' poses; *Start Run Left 90* stands for a quarter of its time",
    "09_12": "names fit, ends are the loops' poses; *Walk to Walk Back* turns round and goes on backwards",
    "cmu_14_14": "exercises, without names; each loop is one repetition; *Action 06* repeats and is no loop",
}


def main() -> None:
    lines = [
        "Ten poses of each action from its first frame to its last, seen from its right, and its path from above; blue",
        "actions are loops, brown ones lie between them. What was seen:",
        "",
    ]
    for name, seen in SEEN.items():
        clip = takes.joined(name).clip if " " in name else takes.capture(name)
        picture = f"set_{name.replace(' ', '_')}.png"
        figure = sheet([item for item in take_set.make(clip).items if not item.mirrored])
        (page_sections.DOCS / "images" / picture).write_bytes(png.as_png(figure))
        lines.append(f"- [{name}](images/{picture}): {seen}")
    page_sections.put("takes.md", "Sets as pictures", lines)


def sheet(items: list[Item]) -> Figure:
    """A row for each action of a set."""
    tall = items[0].clip.skeleton.height
    wide, high = (COLUMNS + 2.5) * ACROSS * tall, len(items) * DOWN * tall
    figure = Figure(figsize=((COLUMNS + 2.5) * INCHES, (COLUMNS + 2.5) * INCHES * high / wide))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    for row, item in enumerate(items):
        _row(axis, item, -row * DOWN * tall, tall)
    axis.set_axis_off()
    axis.set_xlim(-0.6 * ACROSS * tall, wide - 0.6 * ACROSS * tall)
    axis.set_ylim(-(len(items) - 1) * DOWN * tall - 0.12 * tall, 1.13 * tall)
    return figure


def _row(axis: Axes, item: Item, floor: float, tall: float) -> None:
    clip, colour = item.clip, COLOURS[item.loop]
    poses = clip.taken(np.linspace(0, len(clip) - 1, COLUMNS).round().astype(int))
    stick_figures.draw(
        axis,
        root_motion.placed(poses, 0.0, np.array([0.0, 0.0, floor])),
        np.arange(COLUMNS) * ACROSS * tall,
        colour,
        width=1.0,
    )
    axis.lines[-1].remove()
    axis.annotate(f"{item.name}, {clip.seconds:.1f} s", (-0.5 * ACROSS * tall, floor + 1.02 * tall), fontsize=8)
    ground, facing = root_motion.ground_frames(clip)
    path = (ground - ground[0]) @ [1.0, 1.0j] * np.exp(-1j * facing[0])
    room = 0.5 * tall / max(float(np.abs(path).max()), 0.5 * tall)
    at = (COLUMNS + 0.6) * ACROSS * tall + 1j * (floor + 0.45 * tall)
    axis.plot(at.real + room * path.real, at.imag + room * path.imag, color=colour, lw=1.5)
    axis.plot([at.real], [at.imag], "o", color=colour, ms=4)


if __name__ == "__main__":
    main()
