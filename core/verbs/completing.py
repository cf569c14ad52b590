"""What every result is told besides its verb's own report: whether it changed, limits, feet not planted, options."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..check import contacts
from ..errors import one_line, some
from ..motion import quat
from ..motion.clip import Clip
from ..recipes.base import Recipe
from ..weave import body_limits, ik_bones
from ..weave.results import CutOutResult, EditResult, KeysResult, Result
from .bake import Bake
from .plant import Plant
from .retarget import Retarget
from .take import CutOut

# On another body, moved up or down, or walking through clips that were levelled.
_OTHER_FLOOR = {"retarget", "place", "follow", "drive", "walk", "shortest"}
_ON_THE_SPOT = {"in_place", "root"}
_SAME = 1e-6  # of the body's height, and in numbers of unit quaternions


def complete(recipe: Recipe, clips: Sequence[Clip], made: Result) -> Result:
    """Return a result whose IK bones follow, its report completed: "changed", "limits" (`body_limits.told`), notes.

    The keys of Fewer Keys stay as they were fitted. changed : False for a clip that an edit left as it was, which is
    said where the verb does not say why
    """
    report, other_body = made.report, recipe.verb == Retarget.verb
    sources, mixed = clips[1:] if other_body else clips, list[str]()
    if isinstance(made, CutOutResult):
        sources = [made.part]
    if not isinstance(made, KeysResult):
        clip, mixed = ik_bones.follow(made.clip, sources, made.reference, body=other_body)
        made = replace(made, clip=clip)
    # Few keys, or a key on every frame: what counts are keys, which a clip does not have.
    edited = isinstance(made, EditResult) and not isinstance(made, KeysResult) and recipe.verb != Bake.verb
    report["changed"] = not edited or _differs(made.clip, clips[made.reference])
    same = not report["changed"] and not report["warnings"]
    unchanged = [f"{clips[made.reference].name}: nothing needed changing"] if same else []
    report["limits"], sentences = body_limits.told(
        made.clip,
        sources,
        planted=bool((report.get("plant") or {}).get("spans")),
        asked=bool(getattr(recipe, "plant_feet", False)),
        same_floor=recipe.verb not in _OTHER_FLOOR,
        slides=not (recipe.verb in _ON_THE_SPOT or (isinstance(recipe, CutOut) and recipe.in_place)),
    )
    warnings = [*report["warnings"], *_not_planted(recipe, report, made.clip.name), *sentences]
    notes = (*report.get("notes", ()), *unchanged, *recipe.without_effect(report), *mixed)
    report["notes"] = [one_line(note) for note in notes]
    report["warnings"] = [one_line(warning) for warning in dict.fromkeys(warnings)]
    return made


def _differs(clip: Clip, source: Clip) -> bool:
    """Return whether a clip moves else than its source; names and marks do not count."""
    if (len(clip), clip.rate) != (len(source), source.rate):
        return True
    if clip.skeleton is not source.skeleton and clip.skeleton.names != source.skeleton.names:
        return True
    turned = quat.same_side(clip.rotations, source.rotations) - source.rotations
    if float(np.abs(clip.translations - source.translations).max()) > _SAME * source.skeleton.height:
        return True
    sizes = [np.ones(3) if one.scales is None else one.scales for one in (clip, source)]
    common = clip.channels.keys() & source.channels.keys()
    followed = [clip.channels[name].values - source.channels[name].values for name in common]
    return any(float(np.abs(apart).max()) > _SAME for apart in (turned, sizes[0] - sizes[1], *followed))


def _not_planted(recipe: Recipe, report: dict[str, Any], name: str) -> list[str]:
    """Return what planting refused, where planting is a step of another verb."""
    refused = (report.get("plant") or {}).get("refused", ())
    if recipe.verb == Plant.verb or not refused:
        return []
    each = [
        f"{contacts.NAMES[one['foot']]} from frame {one['first']} to {one['end'] - 1}, {one['why']}" for one in refused
    ]
    return [f"{name}: not planted: {some(each)}"]
