"""Keep the hands of a result on the contacts that they have in the sources (methods: Contacts of hands)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..contacts import couple, find, keep, objects, props
from ..contacts.figure import figure_of
from ..contacts.wanted import Played
from ..motion import mirror, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.base import Recipe
from ..weave.results import EditResult, Result, SpliceResult

Pose = tuple[Array, Array]
FindFrames = Callable[[Result, Recipe, Sequence[Clip]], Sequence[Any]]


def hold_hands(
    clip: Clip, made: Result, recipe: Recipe, sources: Sequence[Clip], find_frames: FindFrames
) -> tuple[Clip, list[str]]:
    """Return the clip of a result with its hands on their contacts, and sentences for the user.

    If there are contacts, the report gets the key "hands". Edits of one clip do not have the option; they only keep
    props in the hands, because these would drift from them.

    clip : the clip of the result; sources : the given clips, on the skeletons that the verb used
    find_frames : returns the stretches of the sources that a result plays, as `source_frames.of` does
    """
    moving = recipe.with_motion(sources)
    how = getattr(recipe, "keep_hands", None)
    kinds = (find.PROP,) if how is None else find.KINDS
    if how is None and not isinstance(made, EditResult):
        return clip, []  # the poses are keyed, or cut out of the source unchanged
    if how == "off":
        return clip, []
    told = (
        []
        if how is None
        else [sentence for one in moving for sentence in couple.describe_left_out(one, cyclic=clip.cyclic)]
    )
    if not any(_has_any(one, kinds) for one in moving):
        return clip, told
    played = _list_played(clip, made, sources, find_frames(made, recipe, sources))
    result, kept = keep.keep_contacts(clip, played, kinds)
    if not kept.holds:
        return clip, told
    made.report["hands"] = kept.as_report()
    return result, [*told, *kept.describe(clip.name)]


def _list_played(clip: Clip, made: Result, sources: Sequence[Clip], shown: Sequence[Any]) -> list[Played]:
    """Return the stretches of sources, or of their mirror images, that a result plays."""
    spliced = isinstance(made, SpliceResult) or getattr(made, "over", False)  # its path is from another source
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
    return played


def carry_object(
    clip: Clip, made: Result, sources: Sequence[Clip], moves: Mapping[int, Pose], shown: Sequence[Any]
) -> tuple[Pose, str] | None:
    """Return the motion in a result of an object that hands hold in the sources, and a phrase that names the hands.

    Returns None if no hand holds the object.

    clip : the result as placed in the world
    moves : by number of the source, the object's world rotations (F, 4) and positions (F, 3), metres
    shown : as returned by `source_frames.of`

    Example:
        >>> import numpy as np
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.verbs import holding, source_frames
        >>> walk = actions.walk()
        >>> made = verbs.apply(verbs.Mirror(), [walk])
        >>> shown = source_frames.of(made, verbs.Mirror(), [walk])
        >>> turned, places = (part[:, walk.skeleton.roles["hand.R"]] for part in kinematics.world(walk))
        >>> pose, hands = holding.carry_object(made.clip, made, [walk], {0: (turned, places)}, shown)
        >>> away = pose[1] - kinematics.world(made.clip)[1][:, walk.skeleton.roles["hand.L"]]
        >>> hands, bool(abs(away).max() < 1e-6)
        ('left hand', True)
    """
    still = np.tile(quat.IDENTITY, (1, 1)), np.zeros((1, 3))
    held = [objects.add_object(one, *moves.get(k, still)) for k, one in enumerate(sources)]
    return objects.carry(clip, _list_played(clip, made, held, shown))


def _has_any(clip: Clip, kinds: Sequence[str]) -> bool:
    """Return whether a clip has contacts of some kinds; few bodies have joints that can be props."""
    if kinds == (find.PROP,) and not props.list_props(figure_of(clip)):
        return False
    return any(one.kind in kinds for one in find.find_contacts(clip))
