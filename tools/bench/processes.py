"""Benchmarks in processes of their own: the command line, and Blender. A line is a row of COMMANDS or BLENDER."""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from material import Material
from table import ROOT, WHOLE, DisagreementError, Figures, Row, Target, read_figures

NEWEST = "5.2"
SIZE, WEAVE = "60 bones × 1000 frames", "pressing Weave, 3 × 600 frames × 60 bones"
DRAG = "a weight dragged with *Live*"
TENTH = Target(0.0, {WHOLE: 10.0})
# Why lines stay behind their targets.
ENABLING = "223 modules are loaded and 219 classes registered"
COMPARING = "two thirds are the comparison of 600 × 600 frames for each pair, in products of matrices by numpy"
JUDGING = "half is hashing all actions and evaluating the result's mesh, to see what changed and what is wrong"
KEYS = "Blender's keys of one such action are 329 MB"
TWO = "both actions' keys are 658 MB in Blender, beside the clips"
SPIKES = "curves are read, hashed and judged beside what is made of them"
PAIRS = "each of 499 pairs is compared as cycles and as stretches, in numpy's calls on small arrays"
COMMAND = "`action-loom blend` of two clips of 600 frames"

# Description and target time (ms, or MB) of each line, by its key.
COMMANDS = {
    "command": (f"{COMMAND}, the first time", Target(600.0)),
    "command-later": (f"{COMMAND}, later", Target(600.0)),
    "command-numpy": (f"{COMMAND}, without numba", Target(600.0)),
    "command-help": ("`action-loom --help`", Target(150.0)),
}
BLENDER = {
    "bvh-blender": ("read a BVH file, in Blender", Target(8.0, {"Blender, import": 15.0})),
    "import": ("import a BVH file: armature and action", Target(60.0)),
    "read": (f"read {SIZE} from an action", Target(16.0)),
    "write": (f"write {SIZE} to a new action", Target(50.0, {"nla.bake": 5.0})),
    "weights-20k": ("read the weights of 20,000 vertices in 60 groups", Target(60.0)),
    "weights-100k": ("read the weights of 100,000 vertices", Target(250.0)),
    "register": ("what enabling the extension adds to Blender's start", Target(50.0, reason=ENABLING)),
    "register-first": ("the same in a Blender that has loaded nothing else", Target(50.0, reason=ENABLING)),
    "register-memory": ("memory that it takes, MB", Target(8.0, reason=ENABLING)),
    "press-first": (f"{WEAVE}: the very first time", Target(700.0, reason=COMPARING)),
    "press-second": (f"{WEAVE}: the first time after a new start", Target(700.0, reason=COMPARING)),
    "press": (f"{WEAVE}: later", Target(300.0, reason=COMPARING)),
    "press-again": (f"{WEAVE}: only weights changed", Target(100.0, reason=JUDGING)),
    "press-context": ("reading the context of its sources: poses, parents, slots, users, markers", TENTH),
    "press-context-carried": ("the same with a moving parent, an unkeyed pose and 90 markers", TENTH),
    "live-first-600": (f"{DRAG}, 3 × 600 frames × 60 bones, to what is shown first", Target(50.0)),
    "live-600": ("the same, to the whole preview", Target()),
    "live-first-300": (f"{DRAG}, 3 × 300 frames × 60 bones, to what is shown first", Target(33.0)),
    "live-300": ("the same, to the whole preview", Target()),
    "rig-read": ("a frame of a captured action on a Rigify rig, ms each", Target(7.0)),
    "rig-first": ("pressing Weave there, 2 × 500 frames: the first time", Target()),
    "rig-again": ("the same, again", Target(4000.0)),
    "long-import": ("a take of 36,000 frames × 31 joints: import", Target(2000.0)),
    "long-import-memory": ("its memory, with all of Blender's, MB", Target(1024.0, reason=KEYS)),
    "long-mirror": ("mirror it", Target(2000.0, reason=SPIKES)),
    "long-mirror-memory": ("its memory, MB", Target(1024.0, reason=TWO)),
    "long-plant": ("plant its feet", Target(2000.0, reason=SPIKES)),
    "long-plant-memory": ("its memory, MB", Target(1024.0, reason=TWO)),
    "many-panel-few": ("drawing the tab with all panels open, 20 sources ticked", Target(3.0)),
    "many-panel": ("the same, 500 sources ticked", Target(10.0)),
    "many-add": ("Add All Actions, 500 actions", Target(1500.0)),
    "many-weave": ("pressing Weave, 500 × 30 to 60 frames × 40 bones", Target(10000.0, reason=PAIRS)),
}


@dataclass(frozen=True)
class Work:
    """A work of `child.py`.

    starts : beginnings of the keys of its lines; everywhere : whether every installed Blender runs it
    most : of its runs; argument : "file" or "quick" if it needs one; slow : left out with --quick
    """

    name: str
    starts: tuple[str, ...]
    everywhere: bool = False
    most: int = 1000
    argument: str = ""
    slow: bool = False


WORKS = (
    Work("importing", ("bvh-blender", "import"), argument="file"),
    Work("live", ("live-",)),
    Work("long", ("long-",), most=3, slow=True),
    Work("rig", ("rig-",), most=3, argument="file"),
    Work("bridge", ("read", "write"), everywhere=True, argument="quick"),
    Work("weights", ("weights-",), everywhere=True),
    Work("register", ("register",), everywhere=True),
    Work("many", ("many-",), everywhere=True),
)
EVERYWHERE = tuple(key for key in BLENDER if any(work.everywhere and key.startswith(work.starts) for work in WORKS))


@dataclass
class Found:
    """Rows of the newest Blender, and the figures of every version by version and key."""

    rows: list[Row] = field(default_factory=list)
    versions: dict[str, dict[str, Figures]] = field(default_factory=dict)


def measure_blenders(
    zip_path: str, material: Material, wanted: Callable[[str], bool], runs: int, *, quick: bool
) -> Found:
    """Measure the wanted lines in the newest Blender; without `quick`, measure some of them in every version."""
    found, figures = Found(), {}
    arguments = {"": [], "file": [str(material.files[0])], "quick": ["quick"] if quick else []}

    def run(name: str, work: str, count: int, home: str = "", more: str = "") -> dict[str, Figures]:
        measured, version = run_child(name, work, zip_path, count, home, *arguments[more])
        found.versions.setdefault(version, {}).update(measured)
        return measured

    names = [folder.name for folder in sorted((ROOT / ".venv-blender").glob("*")) if (folder / "stamp").exists()]
    for name in [NEWEST] if quick else names:
        for work in WORKS:
            asked = any(wanted(key) for key in BLENDER if key.startswith(work.starts))
            if asked and (name == NEWEST or work.everywhere) and not (quick and work.slow):
                figures |= run(name, work.name, min(runs, work.most), more=work.argument)
        if wanted("register-first") or wanted("register-memory"):
            home = str(material.folder / f"start-{name}")
            run(name, "start", 1, home)  # installs the extension
            started = [run(name, "start", 1, home) for _ in range(runs)]
            medians = {key: statistics.median(one[key].ours for one in started) for key in started[0]}
            figures |= {key: Figures(median) for key, median in medians.items()}
            found.versions[next(reversed(found.versions))] |= {key: figures[key] for key in medians}
    if any(wanted(key) for key in BLENDER if key.startswith("press")):
        home = str(material.folder / "blender")
        first, again = (run(NEWEST, "press", count, home) for count in (1, runs))
        figures |= again | {"press-first": first["press-first"], "press-second": again["press-first"]}
    found.rows = [Row(*BLENDER[key], figures[key]) for key in BLENDER if key in figures and wanted(key)]
    return found


def run_child(name: str, work: str, zip_path: str, runs: int, home: str, *more: str) -> tuple[dict[str, Figures], str]:
    """Run a work in a Blender version; return its figures and the complete version."""
    print(f"Blender {name}: {work}", flush=True)
    python = ROOT / ".venv-blender" / name / "bin" / "python"
    command = [str(python), str(Path(__file__).with_name("child.py")), work, zip_path, str(runs), home, *more]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise DisagreementError(f"{work} in Blender {name}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return read_figures(done.stdout)


def measure_commands(material: Material, wanted: Callable[[str], bool], runs: int) -> list[Row]:
    """Time commands from start to exit of their process, `blend` with an empty and with a filled cache of kernels."""
    program, cache = shutil.which("action-loom", path=str(Path(sys.executable).parent)), material.folder / "cache"
    assert program is not None
    output = str(material.folder / "out.bvh")
    command = [program, "blend", *(f"{path}[0:599]" for path in material.files), "-o", output, "--force", "--quiet"]

    def time_process(*words: str) -> float:
        environment, before = os.environ | {"NUMBA_CACHE_DIR": str(cache)}, read_children_seconds()
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise every start would compile the modules
        subprocess.run(words, check=True, capture_output=True, env=environment)
        return 1000.0 * (read_children_seconds() - before)

    def time_first() -> float:
        shutil.rmtree(cache, ignore_errors=True)
        took = time_process(*command)
        while list(cache.glob("*.begun")):
            time.sleep(1.0)  # the compiling process would disturb the next measurement
        return took

    works = {
        "command": time_first,
        "command-later": lambda: time_process(*command),
        "command-numpy": lambda: time_process(*command, "--engine", "numpy"),
        "command-help": lambda: time_process(program, "--help"),
    }
    rows = []
    for key in filter(wanted, COMMANDS):
        print(COMMANDS[key][0], flush=True)
        works[key]()
        rows.append(Row(*COMMANDS[key], Figures(statistics.median(works[key]() for _ in range(runs)))))
    return rows


def read_children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
