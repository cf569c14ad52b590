"""Show the found contacts of an action's hands as rows, and store on the action which ones results do not keep.

The custom property has a JSON list of rows: kind, sides and part of a contact, its first frame and its end.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import bpy

from ..ground import registrar
from ..ground.blender_types import has_property
from . import lists

if TYPE_CHECKING:
    from ...core.motion.clip import FreeHand

KEY = "action_loom_free_hands"  # custom property of actions
MOST = 100_000  # letters that are read of it
FARTHEST = 1e7  # frame


def text_of(action: bpy.types.Action) -> str:
    """Return the stored text on an action's free hands, "" for none."""
    text = action.get(KEY, "")
    return text if isinstance(text, str) else repr(text)[:MOST]  # anybody can write custom properties


def free_hands_of(action: bpy.types.Action) -> "tuple[FreeHand, ...]":
    """Return the free hands of an action, in its frames; raises ValueError for a property that can't be read."""
    return _read(text_of(action))


@lru_cache(maxsize=64)
def _read(text: str) -> "tuple[FreeHand, ...]":
    if not text:
        return ()
    from ...core.motion.clip import FreeHand  # numpy is loaded at first use, not when Blender starts

    try:
        rows = json.loads(text) if len(text) <= MOST else None
        if not isinstance(rows, list):
            raise ValueError(text[:MOST])
        found = tuple(FreeHand(*row) for row in rows)
    except (TypeError, RecursionError):
        raise ValueError(text[:MOST]) from None
    are_names = all(isinstance(name, str) for one in found for name in one[:3])
    are_frames = all(type(at) in (int, float) and abs(at) < FARTHEST for one in found for at in one[3:])
    if not (are_names and are_frames):
        raise ValueError(text[:MOST])
    return found


def store(action: bpy.types.Action, free: "Iterable[FreeHand]") -> None:
    """Store the free hands of an action, in its frames."""
    rows = [list(one) for one in free]
    if rows:
        action[KEY] = json.dumps(rows)
    elif has_property(action, KEY):
        del action[KEY]


class ACTION_LOOM_PG_hand_contact(bpy.types.PropertyGroup):
    """A contact of hands; label : a phrase in English; missed : first and end frames where it is off."""

    kind: bpy.props.StringProperty(options=set())
    sides: bpy.props.StringProperty(options=set())
    part: bpy.props.StringProperty(options=set())
    label: bpy.props.StringProperty(options=set())
    first: bpy.props.IntProperty(options=set())
    last: bpy.props.IntProperty(options=set())
    missed: bpy.props.StringProperty(options=set())
    held: bpy.props.BoolProperty(
        name="Keep Hands",
        description="Keep hands on what they hold or touch in the sources",
        get=lambda row: not any(_covering(row, _readable(action_of(row)))),
        set=lambda row, keep: _tick(row, keep=keep),
        options=set(),
    )


def action_of(row: Any) -> bpy.types.Action | None:
    """Return the action of a row."""
    path = row.path_from_id()
    held = row.id_data.path_resolve(path[: path.rindex(".hands[")])
    return lists.read_identity(held.of).find(bpy.data.actions)


def can_store(action: bpy.types.Action | None) -> bool:
    """Return whether Blender would save a change of an action."""
    return action is not None and action.library is None and action.override_library is None


def _readable(action: bpy.types.Action | None) -> "tuple[FreeHand, ...]":
    try:
        return () if action is None else free_hands_of(action)
    except ValueError:
        return ()


def _covering(row: Any, free: "Sequence[FreeHand]") -> list[bool]:
    key = row.kind, row.sides, row.part
    return [one.covers(key, row.first, row.last + 1) for one in free]


def _tick(row: Any, *, keep: bool) -> None:
    from ...core.motion.clip import FreeHand

    action = action_of(row)
    if action is None or not can_store(action):
        return
    free = _readable(action)
    others = [one for one, covers in zip(free, _covering(row, free), strict=True) if not covers]
    new = [] if keep else [FreeHand(row.kind, row.sides, row.part, row.first, row.last + 1)]
    store(action, [*others, *new])
    action.update_tag()  # the ghost and results follow


def put(held: Any, found: "Iterable[tuple[FreeHand, str]]", start: int) -> None:
    """Replace the rows of an action's contacts.

    found : contacts in frames from 0, each with its phrase; start : scene frame of the first
    """
    held.hands.clear()
    for contact, label in found:
        row = held.hands.add()
        row.kind, row.sides, row.part = contact[:3]
        row.first, row.last = start + round(contact.begin), start + round(contact.end) - 1
        row.label = label


def put_report(held: Any, hands: "Mapping[str, Any]", start: int) -> None:
    """Replace the rows by those of a result's report, with the frames in which its hands are off."""
    from ...core.motion.clip import FreeHand

    told = hands.get("contacts", ())
    put(held, [(FreeHand(one["kind"], one["sides"], one["part"], one["first"], one["last"] + 1), one["contact"])
               for one in told], start)  # fmt: skip
    for row, one in zip(held.hands, told, strict=True):
        row.missed = " ".join(str(start + at) for run in one["missed"] for at in run)


def runs_missed(row: Any) -> list[tuple[int, int]]:
    """Return the first and end frames of the stretches in which a result's hands are off."""
    ends = [int(at) for at in row.missed.split()]
    return list(zip(ends[::2], ends[1::2], strict=True))


def is_missed(row: Any) -> bool:
    """Return whether a result's hands are off in most frames, as its sentences tell."""
    return 2 * sum(end - first for first, end in runs_missed(row)) > row.last - row.first + 1


def hands_at(held: Any, frame: int) -> dict[str, bool]:
    """Return the sides of hands in contact at a frame, each with whether it is off."""
    found: dict[str, bool] = {}
    for row in held.hands:
        if row.first <= frame <= row.last:
            missed = any(first <= frame < end for first, end in runs_missed(row))
            found |= {side: missed or found.get(side, False) for side in row.sides}
    return found


register = registrar.registration((ACTION_LOOM_PG_hand_contact,))
