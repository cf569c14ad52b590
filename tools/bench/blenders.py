"""Benchmarks that run in separate Blender processes."""

import statistics
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from line import WHOLE, DisagreementError, Figures, Row, Target
from material import ROOT, Material
from telling import heard

NEWEST = "5.2"
BAKE, IMPORT = "nla.bake", "Blender, import"
SIZE = "60 bones × 1000 frames"
DRAG = "a weight dragged with *Live*"
WEAVE = "pressing Weave, 3 × 600 frames × 60 bones"
_TENTH = Target(0.0, {WHOLE: 10.0})

# Description and target time (ms) of each benchmark, by key.
LINES = {
    "bvh-blender": ("read a BVH file, in Blender", Target(8.0, {IMPORT: 15.0})),
    "import": ("import a BVH file: armature and action", Target(60.0)),
    "read": (f"read {SIZE} from an action", Target(16.0)),
    "read-skeleton": ("read its armature of 60 bones", Target()),
    "hash": (f"hash the keys of {SIZE}", Target()),
    "write": (f"write {SIZE} to a new action", Target(50.0, {BAKE: 5.0})),
    "keys": ("400 frames of a clip as few Bézier curves, 2 mm off at most", Target(0.0, {"Decimate": 1.0})),
    "weights-20k": ("read the weights of 20,000 vertices in 60 groups", Target(60.0)),
    "weights-100k": ("read the weights of 100,000 vertices", Target(250.0)),
    "skin-modifier-20k": ("skin of 20,000 vertices from the pose, in Blender", Target()),
    "skin-modifier-100k": ("skin of 100,000 vertices from the pose, in Blender", Target()),
    "skin-modifier-dual-20k": ("the same by dual quaternions, 20,000", Target()),
    "skin-modifier-dual-100k": ("the same by dual quaternions, 100,000", Target()),
    "register": ("what enabling the extension adds to Blender's start", Target(50.0)),
    "register-first": ("the same in a Blender that has loaded nothing else", Target(50.0)),
    "register-memory": ("memory that it takes, MB", Target(8.0)),
    "press-first": (f"{WEAVE}: the very first time", Target(700.0)),
    "press-second": (f"{WEAVE}: the first time after a new start", Target(700.0)),
    "press": (f"{WEAVE}: later", Target(300.0)),
    "press-again": (f"{WEAVE}: only weights changed", Target(100.0)),
    "press-context": ("reading the context of its sources: poses, parents, slots, users, markers", _TENTH),
    "press-context-carried": ("the same with a moving parent, an unkeyed pose and 90 markers", _TENTH),
    "live-first-600": (f"{DRAG}, 3 × 600 frames × 60 bones, to what is shown first", Target(50.0)),
    "live-600": ("the same, to the whole preview", Target()),
    "live-first-300": (f"{DRAG}, 3 × 300 frames × 60 bones, to what is shown first", Target(33.0)),
    "live-300": ("the same, to the whole preview", Target()),
    "long-import": ("a take of 36,000 frames × 31 joints: import", Target(2000.0)),
    "long-import-memory": ("its memory, with all of Blender's, MB", Target(1024.0)),
    "long-mirror": ("mirror it", Target(2000.0)),
    "long-mirror-memory": ("its memory, MB", Target(1024.0)),
    "long-plant": ("plant its feet", Target(2000.0)),
    "long-plant-memory": ("its memory, MB", Target(1024.0)),
    "many-panel-few": ("drawing the tab with all panels open, 20 sources ticked", Target(3.0)),
    "many-panel": ("the same, 500 sources ticked", Target(10.0)),
    "many-add": ("Add All Actions, 500 actions", Target(1500.0)),
    "many-weave": ("pressing Weave, 500 × 30 to 60 frames × 40 bones", Target(10000.0)),
}
SKINNING = tuple(key for key in LINES if key.startswith(("weights-", "skin-modifier-")))
STARTING = ("register", "register-first", "register-memory")
MANY = tuple(key for key in LINES if key.startswith("many-"))
# Measured in every installed Blender version, not only in the newest.
EVERYWHERE = ("read", "write", "weights-20k", "weights-100k", *STARTING, *MANY)


@dataclass
class Found:
    """Results of all Blender benchmarks.

    rows : rows of the newest Blender
    versions : figures by Blender version and key
    steps : share of a Weave press that each step takes, by key and step
    """

    rows: list[Row] = field(default_factory=list)
    versions: dict[str, dict[str, Figures]] = field(default_factory=dict)
    steps: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def measure(zip_path: str, material: Material, wanted: Callable[[str], bool], runs: int, *, quick: bool) -> Found:
    """Measure the wanted benchmarks in the newest Blender; without `quick`, measure some of them in every version."""
    found, figures = Found(), {}
    file, home = str(material.files[0]), material.folder / "blender"
    if any(map(wanted, ("bvh-blender", "import"))):
        figures |= _run(NEWEST, "importing.py", zip_path, runs, file)[0]
    if any(wanted(key) for key in LINES if key.startswith("press")):
        home.mkdir()
        pressed, _ = _run(NEWEST, "press.py", zip_path, 1, str(home))
        again, message = _run(NEWEST, "press.py", zip_path, runs, str(home))
        figures |= again | {"press-first": pressed["press-first"], "press-second": again["press-first"]}
        found.steps = message["steps"]
    for script, kind in (("live.py", "live-"), ("long_take.py", "long-")):
        if any(wanted(key) for key in LINES if key.startswith(kind)) and not (quick and kind == "long-"):
            figures |= _run(NEWEST, script, zip_path, min(runs, 3) if kind == "long-" else runs)[0]
    if wanted("keys"):
        figures |= _run(NEWEST, "few_keys.py", zip_path, 1, file)[0]
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
        if any(map(wanted, STARTING[1:])):
            started, message = _started(name, zip_path, str(material.folder / f"start-{name}"), runs)
            here |= started
        if any(map(wanted, MANY)):
            many, message = _run(name, "many_sources.py", zip_path, runs)
            here |= many
        if here:
            found.versions[message["blender"]] = here
        if name == NEWEST:
            figures |= here
    found.rows = [Row(key, *LINES[key], figures[key]) for key in LINES if key in figures and wanted(key)]
    return found


def _started(name: str, zip_path: str, home: str, runs: int) -> tuple[dict[str, Figures], dict[str, Any]]:
    """Run `starting.py` once to install the extension, then in `runs` processes; return the medians of its figures."""
    command = ("starting.py", zip_path, 1, home)
    subprocess.run(_command(name, *command), check=True, capture_output=True)
    told = [_run(name, *command) for _ in range(runs)]
    keys = told[0][0]
    return {key: Figures(statistics.median(one[key].ours for one, _ in told)) for key in keys}, told[0][1]


def _command(name: str, script: str, zip_path: str, runs: int, *arguments: str) -> list[str]:
    python = ROOT / ".venv-blender" / name / "bin" / "python"
    return [str(python), str(Path(__file__).with_name(script)), zip_path, str(runs), *arguments]


def _run(
    name: str, script: str, zip_path: str, runs: int, *arguments: str
) -> tuple[dict[str, Figures], dict[str, Any]]:
    """Run a script of this folder in a Blender version; return its figures and the other values that it printed."""
    print(f"Blender {name}: {script}", flush=True)
    command = _command(name, script, zip_path, runs, *arguments)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise DisagreementError(f"{script} in Blender {name}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return heard(done.stdout)
