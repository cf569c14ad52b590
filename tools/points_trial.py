"""Measure the solver of points on degraded captures: a table for tuned clips and for the others.

Figures are mm (also from the hips, and after the best turn), degrees of limbs, cm/s of feet, jerk by the truth's.
Usage: python tools/points_trial.py [--kinds clean "15 mm"] [--clips N] [--seconds S]
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from action_loom.core.formats import motion_file
from action_loom.core.points import solve
from action_loom.core.points.recording import make
from action_loom.core.recipes.points import FromPoints
from oracles import degraded, material
from oracles.kept_aside import is_kept_aside

FIGURES = ("mm", "hip mm", "turned mm", "swing", "slide", "jerk")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=list(degraded.KINDS))
    parser.add_argument("--clips", type=int, default=99)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--each", action="store_true", help="print each clip")
    parser.add_argument("--set", choices=("tuned", "kept", "both"), default="both")
    options = parser.parse_args()
    paths = sorted(path for path in (material.SHARED / "cmu").glob("*.bvh") if "_daz_" not in path.name)
    for name, kept in (("tuned", False), ("kept", True)):
        if options.set not in (name, "both"):
            continue
        chosen = [path for path in paths if is_kept_aside(path) == kept][: options.clips]
        clips = [degraded.clean(motion_file.read(path).clip, options.seconds) for path in chosen]
        print(f"\n{name}: {len(chosen)} clips\n| kind | given | before planting | planted | path | s per 60 s |")
        for kind in options.kinds:
            began, frames, rows = time.perf_counter(), 0, []
            for path, true in zip(chosen, clips, strict=True):
                rows.append(judge_clip(path, true, degraded.KINDS[kind]))
                frames += len(true["nose"])
                if options.each:
                    print("   ", path.stem, " | ".join(map(tell, rows[-1])), f"up {rows[-1][1]['up']:.1f}°")
            seconds = (time.perf_counter() - began) * 1800 / frames
            means = [{key: float(np.nanmean([row[k][key] for row in rows])) for key in FIGURES} for k in range(3)]
            far = [abs(row[1]["path"] - 1) for row in rows if row[1]["true path"] > 1.5]
            paths_told = f"median {100 * np.median(far):.1f} %, worst {100 * max(far):.0f} %" if far else ""
            up = np.median([row[1]["up"] for row in rows])
            row = f"| {kind} | {' | '.join(map(tell, means))} | {paths_told}; up {up:.1f}° | {seconds:.1f} |"
            print(row, flush=True)


def tell(figures):
    return "/".join(f"{figures[key]:.{1 if figures[key] < 10 else 0}f}" for key in FIGURES)


def judge_clip(path, true, how):
    """Return the figures of the given points, of the solved ones before planting, and after it."""
    labels, places = degraded.stack(true)
    seed = sum(map(ord, path.stem))
    given, _ = degraded.degrade(labels, places, seed, **how)
    recording = make(path.stem, tuple(labels), given, rate=degraded.RATE)
    filled = dict(zip(true, np.moveaxis(degraded.filled(given), 1, 0), strict=True))
    out = [degraded.judge(true, filled)]
    for planted in (False, True):
        made = solve.solve(recording, FromPoints(plant_feet=planted), path.stem)
        out.append(degraded.judge(true, degraded.points_of(made.clip)))
    return out


if __name__ == "__main__":
    main()
