"""Whether an engine plays an exported set as Blender shows it: `python tools/bench/in_engine.py ZIP`.

Wants Godot 3 without a window (`godot3-server` of Debian). Writes the section *In an engine* of docs/measured/takes.md.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import environments
import page_sections
from material import ROOT

ENGINE = "godot3-server"
SHARED = ROOT.parent / "shared" / "data"
HERE = Path(__file__).resolve().parent
# A take and the character that it is carried onto; the others play on their own bones.
TAKES = {
    "09_12, its own bones": ("amc/09_12.amc", ""),
    "09_12 on mannequiny": ("amc/09_12.amc", "characters/mannequiny.glb"),
    "09_12 on RobotExpressive": ("amc/09_12.amc", "characters/RobotExpressive.glb"),
}
SETTINGS = {
    "as it imports at first, 15 a second": "",
    "at 30 a second": "animation/fps=30\n",
    "at 30, without its optimiser": "animation/fps=30\nanimation/optimizer/enabled=false\n",
}
LONGEST = 120.0  # s, of an import


def main(zip_path: str) -> None:
    if shutil.which(ENGINE) is None:
        raise SystemExit(f"{ENGINE} is not installed")
    version = subprocess.run([ENGINE, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    lines = [
        f"Sets exported for Godot at 30 frames a second, played by Godot {version} without a window: how far heads of",
        "bones are from where Blender 5.2 shows them, at seven frames of each action, the greatest of all.",
        "",
        "| set | actions | " + " | ".join(SETTINGS) + " |",
        "|---|---|" + "---|" * len(SETTINGS),
    ]
    for name, (take, character) in TAKES.items():
        with tempfile.TemporaryDirectory() as made:
            seen = _exported(zip_path, take, character, Path(made))
            apart = [_apart(Path(made), seen, settings) for settings in SETTINGS.values()]
        lines.append(f"| {name} | {len(seen)} | " + " | ".join(f"{1000.0 * one:.2f} mm" for one in apart) + " |")
        print(lines[-1], flush=True)
    page_sections.put("takes.md", "In an engine", lines)


def _exported(zip_path: str, take: str, character: str, folder: Path) -> dict[str, Any]:
    """Export the set of a take into a folder, and return what Blender shows of it."""
    files = [str(SHARED / one) if one else "" for one in (take, character)]
    command = [environments.blender("5.2"), HERE / "set_in_blender.py", zip_path, *files, folder]
    subprocess.run([str(one) for one in command], check=True, capture_output=True)
    seen: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    return seen


def _apart(folder: Path, seen: dict[str, Any], settings: str) -> float:
    """How far heads are from where Blender shows them in what the engine plays with settings of its importer, m."""
    project = folder / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    (project / "project.godot").write_text("config_version=4\n")
    (path,) = (folder / "set").glob("*.glb")
    shutil.copy(path, project / "set.glb")
    kind = 'importer="scene"\ntype="PackedScene"\n'
    (project / "set.glb.import").write_text(f'[remap]\n{kind}[deps]\nsource_file="res://set.glb"\n[params]\n{settings}')
    asked = {name: [row["seconds"] for row in rows] for name, rows in seen.items()}
    (project / "asked.json").write_text(json.dumps(asked))
    shutil.copy(HERE / "in_engine.gd", project / "play.gd")
    _imported(project)
    subprocess.run([ENGINE, "--path", str(project), "-s", "play.gd"], check=False, capture_output=True, timeout=LONGEST)
    played = json.loads((project / "played.json").read_text())
    missing = set(seen) - set(played)
    if missing:
        raise SystemExit(f"{ENGINE} does not have {sorted(missing)}")
    return max(
        _farthest(row["heads"], heads) for name in seen for row, heads in zip(seen[name], played[name], strict=True)
    )


def _imported(project: Path) -> None:
    """Let the engine import the project's files; with meshes it does not end by itself where there is no window."""
    running = subprocess.Popen(
        [ENGINE, "--path", str(project), "-e", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + LONGEST
    while time.monotonic() < until and running.poll() is None and not list(project.glob(".import/*.md5")):
        time.sleep(0.2)
    running.kill()
    running.wait()


def _farthest(shown: dict[str, list[float]], played: dict[str, list[float]]) -> float:
    """The greatest distance of two poses' heads; the engine's are Y up."""
    heads: dict[str, tuple[float, float, float]] = {}
    for name, (x, y, z) in played.items():
        heads.setdefault(_plain(name), (x, -z, y))  # objects on bones, which come later, may have their names
    return max(float(np.linalg.norm(np.subtract(heads[_plain(name)], head))) for name, head in shown.items())


def _plain(name: str) -> str:
    """A bone's name without what the engine leaves out: `index_03.l` is `index_3_l` there."""
    return re.sub(r"0+(?=[0-9])|[^a-z0-9]", "", name.lower())


if __name__ == "__main__":
    main(sys.argv[1])
