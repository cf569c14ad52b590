"""Table 1 of [Shibuta] on captured clips: how loops and connections come out by each method; docs/measured/seams.md."""

import sys
import textwrap
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import quality, seams, world_pose
from action_loom.core.formats import bvh
from action_loom.core.motion import trim
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Connect, Loop

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from quality_seams import CONNECTED, thinned
from quality_tables import Column, Found, apart, is_aside
from quality_tables import table as figures_of

DATA = ROOT.parent / "shared" / "data" / "cmu"
LOOPS = (
    "mb_02_01", "mb_05_01", "mb_07_01", "mb_08_01", "mb_16_15", "mb_35_03", "mb_12_01", "mb_10_04", "mb_06_01",
    "mb_07_12", "mb_08_07", "mb_35_17", "mb_35_22", "mb_02_03", "asf_16_15", "asf_16_11", "mb_02_05", "mb_02_06",
)  # fmt: skip
PAIRS = (
    ("mb_07_01", "mb_02_03"), ("mb_02_01", "mb_35_17"), ("mb_05_01", "mb_05_11"), ("mb_16_15", "mb_08_04"),
    ("mb_35_03", "mb_35_17"), ("mb_35_01", "mb_12_01"), ("asf_16_17", "asf_16_19"), ("asf_16_15", "asf_16_08"),
    ("asf_16_11", "asf_16_03"), ("mb_07_04", "mb_07_12"), ("mb_02_05", "mb_02_06"), ("mb_10_04", "mb_26_01"),
)  # fmt: skip
INTRODUCTION = (
    "For anyone who chooses a method of *Loop* or *Connect*: Table 1 of [Shibuta] again, with captured clips, beside"
    " our own measures of a seam. `python tools/bench/seams.py` writes this page."
)
FIGURES = (
    "C (periodicity, of the whole) and D (mean absolute second difference of the joint angles over the corrected"
    " frames, degrees a frame²), both at 30 frames a second, are means, as in the paper; the others are medians. D_r,"
    " v_j and v_max: roughness and accelerations at the seam over what is typical of the clip. K ranks: smaller is"
    " better."
)
PAPER = (
    "The paper's two methods, and which of them it recommends by which figure; smaller is better. D rewards flat"
    " stretches (D_r far below 1)."
)
BEST = (
    "Of frames nearly as near as the nearest, *Connect* takes those whose mended seam has the least K. 60 frames a"
    " second, by `ease`; K before planting and after it."
)
RECOMMENDED = {("loops", "C"): "lagrange", ("connections", "D"): "spline"}
COLUMNS = ("C", "D", "roughness", "acceleration", "acceleration_peak", "slide_cm_s", "K")


def main() -> None:
    if not DATA.is_dir():
        sys.exit("seams: the captured clips of ../shared/data are needed")
    loops = [verbs.apply(Loop(method="auto"), [clip(name)]).report["loop"]["methods"] for name in LOOPS]
    joints = [verbs.apply(Connect(method="auto"), [clip(a), clip(b)]).report["connect"]["methods"] for a, b in PAIRS]
    lines = [
        "# Seams, by method",
        "",
        *textwrap.wrap(INTRODUCTION, 118),
        "",
        *textwrap.wrap(FIGURES, 118),
        "",
        *table(f"Loops: {len(LOOPS)} captured clips", loops),
        *table(f"Connections: {len(PAIRS)} pairs", joints),
        *best(),
        *verdict(loops, joints),
    ]
    (ROOT / "docs" / "measured" / "seams.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def clip(name: str) -> Clip:
    return trim.ends(bvh.to_clip(bvh.read(DATA / f"cmu_{name}.bvh"))[0]).clip


def by_method(runs: list[list[dict]]) -> dict[str, np.ndarray]:
    found: dict[str, list[list[float]]] = {}
    for one in (one for run in runs for one in run):
        found.setdefault(one["name"], []).append([np.nan if one[c] is None else one[c] for c in COLUMNS])
    return {name: np.array(rows) for name, rows in found.items()}


def table(title: str, runs: list[list[dict]]) -> list[str]:
    head = "| method | of | C | D | D_r | v_j | v_max | slide cm/s | K |"
    lines = [f"## {title}", "", head, "|---" * 9 + "|"]
    for name, values in by_method(runs).items():
        means, medians = np.nanmean(values, axis=0), np.nanmedian(values, axis=0)
        cells = [f"{means[0]:.3f}", f"{means[1]:.3f}", *(f"{value:.2f}" for value in medians[2:])]
        lines.append(f"| {name} | {len(values)} | {' | '.join(cells)} |")
    return [*lines, ""]


def best() -> list[str]:
    """Return the table of the nearest seam beside the best one of every pair of clips."""
    found: Found = {}
    for pair in CONNECTED.split():
        names = pair.split("+")
        for label, figures in seam_of([thinned(clip(name), 60) for name in names]).items():
            found.setdefault(label, []).append((is_aside(*names), figures))
    columns = (
        Column("cm apart, median", lambda v: float(np.median(v[:, 0])), 1),
        Column("K, median", lambda v: float(np.median(v[:, 1])), 2),
        Column("90 %", lambda v: float(np.percentile(v[:, 1], 90.0)), 2),
        Column("worst", lambda v: float(v[:, 1].max()), 2),
        Column("planted: K, median", lambda v: float(np.median(v[:, 2])), 2),
        Column("90 %", lambda v: float(np.percentile(v[:, 2], 90.0)), 2),
        Column("worst", lambda v: float(v[:, 2].max()), 2),
        Column("left out, s, median", lambda v: float(np.median(v[:, 3])), 2),
    )
    return [
        "## The best seam and the nearest",
        "",
        *textwrap.wrap(BEST, 118),
        "",
        *figures_of("seams", columns, apart(found)),
        "",
    ]


def seam_of(clips: list[Clip]) -> dict[str, tuple[float, ...]]:
    """Return how far apart, K before and after planting, and the seconds left out, of the nearest and the best seam."""
    free = Connect(trim=False, plant_feet=False)
    chosen = verbs.apply(free, clips).report["connect"]
    nearest = min(chosen["candidates"], key=lambda one: one["distance"])
    slides = [one for each in clips if (one := quality.measure(each)["slide_cm_s"]) is not None]
    out = {}
    for label, seam in (("nearest", nearest), ("best", chosen)):
        frames = {key: seam[key] for key in ("from_frame", "to_frame")}
        costs = []
        for plant in (False, True):
            made = verbs.apply(Connect(trim=False, plant_feet=plant, **frames), clips)
            measured = seams.measure_pose(world_pose.pose(made.clip), made.report["connect"]["seam_frame"])
            costs.append(seams.composite(measured, float(np.mean(slides)) if slides else None))
        out_s = (len(clips[0]) - 1 - frames["from_frame"] + frames["to_frame"]) / clips[0].rate
        out[label] = (100.0 * seam["distance"], *costs, out_s)
    return out


def verdict(loops: list[list[dict]], joints: list[list[dict]]) -> list[str]:
    """Return the table of whether the paper's order is that of these clips too."""
    lines = ["| seams | figure | lagrange | spline | better here | recommended there |", "|---" * 6 + "|"]
    for what, runs in (("loops", loops), ("connections", joints)):
        found = by_method(runs)
        for k, figure in enumerate(("C", "D")):
            values = {method: float(np.nanmean(found[method][:, k])) for method in ("lagrange", "spline")}
            cells = [f"{value:.3f}" for value in values.values()]
            cells += [min(values, key=values.get), RECOMMENDED.get((what, figure), "–")]
            lines.append(f"| {what} | {figure} | {' | '.join(cells)} |")
    return ["## Does the paper's conclusion hold?", "", *textwrap.wrap(PAPER, 118), "", *lines]


if __name__ == "__main__":
    main()
