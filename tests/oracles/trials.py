"""Trial inputs of each verb, from tests/data/trials.json: for the fuzzer, for golden results and for tests in Blender.

A row of that table is named after the verb's folder in core/verbs:
commands : arguments of command lines by verb, with clips of the generated figure
operators : calls of operators by name: source actions, the frames over which they are read, and options
example : options, by verb, that its recipe needs for the figure's clips walk, turn left and wave
values : values that the fuzzer may try for any option
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[1] / "data" / "trials.json"


@cache
def trials() -> dict[str, dict[str, Any]]:
    """Return the row of each verb's folder."""
    rows: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return rows


def commands() -> dict[str, str]:
    """Return command lines by verb, which write out/a.bvh or the file of a graph or style."""
    made = {"graph build": "-o out/g.npz", "style fit": "-o out/s.npz"}
    return {
        verb: f"{verb} {arguments} {made.get(verb, '-o out/a.bvh')} --report out/r.json"
        for trial in trials().values()
        for verb, arguments in trial["commands"].items()
    }


def calls() -> dict[str, dict[str, Any]]:
    """Return the options of operators by name, with their sources and readings as Blender takes them."""
    found = {}
    for trial in trials().values():
        for name, call in trial.get("operators", {}).items():
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
    """Return the options of the verbs that need some, by verb."""
    return {verb: options for trial in trials().values() for verb, options in trial.get("example", {}).items()}


def values() -> list[object]:
    """Return values that options might be given."""
    return [value for trial in trials().values() for value in trial.get("values", ())]
