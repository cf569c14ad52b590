"""Rows of a take in the panel: filled by a cut, converted to recipes, joined and split."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import bpy

from ....core.errors import LoomError
from ....core.verbs import CutOut
from ....core.verbs.take import coverage, cut_out, take_set
from ....core.verbs.take.take_set import TakeSet
from ...ground.blender_types import SlottedAction
from ...model import frame_conversion, lists, storage, take_rows
from ...model.take_rows import BETWEEN, IN_PLACE

_NUMBERED = re.compile(r" \d+$")


class Wanted(NamedTuple):
    """An action to make from a row: its name, its recipe, and the row's place."""

    name: str
    recipe: CutOut
    row: int


# --- rows from a cut -------------------------------------------------------------------------------------------------


def fill(rig: Any, action: bpy.types.Action, first: int, made: TakeSet) -> None:
    """Fill an armature's rows from a set; first : the scene frame of the take's first frame."""
    names = {item.name for item in made.items}
    going = {point.name: point for point in coverage.points(made.items)}
    with take_rows.filling():
        rig.take = action
        rig.take_rows.clear()
        for item in sorted(made.items, key=lambda item: (item.first, item.last)):
            row = rig.take_rows.add()
            between = not item.loop and (item.begins is not None or item.ends is not None)
            row.kind, row.loop = (BETWEEN if between else item.state.upper()), item.loop
            row.name, row.start, row.end = item.name, first + item.first, first + item.last
            if item.loop:
                row.score, row.seconds = item.score, (len(item.clip) - 1) / item.clip.rate
                if item.name in going:
                    row.speed, row.turn = going[item.name].speed, going[item.name].turn
            else:
                row.begins = "" if item.begins is None else item.begins.loop
                row.ends = "" if item.ends is None else item.ends.loop
        for left in made.left_out:
            row = rig.take_rows.add()
            row.use, row.loop, row.kind = False, False, _kind_of(left, made)
            row.name = left.name if left.name not in names else f"{left.name} {_number(left.name, names):02}"
            names.add(row.name)
            row.start, row.end = first + left.first, first + left.last
            row.why = frame_conversion.frames_in_scene(left.why, first)
        rig.take_active = 0
        _holes(rig, made)


def _kind_of(left: take_set.LeftOut, made: TakeSet) -> str:
    """Return the kind of an omitted row: its stretch's kind, or a transition."""
    same = (one.state.kind for one in made.cut.stretches if (one.first, one.last) == (left.first, left.last))
    return next(same, BETWEEN).upper()


def _number(name: str, names: set[str]) -> int:
    return next(k for k in range(2, len(names) + 3) if f"{name} {k:02}" not in names)


def _holes(rig: Any, made: TakeSet) -> None:
    rig.take_holes.clear()
    for hole in coverage.holes(made.items):
        row = rig.take_holes.add()
        row.name, row.fill, row.of, row.seek = hole.words, hole.fill, "\n".join(hole.of), hole.seek


def covered_loops(rig: Any) -> tuple[tuple[float, float, str], ...]:
    """Return the ticked standing or moving loops: speed, turn rate and kind of each."""
    rows = [row for row in rig.take_rows if row.use and row.loop and row.speed >= 0.0]
    return tuple((round(row.speed, 3), round(row.turn, 1), row.kind.lower()) for row in rows)


# --- recipes of rows -------------------------------------------------------------------------------------------------


def wanted_actions(
    rows: Sequence[Any], among: Sequence[Any], first: int, *, mirror: bool = False, roots: Iterable[str] = ("ROOT",)
) -> list[Wanted]:
    """Return the actions of some rows; raises LoomError for unknown loops and duplicate names.

    among : all rows, whose loops may be used; first : the scene frame of the take's first frame
    mirror : whether to mirror one-sided rows whose other side is missing; roots : of ROOT and IN_PLACE
    """
    made, names = [], [row.name for row in rows]
    loops = [row for row in among if row.loop]
    for place, row in enumerate(rows):
        images = [False]
        other = take_set.other_side(row.name)
        if mirror and other != row.name and other not in names:
            images.append(True)
        for mirrored in images:
            recipe = _recipe(row, loops, first, mirrored=mirrored, by_image=mirror)
            for root in ("ROOT", "IN_PLACE"):
                if root in roots:
                    still = root == "IN_PLACE"
                    name = (other if mirrored else row.name) + (IN_PLACE if still else "")
                    made.append(Wanted(name, dataclasses.replace(recipe, in_place=still), place))
    twice = sorted({one.name for one in made if sum(one.name == other.name for other in made) > 1})
    if twice:
        raise LoomError(f"Two ticked rows are called {twice[0]}: rename one")
    if not made:
        raise LoomError("Choose Root Motion, In Place, or both")
    return made


def _recipe(row: Any, loops: Sequence[Any], first: int, *, mirrored: bool, by_image: bool) -> CutOut:
    kind = "action" if row.kind == BETWEEN else row.kind.lower()
    begins, ends = (
        () if row.loop or not name else (_pose(row, name, loops, first, mirrored, by_image),)
        for name in (row.begins, row.ends)
    )
    return CutOut(
        first=row.start - first,
        last=row.end - first,
        kind=kind,
        loop=row.loop,
        begins=begins,
        ends=ends,
        mirrored=mirrored,
    )


def _pose(row: Any, name: str, loops: Sequence[Any], first: int, mirrored: bool, by_image: bool) -> tuple[float, ...]:
    """Return the loop pose at an end of a row; for a mirrored row, of the loop's mirror image if it exists."""
    named = next((one for one in loops if one.name == name), None)
    if named is None:
        raise LoomError(f"{row.name}: no row is a loop called {name}: choose another, or none")
    place, image = named, False
    if mirrored and take_set.other_side(name) != name:
        there = next((one for one in loops if one.name == take_set.other_side(name)), None)
        place, image = there or named, there is None and by_image
    frame = cut_out.NEAREST if mirrored else 0
    return cut_out.row(place.start - first, place.end - first, place.kind.lower(), frame, mirrored=image)


def recipe_again(rig: Any, action: bpy.types.Action, before: CutOut, first: int) -> CutOut | None:
    """Return the recipe of an action of a set with its row's current settings; None if no row has made it."""
    if rig is None:
        return None
    row = next((one for one in rig.take_rows if one.made == action), None)
    if row is None:
        return None
    rows = list(rig.take_rows)
    now = _recipe(row, [one for one in rows if one.loop], first, mirrored=before.mirrored, by_image=before.mirrored)
    return dataclasses.replace(now, in_place=before.in_place, trim=before.trim)


def meets(rig: Any, row: Any) -> list[str]:
    """Return the names of woven actions that end with the pose of a row's loop and need a rebuild after it."""
    others = (one for one in rig.take_rows if not one.loop and row.name in (one.begins, one.ends))
    return [one.made.name for one in others if one.made is not None]


def woven_actions(rig: Any) -> list[bpy.types.Action]:
    """Return the woven actions of a list's take, in order, except those of unticked rows, also in place."""
    rows = [row for row in rig.take_rows if not row.use and row.made is not None]
    unticked = {row.made.name.removesuffix(IN_PLACE) for row in rows}
    actions = [line.action for line in rig.sources if line.action is not None and lists.is_own(line)]
    return [one for one in actions if one.name.removesuffix(IN_PLACE) not in unticked and of_take(one, rig.take)]


def place_of(rig: Any, name: str) -> SlottedAction | None:
    """Return the existing action and slot of a name woven from a list's take, unless it was edited by hand."""
    action = bpy.data.actions.get(name)
    if rig is None or action is None or not of_take(action, rig.take) or storage.edited_by_hand(action):
        return None
    return action, storage.find_slot(action, storage.of_result(action).slot)


def of_take(action: bpy.types.Action, take: bpy.types.Action | None) -> bool:
    """Return whether an action was cut out of a take."""
    try:
        kept = storage.read_stored(action)
        cut_of = kept is not None and isinstance(kept.recipe, CutOut) and storage.find_sources(action)[0][0]
    except LoomError:  # it is unreadable, or its take is missing
        return False
    return bool(cut_of) and cut_of == take


# --- edited rows -----------------------------------------------------------------------------------------------------


def split(rig: Any, frame: int) -> Any:
    """Split the active row at a scene frame; return the new row, the later part. Raises LoomError."""
    row = active(rig)
    if row is None:
        raise LoomError("Cut the take into a set first")
    if not row.start + take_rows.LEAST <= frame <= row.end - take_rows.LEAST:
        raise LoomError(f"{row.name} can't be parted at frame {frame}: go to a frame between {row.start} and {row.end}")
    later = _copy(rig, row)
    row.end, later.start = frame, frame
    row.loop = later.loop = row.loop and row.kind != BETWEEN
    row.ends, later.begins = "", ""
    rig.take_rows.move(len(rig.take_rows) - 1, rig.take_active + 1)
    return rig.take_rows[rig.take_active + 1]


def join(rig: Any) -> Any:
    """Join the active row with the next one; return it. Raises LoomError if there is none."""
    row = active(rig)
    later = [k for k, one in enumerate(rig.take_rows) if row is not None and one != row and one.start >= row.start]
    later = [k for k in later if rig.take_rows[k].end > row.end]
    if row is None or not later:
        raise LoomError("No row begins after the active one: choose the earlier of both")
    k = min(later, key=lambda k: (rig.take_rows[k].start, rig.take_rows[k].end))
    end, ends = rig.take_rows[k].end, rig.take_rows[k].ends
    rig.take_rows.remove(k)
    rig.take_active -= k < rig.take_active
    row = active(rig)
    row.end, row.ends = end, ends
    return row


def active(rig: Any) -> Any:
    """Return the active row, or None."""
    there = rig is not None and 0 <= rig.take_active < len(rig.take_rows)
    return rig.take_rows[rig.take_active] if there else None


def _copy(rig: Any, row: Any) -> Any:
    names = {one.name for one in rig.take_rows}
    later = rig.take_rows.add()
    name = _NUMBERED.sub("", row.name)  # "Action 01" is followed by the next free number, not by "Action 01 02"
    later.name = f"{name} {_number(name, names):02}"
    later.use, later.kind, later.loop = row.use, row.kind, row.loop
    later.start, later.end, later.begins, later.ends = row.start, row.end, row.begins, row.ends
    return later
