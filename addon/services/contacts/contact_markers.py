"""Store foot contacts as draggable pose markers: "left ball 2 down" at a contact's start, "… up" at its end."""

import re
from collections import Counter
from collections.abc import Sequence

import bpy

from ....core.errors import LoomError
from ...model import contact_rows
from ...model.contact_rows import FEET, PARTS, Contact

_WORDS = {foot: words.replace(" foot", "") for foot, (_, words) in FEET.items()}  # editors show few letters
_FEET = {words: foot for foot, words in _WORDS.items()}
_OURS = re.compile(rf"((?:{'|'.join(_FEET)}) (?:{'|'.join(PARTS)}) \d+) (down|up)")
DOWN, UP = "down", "up"


def texts(contacts: Sequence[Contact]) -> dict[str, int]:
    """Return the names of the markers of contacts with their frames; contacts are numbered by foot and part."""
    found, seen = {}, Counter[str]()
    for contact in sorted(contacts, key=lambda each: each.order):
        kind = f"{_WORDS[contact.foot]} {contact.part}"
        seen[kind] += 1
        found[f"{kind} {seen[kind]} {DOWN}"] = contact.first
        found[f"{kind} {seen[kind]} {UP}"] = contact.last
    return found


def is_ours(text: str) -> bool:
    """Return whether a marker belongs to a contact."""
    return _OURS.fullmatch(text) is not None


def write(action: bpy.types.Action, contacts: Sequence[Contact]) -> None:
    """Replace the contact markers of an action; other markers remain."""
    for marker in [marker for marker in action.pose_markers if _OURS.fullmatch(marker.name)]:
        action.pose_markers.remove(marker)
    for text, frame in texts(contacts).items():
        action.pose_markers.new(text).frame = frame


def read(action: bpy.types.Action) -> list[Contact]:
    """Return the contacts described by the markers of an action.

    Raises LoomError, naming the marker, for duplicates or missing partners, if a contact ends before it begins, if
    contacts of one foot overlap, and if there is no contact at all.
    """
    frames: dict[str, dict[str, int]] = {}
    for marker in action.pose_markers:
        ours = _OURS.fullmatch(marker.name)
        if ours is None:
            continue
        ends = frames.setdefault(ours[1], {})
        if ours[2] in ends:
            raise LoomError(f"{action.name} has two markers {marker.name!r}: rename or remove one")
        ends[ours[2]] = marker.frame
    if not frames:
        raise LoomError(f"{action.name} has no markers of contacts: press To Markers first")
    contacts = []
    for name, ends in frames.items():
        for end, other in ((DOWN, UP), (UP, DOWN)):
            if other not in ends:
                raise LoomError(f"The marker '{name} {end}' has no '{name} {other}': add it, or remove this one")
        if ends[UP] < ends[DOWN]:
            raise LoomError(
                f"The marker '{name} {UP}' (frame {ends[UP]}) is before '{name} {DOWN}' ({ends[DOWN]}): give it a later"
                " frame"
            )
        words, part, _number = name.rsplit(" ", 2)
        contacts.append(Contact(_FEET[words], part, ends[DOWN], ends[UP]))
    contact_rows.check(contacts, [f"'{name}'" for name in frames])
    return contacts
