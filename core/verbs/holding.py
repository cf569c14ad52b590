"""Keep hands of results on their contacts in the sources (methods: Contacts of hands)."""

from collections.abc import Callable, Sequence
from typing import Any

from ..contacts import find, keep, props
from ..contacts.figure import figure_of
from ..contacts.wanted import Played
from ..motion import mirror
from ..motion.clip import Clip
from ..recipes.base import Recipe
from ..weave.results import KeysResult, Result, SpliceResult

FindFrames = Callable[[Result, Recipe, Sequence[Clip]], Sequence[Any]]


def hold_hands(
    clip: Clip, made: Result, recipe: Recipe, sources: Sequence[Clip], find_frames: FindFrames
) -> tuple[Clip, list[str]]:
    """Return a result's clip with its hands on their contacts, and sentences; its report gets "hands" if it has any.

    Verbs without the option, which change one clip, keep only props in the hands, which may drift from them.

    clip : the result's so far; sources : the given clips, on the skeletons that the work used
    find_frames : returns the stretches of the sources that a result plays, as `source_frames.of`
    """
    moving = sources[1:] if recipe.like else sources  # of the others only the body is used
    if isinstance(made, KeysResult):
        return clip, []
    how = getattr(recipe, "keep_hands", None)
    kinds = (find.PROP,) if how is None else find.KINDS
    if how == "off" or not any(_has_any(one, kinds) for one in moving):
        return clip, []
    shown = find_frames(made, recipe, sources)
    spliced = isinstance(made, SpliceResult)  # its arms are the action's, its way the locomotion's
    images: dict[int, Clip] = {}
    played = []
    for one in shown:
        if spliced and one.source == 0:
            continue
        source = sources[one.source]
        if one.mirrored:
            source = images.setdefault(one.source, mirror.mirror_clip(source))
        frames = one.low + (one.frames - one.low) % one.cycle if one.cycle else one.frames
        count = len(clip) - one.first
        played.append(Played(source, one.first, frames[:count], one.weights[:count], not spliced))
    result, kept = keep.keep_contacts(clip, played, kinds)
    if not kept.holds:
        return clip, []
    made.report["hands"] = kept.as_report()
    return result, kept.describe(clip.name)


def _has_any(clip: Clip, kinds: Sequence[str]) -> bool:
    """Return whether a clip has contacts of some kinds; few bodies have joints that can be props."""
    if kinds == (find.PROP,) and not props.list_props(figure_of(clip)):
        return False
    return any(one.kind in kinds for one in find.find_contacts(clip))
