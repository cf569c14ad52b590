"""What every result is told besides its verb's own report: limits of the body, feet not planted, options unused."""

from collections.abc import Sequence
from typing import Any

from ..check import contacts
from ..errors import one_line, some
from ..motion.clip import Clip
from ..recipes.base import Recipe
from ..weave import body_limits
from ..weave.results import Result
from .plant import Plant
from .retarget import Retarget

# On another body, moved up or down, or walking through clips that were levelled.
_OTHER_FLOOR = {"retarget", "place", "follow", "walk", "shortest"}
_ON_THE_SPOT = {"in_place", "root"}


def complete(recipe: Recipe, clips: Sequence[Clip], made: Result) -> None:
    """Complete the report of a result: "limits" (see `body_limits.told`), notes and warnings."""
    report = made.report
    sources = clips[1:] if recipe.verb == Retarget.verb else clips
    report["limits"], sentences = body_limits.told(
        made.clip,
        sources,
        planted=bool((report.get("plant") or {}).get("spans")),
        same_floor=recipe.verb not in _OTHER_FLOOR,
        slides=recipe.verb not in _ON_THE_SPOT,
    )
    warnings = [*report["warnings"], *_not_planted(recipe, report, made.clip.name), *sentences]
    report["notes"] = [one_line(note) for note in (*report.get("notes", ()), *recipe.without_effect(report))]
    report["warnings"] = [one_line(warning) for warning in warnings]


def _not_planted(recipe: Recipe, report: dict[str, Any], name: str) -> list[str]:
    """Return what planting refused, where planting is a step of another verb."""
    refused = (report.get("plant") or {}).get("refused", ())
    if recipe.verb == Plant.verb or not refused:
        return []
    each = [
        f"{contacts.NAMES[one['foot']]} from frame {one['first']} to {one['end'] - 1}, {one['why']}" for one in refused
    ]
    return [f"{name}: not planted: {some(each)}"]
