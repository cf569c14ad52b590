"""Table 1 of [Shibuta] on captured clips: how loops and connections come out by each method; docs/measured/seams.md."""

import sys
import textwrap
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.formats import bvh
from action_loom.core.motion import trim
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Connect, Loop

ROOT = Path(__file__).resolve().parent.parent.parent
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
    "C (periodicity, of the whole) and D (mean absolute second difference of the joint angles over the corrected"
    " frames, degrees a frame² at 30 frames a second) as in the paper whose Table 1 this repeats; D_r, v_j and v_max"
    " are the roughness and accelerations at the seam over what is typical of the clip, K ranks (smaller is better)."
    " Means for C and D, as there; medians for the others. `python tools/bench/seams.py` writes this page."
)
CONCLUSION = (
    "The paper recommends Lagrange for loops (by C) and splines for connections (by D). D orders the two as there. C"
    " differs between them by less than it does from clip to clip, so it is no ground to prefer either; and both lead a"
    " stretch anew without looking at it, which D rewards for being flat: by the seam's own measures (D_r far below 1,"
    " feet that slide) easing, spreading the offset, or letting it die away do better."
)
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
        *table(f"Loops: {len(LOOPS)} captured clips", loops),
        *table(f"Connections: {len(PAIRS)} pairs", joints),
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


def verdict(loops: list[list[dict]], joints: list[list[dict]]) -> list[str]:
    """Say whether the paper's order is that of these clips too."""
    message = []
    for what, runs in (("loops", loops), ("connections", joints)):
        found = by_method(runs)
        c, d = ({m: float(np.nanmean(found[m][:, k])) for m in ("lagrange", "spline")} for k in (0, 1))
        smoother = min(d, key=d.get)
        more_periodic = min(c, key=c.get)
        message.append(
            f"In {what} {smoother} is the smoother of the paper's two (D: Lagrange {d['lagrange']:.3f}, spline "
            f"{d['spline']:.3f}), and {more_periodic} the more periodic (C: {c['lagrange']:.3f}, {c['spline']:.3f})."
        )
    return [
        "## Does the paper's conclusion hold?",
        "",
        *textwrap.wrap(" ".join([*message, CONCLUSION]), 118),
    ]


if __name__ == "__main__":
    main()
