"""Define the rows of a take cut into a set: each is a stretch in scene frames, with a name and a kind."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..ground import registrar

LEAST = 2  # smallest number of frames from the first of a stretch to its last

# The kinds of core in capitals, and a kind for transitions between loops.
BETWEEN = "BETWEEN"
IN_PLACE = "_InPlace"  # suffix of the names of actions in place
KINDS = (
    ("IDLE", "Idle", "It stands: a loop is most of the rest", "ARMATURE_DATA", 0),
    ("WALK", "Walk", "A loop begins with a step of the left foot", "MOD_DYNAMICPAINT", 1),
    ("RUN", "Run", "A loop begins with a step of the left foot", "FORWARD", 2),
    ("TURN", "Turn", "It turns on the spot", "FILE_REFRESH", 3),
    ("ACTION", "Other Action", "", "ACTION", 4),
    (BETWEEN, "Transition", "It leads from the pose of one loop to that of another", "ARROW_LEFTRIGHT", 5),
)


def describe(rows: Collection[Any], *, mirror: bool) -> str:
    """Return how many rows are ticked, how many of them have a mirror image, and how many are not ticked."""
    from ...core.verbs.take import take_set  # numpy is loaded at first use, not when Blender starts

    names = [row.name for row in rows if row.use]
    images = sum(take_set.other_side(name) not in names for name in names) if mirror else 0
    used, left = len(names), len(rows) - len(names)
    return f"{used} piece{'s' * (used != 1)} to weave + {images} mirrored, {left} left out"


# Options for writing the set, shared by the panel and the operator.
HOW = {
    "roots": bpy.props.EnumProperty(
        name="Travel",
        description="How actions of a set travel; an action each",
        items=[
            ("ROOT", "Root Motion", "As it travelled, on the root bone if there is one"),
            ("IN_PLACE", "In Place", "On the spot; its name ends with _InPlace"),
        ],
        default={"ROOT"},
        options={"ENUM_FLAG"},
    ),
    "mirror": bpy.props.BoolProperty(
        name="Mirror Missing",
        description="Mirror each action of one side, such as a turn to the left, whose other side lacks",
        default=True,
        options=set(),
    ),
    "assets": bpy.props.BoolProperty(
        name="Mark as Assets",
        description="Mark the actions of the set as assets, each with a picture of its poses",
        options=set(),
    ),
    "catalog": bpy.props.StringProperty(
        name="Catalog",
        description="The asset's catalog (A/B for one within another); unchanged if empty",
        default="Action Loom",
        options=set(),
    ),
}

_filling = False  # while a cut fills the rows, which does not count as an edit


def _after_edit(row: Any, _context: bpy.types.Context) -> None:
    """Reset the analysis results of a row edited by the artist."""
    if _filling or not isinstance(row, ACTION_LOOM_PG_take_row):
        return
    if row.end < row.start + LEAST:
        row["end"] = row.start + LEAST
    row.score, row.seconds, row.why = -1.0, -1.0, ""


def _after_renaming(row: Any, _context: bpy.types.Context) -> None:
    """Let the other rows name a renamed row by its new name."""
    before, row.known = row.known, row.name
    if _filling or not before or before == row.name:
        return
    rows = _rows_of(row)
    if any(one.name == before for one in rows):  # the name stands for another row
        return
    with filling():
        for one in rows:
            for end in ("begins", "ends"):
                if getattr(one, end) == before:
                    setattr(one, end, row.name)


def _rows_of(row: Any) -> Any:
    """Return all rows of the list that a row is in."""
    return row.id_data.path_resolve(row.path_from_id().rpartition(".take_rows")[0]).take_rows


def _loops(row: Any, _context: bpy.types.Context, edited: str) -> list[str]:
    """Return the names of the rows that are loops and contain the typed text."""
    return [one.name for one in _rows_of(row) if one.loop and edited.lower() in one.name.lower()]


class Stretch:
    """Properties shared by rows in the panel and rows of an operator; a row has the name of its action.

    start, end : first and last scene frame
    begins, ends : the names of the loops whose first poses are used at the ends, "" for its own poses
    """

    start: bpy.props.IntProperty(name="From", update=_after_edit, options=set())
    end: bpy.props.IntProperty(name="To", update=_after_edit, options=set())
    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What the body does there",
        items=KINDS,
        default="ACTION",
        update=_after_edit,
        options=set(),
    )
    loop: bpy.props.BoolProperty(name="Loop", description="Make cycles that repeat", update=_after_edit, options=set())
    begins: bpy.props.StringProperty(
        name="Begins as",
        description="The loop whose first pose is here; its own pose if empty",
        search=_loops,
        update=_after_edit,
        options=set(),
    )
    ends: bpy.props.StringProperty(
        name="Ends as",
        description="The loop whose first pose is here; its own pose if empty",
        search=_loops,
        update=_after_edit,
        options=set(),
    )


class ACTION_LOOM_PG_cut_row(Stretch, bpy.types.PropertyGroup):
    """A stretch in the operator's properties."""


class ACTION_LOOM_PG_take_row(Stretch, bpy.types.PropertyGroup):
    """A stretch in the panel's list.

    score, seconds : of a loop, how well the take repeats it, and its length; −1 if unknown
    speed, turn : of a loop as it was cut, metres and degrees per second; both −1 if unknown
    why : the reason for leaving it out of the set
    made : the last action woven from it
    known : its name before it is changed
    """

    name: bpy.props.StringProperty(update=_after_renaming, options=set())
    known: bpy.props.StringProperty(options=set())
    use: bpy.props.BoolProperty(name="Use", description="Make an action of it", default=True, options=set())
    score: bpy.props.FloatProperty(default=-1.0, options=set())
    seconds: bpy.props.FloatProperty(default=-1.0, options=set())
    speed: bpy.props.FloatProperty(default=-1.0, options=set())
    turn: bpy.props.FloatProperty(default=-1.0, options=set())
    why: bpy.props.StringProperty(options=set())
    made: bpy.props.PointerProperty(type=bpy.types.Action)


class ACTION_LOOM_PG_hole(bpy.types.PropertyGroup):
    """A gap of a set, described by its name; the tool that can fill it, and the rows to use (names, a line each).

    seek : the words to search for in a library, "" if rows can fill it
    """

    fill: bpy.props.StringProperty(options=set())
    of: bpy.props.StringProperty(options=set())
    seek: bpy.props.StringProperty(options=set())


@contextmanager
def filling() -> Iterator[None]:
    """Let rows be written without counting as edits of the artist."""
    global _filling
    _filling = True
    try:
        yield
    finally:
        _filling = False


register = registrar.registration((ACTION_LOOM_PG_cut_row, ACTION_LOOM_PG_take_row, ACTION_LOOM_PG_hole))
