"""Few keys on captured clips, those tuned on and those kept aside apart, and beside Blender's Decimate.

Writes the section "Fewer keys" of docs/measured/editing.md.

Argument: the extension's zip, without which there is no Blender;
BLENDER names its Python, that of .venv-blender/5.2 unless it is set.
"""

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import page_sections
from action_loom.core import jit, verbs
from action_loom.core.check import contacts
from action_loom.core.edit import fewer_keys
from action_loom.core.edit.feet import spans
from action_loom.core.motion import kinematics, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import FewerKeys, Plant
from feet import TAKES, known
from oracles.material import captured, captured_file
from quality_tables import Column, apart, grid, is_aside, table
from telling import MARK

MM = 1e-3
BOUNDS = (1.0, 2.0, 5.0)
RATES = (120.0, 60.0, 30.0)
IN_BLENDER = "mb_02_01 mb_02_03 asf_16_15 daz_13_35 mb_35_03 mb_35_22 asf_16_19 daz_salsa_10"
HEADS = ("column", "what it is")
COMMAND = "    python tools/bench/edit_keys.py ZIP      # BLENDER names its Python"
KEPT = (
    "Keys left, % of one on every frame of all that moves, median of clips, by bound; a quarter of it for hips, legs"
    " and feet, or the bound named. Off: largest error of a joint or tip over the bound. Wanted: 25 at 2 mm and 120"
    " frames a second."
)
STAND = "Planted feet, in takes that are no walks also in spans that slide on purpose; wanted: 3 cm/s, at 0.2 mm 1."
STAND_COLUMNS = (
    (
        "before, few, feet 0.2 mm",
        "speed of balls in the middle halves of spans, cm/s: before, at 2 mm, with 0.2 for feet",
    ),
    ("most more", "the most that a take's feet are faster than before"),
    ("acceleration", "99th percentile of all joints' over that before: whether breaks of slopes show"),
)
BESIDE = (
    "Beside *Decimate* (Graph Editor, Bézier keys) at a true error of 2 mm, 400 frames at most; wanted of core: 1e-5."
)
BESIDE_COLUMNS = (
    ("Decimate", "keys, % of one on every frame of all curves; its margin was searched, for it knows of values only"),
    ("ours, feet a quarter", "the same with the same bound for feet, as *Decimate* has, and with a quarter"),
    ("s", "of the processor, ours with writing the curves; each timed once, on a busy machine"),
    ("core", "how far Blender's evaluation between the frames is from core's"),
)


def main() -> None:
    jit.kernels("action_loom.core.edit.segments")
    fewer_keys.fewer(captured("cmu_mb_02_01"), 2.0 * MM)
    found, planted = {}, {}
    for label, names in TAKES.items():
        for name in names.split():
            clip = captured(f"cmu_{name}")
            for rate in RATES:
                found.setdefault(f"{label}, {rate:g}", []).append((is_aside(name), measured(at_rate(clip, rate))))
            stood = standing(clip)
            if stood is not None:
                planted.setdefault(label, []).append((is_aside(name), stood))
            print(label, name, *(f"{v:.2f}" for v in found[f"{label}, {RATES[0]:g}"][-1][1]), stood, flush=True)
    rows = [(label, values) for label, values in apart(found) if len(values)]
    feet = [(label, values) for label, values in apart(planted) if len(values)]
    lines = [*wrapped(KEPT), "", COMMAND, "", *table("takes, frames a second", LEFT, rows), ""]
    lines += [*wrapped(STAND), "", *grid(HEADS, STAND_COLUMNS), "", *table("takes", STOOD, feet), ""]
    if len(sys.argv) > 1:
        lines += [*wrapped(BESIDE), "", *grid(HEADS, BESIDE_COLUMNS), "", *beside(sys.argv[1])]
    page_sections.put("editing.md", "Fewer keys", lines)


def wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, 118)


def at_rate(clip: Clip, rate: float) -> Clip:
    every = round(clip.rate / rate)
    return clip.thinned(every) if abs(clip.rate - every * rate) < 0.01 * rate else resample.to_rate(clip, rate)


def measured(clip: Clip) -> tuple[float, ...]:
    left, off = [], []
    for within, feet in (*((bound, 0.0) for bound in BOUNDS), (2.0, 2.0), (2.0, 0.2)):
        began = time.thread_time()
        one = fewer_keys.fewer(clip, within * MM, feet * MM)
        seconds = time.thread_time() - began
        left.append(100.0 * one.keyed.key_count / one.keyed.full_count)
        off += [one.error / (within * MM), one.feet_error / ((feet or 0.25 * within) * MM)]
        if (within, feet) == (2.0, 0.0):
            taken = 1e6 * seconds / len(clip)
    return (*left, max(off), taken)


def standing(clip: Clip) -> tuple[float, ...] | None:
    made = verbs.apply(Plant(), [clip])
    rows = spans.of_rows(made.report["plant"]["spans"], len(made.clip)) if made.report["plant"]["spans"] else ()
    rows = [span for span in rows if span.part == spans.BALL and span.end - span.first > 8]
    if not rows:
        return None
    few = [verbs.apply(FewerKeys(feet=feet), [made.clip]).clip for feet in (0.0, 0.2)]
    slides = [slide(one, rows) for one in (made.clip, *few)]
    sharp = [sharpest(one) for one in (made.clip, few[0])]
    return (*slides, sharp[1] / sharp[0])


def slide(clip: Clip, rows: Any) -> float:
    balls, found = contacts.feet(clip), []
    for span in rows:
        speed = np.linalg.norm(np.gradient(balls[span.foot][:, :2], axis=0), axis=1) * clip.rate
        found.append(100.0 * speed[span.middle.first : span.middle.end].mean())
    return float(np.mean(found))


def sharpest(clip: Clip) -> float:
    places = kinematics.points(clip)
    return float(np.quantile(np.linalg.norm(np.diff(places, n=2, axis=0), axis=2), 0.99))


def beside(zip_path: str) -> list[str]:
    """Lines of the table of what was measured in Blender."""
    python = os.environ.get("BLENDER") or str(ROOT / ".venv-blender" / "5.2" / "bin" / "python")
    files = [str(captured_file(f"cmu_{name}")) for name in IN_BLENDER.split()]
    command = [python, str(Path(__file__).with_name("keys_in_blender.py")), zip_path, "2", *files]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    cases = [json.loads(line.removeprefix(MARK)) for line in done.stdout.splitlines() if line.startswith(MARK)]
    times: list[float] = []
    lines = [
        "| take | rate | rotations | Decimate | ours | feet a quarter | Decimate, s | ours, s | times | core |",
        "|" + "---|" * 10,
    ]
    for one in cases:
        name, every, rival = one["file"].removeprefix("cmu_"), one["every"], one["decimate"]
        left = [100.0 * one[which]["keys"] / every for which in ("decimate", "ours", "ours, feet")]
        seconds = rival["seconds"], one["ours"]["seconds"]
        mode = "quaternions" if one["mode"] == "QUATERNION" else "Euler"
        cells = [f"{name}{' (kept aside)' if is_aside(name) else ''}", f"{one['rate']:.0f}", mode]
        cells += [f"{share:.1f}" for share in left]
        cells += [f"{seconds[0]:.2f}", f"{seconds[1]:.2f}", f"{seconds[0] / seconds[1]:.0f}"]
        lines.append(f"| {' | '.join(cells)} | {max(one['ours']['core'], one['ours, feet']['core']):.0e} |")
        times.append(seconds[0] / seconds[1])
        print(lines[-1], f"errors {rival['error']:.5f} {one['ours']['error']:.5f} {one['ours, feet']['error']:.5f}")
    spread = [f"{value:.0f}" for value in (np.median(times), min(times), max(times))]
    return [*lines, "", *grid(("times as fast as *Decimate*, median", "least", "most"), [spread])]


def median(place: int) -> Any:
    return lambda v: float(np.median(known(v[:, place])))


def worst(place: int) -> Any:
    return lambda v: float(known(v[:, place]).max())


def more(place: int) -> Any:
    return lambda v: float(known(v[:, place] - v[:, 0]).max())


LEFT = (
    *(Column(f"{bound:g} mm", median(k), 1) for k, bound in enumerate(BOUNDS)),
    Column("2 mm, worst", worst(1), 1),
    Column("feet 2 mm", median(3), 1),
    Column("feet 0.2 mm", median(4), 1),
    Column("off", worst(5), 3),
    Column("ms for 1000 frames", median(6), 0),
)
STOOD = (
    Column("before", median(0), 2),
    Column("worst", worst(0), 2),
    Column("few", median(1), 2),
    Column("worst", worst(1), 2),
    Column("most more", more(1), 2),
    Column("feet 0.2 mm", median(2), 2),
    Column("worst", worst(2), 2),
    Column("most more", more(2), 2),
    Column("acceleration", median(3), 2),
    Column("worst", worst(3), 2),
)

if __name__ == "__main__":
    main()
