"""Find contacts of hands for an action's rows, and bring its free hands to clips and results."""

import dataclasses
from typing import Any

import bpy

from ....core.contacts import find, keep
from ....core.contacts.find import Contact
from ....core.motion.clip import Clip, FreeHand
from ....core.weave.results import EditResult, EventsResult, WarpResult
from ...bridge import clip as clips
from ...model import hand_rows


def find_contacts(clip: Clip) -> list[Contact]:
    """Return all contacts of hands that are found in a clip, free ones, too."""
    return list(find.find_contacts(dataclasses.replace(clip, free_hands=())))


def list_rows(found: list[Contact], action: bpy.types.Action, start: int) -> list[tuple[FreeHand, str]]:
    """Return found contacts and those that were added to an action, with phrases, in frames from its first, `start`."""
    try:
        stored = hand_rows.free_hands_of(action)
    except ValueError:
        stored = ()
    added = [Contact(*one[:3], round(one.begin) - start, round(one.end) - start) for one in stored if one.added]
    return [
        (FreeHand(*one.key, one.first, one.end, one in added), keep.describe(one))
        for one in find.merge_added(found, added)
    ]


def add_free_hands(read: clips.ReadAction, action: bpy.types.Action) -> clips.ReadAction:
    """Return a reading with the free hands of its action, or with a note if these can't be read."""
    try:
        free = hand_rows.free_hands_of(action)
    except ValueError:
        note = f"{action.name}: its custom property {hand_rows.KEY!r} can't be read, so hands are kept everywhere"
        return dataclasses.replace(read, notes=(*read.notes, note))
    if not free:
        return read
    rate, first = read.clip.rate, read.first_frame
    moved = tuple(one._replace(begin=(one.begin - first) / rate, end=(one.end - first) / rate) for one in free)
    return dataclasses.replace(read, clip=dataclasses.replace(read.clip, free_hands=moved))


def carry_over(action: bpy.types.Action, made: Any, first_frame: float) -> None:
    """Store the free hands of an edited clip on its action; other results and other times have none."""
    clip: Clip = made.clip
    free: tuple[FreeHand, ...] = ()
    if isinstance(made, EditResult) and not isinstance(made, EventsResult | WarpResult):
        same_time = (len(clip), clip.rate) == (len(made.before), made.before.rate)
        free = clip.free_hands if same_time else ()
    hand_rows.store(
        action,
        [
            one._replace(begin=round(first_frame + clip.rate * one.begin), end=round(first_frame + clip.rate * one.end))
            for one in free
        ],
    )
