"""Complete every result's report: whether it changed, joint limits, feet not planted, options without effect."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import jit
from ..bodies import attachments
from ..bodies.attachments import Attachments
from ..edit.feet.planting import told
from ..errors import LoomError, one_line
from ..motion import quat
from ..motion.clip import Clip
from ..recipes.base import Recipe
from ..weave import body_limits
from ..weave.results import CutOutResult, EditResult, KeysResult, Result
from ..weight import compared, repair
from .bake import Bake
from .fewer_keys import FewerKeys
from .holding import FindFrames, hold_hands
from .mirror import Mirror
from .place import Place
from .plant import Plant
from .retarget import Retarget
from .root import Root
from .take import CutOut
from .travel import InPlace, Travel
from .warp import Warp
from .weight import Weight

# Verbs whose result may stand on another floor: another body, a moved clip, or levelled clips.
_OTHER_FLOOR = {"retarget", "place", "follow", "drive", "walk", "shortest"}
_ON_THE_SPOT = {"in_place", "root"}
KEYS_AS_GIVEN = {FewerKeys.verb, Bake.verb, Warp.verb}  # verbs that use the keys and bones of the clip as given
# Verbs that change no flight, and Weight, which reports each flight itself.
_FALLS_AS_GIVEN = {one.verb for one in (Bake, CutOut, InPlace, Mirror, Place, Root, Travel, Weight)}
_SAME = 1e-6  # body heights, and components of unit quaternions


def attachments_of(recipe: Recipe, clips: Sequence[Clip]) -> Attachments:
    """Return the attached joints of clips; none for verbs with keys as options.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs import completing
        >>> completing.attachments_of(verbs.Loop(), [actions.walk()]).bodies
        {}
    """
    if recipe.verb in KEYS_AS_GIVEN:
        return Attachments()
    return attachments.find(clips, rest_counts=recipe.verb == Retarget.verb)


def complete(
    recipe: Recipe, clips: Sequence[Clip], made: Result, attached: Attachments, find_frames: FindFrames
) -> Result:
    """Return a result on the given skeleton with its report completed: engine, changes, limits, flights and notes.

    Its name leaves out a rig's name shared by its clips: files name actions "Armature|Walk".

    clips : as given; attached : joints that were reattached for the work
    find_frames : as `source_frames.of`
    changed : False if an edit left the clip unchanged; a note is added if the verb does not explain why
    """
    report, (woven, falls) = made.report, _let_fall(made.clip, recipe, made.report)
    hung = attached.hang(clips)
    held: list[str] = []
    if recipe.verb not in KEYS_AS_GIVEN:
        woven, held = hold_hands(woven, made, recipe, hung, find_frames)
    woven = made.restore(woven)
    sources = [made.part] if isinstance(made, CutOutResult) else hung[1:] if recipe.verb == Retarget.verb else hung
    if not sources and (graph := getattr(made, "inputs", None)) is not None:  # a walk through a graph from a file
        sources = list(graph.clips[: graph.given])
    names = [clip.name for clip in clips]
    rigs = {name.partition("|")[0] for name in names if "|" in name}
    name = woven.name if len(rigs) != 1 or woven.name in names else woven.name.replace(f"{rigs.pop()}|", "")
    made = replace(made, clip=replace(attached.restore(woven, clips), name=name))
    # Fewer keys and Bake change keys, which a clip does not contain.
    edited = isinstance(made, EditResult) and not isinstance(made, KeysResult) and recipe.verb != Bake.verb
    report["engine"] = jit.read_default_engine()
    report["changed"] = not edited or _differs(made.clip, clips[made.reference])
    same = not report["changed"] and not report["warnings"]
    unchanged = [f"{clips[made.reference].name}: nothing needed changing"] if same else []
    report["limits"], sentences = body_limits.describe_limits(
        woven,
        sources,
        planted=bool((report.get("plant") or {}).get("spans")),
        asked=bool(getattr(recipe, "plant_feet", False)),
        same_floor=recipe.verb not in _OTHER_FLOOR,
        slides=not (recipe.verb in _ON_THE_SPOT or (isinstance(recipe, CutOut) and recipe.in_place)),
    )
    if recipe.verb not in _FALLS_AS_GIVEN:
        flights, worse = compared.compare_flights(woven, sources)
        report["flights"] = None if flights is None else flights.as_json()
        sentences += [*falls, *worse]
    sentences += [*held, *body_limits.describe_turns(woven, sources), *attached.leaving(made.clip, clips)]
    warnings = [*report["warnings"], *_not_planted(recipe, report, made.clip.name), *sentences]
    notes = (*report.get("notes", ()), *unchanged, *recipe.without_effect(report), *attached.notes)
    report["notes"] = [one_line(note) for note in notes]
    report["warnings"] = [one_line(warning.replace(woven.name, name)) for warning in dict.fromkeys(warnings)]
    return made


def _let_fall(clip: Clip, recipe: Recipe, report: dict[str, Any]) -> tuple[Clip, list[str]]:
    """Return a clip with its flights repaired if the recipe asks for it, and sentences on flights without repair."""
    strength = float(getattr(recipe, "real_falls", 0.0))
    if strength == 0.0:
        return clip, []
    try:
        made, found = repair.repair_flights(clip, strength)
    except LoomError as error:  # without known feet, or of an unknown unit
        return clip, [str(error)]
    report["repairs"] = found.as_json
    return made, found.describe()


def _differs(clip: Clip, source: Clip) -> bool:
    """Return whether a clip moves differently from its source; names and markers do not count."""
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
    """Return warnings on skipped contacts and bent legs if another verb planted feet as a step."""
    planted = None if recipe.verb == Plant.verb else report.get("plant")
    return told(planted, name) if planted else []
