"""make characters: every verb on characters that others made, in every Blender.

Writes docs/measured/characters.md.

The characters are those of ../shared/data/characters, and the demo figure as exporters write it. What each run said,
and rows of poses of its skin, go to build/characters/.
"""

import json
import shutil
import subprocess
import sys
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
STRIP_RATE, SHOWN = 30, ("RobotExpressive", "figure_numbered")  # of poses of the skin; those on the page
WIDE = 1000  # pixels
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
COLUMNS = ("roles", "cycles", "blend", "loop", "connect", "splice", "travel", "path", "visual")
HEADS = (
    "character", "fps", "roles", "clips that are cycles", "blend: error at weights 0 and 1, closes, slides",
    "loop: made, gap", "connect idle and walk: turned, faces off", "splice: slides", "give travel: slide before, after",
    "path: off, slides", "visual: error",
)  # fmt: skip


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
    lines = [f"| {' | '.join(HEADS)} |", "|" + len(HEADS) * "---|"]
    lines += [row(rows[name, NEWEST, fps]) for name in files for fps in RATES]
    apart = [difference(rows[name, NEWEST, 24], rows[name, version, 24]) for name in files for version in OTHERS]
    lines += [
        "",
        f"In {', '.join(OTHERS)} at 24 frames a second the figures differ from these by {max(apart):.1e} at most.",
    ]
    refused = [line for name in files for line in refusals(rows[name, NEWEST, RATES[0]])]
    lines += ["", "Refused:", "", *refused] if refused else []
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{chr(10).join(lines)}\n\n{END}{after}", encoding="utf-8")


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


def row(found: dict[str, Any]) -> str:
    """Return the row of a table for a character at a rate."""
    cells = [found["name"], str(found["fps"])]
    for column in COLUMNS:
        one = found[column]
        cells.append("refused" if "refused" in one else CELLS[column](one))
    return f"| {' | '.join(cells)} |"


def refusals(found: dict[str, Any]) -> list[str]:
    """Return what was refused of a character, and why, a line each."""
    refused = [(column, found[column]["refused"]) for column in COLUMNS if "refused" in found[column]]
    return [f"- {found['name']}, {column}: {why.partition(';')[0]}" for column, why in refused]


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
        return "none to give"
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
