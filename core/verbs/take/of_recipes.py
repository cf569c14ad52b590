"""Rebuild the items of a set from separately cut actions, using their recipes.

Method: A take becomes a set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...motion import root_motion
from ...motion.clip import Clip
from ...weave import root_trajectory
from . import KINDS, CutOut, meeting
from .cut_out import NEAREST
from .meeting import Pose
from .take_set import Item, other_side

_Key = tuple[int, int, str, bool]  # first and last frame in the take, kind, and whether mirrored


def items(made: Sequence[tuple[str, CutOut, Clip]]) -> list[Item]:
    """Return the items of a set from triples of name, recipe that cut the action out, and clip.

    An end that matches a loop of the set, in place or travelling like the action, gets that loop's name; others get "".

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import of_recipes
        >>> recipe = verbs.CutOut(first=10, last=150, kind="walk", loop=True)
        >>> walk = verbs.apply(recipe, [actions.walk(cycles=5)]).clip
        >>> [(item.name, item.loop, item.ends.loop) for item in of_recipes.items([("Walk", recipe, walk)])]
        [('Walk', True, 'Walk')]
    """
    moving = {name: replace(_moving(clip), name=name, cyclic=recipe.loop) for name, recipe, clip in made}
    loops = {(recipe.in_place, _key(recipe)): name for name, recipe, _ in made if recipe.loop}
    out = []
    for name, recipe, _ in made:
        clip = moving[name]
        of = {key: loops[place, key] for place, key in loops if place == recipe.in_place}
        begins = Pose(name) if recipe.loop else _pose(recipe.begins, clip, 0, of, moving)
        ends = Pose(name) if recipe.loop else _pose(recipe.ends, clip, len(clip) - 1, of, moving)
        kind = "loop" if recipe.loop else "action"
        image = other_side(name) if recipe.mirrored else ""
        item = Item(name, clip, kind, begins, ends, recipe.first, recipe.last, 0.0, recipe.kind, mirrored=image)
        out.append(item)
    return out


def _key(recipe: CutOut) -> _Key:
    return recipe.first, recipe.last, recipe.kind, recipe.mirrored


def _pose(
    rows: Sequence[Sequence[float]], clip: Clip, frame: int, loops: Mapping[_Key, str], clips: Mapping[str, Clip]
) -> Pose | None:
    if not rows:
        return None
    first, last, kind, there, mirrored = (int(number) for number in rows[0])
    name = loops.get((first, last, KINDS[kind], bool(mirrored)))
    if name is None:
        return None
    if there == NEAREST:
        among = meeting.shapes(clips[name], repeats=True)[:-1]
        there = meeting.nearest(among, meeting.shapes(clip)[frame])[0]
    return Pose(name, there)


def _moving(clip: Clip) -> Clip:
    """Return a clip with the travel restored that had been stored as a root trajectory."""
    trajectory = root_trajectory.read_stored_trajectory(clip)
    if trajectory is None:
        return clip
    angle, shift = root_trajectory.displacement(clip, trajectory)
    return root_motion.place_clip(clip, angle, np.column_stack([shift.real, shift.imag]))
