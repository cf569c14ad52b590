"""Trials of each verb, from core/verbs/<verb>/trial.py: for the fuzzer, and for the battery in Blender."""

import runpy
from functools import cache
from pathlib import Path
from typing import Any

FOLDERS = Path(__file__).resolve().parents[2] / "core" / "verbs"


@cache
def trials() -> dict[str, dict[str, Any]]:
    """Return the trial of each verb's folder, by the folder's name, without importing the core."""
    return {path.parent.name: runpy.run_path(str(path)) for path in sorted(FOLDERS.glob("*/trial.py"))}


def commands() -> dict[str, str]:
    """Return command lines of verbs; each writes out/a.bvh or another kind of file."""
    made = {"graph build": "-o out/g.npz", "style fit": "-o out/s.npz"}
    return {
        verb: f"{verb} {arguments} {made.get(verb, '-o out/a.bvh')} --report out/r.json"
        for trial in trials().values()
        for verb, arguments in trial["COMMANDS"].items()
    }


def calls() -> dict[str, dict[str, Any]]:
    """Calls of operators: actions by name, the frames over which they are read, and options."""
    found = {}
    for trial in trials().values():
        for name, call in trial["OPERATORS"].items():
            options = dict(call)
            options["sources"] = [{"name": action, "weight": 1.0} for action in call["sources"]]
            spans = options.pop("spans", {})
            if spans:
                options["readings"] = [
                    {"name": action, "rate": 0.0, "slot": "", "first": first, "last": last}
                    for action, (first, last) in spans.items()
                ]
            if "players" in options:
                options["players"] = [{"name": action, "armature": call["players"]} for action in call["sources"]]
            found[name] = options
    return found


def examples() -> dict[str, dict[str, Any]]:
    """Options of the verbs that need some."""
    return {verb: options for trial in trials().values() for verb, options in trial.get("EXAMPLE", {}).items()}


def values() -> list[object]:
    """Values that options might be given."""
    return [value for trial in trials().values() for value in trial.get("VALUES", ())]
