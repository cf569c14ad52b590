"""Styles of the generated figure's actions, and of those of characters that others made, read in a Blender's Python."""

import json
import os
import subprocess
import sys
import textwrap
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
from style_material import style
from telling import MARK

CHARACTERS = ("mannequiny", "RobotExpressive", "godot_player")
WORDS = (
    "The seven actions of the generated figure, and the actions of three characters of game makers (30 frames a"
    " second, in Blender): what is learnt of all of them at once, and what sliders learnt from captured walks do to"
    " them. Nothing is tuned on these."
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
    for line in done.stdout.splitlines():
        if line.startswith(MARK):
            lines += [*textwrap.wrap(_of_character(json.loads(line.removeprefix(MARK)), misses), 118), ""]
    return lines[:-1]


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
    words = (
        f"The figure's own: {reported['strides']} strides of {', '.join(reported['people'])}, each taken for a person."
        f" Left out: {'; '.join(own.report['warnings'])}. Mean, sd and effects of one sd in the units and sd of these;"
        f" sliders that are lacking: {', '.join(set(SLIDERS) - set(reported['sliders'])) or 'none'}."
    )
    reached = []
    for clip in (*every, actions.wave()):
        try:
            in_style = clip_in_style.of_clip(walks_on_figure(), clip)
        except LoomError as error:
            reached.append(f"{clip.name}: refused: {error}")
            continue
        changed = change.asked(in_style, Restyle(stride=-1.0, swing=1.0, lean=1.0, goes_along="only"))
        assert changed is not None
        got = ", ".join(f"{name} {one['after'] - one['before']:+.2f}" for name, one in changed.sliders.items())
        reached.append(f"{clip.name} (asked -1, +1, +1 sd): {got}" + "".join(f"; {held}" for held in changed.held))
    second = "By sliders of captured walks carried onto the figure, *only*: " + ". ".join(reached) + "."
    return [*lines, *textwrap.wrap(words, 118), "", *textwrap.wrap(second, 118)]


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


def _of_character(reported: dict[str, Any], misses: list[str]) -> str:
    name, every = reported["file"], reported["actions"]
    learnt = reported["auto"]
    if "refused" in learnt:
        words = f"{name}, {len(every)} actions, learning refused: {learnt['refused']}."
    else:
        what = "strides" if learnt["gait"] else "repetitions"
        words = f"{name}, {len(every)} actions: {learnt['strides']} {what} of {', '.join(learnt['people'])}; sliders: "
        words += ", ".join(learnt["sliders"]) + "."
    for key, when in (("restyled", "as they are"), ("given travel", "walks and runs given travel and made loops")):
        able = {one: got for one, got in reported[key].items() if "refused" not in got}
        reasons = {got["refused"].removeprefix(one).strip() for one, got in reported[key].items() if "refused" in got}
        words += f" By sliders of captured walks, {when}: {len(able)} of {len(reported[key])} can be restyled"
        words += "".join(f"; {one}: {_came(got)}" for one, got in able.items())
        words += (
            f". Of the others is said: {'. '.join(f'…{reason}' for reason in sorted(reasons))}." if reasons else "."
        )
    if not any("refused" not in got for got in reported["given travel"].values()):
        misses.append(f"{name}: no action of it can be restyled by sliders of captured walks, not even its run")
    return words


def _came(got: dict[str, Any]) -> str:
    return ", ".join(f"{name} {reached:+.2f} for {asked:+.0f}" for name, (asked, reached) in got["sliders"].items())
