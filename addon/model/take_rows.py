"""Define the rows of a take that was cut into a set: a stretch each, in frames of the scene, with a name and a kind."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

LEAST = 2  # frames from the first of a stretch to its last

# The kinds of the core in capitals, and what leads from loop to loop.
BETWEEN = "BETWEEN"
KINDS = (
    ("IDLE", "Idle", "It stands: a loop is most of the rest", "ARMATURE_DATA", 0),
    ("WALK", "Walk", "It walks: a loop begins with a step of the left foot", "MOD_DYNAMICPAINT", 1),
    ("RUN", "Run", "It runs: a loop begins with a step of the left foot", "FORWARD", 2),
    ("TURN", "Turn", "It turns on the spot", "FILE_REFRESH", 3),
    ("ACTION", "Other Action", "It does something else", "ACTION", 4),
    (BETWEEN, "Transition", "It leads from the pose of one loop to that of another", "ARROW_LEFTRIGHT", 5),
)

# How the set is written, as the panel and the operator have it.
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
        default=False,
        options=set(),
    ),
    "catalog": bpy.props.StringProperty(
        name="Catalog",
        description="The catalog of these assets (A/B for one within another)",
        default="Action Loom",
        options=set(),
    ),
}

_filling = False  # while rows are filled by a cut, which is no change of the artist's


def _edited(row: Any, _context: bpy.types.Context) -> None:
    """Forget what the cut found out about a row that the artist has changed."""
    if _filling or not isinstance(row, ACTION_LOOM_PG_take_row):
        return
    if row.end < row.start + LEAST:
        row["end"] = row.start + LEAST
    row.score, row.why = -1.0, ""


def _loops(row: Any, _context: bpy.types.Context, edited: str) -> list[str]:
    """Return the names of the rows that are loops and contain the typed text."""
    rig = row.id_data.path_resolve(row.path_from_id().rpartition(".take_rows")[0])
    return [one.name for one in rig.take_rows if one.loop and edited.lower() in one.name.lower()]


class Stretch:
    """What rows in the panel and rows of an operator have; the row's name is that of its action.

    start, end : first and last frame, of the scene
    begins, ends : the names of the loops whose first poses the ends are, "" for its own
    """

    start: bpy.props.IntProperty(name="From", description="Its first frame", update=_edited, options=set())
    end: bpy.props.IntProperty(name="To", description="Its last frame", update=_edited, options=set())
    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What the body does there",
        items=KINDS,
        default="ACTION",
        update=_edited,
        options=set(),
    )
    loop: bpy.props.BoolProperty(
        name="Loop", description="Make a cycle that repeats", default=False, update=_edited, options=set()
    )
    begins: bpy.props.StringProperty(
        name="Begins as",
        description="The loop with whose first pose it begins; its own pose if empty",
        search=_loops,
        update=_edited,
        options=set(),
    )
    ends: bpy.props.StringProperty(
        name="Ends as",
        description="The loop with whose first pose it ends; its own pose if empty",
        search=_loops,
        update=_edited,
        options=set(),
    )


class ACTION_LOOM_PG_cut_row(Stretch, bpy.types.PropertyGroup):
    """A stretch as an operator takes it."""


class ACTION_LOOM_PG_take_row(Stretch, bpy.types.PropertyGroup):
    """A stretch as the panel lists it.

    score : of a loop, how well the take repeats it; −1 where it is not known
    speed, turn : of a loop as it was cut, metres and degrees a second; both −1 where they are not known
    why : the reason why the cut has left it out
    made : the action that was woven of it last
    """

    use: bpy.props.BoolProperty(name="Use", description="Make an action of it", default=True, options=set())
    score: bpy.props.FloatProperty(default=-1.0, options=set())
    speed: bpy.props.FloatProperty(default=-1.0, options=set())
    turn: bpy.props.FloatProperty(default=-1.0, options=set())
    why: bpy.props.StringProperty(options=set())
    made: bpy.props.PointerProperty(type=bpy.types.Action)


class ACTION_LOOM_PG_hole(bpy.types.PropertyGroup):
    """What a set lacks, in the words of its name; how it can be filled, and of which rows (names, a line each).

    seek : the words by which a library has it, "" where rows fill it
    """

    fill: bpy.props.StringProperty(options=set())
    of: bpy.props.StringProperty(options=set())
    seek: bpy.props.StringProperty(options=set())


@contextmanager
def filling() -> Iterator[None]:
    """Let rows be written without counting as changed by the artist."""
    global _filling
    _filling = True
    try:
        yield
    finally:
        _filling = False


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_PG_cut_row, ACTION_LOOM_PG_take_row, ACTION_LOOM_PG_hole)
)
