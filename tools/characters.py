"""make characters: every verb on characters that others made, in every Blender.

Writes docs/measured/characters.md.

The characters are those of ../shared/data/characters, and the demo figure as exporters write it. What each run
reported, and rows of poses of its skin, go to build/characters/.
"""

import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "characters"
PAGE = ROOT / "docs" / "measured" / "characters.md"
CHARACTERS = ROOT.parent / "shared" / "data" / "characters"
NAMES = ("mannequiny", "RobotExpressive", "Fox", "boxman", "godot_player")
# The demo figure in a file of an exporter: its ending, how bones are named, and the scale of the armature object.
FIGURES = {
    "figure_gltf": (".glb", "own", 1.0),
    "figure_mixamo": (".glb", "mixamo", 0.01),
    "figure_fbx": (".fbx", "mixamo", 1.0),
    "figure_numbered": (".fbx", "numbered", 0.01),
}
NEWEST, OTHERS = "5.2", ("4.2", "4.5", "5.0", "5.1")
RATES = (24, 25, 30, 60)
STRIP_RATE = 30  # of poses of the skin
SHOWN = {"RobotExpressive": "RobotExpressive", "figure_numbered": "The figure from an FBX file"}  # those on the page
WIDE = 1000  # pixels
OFF = 0.03  # H that a path may be missed by
COLUMNS = ("roles", "cycles", "blend", "loop", "connect", "splice", "travel", "path", "visual")
HEADS = (
    "character", "fps", "roles", "clips that are cycles", "blend: error at weights 0 and 1, closes, slides",
    "loop: made, gap", "connect idle and walk: turned, faces off", "splice: slides",
    "Add Root Motion: speed, slide before, after", "path: off, slides", "visual: error",
)  # fmt: skip
INTRODUCTION = (
    "For anyone who brings a game character: what every verb makes of the clips of five characters that others made,"
    " and of the demo figure in exported files. `make characters` writes this page; what each run reported goes to"
    " build/characters/."
)
COMMON = (
    "All are read by Blender's own importers. The figure walks on the spot at 30 frames a second and comes from"
    " Blender's exporters: glTF (its own names of bones; Mixamo's, the armature at scale 0.01), FBX (Mixamo's names;"
    " upper case and running numbers, scale 0.01). boxman and godot_player were kept aside while body roles and root"
    " motion were tuned, but were looked at in the end; nothing was tuned on the exported figures but how running"
    " numbers and suffixes are distinguished."
)
VERBS = (
    "H: the body's height. Slide: of standing feet, in H a second unless in cm/s; in place all feet slide. An FBX file"
    " sets the scene's rate, so its rows are alike."
)
DEFINED = (
    ("blend", "walk and run (mannequiny: run and idle; boxman: run and sprint), 50:50",
     "error: of the farthest point of a written blend of one clip alone, H; closes: between its ends, H"),
    ("loop", "walk, run and idle", "gap: between last and first pose, H"),
    ("connect", "idle and walk, in place", "how far the walk was turned, and how far off its own facing it ends"),
    ("splice", "a gesture of the arms on the walk", "slide"),
    ("Add Root Motion", "walk", "speed by its feet; slide of standing feet before and after"),
    ("path", "walk and run along an S of 7 H, with root motion added",
     "off: root mean square; closed first: a clip that is no cycle was made one by *Loop*, *Whole*"),
    ("visual", "as blend", "the same error, with poses read as Blender shows them"),
)  # fmt: skip
MISSED = (
    f"What was refused, fewer loops than clips, and paths missed by more than {OFF} H (in brackets: frames a second)."
)
WHY = {  # what is behind a miss, where it is known
    ("mannequiny", "loop"): "the last frames of its only gait are missing; closed where asked for (*Whole*)",
    ("godot_player", "loop"): "walk and run do not close; looped where asked for (*Whole*)",
    ("RobotExpressive", "connect"): "idle and walk stand far from each other: the seam shows",
    ("RobotExpressive", "travel"): "its standing foot changes its speed within a step",
    ("mannequiny", "path"): "a sprint whose ends are far apart before they are closed",
}


def main(zip_path: str) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    files = {name: CHARACTERS / f"{name}.glb" for name in NAMES} | {name: figure(zip_path, name) for name in FIGURES}
    for version in (NEWEST, *OTHERS):
        shutil.rmtree(home(version), ignore_errors=True)
    tried = [(NEWEST, fps) for fps in RATES] + [(version, 24) for version in OTHERS]
    rows = {}
    for name, path in files.items():
        for version, fps in tried:
            rows[name, version, fps] = figures(zip_path, path, version, fps)
            print(f"{name} in {version} at {fps}", flush=True)
    for name, path in files.items():
        picture = OUT / f"{name}.png"
        run("character_strips_in_blender.py", NEWEST, picture, [zip_path, path, STRIP_RATE, picture])
        if name in SHOWN:
            show(picture)
    apart = [difference(rows[name, NEWEST, 24], rows[name, version, 24]) for name in files for version in OTHERS]
    runs = {name: [rows[name, NEWEST, fps] for fps in RATES] for name in files}
    PAGE.write_text("\n".join(page(runs, max(apart))) + "\n", encoding="utf-8")


def page(runs: dict[str, list[dict[str, Any]]], apart: float) -> list[str]:
    """Return the lines of the page: the figures of each character at each rate, and how far other Blenders' differ."""
    versions = (
        f"In Blender {', '.join(OTHERS)} at 24 frames a second the figures differ from these by {apart:.1e} at most."
    )
    return [
        "# Characters as artists have them",
        "",
        *textwrap.wrap(INTRODUCTION, 118),
        "",
        *textwrap.wrap(COMMON, 118),
        "",
        "## Every verb",
        "",
        *textwrap.wrap(f"{VERBS} {versions}", 118),
        "",
        *table(("column", "of", "figures"), DEFINED),
        "",
        *table(HEADS, [row(found) for at_rates in runs.values() for found in at_rates]),
        "",
        "## Missed and refused",
        "",
        *textwrap.wrap(MISSED, 118),
        "",
        *table(("character", "column", "missed", "why"), [one for name in runs for one in missed(name, runs[name])]),
        "",
        "## Poses",
        "",
        f"Rows of poses of the skin at {STRIP_RATE} frames a second.",
        "",
        *(f"![{about}](images/{name}.png)" for name, about in SHOWN.items()),
    ]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)]


def show(picture: Path) -> None:
    """Put a picture on the page, smaller and in few colours."""
    with Image.open(picture) as whole:
        small = whole.resize((WIDE, round(WIDE * whole.height / whole.width)), Image.Resampling.LANCZOS)
    small.convert("RGB").quantize(32).save(PAGE.parent / "images" / picture.name, optimize=True)


def home(version: str) -> Path:
    """Return where the extension is installed for one Blender: compiled once, used by all runs."""
    return OUT / f"home_{version}"


def figure(zip_path: str, name: str) -> Path:
    """Return the file of the demo figure that an exporter of the newest Blender wrote."""
    ending, naming, scale = FIGURES[name]
    path = OUT / f"{name}{ending}"
    run("figure_in_blender.py", NEWEST, path, [zip_path, path, naming, scale])
    return path


def figures(zip_path: str, path: Path, version: str, fps: int) -> dict[str, Any]:
    """Return what a character's clips come to in one Blender at one rate."""
    out = OUT / f"{path.stem}_{version}_{fps}.json"
    run("characters_in_blender.py", version, out, [zip_path, path, fps, out, home(version)])
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def run(tool: str, version: str, out: Path, arguments: list[Any]) -> None:
    """Run one of these tools in a Blender's Python; exits where it does not write the file that it should."""
    out.unlink(missing_ok=True)
    python, log = ROOT / ".venv-blender" / version / "bin" / "python", out.with_suffix(".log")
    with log.open("w") as words:
        command = [str(part) for part in (python, ROOT / "tools" / tool, *arguments)]
        done = subprocess.run(command, stdout=words, stderr=subprocess.STDOUT, check=False)
    if not out.is_file():
        sys.exit(f"{log.read_text()}\n{out.stem} failed with status {done.returncode}")


def row(found: dict[str, Any]) -> list[str]:
    """Return the cells of a table for a character at a rate."""
    cells = [found["name"], str(found["fps"])]
    for column in COLUMNS:
        one = found[column]
        cells.append("refused" if "refused" in one else CELLS[column](one))
    return cells


def missed(name: str, at_rates: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Return what was refused or missed of a character, and why, a row each."""
    refused = [(column, at_rates[0][column].get("refused")) for column in COLUMNS]
    rows = [(name, column, "refused", why.partition(";")[0]) for column, why in refused if why]
    loops = [one["loop"] for one in at_rates if "refused" not in one["loop"]]
    fewest = min(loops, key=lambda one: one["made"] - one["of"], default={"made": 0, "of": 0})
    if fewest["made"] < fewest["of"]:
        rows.append((name, "loop", f"{fewest['made']} of {fewest['of']}", WHY.get((name, "loop"), "")))
    if why := WHY.get((name, "connect")):
        rows.append((name, "connect", f"{at_rates[0]['connect']['distance']:.2f} H apart", why))
    if why := WHY.get((name, "travel")):
        slide = at_rates[0]["travel"]["feet"]["slide_cm_s"][-1]
        rows.append((name, "Add Root Motion", f"still slides, {slide:.0f} cm/s", why))
    off = [f"{one['path']['rms']:.3f} H ({one['fps']})" for one in at_rates if one["path"].get("rms", 0.0) > OFF]
    if off:
        rows.append((name, "path", ", ".join(off), WHY.get((name, "path"), "")))
    return rows


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100.0 * share:.2g} %"


CELLS = {
    "roles": lambda one: f"{one['count']}{', four feet' if one['four'] else ''}",
    "cycles": lambda one: f"{one['taken']} of {one['clips']}",
    "blend": lambda one: f"{one['error']:.0e}, {one['closes']:.0e}, {percent(one['slide'])}",
    "loop": lambda one: f"{one['made']} of {one['of']}, {one['gap'] or 0.0:.0e}",
    "connect": lambda one: f"{one['turn']:.1f}°, {one['facing']:.1f}°",
    "splice": lambda one: percent(one["slide"]),
    "travel": lambda one: travel(one),
    "path": lambda one: f"{one['rms']:.3f} H, {percent(one['slide'])}{', closed first' * bool(one['closed'])}",
    "visual": lambda one: f"{one['error']:.0e}",
}


def travel(one: dict[str, Any]) -> str:
    feet = one.get("feet") or {}
    slides = [value for value in feet.get("slide_cm_s") or () if value is not None]
    if not one.get("speed_m_s"):
        return "none to add"
    return f"{one['speed_m_s']:.2f} m/s, {', '.join(f'{value:.0f} cm/s' for value in slides)}"


def difference(one: Any, other: Any) -> float:
    """The largest difference of the numbers of two rows of figures; one of names and words counts as none."""
    if isinstance(one, dict):
        return max((difference(one[key], other[key]) for key in one.keys() & other.keys()), default=0.0)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max(map(difference, one, other), default=0.0)
    numbers = (int, float)
    return abs(one - other) if isinstance(one, numbers) and isinstance(other, numbers) else 0.0


if __name__ == "__main__":
    main(sys.argv[1])
