"""Lines that are measured in Blender's own processes."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from line import DisagreementError, Figures, Row, Target
from material import ROOT, Material
from telling import heard

NEWEST = "5.2"
BAKE, IMPORT = "nla.bake", "Blender, import"
SIZE = "60 bones × 1000 frames"
WEAVE = "pressing Weave, 3 × 600 frames × 60 bones"

# What each line is about and what it should take, by key.
LINES = {
    "bvh-blender": ("read a BVH file, in Blender", Target(8.0, {IMPORT: 15.0})),
    "import": ("import a BVH file: armature and action", Target()),
    "read": (f"read {SIZE} from an action", Target(25.0)),
    "read-skeleton": ("read its armature of 60 bones", Target()),
    "hash": (f"hash the keys of {SIZE}", Target()),
    "write": (f"write {SIZE} to a new action", Target(100.0, {BAKE: 5.0})),
    "weights-20k": ("read the weights of 20,000 vertices in 60 groups", Target(60.0)),
    "weights-100k": ("read the weights of 100,000 vertices", Target(250.0)),
    "skin-modifier-20k": ("skin of 20,000 vertices from the pose, in Blender", Target()),
    "skin-modifier-100k": ("skin of 100,000 vertices from the pose, in Blender", Target()),
    "skin-modifier-dual-20k": ("the same by dual quaternions, 20,000", Target()),
    "skin-modifier-dual-100k": ("the same by dual quaternions, 100,000", Target()),
    "register": ("what enabling the extension adds to Blender's start", Target(50.0)),
    "press-first": (f"{WEAVE}: the very first time (kernels compile)", Target(6000.0)),
    "press-second": (f"{WEAVE}: the first time after a new start", Target(1000.0)),
    "press": (f"{WEAVE}: later", Target()),
    "press-again": (f"{WEAVE}: only weights changed", Target(200.0)),
}
SKINNING = tuple(key for key in LINES if key.startswith(("weights-", "skin-modifier-")))
EVERYWHERE = ("read", "write", "weights-20k", "weights-100k", "register")  # measured in every Blender that is asked for


@dataclass
class Found:
    """Rows of the newest Blender; by version, figures of all; by line, the shares of a press that its steps take."""

    rows: list[Row] = field(default_factory=list)
    versions: dict[str, dict[str, Figures]] = field(default_factory=dict)
    steps: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def measure(zip_path: str, material: Material, wanted: Callable[[str], bool], runs: int, *, quick: bool) -> Found:
    """Measure the wanted lines in the newest Blender, and unless it is to be quick some of them in the others."""
    found, figures = Found(), {}
    file, home = str(material.files[0]), material.folder / "blender"
    if any(map(wanted, ("bvh-blender", "import"))):
        figures |= _run(NEWEST, "importing.py", zip_path, runs, file)[0]
    if any(map(wanted, ("press-first", "press-second", "press", "press-again"))):
        home.mkdir()
        pressed, _ = _run(NEWEST, "press.py", zip_path, 1, str(home))
        again, message = _run(NEWEST, "press.py", zip_path, runs, str(home))
        figures |= again | {"press-first": pressed["press-first"], "press-second": again["press-first"]}
        found.steps = message["steps"]
    names = [folder.name for folder in sorted((ROOT / ".venv-blender").glob("*")) if (folder / "stamp").exists()]
    for name in [NEWEST] if quick else names:
        here: dict[str, Figures] = {}
        if any(map(wanted, ("read", "read-skeleton", "hash", "write"))):
            here, message = _run(name, "bridge.py", zip_path, runs, *(["quick"] if quick else []))
        if any(map(wanted, SKINNING)):
            skinned, message = _run(name, "skinning.py", zip_path, runs)
            here |= skinned
        if wanted("register"):
            registered, message = _run(name, "registering.py", zip_path, runs)
            here |= registered
        if here:
            found.versions[message["blender"]] = here
        if name == NEWEST:
            figures |= here
    found.rows = [Row(key, *LINES[key], figures[key]) for key in LINES if key in figures and wanted(key)]
    return found


def _run(
    name: str, script: str, zip_path: str, runs: int, *arguments: str
) -> tuple[dict[str, Figures], dict[str, Any]]:
    """Run one of the scripts here in a Blender; return its figures and what else it told."""
    print(f"Blender {name}: {script}", flush=True)
    python = ROOT / ".venv-blender" / name / "bin" / "python"
    command = [str(python), str(Path(__file__).with_name(script)), zip_path, str(runs), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise DisagreementError(f"{script} in Blender {name}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return heard(done.stdout)
