"""What every result is told besides its verb's own report: limits of the body, feet not planted, options unused."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..check import contacts
from ..errors import one_line, some
from ..motion.clip import Clip
from ..recipes.base import Recipe
from ..weave import body_limits, ik_bones
from ..weave.results import KeysResult, Result
from .plant import Plant
from .retarget import Retarget

# On another body, moved up or down, or walking through clips that were levelled.
_OTHER_FLOOR = {"retarget", "place", "follow", "walk", "shortest"}
_ON_THE_SPOT = {"in_place", "root"}


def complete(recipe: Recipe, clips: Sequence[Clip], made: Result) -> Result:
    """Return a result whose IK bones follow, its report completed: "limits" (see `body_limits.told`), notes, warnings.

    The keys of Fewer Keys stay as they were fitted.
    """
    report, other_body = made.report, recipe.verb == Retarget.verb
    sources = clips[1:] if other_body else clips
    if not isinstance(made, KeysResult):
        clip, mixed = ik_bones.follow(made.clip, sources, made.reference, body=other_body)
        made = replace(made, clip=clip)
    else:
        mixed = []
    report["limits"], sentences = body_limits.told(
        made.clip,
        sources,
        planted=bool((report.get("plant") or {}).get("spans")),
        same_floor=recipe.verb not in _OTHER_FLOOR,
        slides=recipe.verb not in _ON_THE_SPOT,
    )
    warnings = [*report["warnings"], *_not_planted(recipe, report, made.clip.name), *sentences]
    report["notes"] = [one_line(note) for note in (*report.get("notes", ()), *recipe.without_effect(report), *mixed)]
    report["warnings"] = [one_line(warning) for warning in warnings]
    return made


def _not_planted(recipe: Recipe, report: dict[str, Any], name: str) -> list[str]:
    """Return what planting refused, where planting is a step of another verb."""
    refused = (report.get("plant") or {}).get("refused", ())
    if recipe.verb == Plant.verb or not refused:
        return []
    each = [
        f"{contacts.NAMES[one['foot']]} from frame {one['first']} to {one['end'] - 1}, {one['why']}" for one in refused
    ]
    return [f"{name}: not planted: {some(each)}"]
