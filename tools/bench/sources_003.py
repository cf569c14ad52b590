"""Document 003, blending by fast search of a time warp graph: every element beside ours.

Writes docs/measured/sources.md.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.errors import RegistrationError
from action_loom.core.motion import root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import curve_fit, dtw, metrics, register_pair
from action_loom.core.verbs import Blend
from matplotlib.figure import Figure
from source_pages import (
    SETS,
    WALKS,
    WALKS_AND_RUNS,
    Pair,
    captured,
    distances,
    elements,
    gait,
    grid,
    median_and_most,
    needs_clips,
    pairs,
    picture,
    put,
    words,
)
from tmps_program import Frames

TITLE = "003 · Blending by fast search of a time warp graph (Zheng)"
# Its experiment with people: 120 frames of a brisk walk, 100 of a run, a stride and a little more of each.
WALK, RUN = ("cmu_mb_07_12", 19, 120), ("cmu_mb_35_22", 38, 100)
THEIRS = Blend(metric="angles", slope=5, ends="pinned", reference="longest", timing="reference")
LIMITS = (2, 3, 4, 5, 10, 0)  # 0 is none
BELTS = (0.1, 0.3, 0.7)
LOST = 250.0  # ms; farther off is another footfall, or none
TRIED = tuple(f"L = {limit}" if limit else "none" for limit in LIMITS) + tuple(f"belt {belt:g}" for belt in BELTS)


@dataclass
class Found:
    """What a limit did to pairs of clips: costs (% over those of no limit), waits (frames), footfalls (ms), seconds."""

    more: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    seconds: float = 0.0
    refused: int = 0


Measured = dict[tuple[str, str, str], Found]


def material() -> list[tuple[str, Pair]]:
    """Pairs by what they are and whether they are kept aside, cut to where they correspond."""
    kinds = {"walks": WALKS, "walk and run": WALKS_AND_RUNS, "walk and sneak": "asf_16_15+asf_17_03"}
    return [(f"{kind}, {dict(SETS)[pair.aside]}", pair) for kind, names in kinds.items() for pair in pairs(names)]


def measured() -> Measured:
    """What each limit and each belt did, by metric, kind of pair, and name."""
    found: Measured = {}
    for metric in ("angles", "points"):
        for kind, pair in material():
            matching = Matching(metric=metric)
            one, other = (metrics.prepare(clip, matching) for clip in (pair.reference, pair.clip))
            matrix = one.matrix(other, round(matching.window * pair.reference.rate))
            longer = max(matrix.shape)
            free = dtw.pinned(matrix, longer).cost
            within = [(matrix, limit or longer) for limit in LIMITS]
            within += [(register_pair.in_band(matrix, belt), longer) for belt in BELTS]
            for name, (cells, limit) in zip(TRIED, within, strict=True):
                add(found.setdefault((metric, kind, name), Found()), pair, cells, limit, free)
    return found


def add(known: Found, pair: Pair, within: np.ndarray, limit: int, free: float) -> None:
    """Add what a path under a limit is like, beside the cost of the free one."""
    try:
        path, seconds = timed(lambda: dtw.pinned(within, limit))
    except RegistrationError:
        known.refused += 1
        return
    known.more.append(100.0 * (path.cost / free - 1.0))
    known.waits.append(max(np.bincount(path.cells[:, 0]).max(), np.bincount(path.cells[:, 1]).max()))
    known.seconds += seconds
    curve = Frames(curve_fit.midpoints(path.cells)[1])
    errors = gait.event_errors(curve, pair.reference, pair.clip, "strike")
    known.errors += errors[errors <= LOST].tolist()


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work gives, and the least of some times of it."""
    made, times = work(), []
    for _ in range(5):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return made, min(times)


def tables(found: Measured) -> list[str]:
    """Four tables, a row for each metric and kind of pair, a column for each limit."""
    rows = list(dict.fromkeys((metric, kind) for metric, kind, _ in found))

    def table(title: str, cell: Callable[[Found, Found], str], kinds: str = "") -> list[str]:
        lines = [
            (metric, kind, *(cell(found[metric, kind, name], found[metric, kind, "none"]) for name in TRIED))
            for metric, kind in rows
            if kinds in kind
        ]
        return [*words(title), *grid(("by", "clips", *TRIED), lines), ""]

    return [
        *table("Cost over no limit, %:", cost),
        *table(
            "Longest wait, frames:",
            lambda one, _: median_and_most(one.waits),
        ),
        *table("Footfalls off, ms:", lambda one, _: median_and_most(one.errors), "walks"),
        *table(
            "Time of the path search over no limit:",
            lambda one, free: f"{one.seconds / free.seconds:.1f}",
        ),
    ]


def cost(one: Found, _: Found) -> str:
    return median_and_most(one.more, 1) + (f", {one.refused} refused" if one.refused else "")


def share_of_path() -> str:
    """What of registering is looking for the path, with its L and without any."""
    walk, run = experiment()[:2]
    parts = [metrics.prepare(clip, THEIRS) for clip in (walk, run)]
    _, whole = timed(lambda: register_pair.pair(walk, run, THEIRS))
    matrix, of_matrix = timed(lambda: parts[0].matrix(parts[1], round(THEIRS.window * walk.rate)))
    _, limited = timed(lambda: dtw.pinned(matrix, THEIRS.slope))
    _, free = timed(lambda: dtw.pinned(matrix, max(matrix.shape)))
    return (
        f"all of registering takes {1000.0 * whole:.1f} ms, of it distances {1000.0 * of_matrix:.1f}, the path with L ="
        f" 5 {1000.0 * limited:.2f}, without a limit {1000.0 * free:.2f}"
    )


def experiment() -> tuple[Clip, Clip, Any]:
    """Its experiment: the walk, the run, and the blend of both."""
    walk, run = (captured(name).cut(first, first + count) for name, first, count in (WALK, RUN))
    return walk, run, verbs.apply(THEIRS, [walk, run])


def graph(made: Any) -> Figure:
    """Its Fig. 5: distances in grey, dark where near, and the time warp curve."""
    curve = made.registration.curves[1 - made.reference]
    figure = Figure(figsize=(4.6, 3.9), layout="constrained")
    axis = figure.subplots()
    distances(axis, curve.matrix)
    axis.plot(curve.first + np.arange(len(curve.frames)), curve.frames, color="#d9534f", lw=2.0, label="curve, L = 5")
    free = dtw.pinned(curve.matrix.astype(float), max(curve.matrix.shape)).cells
    axis.plot(*free.T, color="#f0a030", lw=1.0, label="path without a limit")
    axis.legend(fontsize=7, loc="lower right")
    axis.set_xlabel("walk, frame")
    axis.set_ylabel("run, frame")
    return figure


def poses(walk: Clip, run: Clip, made: Any) -> Figure:
    """Its Fig. 4 and 6: poses of the walk, of the run at the matched frames, and of the blend."""
    at = np.linspace(0, len(made.clip) - 1, 9).round().astype(int)
    frames = made.registration.frames(made.reference_frames[at])
    figure = Figure(figsize=(8.4, 5.2), layout="constrained")
    shown = (
        (walk, frames[0], "walk", "#1f4e79"),
        (run, frames[1], "run", "#b8761c"),
        (made.clip, at, "blend", "#2c7a54"),
    )
    for axis, (clip, places, name, colour) in zip(figure.subplots(3, 1, sharex=True), shown, strict=True):
        taken = clip.taken(np.round(places).astype(int))
        stick_figures.draw(axis, taken, np.arange(len(at)) * 1.0, colour, aside=stick_figures.ASLANT)
        axis.set_ylabel(name)
        axis.set_yticks([])
        axis.set_xticks(np.arange(len(at)), [f"{frame}" for frame in at])
    return figure


def turning() -> tuple[float, float, float]:
    """How far a left turn, a right turn and their blend turn, degrees."""
    left, right = captured("cmu_asf_16_17"), captured("cmu_asf_16_19")
    made = verbs.apply(Blend(), [left, right])
    before = [one["turn_degrees"] for one in made.report["quality"]["before"]]
    return before[0], before[1], made.report["quality"]["after"]["turn_degrees"]


def turning_paths() -> Figure:
    """The ways over the ground of a left turn, a right turn and their blend."""
    left, right = captured("cmu_asf_16_17"), captured("cmu_asf_16_19")
    made = verbs.apply(Blend(), [left, right])
    figure = Figure(figsize=(3.6, 3.4), layout="constrained")
    axis = figure.subplots()
    for clip, colour, name in ((left, "#1f4e79", "left"), (right, "#b8761c", "right"), (made.clip, "#2c7a54", "blend")):
        ground, facing = root_motion.ground_frames(clip)
        way = (ground[:, 0] + 1j * ground[:, 1] - (ground[0, 0] + 1j * ground[0, 1])) * np.exp(-1j * facing[0])
        axis.plot(way.real, way.imag, color=colour, label=name)
    axis.set_aspect("equal")
    axis.legend(fontsize=7)
    axis.set_xlabel("m")
    return figure


def rows_of(made: Any, found: Measured) -> str:
    report, (left, right, between) = made.report, turning()
    one = report["registration"][0]
    after = report["quality"]["after"]
    five = {key[1]: one for key, one in found.items() if key[0] == "angles" and key[2] == "L = 5"}
    more = "; ".join(f"{kind}: {np.median(value.more):.1f} %" for kind, value in five.items())
    slower = [value.seconds / found["angles", kind, "none"].seconds for kind, value in five.items()]
    belt = max(max(value.more) for key, value in found.items() if key[2] == "belt 0.7")
    return f"""
The search is fast, and nearly as good as the best path | no figures | not so: all cells are visited as before, and 2L
− 1 steps in place of 3 take {min(slower):.1f} to {max(slower):.1f} times as long at L = 5. Nearly as good is true: it
costs the path (median) {more}. What it gives is time that neither waits nor leaps | tables below

(Of document 000) belts | 0.7 | no cell's work is saved either: distances are computed for all; 0.7 costs {belt:.1f} %
at most | tables below

The longer motion is the template; the result has its frames | 120 | `--reference longest --timing reference`:
{len(made.clip)} frames | verbs/blend/

Blending slerps fails over 180°: a walk to the left and one to the right collapse | – | turns of {left:.0f}° and
{right:.0f}° give one of {between:.1f}° at equal shares | weave/root_blend.py, figure below

Experiment: dinosaurs, a walk of 120 frames and a run of 100, L = 5 (Fig. 4) | 120, 100, 5 | people: {WALK[0][4:]} and
{RUN[0][4:]}, 120 and 100 frames at 120 a second: {len(made.clip)} frames, likeness {one["likeness"]:.2f},
{one["at_limit"]:.0%} of the path at the limit, slide {after["slide_cm_s"]:.1f} cm/s of {slides(report)} before |
figures below

Time on the author's machine | not given | {share_of_path()} | this script
"""


def slides(report: dict[str, Any]) -> str:
    return " and ".join(f"{one['slide_cm_s']:.1f}" for one in report["quality"]["before"])


COMMANDS = (
    "    python tools/bench/sources_003.py",
    "    # its experiment: angles of the audit's commands",
)
MEASURED = """
What limits cost and save: medians / p90 of pairs cut to where they correspond, at 120 frames a second, ends pinned, a
window of 0.042 s. Footfalls, of walks: gait events mapped by the middle of the path, not smoothed.
"""


def main() -> None:
    needs_clips()
    walk, run, made = experiment()
    found = measured()
    lines = [
        *COMMANDS,
        "",
        *elements(rows_of(made, found)),
        "",
        *words(MEASURED),
        *tables(found),
        *picture(graph(made), "sources_003_graph", "Distances, dark where near, and the curve"),
        *picture(poses(walk, run, made), "sources_003_poses", "Poses of walk, run and blend"),
        *picture(turning_paths(), "sources_003_turns", "Two turns and their blend"),
    ]
    put(TITLE, lines)


if __name__ == "__main__":
    main()
