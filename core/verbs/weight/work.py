"""Repair the flights of a clip, with a report (methods: Weight)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import quality
from ...weave import reporting
from ...weave.results import EditResult, EventsResult
from ...weave.seam import close
from ...weight import balance, repair, spin
from . import Weight


def weight(clips: Sequence[Clip], recipe: Weight, progress: Progress = SILENT) -> EditResult:
    """Return a clip whose flights fall at 9.81 m/s²; the clip itself, to the bit, if none is off.

    With `level_spin` the body turns evenly in flight; with `balance` it stands over its feet. Raises ClipError for
    bodies of an unknown unit, SkeletonError for bodies without known legs, or feet without length for `balance`,
    OptionError if there is too little time around a jump to change its duration.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> report = verbs.apply(verbs.Weight(), [actions.walk()]).report
        >>> report["weight"]["flights"], report["changed"]
        ([], False)
    """
    began = time.perf_counter()
    clip, corrected = close.cycle_of(clips[0])
    progress.at(0.0, "Measuring")
    made, found = repair.repair_flights(clip, recipe.strength, recipe.change)
    progress.at(0.5, "Measuring")
    made, spins = spin.level_spin(made, recipe.strength) if recipe.level_spin else (made, [])
    made, stances = balance.balance_body(made, recipe.strength) if recipe.balance else (made, [])
    progress.at(0.8, "Measuring")
    result = replace(made, name=recipe.result_name([clip.name]), cyclic=clips[0].cyclic)
    report: dict[str, Any] = {
        "dropped": [],
        "weight": {
            "flights": found.before.as_json(),
            "repairs": found.as_json,
            "spins": [one.as_json(clip.rate) for one in spins],
            "stances": [one.as_json(clip.rate) for one in stances],
        },
        "quality": {"before": [quality.measure(clip)], "after": quality.measure(result)},
        "flights": found.after.as_json(),
        "warnings": found.describe(),
    }
    if recipe.strength == 1.0:
        report["warnings"] += [told for one in stances if (told := one.describe(clip))]
    report |= reporting.common(recipe.verb, clips, result, began, corrected)
    before = clip if corrected else clips[0]
    if found.curve is not None:
        return EventsResult(result, report, 0, before, found.curve)
    return EditResult(result, report, 0, before)
