"""Pictures of document 001: walks with actions spliced in, corrections of the trunk, and two graphs."""

import numpy as np
from action_loom.core import verbs
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.verbs import Follow, Splice
from action_loom.core.verbs.follow import picture as walks
from action_loom.core.verbs.follow.result import FollowResult
from matplotlib.figure import Figure
from source_pages import paths, picture


def draw_experiment(made: FollowResult, name: str, about: str) -> list[str]:
    figure = walks.draw(made)
    figure.set_size_inches(7.0, 7.0 if name.endswith("boxing") else 4.0)
    return picture(figure, name, about)


def draw_correction(graph: MotionGraph, load: Clip) -> list[str]:
    """The document's Figure 2: a load held by its correction, by that of Heck and others, and as it was."""
    walk = verbs.apply(Follow(path=paths.line(6.0).tolist(), plant_feet=False), [], prepared=graph).clip
    figure = Figure(figsize=(6.0, 7.0), layout="constrained")
    ways = (
        ("gaussian", Splice(timing="points", splice_threshold=1.0)),
        ("heck", Splice(timing="points", splice_threshold=1.0, method="heck")),
        ("gaussian, posture 1", Splice(timing="points", splice_threshold=1.0, posture=1.0)),
        ("copy", Splice(timing="points", splice_threshold=1.0, method="copy")),
    )
    frames = np.linspace(60, len(walk) - 60, 8).astype(np.int64)
    for axis, (name, recipe) in zip(figure.subplots(4, 1), ways, strict=True):
        made = verbs.apply(recipe, [walk, load])
        swing = made.report["splice"]["swing"]
        places = 0.75 * np.arange(len(frames))
        stick_figures.draw(
            axis, made.clip.taken(frames), places, "#7a4ea3" if name.startswith("gaussian") else "#d0a020", width=1.2
        )
        axis.set_title(
            f"{name}: chest against pelvis {swing['result']:+.2f} (walk {swing['locomotion']:+.2f})", fontsize=9
        )
        axis.set_axis_off()
    return picture(figure, "source_001_correction", "A load lifted on a walk, by each correction of the trunk")


def draw_two(made: list[tuple[str, FollowResult]]) -> list[str]:
    figure = Figure(figsize=(6.0, 6.0), layout="constrained")
    axis = figure.add_subplot()
    drawn = made[0][1].path.at(np.linspace(0.0, made[0][1].path.length, 500))
    axis.plot(drawn.real, drawn.imag, color="#dddddd", lw=8)
    for (name, walked), colour in zip(made, ("#1f4e79", "#d9534f"), strict=True):
        axis.plot(walked.places.real, walked.places.imag, color=colour, lw=1.6, label=name)
    axis.set_aspect("equal")
    axis.legend(frameon=False)
    axis.set_xlabel("x (m)")
    axis.set_ylabel("y (m)")
    return picture(figure, "source_001_two_graphs", "One path through walks and through runs")
