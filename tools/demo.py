"""make demo: two walks in, one blended walk out, once without Blender and once in it; results in build/demo/.

Uses two captured walks of different people if ../shared/data exists; otherwise generates a walk and a sneak.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
from action_loom.core.cli.main import main as action_loom
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "demo"
CAPTURED = [ROOT.parent / "shared" / "data" / "cmu" / f"cmu_mb_{take}.bvh" for take in ("07_01", "16_15")]
BLENDER_PYTHON = ROOT / ".venv-blender" / "5.2" / "bin" / "python"


def main(zip_path: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which ends Blender, too
    OUT.mkdir(parents=True, exist_ok=True)
    sources = CAPTURED if all(path.exists() for path in CAPTURED) else generated()
    print(f"1. Without Blender: {sources[0].name} and {sources[1].name} become one BVH file")
    report, woven = OUT / "report.json", OUT / "blended.bvh"
    command = ["blend", *map(str, sources), "-o", str(woven), "--report", str(report), "--force"]
    failed = action_loom([*command, "--picture", str(OUT / "registration.png")])
    if failed:
        sys.exit(failed)
    print("2. In Blender: the same two as actions of one armature become a new action")
    command = [BLENDER_PYTHON, ROOT / "tools" / "demo_in_blender.py", zip_path, OUT, *sources]
    # Blender's importer and its renderer print much: their words are kept in case something fails.
    log = OUT / "blender.log"
    with log.open("w") as words:
        done = subprocess.run([str(part) for part in command], stdout=words, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"{log.read_text()}\nmake demo: the part in Blender failed, see above")
    print_figures(report, woven)


def generated() -> list[Path]:
    """Write the generated walk and sneak as files and return their paths."""
    paths = []
    for clip in (actions.walk(), actions.sneak()):
        paths.append(OUT / f"{clip.name}.bvh")
        bvh.write(bvh.from_clip(clip), paths[-1])
    return paths


def print_figures(report_path: Path, woven: Path) -> None:
    report = json.loads(report_path.read_text(encoding="utf-8"))
    before, after = report["quality"]["before"], report["quality"]["after"]
    print("3. Figures                   " + "".join(f"{name:>22}" for name in [*report["names"], "blended"]))
    for key in ("seconds", "path_m", "slide_cm_s", "contact_share", "acceleration_m_s2"):
        print(f"   {key:<26}" + "".join(f"{one[key]:>22}" for one in [*before, after]))
    here, there = (points(path) for path in (woven, OUT / "blended_in_blender.bvh"))
    if here.shape == there.shape:
        print(f"   the two results differ by {np.abs(here - there).max() * 1000:.3f} mm at most")
    print(f"Look at {OUT.relative_to(ROOT)}/: registration.png, blended.blend, blended.bvh, report.json")


def points(path: Path) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Joint positions (F, J, 3) of a file; tips are left out, since Blender gives every bone one."""
    clip, _ = bvh.to_clip(bvh.read(path))
    return kinematics.points(clip)[:, : len(clip.skeleton)]


if __name__ == "__main__":
    main(sys.argv[1])
