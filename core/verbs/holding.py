"""Keep hands of results on their contacts in the sources (methods: Contacts of hands)."""

from collections.abc import Callable, Sequence
from typing import Any

from ..contacts import find, keep
from ..contacts.wanted import Played
from ..motion import mirror
from ..motion.clip import Clip
from ..recipes.base import Recipe
from ..weave.results import Result, SpliceResult

FindFrames = Callable[[Result, Recipe, Sequence[Clip]], Sequence[Any]]


def hold_hands(
    clip: Clip, made: Result, recipe: Recipe, sources: Sequence[Clip], find_frames: FindFrames
) -> tuple[Clip, list[str]]:
    """Return a result's clip with its hands on their contacts, and sentences; its report gets "hands" if it has any.

    clip : the result's so far; sources : the given clips, on the skeletons that the work used
    find_frames : returns the stretches of the sources that a result plays, as `source_frames.of`
    """
    moving = sources[1:] if recipe.like else sources  # of the others only the body is used
    if getattr(recipe, "keep_hands", "off") == "off" or not any(find.find_contacts(one) for one in moving):
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
    result, kept = keep.keep_contacts(clip, played)
    if not kept.holds:
        return clip, []
    made.report["hands"] = kept.as_report()
    return result, kept.describe(clip.name)
