"""One walk of one cycle, restyled and asked by the walks that Action Loom brings along: a section of style.md."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import one_cycle_measures
from action_loom.core import verbs
from action_loom.core.errors import LoomError
from action_loom.core.figure import actions
from quality_tables import grid
from style_material import KINDS, SHARED, of_some
from telling import MARK

CHARACTERS = ("mannequiny", "RobotExpressive", "godot_player", "boxman")
WORDS = (
    "One cycle of a walk of each person (*Loop*), of the generated figure and of game characters, with the walks that"
    " Action Loom brings along, of which none is of a person kept aside. Sliders: each of nine at -3, -2, 2 and 3,"
    " natural. Off: how far it came from what was asked where nothing was held or said, worst. Asked: 0.7, 1 and 1.3"
    " times the own speed, turning 0, 30 and 60°/s. Knee: further back than the source's, worst; deeper: feet under"
    " the source's, worst; slide: of low feet, median of the results, of the source. Told: results that warn. Before,"
    " all were refused: it took eight strides of two people, and strides that differ. These results were looked at in"
    " strips at -2, 0 and 2 of every slider: of the figure, and of RobotExpressive's walk."
)
HEADS = ("one cycle of", "sliders, of", "off, sd", "said", "knee, °", "deeper, cm", "shins, cm", "told")
ASKED = (
    "one cycle of",
    "asked, of",
    "outside",
    "speed off, %",
    "turn off, °/s",
    "knee, °",
    "deeper, cm",
    "slide, cm/s",
)


def section(misses: list[str]) -> list[str]:
    groups = {f"people {who}": _of_people(aside=aside) for aside, who in KINDS}
    groups["the figure: walk, sneak, run"] = [
        one_cycle_measures.measured(verbs, clip)
        for clip in (actions.walk(cycles=1), actions.sneak(cycles=1), actions.run(cycles=1))
    ]
    refused = []
    for name, gaits in _of_characters().items():
        groups[f"{name}: {', '.join(gaits)}"] = list(gaits.values())
        refused += [
            (f"{name}, {gait}", one["refused"].partition(":")[0]) for gait, one in gaits.items() if "refused" in one
        ]
    able = {name: [one for one in each if "refused" not in one] for name, each in groups.items()}
    lines = grid(HEADS, [_sliders(name, each, misses) for name, each in able.items() if each])
    lines += ["", *grid((*ASKED, "of the source"), [_asked(name, each, misses) for name, each in able.items() if each])]
    return [*lines, "", *grid(("refused", "why"), refused or [("none", "–")])]


def _of_people(*, aside: bool) -> list[dict[str, Any]]:
    found = []
    for walk in of_some(aside=aside):
        try:
            cycle = verbs.apply(verbs.Loop(), [walk.clip]).clip
        except LoomError:
            continue
        found.append(one_cycle_measures.measured(verbs, cycle))
    return found


def _of_characters() -> dict[str, dict[str, Any]]:
    if len(sys.argv) != 3:
        return {}
    script = Path(__file__).with_name("one_cycle_in_blender.py")
    files = [str(SHARED / "characters" / f"{name}.glb") for name in CHARACTERS]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.argv[2], str(script), sys.argv[1], *files]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = (json.loads(one.removeprefix(MARK)) for one in done.stdout.splitlines() if one.startswith(MARK))
    return {one["file"]: one["gaits"] for one in found}


def _sliders(name: str, each: list[dict[str, Any]], misses: list[str]) -> list[str]:
    rows = [row for one in each for row in one["sliders"]]
    off = [abs(row["came"] - row["amount"]) for row in rows if not row["held"]]
    knee, deep = _most(rows, "knee_backwards_degrees"), _most(rows, "penetration_cm")
    if deep > 1.0:
        misses.append(f"One cycle, sliders, {name} | a foot {deep:.1f} cm deeper than the source's | 1 cm")
    if knee > 2.0:
        misses.append(f"One cycle, sliders, {name} | a knee {knee:.0f}° further back than the source's | 2°")
    return [
        name,
        str(len(rows)),
        f"{max(off, default=np.nan):.2f}",
        str(sum(row["held"] for row in rows)),
        f"{knee:.1f}",
        f"{deep:.1f}",
        _apart(rows),
        str(sum(row["warned"] > 0 for row in rows)),
    ]


def _asked(name: str, each: list[dict[str, Any]], misses: list[str]) -> list[str]:
    rows = [row for one in each for row in one["asked"]]
    inside = [row for row in rows if not row["outside"]]
    knee, deep = _most(rows, "knee_backwards_degrees"), _most(rows, "penetration_cm")
    slides = [row["low_feet_cm_s"] for row in rows if row["low_feet_cm_s"]]
    before, after = np.median(slides, axis=0) if slides else (np.nan, np.nan)
    if after > before + 1.0:
        misses.append(f"One cycle, asked, {name} | low feet slide at {after:.1f} cm/s | {before:.1f}, the source's")
    return [
        name,
        str(len(rows)),
        str(len(rows) - len(inside)),
        f"{100.0 * max((row['speed_off'] for row in inside), default=np.nan):.2f}",
        f"{max((row['turn_off'] for row in inside), default=np.nan):.2f}",
        f"{knee:.1f}",
        f"{deep:.1f}",
        *("–" if np.isnan(slide) else f"{slide:.1f}" for slide in (after, before)),
    ]


def _most(rows: list[dict[str, Any]], figure: str) -> float:
    return max((row[figure] for row in rows if row[figure] is not None), default=float("nan"))


def _apart(rows: list[dict[str, Any]]) -> str:
    known = [row["legs_apart_cm"] for row in rows if row["legs_apart_cm"]]
    return f"{min(after for _, after in known):.1f} ({min(before for before, _ in known):.1f})" if known else "–"
