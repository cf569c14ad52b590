"""Styles of the generated figure's actions, and of those of characters that others made, read in a Blender's Python."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from action_loom.core.errors import LoomError
from action_loom.core.figure import actions
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes.style import SLIDERS, StyleOptions
from action_loom.core.style import clip_in_style, fit
from action_loom.core.style.style import Style
from action_loom.core.verbs import Restyle
from action_loom.core.verbs.restyle import change
from oracles.material import SHARED
from quality_tables import grid
from style_material import style
from telling import MARK

CHARACTERS = ("mannequiny", "RobotExpressive", "godot_player")
WORDS = (
    "What the actions of the generated figure and of three game characters (30 frames a second, in Blender) teach, and"
    " what sliders learnt from captured walks do to them. Nothing is tuned on these. Effects: sd for one sd."
)


def cycle() -> Clip:
    """The demo's walk: a cycle."""
    return actions.walk()


@cache
def walks_on_figure() -> Style:
    """What captured walks of people who are not kept aside teach, on the figure's body."""
    return fit.on_body(style(of_all=False), cycle())


def tried(misses: list[str]) -> list[str]:
    lines = [*_of_figure(), ""]
    if len(sys.argv) != 3:
        return [*lines, "Characters need the extension's zip and a Blender's Python."]
    python, script = sys.argv[2], Path(__file__).with_name("style_in_blender.py")
    files = [str(SHARED / "characters" / f"{name}.glb") for name in CHARACTERS]
    command = [python, str(script), sys.argv[1], str(SHARED / "cmu"), *files]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = (line.removeprefix(MARK) for line in done.stdout.splitlines() if line.startswith(MARK))
    rows = [_of_character(json.loads(line), misses) for line in found]
    heads = ("character", "actions", "learnt", "sliders of it")
    heads += ("restyled by captured walks", "the others: refused", "walks and runs with root motion, looped", "refused")
    return [*lines, *grid(heads, rows)]


def _of_figure() -> list[str]:
    every = [actions.walk(), actions.sneak(), actions.run(), actions.carry(), actions.turn_left(), actions.turn_right()]
    own = fit.fit([*every, actions.wave()], StyleOptions())
    reported = own.report["style"]
    heads = ("slider", "mean", "sd", "from", "to", "own effect, natural", "only", "after corrections", "unit")
    rows = []
    for name, one in reported["sliders"].items():
        effects = [_effect(own, every[:4], name, mode, exact=exact) for mode, exact in _WAYS]
        values = [one["mean"], one["deviation"], one["lowest"], one["highest"], *effects]
        rows.append(f"| {name} | {' | '.join(f'{value:.2f}' for value in values)} | {one['unit']} |")
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *rows, ""]
    left_out = "; ".join(reason(one) for one in own.report["warnings"])
    lacking = ", ".join(set(SLIDERS) - set(reported["sliders"])) or "none"
    learnt = (", ".join(reported["people"]), str(reported["strides"]), left_out, lacking)
    lines += [*grid(("each taken for a person", "strides", "left out", "sliders that are lacking"), [learnt]), ""]
    restyled = []
    for clip in (*every, actions.wave()):
        try:
            in_style = clip_in_style.of_clip(walks_on_figure(), clip)
        except LoomError as error:
            restyled.append((clip.name, *["–"] * len(ASKED), f"refused: {reason(error)}"))
            continue
        changed = change.asked(in_style, Restyle(goes_along="only", **ASKED))
        assert changed is not None
        got = [changed.sliders[name] for name in ASKED]
        restyled.append((clip.name, *(f"{one['after'] - one['before']:+.2f}" for one in got), "; ".join(changed.held)))
    asked = (f"{name}, asked {amount:+.0f} sd" for name, amount in ASKED.items())
    return [*lines, *grid(("by captured walks, *only*", *asked, "message"), restyled)]


def reason(message: object) -> str:
    """A message without its explanation."""
    return str(message).partition(":")[0]


ASKED = {"stride": -1.0, "swing": 1.0, "lean": 1.0}
_WAYS = (("natural", False), ("only", False), ("only", True))


def _effect(own: Style, clips: list[Clip], name: str, mode: str, *, exact: bool) -> float:
    """What one sd more, or less where that would be held, gives of a slider, mean of clips."""
    found = []
    for clip in clips:
        in_style = clip_in_style.of_clip(own, clip)
        place = own.sliders.names.index(name)
        sign = -1.0 if in_style.standard[place] > 1.0 else 1.0
        changed = change.asked(in_style, Restyle(goes_along=mode, exact=exact, **{name: sign}))
        assert changed is not None
        found.append(sign * (own.standard(changed.row) - in_style.standard)[place])
    return float(np.mean(found))


def _of_character(reported: dict[str, Any], misses: list[str]) -> list[str]:
    """A row: what is learnt of a character's actions, and which of them sliders of captured walks restyle."""
    name, learnt = reported["file"], reported["auto"]
    if "refused" in learnt:
        cells = [f"refused: {reason(learnt['refused'])}", "–"]
    else:
        what = "strides" if learnt["gait"] else "repetitions"
        cells = [f"{learnt['strides']} {what} of {', '.join(learnt['people'])}", ", ".join(learnt["sliders"])]
    for key in ("restyled", "given travel"):
        able = {one: got for one, got in reported[key].items() if "refused" not in got}
        reasons = {
            reason(got["refused"].removeprefix(one)).strip() for one, got in reported[key].items() if "refused" in got
        }
        cells.append(
            f"{len(able)} of {len(reported[key])}" + "".join(f"; {one}: {_came(got)}" for one, got in able.items())
        )
        cells.append("; ".join(f"…{one}" for one in sorted(reasons)) or "–")
    if not any("refused" not in got for got in reported["given travel"].values()):
        misses.append(f"{name}, by sliders of captured walks | no action can be restyled, not even its run | –")
    return [name, str(len(reported["actions"])), *cells]


def _came(got: dict[str, Any]) -> str:
    return ", ".join(f"{name} {reached:+.2f} for {asked:+.0f}" for name, (asked, reached) in got["sliders"].items())
