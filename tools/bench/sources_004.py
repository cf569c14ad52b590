"""Document 004, emphasising features of human motion: every element of it beside ours.

Writes docs/measured/sources.md.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import angles, world_pose
from action_loom.core.figure import actions
from action_loom.core.motion import quat, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.style import groups
from action_loom.core.sync import cycle_search
from action_loom.core.verbs import Connect, Loop
from action_loom.core.verbs.connect import work as connecting
from action_loom.core.verbs.fit_style import picture as style_picture
from action_loom.core.weave.seam import repairs
from matplotlib.figure import Figure
from source_pages import SETS, captured, elements, gait, grid, is_aside, needs_clips, picture, put, words
from style_material import style

TITLE = "004 · Emphasising features of human motion (Shibuta)"
RATE = 30.0
# What stands for its five motions, of clips tuned on and kept aside. Nobody skips here, nor pushes a button.
CAST = {
    False: {"run": "mb_35_17", "walk": "mb_35_01", "skip": "mb_08_07", "button": "mb_02_05", "turn": "asf_16_17"},
    True: {"run": "mb_35_22", "walk": "mb_35_03", "skip": "mb_49_04", "button": "mb_06_14", "turn": "asf_16_19"},
}
LOOPED = "mb_02_03 mb_35_17 mb_02_01 mb_35_01 mb_08_07 mb_35_22 mb_35_03 mb_08_01 mb_49_04"
STANDING = 30  # frames that are held before a clip
COLOURS = {"none": "#888888", "lagrange": "#d9534f", "spline": "#f0a030", "auto": "#1f4e79"}
PRINTED = {
    "Lagrange, printed": ("1.877", "0.191", "0.383", "0.468"),
    "spline, printed": ("lost", "lost", "0.394", "0.087"),
}


@dataclass
class Figures:
    """C, D and K of seams by one method: loops, and connections (C of those of run and skip alone)."""

    loop: list[dict[str, Any]] = field(default_factory=list)
    connect: list[dict[str, Any]] = field(default_factory=list)
    periodic: list[dict[str, Any]] = field(default_factory=list)


Measured = dict[tuple[str, bool], Figures]


def at_30(name: str) -> Clip:
    return resample.to_rate(captured(f"cmu_{name}"), RATE)


@contextmanager
def points(count: int) -> Iterator[None]:
    """Let polynomials be led through so many points on each side."""
    usual, repairs.POINTS = repairs.POINTS, count
    try:
        yield
    finally:
        repairs.POINTS = usual


@contextmanager
def bounds(free: bool) -> Iterator[None]:
    """Let correlation choose any number of frames that the clips have, as the document does, or as here."""
    usual = connecting.SHORTEST, connecting.LONGEST
    if free:
        connecting.SHORTEST, connecting.LONGEST = 0.0, 60.0
    try:
        yield
    finally:
        connecting.SHORTEST, connecting.LONGEST = usual


def measured() -> Measured:
    """Figures by method, tuned on and kept aside."""
    found: Measured = {}

    def note(what: str, name: str, aside: bool, one: dict[str, Any]) -> None:
        getattr(found.setdefault((name, aside), Figures()), what).append(one)

    for name in LOOPED.split():
        for label, recipe, count in loop_ways():
            with points(count):
                made = verbs.apply(recipe, [at_30(name)]).report["loop"]["methods"]
            for one in made:
                note("loop", label or one["name"], is_aside(name), one)
    for aside, cast in CAST.items():
        for pair in pairs_of(cast):
            for label, recipe, count in connect_ways():
                with points(count), bounds(label.endswith("free m")):
                    made = verbs.apply(recipe, [at_30(cast[part]) for part in pair]).report["connect"]["methods"]
                for one in made:
                    note("connect", label or one["name"], aside, one)
                    if set(pair) == {"run", "skip"}:
                        note("periodic", label or one["name"], aside, one)
    for name in LOOPED.split():
        body = world_pose.pose(at_30(name))
        itself = {"C": angles.periodicity(body), "D": angles.smoothness(body), "K": None}
        note("loop", "the clips themselves", is_aside(name), itself)
    return found


def loop_ways() -> list[tuple[str, Loop, int]]:
    """Every method, and polynomials through two points; "" is called as the report calls it."""
    two = [(f"{method}, 2 points", Loop(method=method, whole="no"), 2) for method in ("lagrange", "spline")]
    return [("", Loop(method="auto", whole="no"), 3), *two]


def connect_ways() -> list[tuple[str, Connect, int]]:
    both = ("lagrange", "spline")
    two = [(f"{method}, 2 points", Connect(method=method), 2) for method in both]
    chosen = [(f"{method}, m by correlation", Connect(method=method, by_correlation=True), 3) for method in both]
    free = [(f"{method}, free m", Connect(method=method, by_correlation=True), 3) for method in both]
    return [("", Connect(method="auto"), 3), *two, *chosen, *free]


def pairs_of(cast: dict[str, str]) -> list[tuple[str, str]]:
    """Twelve pairs: run, walk and skip, each before all others."""
    return [(one, other) for one in ("run", "walk", "skip") for other in cast if one != other]


def table_1(found: Measured) -> list[str]:
    heads = ("method", "clips", "of", "loop C", "loop D", "K", "of", "connect C", "connect D", "K")
    rows = [(name, "its own", "3", *values[:2], "–", "2, 12", *values[2:], "–") for name, values in PRINTED.items()]
    for name in dict.fromkeys(name for name, _ in found):
        for aside, label in SETS:
            one = found.get((name, aside), Figures())
            looped = (mean(one.loop, "C"), mean(one.loop, "D"), median(one.loop, "K"))
            joined = (mean(one.periodic, "C"), mean(one.connect, "D"), median(one.connect, "K"))
            counts = str(len(one.loop)), f"{len(one.periodic)}, {len(one.connect)}"
            rows.append((name, label, counts[0], *looped, counts[1], *joined))
    return grid(heads, rows)


def known(rows: list[dict[str, Any]], key: str) -> np.ndarray:
    values = np.array([np.nan if one[key] is None else one[key] for one in rows], dtype=float)
    return values[np.isfinite(values)]


def mean(rows: list[dict[str, Any]], key: str) -> str:
    values = known(rows, key)
    return f"{values.mean():.3f}" if len(values) else "–"


def median(rows: list[dict[str, Any]], key: str) -> str:
    values = known(rows, key)
    return f"{np.median(values):.2f}" if len(values) else "–"


def by_correlation(*, free: bool) -> str:
    """The m that correlation chooses, of each pair: how often each, or least, median and most."""
    chosen = {}
    for aside, label in SETS:
        ms = []
        for pair in pairs_of(CAST[aside]):
            recipe = Connect(method="lagrange", by_correlation=True)
            with bounds(free):
                report = verbs.apply(recipe, [at_30(CAST[aside][part]) for part in pair]).report["connect"]
            ms.append((report["corrected"][1] - report["corrected"][0]) // 2)
        each = ", ".join(f"{ms.count(m)} times {m}" for m in sorted(set(ms)))
        chosen[label] = f"{min(ms)} to {max(ms)}, half of them under {np.median(ms):g}" if free else each
    return "; ".join(f"{label}: {text}" for label, text in chosen.items())


# --- cycles ----------------------------------------------------------------------------------------------------------


def literally(clip: Clip) -> tuple[int, int, float]:
    """Start, length and peak of the cycle as the document has it: of all starts, the highest first peak."""
    rotations = clip.rotations
    vectors = quat.log_about(quat.mean_of_frames(rotations), rotations).reshape(len(clip), -1)
    ranges = np.ptp(vectors, axis=0)
    vectors = vectors[:, ranges >= cycle_search.FLAT_SHARE * ranges.max()]
    shortest, longest = round(cycle_search.SHORTEST * RATE), round(cycle_search.LONGEST * RATE)
    best = (0, 0, -np.inf)
    for start in range(len(clip) - 2 * shortest):
        curve = cycle_search._autocorrelation(vectors[start:])
        lag = cycle_search._first_peak(curve, shortest, min(longest, (len(clip) - start) * 3 // 4))
        if lag and curve[lag] > best[2]:
            best = (start, lag, float(curve[lag]))
    return best


def after_standing(name: str) -> Clip:
    """A clip whose first pose is held for a second before it goes."""
    clip = at_30(name)
    return clip.taken(np.concatenate([np.zeros(STANDING, dtype=int), np.arange(len(clip))]))


def cycles_table() -> list[str]:
    heads = ("clip", "clips", "cycle by its feet", "its rule", "ours, `autocorrelation`", "ours, `cycle`")
    rows = []
    for name in ["mb_02_03", "mb_35_17", "mb_02_01", "mb_35_01", "mb_35_22", "mb_35_03", "mb_08_01"]:
        clip = after_standing(name)
        events = gait.events(captured(f"cmu_{name}"))
        strikes = [np.diff(frames) for kind, frames in events.items() if "strike" in kind]
        stride = np.median(np.concatenate(strikes)) * RATE / 120.0
        what = "stands, then runs" if name in ("mb_02_03", "mb_35_17", "mb_35_22") else "stands, then walks"
        rows.append((f"{what}: {name}", dict(SETS)[is_aside(name)], f"{stride:.1f}", *found_cycles(clip)))
    rows.append(("stands, then waves: the figure", "generated", "18", *found_cycles(actions.wave(RATE))))
    traffic = at_30("daz_13_26").cut(90, 270)
    rows.append(("stands and waves traffic on: daz_13_26", dict(SETS)[False], "–", *found_cycles(traffic)))
    return grid(heads, rows)


def found_cycles(clip: Clip) -> tuple[str, str, str]:
    start, length, peak = literally(clip)
    ours = []
    for finder in (cycle_search.find_by_autocorrelation, cycle_search.find):
        best = finder(clip).best
        ours.append(f"{best.length} from {best.start} ({best.score:.2f})")
    return f"{length} from {start} ({peak:.2f})", ours[0], ours[1]


def correlations() -> Figure:
    """The mean autocorrelation over lags of two clips, and the highest first peak by where it begins."""
    figure = Figure(figsize=(8.4, 2.8), layout="constrained")
    clips = (("stands, then runs", after_standing("mb_02_03")), ("stands, then waves", actions.wave(RATE)))
    for axis, (title, clip) in zip(figure.subplots(1, 2), clips, strict=True):
        found = cycle_search.find_by_autocorrelation(clip)
        axis.plot(
            found.lags[: len(clip) // 2], found.scores[: len(clip) // 2], color="#1f4e79", label="from that start"
        )
        axis.axvline(found.best.length / RATE, color="#d9534f", lw=1.0, label=f"cycle, {found.best.length} frames")
        axis.plot(found.starts / RATE, found.start_scores, ".", color="#f0a030", ms=3, label="first peak, by start")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("lag, and start, s")
        axis.legend(fontsize=7)
    return figure


# --- curves of the spine ---------------------------------------------------------------------------------------------


def spine(clip: Clip) -> np.ndarray:
    """How the spine bends, degrees: the first component of its rotation vector."""
    joint = clip.skeleton.roles["spine"]
    turns = quat.mul(quat.inv(clip.skeleton.orients[joint]), clip.rotations[:, joint])
    return np.degrees(quat.log(quat.continuous(turns))[:, 0])


def looped(name: str) -> dict[str, tuple[np.ndarray, int]]:
    """The spine over two cycles by method, and where the second begins."""
    clip = at_30(name)
    place = verbs.apply(Loop(whole="no"), [clip]).report["loop"]
    start, length = place["start"], place["length"]
    made = {"none": (np.tile(spine(clip)[start : start + length], 2), length)}
    for method in ("lagrange", "spline", "auto"):
        recipe = Loop(method=method, start=start, length=length, repeat=2, whole="no", plant_feet=False)
        shown = verbs.apply(recipe, [clip])
        made[method if method != "auto" else f"auto ({shown.report['loop']['method']})"] = (spine(shown.clip), length)
    return made


def connected(one: str, other: str) -> dict[str, tuple[np.ndarray, int]]:
    """The spine a second each side of the seam by method."""
    clips = [at_30(one), at_30(other)]
    made: dict[str, tuple[np.ndarray, int]] = {}
    for method in ("lagrange", "spline", "auto"):
        shown = verbs.apply(Connect(method=method, plant_feet=False), clips)
        report, around = shown.report["connect"], round(RATE)
        seam = shown.seams[0]
        low = max(seam - around, 0)
        if not made:
            best = report["candidates"][0]
            first, second = spine(clips[0])[: best["from_frame"] + 1], spine(clips[1])[best["to_frame"] + 1 :]
            raw = np.concatenate([first, second])
            made["none"] = raw[len(first) - (seam - low) : len(first) + around], seam - low
        name = method if method != "auto" else f"auto ({report['method']})"
        made[name] = spine(shown.clip)[low : seam + around], seam - low
    return made


def curves() -> Figure:
    """Its Fig. 11, 13, 15 and 16: the spine by method, over two cycles and across a joint."""
    cast = CAST[False]
    rows: tuple[tuple[str, Callable[[], dict[str, tuple[np.ndarray, int]]]], ...] = (
        ("run, looped", lambda: looped("mb_02_03")),
        ("walk, looped", lambda: looped("mb_02_01")),
        ("run > walk", lambda: connected(cast["run"], cast["walk"])),
        ("run > turn", lambda: connected(cast["run"], cast["turn"])),
    )
    figure = Figure(figsize=(8.0, 5.2), layout="constrained")
    for axes, (title, make) in zip(figure.subplots(4, 4, sharey="row"), rows, strict=True):
        axes[0].set_ylabel(f"{title}\nspine, °", fontsize=8)
        for axis, (name, (values, seam)) in zip(axes, make().items(), strict=True):
            colour = COLOURS[name.split(" ")[0]]
            axis.axvspan(seam - 3.5, seam + 2.5, color="#eeeeee")
            axis.axvline(seam - 0.5, color="black", lw=0.6)
            axis.plot(values, ".-", color=colour, ms=3, lw=1.2)
            axis.set_title(name, fontsize=8)
            axis.tick_params(labelsize=7)
    return figure


def by_stride() -> Figure:
    """Its Fig. 4 and 5, by stride: nobody says whose sex is whose."""
    learnt = style(of_all=True)
    figure = style_picture.draw((learnt, groups.of(learnt, "stride")))
    figure.set_size_inches(7.8, 5.4)
    return figure


# --- the page --------------------------------------------------------------------------------------------------------


def rows_of(found: Measured) -> str:
    def pair(what: str, key: str) -> str:
        """Lagrange and spline, tuned on and kept aside."""
        return "; ".join(
            f"{label}: " + " and ".join(mean(getattr(found[name, aside], what), key) for name in ("lagrange", "spline"))
            for aside, label in SETS
        )

    return f"""
m where the last m and the first m frames correlate most, m from 0 on | – | `--by-correlation`, bounds of our own:
0.05 to 0.15 s, 3 or 4 frames here: {by_correlation(free=False)}. Free, from 3 on (two frames always correlate), it is
{by_correlation(free=True)}: so many frames are drawn anew on each side, and what was captured there is lost. What both
change is in the table below | verbs/connect/work.py

Table 1, loop C: Lagrange | 1.877, the other lost | {pair("loop", "C")} (Lagrange and spline). The formula as printed
is 2 at most, where every other swing is next to nothing: 1.877 is nearly that | table below

Table 1, loop D: Lagrange | 0.191, the other lost | {pair("loop", "D")} | table below

Table 1, connect C | 0.383 and 0.394 | {pair("periodic", "C")} | table below

Table 1, connect D | 0.468 and 0.087 | {pair("connect", "D")} | table below
"""


COMMANDS = (
    "    python tools/bench/sources_004.py      # style.py and seams.py for what it points to",
    "    action-loom style fit WALKS… --labels L.csv -o S.npz",
    "    action-loom style info S.npz --by stride --picture P.png      # groups; the others are in the audit",
)
TABLE = """
Table 1 at 30 frames a second, m = n = 3, smaller is better: means of C and D as printed, medians of K, by which `auto`
chooses. Connect C: run and skip in both orders.
"""
CYCLES = """
Cycles, frames at 30 a second, of clips that stand a second, then go: length, start, value that chose it (its mean
autocorrelation; our score).
"""


def main() -> None:
    needs_clips()
    found = measured()
    lines = [
        *COMMANDS,
        "",
        *elements(rows_of(found)),
        "",
        *words(TABLE),
        *table_1(found),
        "",
        *words(CYCLES),
        *cycles_table(),
        "",
        *picture(curves(), "sources_004_spine", "The spine; grey: corrected frames, black: the seam"),
        *picture(correlations(), "sources_004_cycles", "Autocorrelation of two clips"),
        *picture(by_stride(), "sources_004_groups", "Strides under and over the median: its Fig. 4 and 5 by stride"),
    ]
    put(TITLE, lines)


if __name__ == "__main__":
    main()
