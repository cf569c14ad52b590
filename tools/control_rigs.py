"""Captures and verbs on control rigs, measured at the deforming bones; writes docs/measured/control_rigs.md.

    .venv/bin/python tools/control_rigs.py ZIP                 all rigs; figures in build/control_rigs/
    .venv/bin/python tools/control_rigs.py ZIP --only MMD      one rig anew, the others as the page has them

About ten minutes on an idle machine.
"""

import argparse
import json
import subprocess
import textwrap
from pathlib import Path
from typing import Any

from control_rigs_in_blender import ANIMALS, AS_BEFORE, BY_HAND, CALLS, CAPTURES, HAND_KEYED, OWN, RATE, RIGS

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "control_rigs"
PAGE = ROOT / "docs" / "measured" / "control_rigs.md"
BLENDER = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
WANTED = {"ends": 0.5, "middles": 2.0, "degrees": 0.2}
INTRODUCTION = (
    "For anyone who puts captures on a control rig, or works on keys of controls: how far the deforming bones are from"
    " where plain bones would be."
)
EXPLAINED = (
    f"Six captures and a second walk, all kept aside ({', '.join(CAPTURES.values())}), at {RATE} frames a second."
    " A figure is the 95th percentile over the frames of a result, of the written action as Blender shows it, against"
    " the clip that was made for the body of the rig: mm of hips, hands and feet / mm of knees and elbows / degrees of"
    " any bone's direction: of arms and legs to the next joint, for some rigs' bones lie across. On IK the twist about"
    " that is the rig's own and is not counted: up to 30 degrees at the upper arms of Unreal's Manny."
    f" Wanted: {' / '.join(str(most) for most in WANTED.values())}; what misses it is bold."
    " *As source*: captures on FK, results on what their sources key. Finding the controls takes its time once; 3 s are"
    " wanted, and at most 30 s per 1000 frames. Nothing was tuned on the game biped but what rolls its feet; the"
    " cartoon cat was built apart, too, but its shins that hang between tweaks, its stretching legs and two more faults"
    " were mended. The rigs"
    " \"after\" somebody's imitate names and wiring. Knees of MMD's bodies keep a bend of 8.6 degrees: a clip that has"
    " them straighter is bent first, feet in place and hips up to 3 mm lower, and that is compared."
    " Seconds are of the processor, of which Blender uses one for most of this."
)
HAND = (
    "Two steps keyed by hand on the IK controls of feet and on the trunk: 47 keys. Keys, and how far any bone is off as"
    " above; few keys are fitted to 1 mm. Before, a result had 7,573 keys on FK controls."
)
BEASTS = (
    "Rigify's animals; the bird alone takes captures of people (legs and trunk). Two walks in place are keyed by hand"
    " on IK paws, torso, head, chest or neck, and tails or wings, 25 frames each. Mirrored twice, placed and with"
    " fewer keys: mm and degrees of the direction of the deforming bone that is farthest off, of all there are, from"
    " the source. The others as above. Few keys are fitted to 1 mm. The second bone of a neck, which no control turns,"
    " is twisted by up to 12 degrees about itself."
)
BUTTON, OURS = "Rigify's *IK->FK*, applied to keys", "*Limbs: IK*"
RIGIFY = (
    "The walk on the IK legs of Rigify's human: imported on FK, then *IK->FK* applied to the keys of both legs by"
    " Rigify's own button; and imported with *Limbs: IK*. Blender's *Bake Action* keys bones, not controls of another"
    " kind, so it has no row."
)
Rows = dict[tuple[str, str], dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zip", help="the built extension")
    parser.add_argument("--only", default="", help="the name of one rig, or a part of it")
    asked = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    rows: Rows = {}
    for rig in (*RIGS, *ANIMALS):
        for limbs in ("source", "ik") if rig in RIGS else ("source",):
            if asked.only in rig:
                figures = OUT / f"{rig} {limbs}.json"
                script = ROOT / "tools" / "control_rigs_in_blender.py"
                subprocess.run([BLENDER, script, asked.zip, rig, limbs, figures], check=True, stdout=subprocess.DEVNULL)
                rows[rig, limbs] = json.loads(figures.read_text(encoding="utf-8"))
                print(f"{rig}, {limbs}", flush=True)
    before = PAGE.read_text(encoding="utf-8") if asked.only else ""
    PAGE.write_text("\n".join(page(rows, before)) + "\n", encoding="utf-8")


def page(rows: Rows, before: str) -> list[str]:
    """Return the lines of the page; what `rows` has no figures of is taken from the page as it was before."""
    human = rows.get(("Rigify, human", "ik"))
    every = [(rig, limbs) for rig in RIGS for limbs in ("source", "ik")]
    tables = (
        (
            "Captures",
            "",
            ["rig, limbs", "found in, s", *CAPTURES, "s per 1000 frames", "keys a frame"],
            {_named(*one): captures(*one, rows[one]) if one in rows else None for one in every},
        ),
        (
            "Verbs on them",
            "",
            ["rig, limbs", *CALLS],
            {_named(*one): verbs(*one, rows[one]) if one in rows else None for one in every},
        ),
        (
            "Keyed by hand",
            HAND,
            ["rig", *BY_HAND],
            {rig: by_hand(rig, rows[rig, "source"]) if (rig, "source") in rows else None for rig in HAND_KEYED},
        ),
        (
            "Animals",
            BEASTS,
            ["rig", "found in, s", "keys", *OWN],
            {rig: animal(rig, rows[rig, "source"]) if (rig, "source") in rows else None for rig in ANIMALS},
        ),
        (
            "Beside Rigify's own button",
            RIGIFY,
            ["", "mm, mm, degrees", "seconds"],
            {name: None if human is None else rigifys(human, name) for name in (BUTTON, OURS)},
        ),
    )
    lines = ["# Control rigs", "", *textwrap.wrap(INTRODUCTION, 118), ""]
    lines += ["    .venv/bin/python tools/control_rigs.py build/action_loom-0.2.0.zip", ""]
    lines += textwrap.wrap(EXPLAINED, 118)
    for title, text, head, cells in tables:
        lines += ["", f"## {title}", "", *([*textwrap.wrap(text, 118), ""] if text else [])]
        lines += table(head, [row or as_before(before, title, name) for name, row in cells.items()])
    return lines


def as_before(text: str, title: str, name: str) -> list[str]:
    """Return the cells of a row of a table as a page has them."""
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    line = next((line for line in section.splitlines() if line.startswith(f"| {name} |")), name)
    return line.strip("| ").split(" | ")


def rigifys(one: dict[str, Any], name: str) -> list[str]:
    figures = one["Rigify's IK->FK" if name == BUTTON else "import walk"]
    return [name, cell(figures), f"{figures['seconds']:.1f}" if "seconds" in figures else ""]


def animal(rig: str, one: dict[str, Any]) -> list[str]:
    made = [one[kind].get("refused") or f"{one[kind]['keys']} keys, {_of_animal(one[kind], kind)}" for kind in OWN]
    return [rig, f"{one['find']['seconds']:.1f}", str(one["keys"]), *made]


def _of_animal(one: dict[str, Any], kind: str) -> str:
    return f"{one['ends']:.2f} / {one['degrees']:.2f}" if kind in AS_BEFORE else cell(one)


def captures(rig: str, limbs: str, one: dict[str, Any]) -> list[str]:
    made = [one[f"import {kind}"] for kind in CAPTURES if "ends" in one[f"import {kind}"]]
    frames = sum(each["frames"] for each in made)
    pace = f"{1000.0 * sum(each['seconds'] for each in made) / frames:.0f}" if frames else ""
    keys = f"{sum(each['keys'] for each in made) / frames:.0f}" if frames else ""
    cells = [cell(one[f"import {kind}"]) for kind in CAPTURES]
    return [_named(rig, limbs), f"{one['find']['seconds']:.1f}", *cells, pace, keys]


def verbs(rig: str, limbs: str, one: dict[str, Any]) -> list[str]:
    return [_named(rig, limbs), *(cell(one.get(verb, {"refused": "no source"})) for verb in CALLS)]


def by_hand(rig: str, one: dict[str, Any]) -> list[str]:
    rows = [one[f"47 keys {kind}"] for kind in BY_HAND]
    return [rig, *(each.get("refused") or f"{each['keys']} keys, {cell(each)}" for each in rows)]


def _named(rig: str, limbs: str) -> str:
    return f"{rig}, {'as source' if limbs == 'source' else 'IK'}"


def cell(one: dict[str, Any]) -> str:
    """Return the three errors of a result, bold where one misses what is wanted, or why there is none."""
    if "refused" in one:
        return textwrap.shorten(one["refused"], 90, placeholder=" …")
    text = " / ".join(f"{one[kind]:.2f}" for kind in WANTED)
    return f"**{text}**" if any(one[kind] > most for kind, most in WANTED.items()) else text


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    main()
