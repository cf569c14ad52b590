"""Are results right on characters as they are shipped? Writes a section of docs/measured.md and build/shipped/.

Arguments: the extension's zip and files of characters (.glb, .gltf, .fbx, .blend), by default the ones in ../shared.
A file of cells (.json), which tools/shipped_in_blender.py wrote on another share of the characters, is added as it is.
"""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import page_sections
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "oracles"))
from kept_aside import CHARACTERS_KEPT_ASIDE

OUT, TITLE = ROOT / "build" / "shipped", "Characters as they are shipped"
SHEET = ROOT / "docs" / "images" / "shipped.png"
DATA = ROOT.parent / "shared" / "data"
PYTHON = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
AT_ONCE = 8  # files of a process: one that dies takes no more with it
ON_SHEET = 20  # characters
STRIP = (900, 170)  # pixels of one of them
OUTCOMES = ("right", "refused", "nothing to change", "apart", "wrong")
ABOUT = (
    "For anyone who brings a character from a game, a store or a mocap site: every verb on its own actions, and two"
    " captured walks on its body, with feet planted and not. `python tools/shipped.py ZIP FILES` writes this page. The"
    " judge uses Blender's evaluated bones and meshes, and nothing of the product but body roles, for the limbs of"
    " imported clips. H is the height of the mesh."
)
RULES = (
    "A cell is wrong if one of these holds and no warning says so: a bone that moves a mesh and keeps its place on"
    " another bone in all tried actions (a foot on its leg, a sword in a hand) leaves it by 0.01 H more; what"
    " is near the ground in some action comes 0.01 H lower than in any, or is 0.03 H off the floor in the median of"
    " a captured clip; 1 of 200 neighbouring vertices is 2.5 times as far from its neighbour as in any action; planting"
    " turns a limb by more than 10°; a limb of a captured clip points more than 5° (planted, 10°) away from the"
    " direction that Blender's own importer shows, in 5 % of the frames, or a knee bends backwards by 8° more."
)
HEADS = ("characters", "cells", *OUTCOMES)


def main(zip_path: str, files: list[Path]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    files = files or [*sorted((DATA / "characters").glob("*.glb")), *sorted((DATA / "rigs").glob("*.blend"))]
    cells = [cell for one in files if one.suffix == ".json" for cell in json.loads(one.read_text(encoding="utf-8"))]
    files = [one for one in files if one.suffix != ".json"]
    for first in range(0, len(files), AT_ONCE):
        part = OUT / f"cells_{first}.json"
        part.unlink(missing_ok=True)
        command = [PYTHON, ROOT / "tools" / "shipped_in_blender.py", zip_path, part, OUT / "pictures"]
        subprocess.run([str(one) for one in (*command, *files[first : first + AT_ONCE])], check=False)
        cells += json.loads(part.read_text(encoding="utf-8")) if part.is_file() else []
    (OUT / "cells.json").write_text(json.dumps(cells, indent=0, ensure_ascii=False), encoding="utf-8")
    draw_sheet(sorted((OUT / "pictures").glob("*.png")))
    page_sections.put(TITLE, compose(cells))


def compose(cells: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the section."""
    aside = [one for one in cells if is_aside(one["character"])]
    tuned = [one for one in cells if not is_aside(one["character"])]
    wrong = [(one["character"], one["job"], fault) for one in cells for fault in one["faults"]]
    times = sorted(one["seconds"] for one in cells)
    refusals = sorted(one["seconds"] for one in cells if one["outcome"] == "refused")
    return [
        *textwrap.wrap(ABOUT, 118),
        "",
        *textwrap.wrap(RULES, 118),
        "",
        *page_sections.table(HEADS, [row("tuned on", tuned), row("kept aside", aside), row("all", cells)]),
        "",
        f"A job takes {times[len(times) // 2]:.2f} s in the median and {times[-1]:.1f} s at most, a refusal"
        f" {refusals[-1]:.1f} s at most.",
        f"The load of the machine's {os.cpu_count()} cores is {os.getloadavg()[2]:.0f}.",
        "",
        "### Wrong cells",
        "",
        *page_sections.table(
            ("character", "job", "what"), [(f"{one}{'*' * is_aside(one)}", job, fault) for one, job, fault in wrong]
        ),
        "",
        "\\* kept aside; most were looked at while the rules of the judge were made",
        "",
        "### Refusals",
        "",
        *page_sections.table(("cells", "sentence"), refused(cells)),
        "",
        "### A captured walk on twenty of them",
        "",
        "![A captured walk on twenty characters](images/shipped.png)",
        "",
        "### The characters",
        "",
        *textwrap.wrap(
            ", ".join(f"{one}{'*' * is_aside(one)}" for one in sorted({one["character"] for one in cells})), 118
        ),
    ]


def is_aside(name: str) -> bool:
    """Return whether a character is one that later work must not tune on (tests/oracles/kept_aside.py)."""
    return name in CHARACTERS_KEPT_ASIDE


def row(what: str, cells: list[dict[str, Any]]) -> tuple[str, ...]:
    counts = Counter(one["outcome"] for one in cells)
    who = len({one["character"] for one in cells})
    return (f"{what}: {who}", str(len(cells)), *(str(counts[outcome]) for outcome in OUTCOMES))


def refused(cells: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Count the sentences of refusals, without numbers and names."""
    said = Counter(
        re.sub(r"[-\d.]+", "…", one["sentence"].removeprefix("Error: ").split(": ", 1)[-1])[:110]
        for one in cells
        if one["outcome"] == "refused"
    )
    return [(str(count), sentence) for sentence, count in said.most_common(15)]


def draw_sheet(pictures: list[Path]) -> None:
    """Put the rows of twenty characters, evenly chosen, on one picture."""
    count = min(ON_SHEET, len(pictures))
    chosen = [pictures[k * len(pictures) // count] for k in range(count)]
    strips = [
        ImageOps.pad(Image.open(one).convert("RGB"), STRIP, color="white", centering=(0.0, 0.5)) for one in chosen
    ]
    sheet = Image.new("RGB", (2 * STRIP[0], STRIP[1] * -(-len(strips) // 2)), "white")
    for k, strip in enumerate(strips):
        sheet.paste(strip, (STRIP[0] * (k % 2), STRIP[1] * (k // 2)))
    sheet.quantize(32).save(SHEET, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1], [Path(one) for one in sys.argv[2:]])
