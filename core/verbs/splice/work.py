"""The verb Splice: two clips as a whole, or actions entered at splice points.

Method: Splicing upper body onto locomotion.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import OptionError
from ...motion import trim
from ...motion.clip import Clip
from ...progress import SILENT, Progress
from ...quality import quality
from ...weave import planting, reporting
from ...weave.results import SpliceResult
from ...weave.splice import mask
from . import Splice, whole
from . import actions as spliced_actions


def splice(clips: Sequence[Clip], recipe: Splice, progress: Progress = SILENT) -> SpliceResult:
    """Return the first clip, the locomotion, with the upper body of the others, the actions.

    Two clips are spliced as a whole (see `whole.splice`) unless splice points are requested; several actions are
    connected to a motion graph and entered at splice points. Raises OptionError for several actions at their own speed,
    and as `whole.splice` and `actions.gather` do.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Splice(), [actions.walk(cycles=1), actions.wave()])
        >>> result.clip.name, result.report["splice"]["timing"]
        ('wave on walk', 'own')
    """
    if len(clips) <= 2 and recipe.timing != "points":
        return whole.splice(clips, recipe, progress)
    if recipe.timing not in ("points", "auto"):
        raise OptionError(
            f"timing is {recipe.timing}, but {len(clips) - 1} actions are entered at splice points: leave it auto, or "
            "give one action"
        )
    return _at_points(clips, recipe, progress)


def _at_points(clips: Sequence[Clip], recipe: Splice, progress: Progress) -> SpliceResult:
    """Return the first clip with the others entered at splice points."""
    began = time.perf_counter()
    trimmed = trim.if_wanted(clips[0], recipe.trim)
    locomotion = replace(trimmed.clip, cyclic=False)
    upper = mask.upper_body(locomotion.skeleton, recipe.upper)
    actions = spliced_actions.gather(clips[1:], locomotion, recipe, progress.part(0.0, 0.5))
    progress.at(0.5, "Searching the clips")
    spliced, details = spliced_actions.overlay(locomotion, actions)
    result = replace(spliced.clip, name=recipe.result_name([clip.name for clip in clips]))
    result, planted = planting.of_result(result, recipe, one_source=True)
    progress.at(0.9, "Measuring")
    given = actions.given_frames(spliced.places)
    trunk = whole.trunk_report(recipe, upper, (locomotion, spliced.action, result), given, spliced.corrections)
    why = "it was asked for" if recipe.timing == "points" else "there are several actions"
    report: dict[str, Any] = {
        **planted.report,
        "dropped": reporting.left_out([trimmed]),
        "carried": [one.as_report() for one in actions.carried],
        "warnings": details.pop("warnings"),
        "splice": {"timing": "points", "why": why, **trunk, **details},
        "registration": [],
        "quality": {
            "before": [quality.measure(locomotion), quality.measure(spliced.action)],
            "after": quality.measure(result),
        },
    }
    report |= reporting.common("splice", clips, result, began)
    return SpliceResult(result, report, 0, locomotion, spliced.action, given, spliced.corrections)
