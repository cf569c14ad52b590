"""Choose the first ticks of a list: two similar actions, one action, or none."""

import re
from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from typing import Any

import bpy

from ....core.errors import LoomError
from ....core.progress import SILENT
from ....core.recipes.reading import Request
from ....core.verbs import VERBS, Loop
from ...bridge import result_mark
from ...ground.blender_types import present, scene_of
from ...model import contact_rows, lists, properties
from . import source_list

# Words of gaits, in the order in which they are suggested, and of actions that change a gait or do something else.
GAITS = (
    "walk",
    "walking",
    "run",
    "running",
    "jog",
    "sprint",
    "trot",
    "gallop",
    "canter",
    "sneak",
    "swim",
    "fly",
    "flying",
)
STANDS = frozenset(("idle", "stand", "standing", "rest", "wait", "breathing"))
_CHANGES = frozenset(
    (
        *("start", "stop", "end", "begin", "to", "from", "turn", "left", "right", "back", "backward", "backwards"),
        *("strafe", "jump", "attack", "shoot", "shooting", "gun", "punch", "hold", "holding", "carry", "carrying"),
        *("hit", "fall", "death", "die", "drop", "pose", "land"),
    )
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# Limits of the work, which must not depend on the speed of the machine: each try takes about half a second.
FRAMES = 300  # of an action that may be tried
PAIRS, READ = 2, 3  # pairs and actions that may be tried
WORK = 20_000  # frames × bones of all tried pairs, and of all tried actions


def tick(context: bpy.types.Context, rig: Any, armature: bpy.types.Object) -> None:
    """Tick the lines of `choose` in a list without ticks."""
    if any(line.use for line in rig.sources):
        return
    for line in choose(context, rig, armature):
        line.use = True
    rig.ticked_at_first = lists.names_of_ticked(rig)
    settings = properties.settings_of(scene_of(context))
    if len(rig.sources) == len(settings.rigs) == 1 and VERBS[settings.mode].recipe.least > 1:
        settings.mode = Loop.verb  # a capture: one action can't be mixed


def choose(context: bpy.types.Context, rig: Any, armature: bpy.types.Object) -> list[Any]:
    """Return the lines to tick first: two that blend without warnings, or a single gait or the played action.

    Gaits are known by their names, and if these tell nothing, by their feet. Results are seldom woven again.
    """
    whole = [line for line in rig.sources if not line.apart]
    lines = [line for line in whole if not result_mark.is_result(line.action)] or whole
    gaits = _by_name(lines)
    if any(len(bone.constraints) for bone in present(armature.pose).bones):
        return gaits[:2]  # controls take too long to read for a try
    bones, playing = len(present(armature.pose).bones), contact_rows.action_of(armature)
    short = [line for line in lines if _frames_of(line) <= FRAMES]
    if len(gaits) < 2:
        short.sort(key=lambda line: (line.action != playing, not source_list.repeats(line.action)))
        unknown = ((line,) for line in short if line not in gaits)
        gaits += [line for (line,) in _affordable(unknown, READ, bones) if _walks(context, armature, line)]
    pairs: Iterable[tuple[Any, Any]] = combinations([line for line in gaits if line in short], 2)
    first = next((line for line in lines if line.action == playing), None)
    if not gaits and first is not None:
        repeating = source_list.repeats(first.action)
        alike = (one for one in short if one != first and source_list.repeats(one.action) == repeating)
        pairs = ((first, one) for one in alike)
    for pair in _affordable(pairs, PAIRS, bones):
        if _is_fine(context, armature, pair):
            return list(pair)
    return gaits[:1] or ([] if first is None else [first])


def _frames_of(line: Any) -> float:
    first, last = line.action.frame_range
    return float(last - first)


def _affordable(tries: Iterable[tuple[Any, ...]], most: int, bones: int) -> Iterator[tuple[Any, ...]]:
    """Yield the first tries, tuples of lines, up to a number and to a total of frames × bones."""
    work = 0.0
    for lines in islice(tries, most):
        work += bones * sum(map(_frames_of, lines))
        if work > WORK:
            return
        yield lines


def words_of(name: str) -> list[str]:
    """Return the words of an action's name in small letters: "CharacterArmature|Run_Left" has four."""
    return [word.lower() for word in _WORD.findall(name)]


def _by_name(lines: list[Any]) -> list[Any]:
    """Return the line of each gait with the plainest name."""
    named = [(words_of(line.action.name), line) for line in lines]
    found = []
    for gait in GAITS:
        its = [(len(words), line) for words, line in named if gait in words and not _CHANGES.intersection(words)]
        line = min(its, key=lambda one: one[0])[1] if its else None
        if line is not None and line not in found:
            found.append(line)
    return found


def _walks(context: bpy.types.Context, armature: bpy.types.Object, line: Any) -> bool:
    from ....core.quality import foot_travel
    from ..weaving import reading

    try:
        clip = reading.read(context, armature, Request(sources=(source_list.source_of(line),))).clips[0]
        feet = foot_travel.measure(clip)
    except LoomError:  # it can't be woven; the reason is shown when the artist ticks it
        return False
    return feet is not None and feet.walks and (feet.in_place or feet.body_speed > 0.5 * feet.speed)


def _is_fine(context: bpy.types.Context, armature: bpy.types.Object, pair: tuple[Any, Any]) -> bool:
    """Return whether two lines blend without warnings; their registration is kept for the artist's own blend."""
    from ....core.verbs import Blend
    from ..weaving import computing, reading
    from . import source_warnings

    request = Request(sources=tuple(map(source_list.source_of, pair)))
    try:
        read = reading.read(context, armature, request)
        made = computing.compute(reading.Inputs(request, read, Blend()), SILENT)
    except LoomError:
        return False
    doubts = [*read.notes, *map(source_warnings.doubt_of, read.clips)]
    return not any((*made.report["warnings"], *doubts))
