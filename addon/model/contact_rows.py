"""Store the foot contacts of each action as rows that an artist reads and edits, in scenes and in scene frames.

Recipes and reports count frames of the result from 0, and number feet and parts in the orders of `FEET` and `PARTS`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import bpy
from bpy.app.handlers import persistent

from ...core.errors import LoomError
from ..ground import registrar
from . import hand_rows, lists

FEET = {
    "L": ("Left", "left foot"),
    "R": ("Right", "right foot"),
    "front L": ("Front Left", "left front foot"),
    "front R": ("Front Right", "right front foot"),
    "middle L": ("Middle Left", "left middle foot"),
    "middle R": ("Middle Right", "right middle foot"),
    "second L": ("Second Left", "left second foot"),
    "second R": ("Second Right", "right second foot"),
}
SHOWN = 4  # largest number of contacts that a message names
PARTS = {"ball": "Ball", "heel": "Heel"}

_OF_RESULT = re.compile(r"(at frame|frames?) (\d+)(?: to (\d+))? of the result")

# Set while code fills rows, because only edits by hand count as edited.
_putting = False


class Contact(NamedTuple):
    """A foot stands on its ball or heel from a first to a last scene frame, both included.

    foot, part : keys of FEET and PARTS; why : the reason it could not be planted, "" if it was planted or not tried
    """

    foot: str
    part: str
    first: int
    last: int
    why: str = ""

    @property
    def order(self) -> tuple[int, int]:
        return list(FEET).index(self.foot), self.first

    @property
    def label(self) -> str:
        return f"{FEET[self.foot][1]}, {self.part}, {self.first} to {self.last}"


def _after_edit(row: Any, _context: bpy.types.Context) -> None:
    if _putting:
        return
    path = row.path_from_id()
    held = row.id_data.path_resolve(path[: path.rindex(".rows[")])
    held.edited = True
    row.why = ""  # planting the edited row has not been tried


class ACTION_LOOM_PG_contact(bpy.types.PropertyGroup):
    """A foot that stands."""

    foot: bpy.props.EnumProperty(
        name="Foot",
        items=[(foot, title, "") for foot, (title, _) in FEET.items()],
        options=set(),
        update=_after_edit,
    )
    part: bpy.props.EnumProperty(
        name="Stands On",
        description="What stays where it stands",
        items=[
            ("ball", PARTS["ball"], "The ball stays; the heel may rise"),
            ("heel", PARTS["heel"], "The heel stays; the foot may roll over it"),
        ],
        options=set(),
        update=_after_edit,
    )
    first: bpy.props.IntProperty(name="First", options=set(), update=_after_edit)
    last: bpy.props.IntProperty(name="Last", options=set(), update=_after_edit)
    # why it could not be planted
    why: bpy.props.StringProperty(options=set())


class ACTION_LOOM_PG_contacts(bpy.types.PropertyGroup):
    """The foot contacts of an action; `said` (a name stored in files) is a summary of how well they were planted."""

    of: bpy.props.PointerProperty(type=lists.ACTION_LOOM_PG_identity)
    rows: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_contact)
    hands: bpy.props.CollectionProperty(type=hand_rows.ACTION_LOOM_PG_hand_contact)
    active_hand: bpy.props.IntProperty(options=set())
    active: bpy.props.IntProperty(options=set())
    # feet are planted by your edited rows
    edited: bpy.props.BoolProperty(options=set())
    said: bpy.props.StringProperty(options=set())


# --- rows of an action ----------------------------------------------------------------------------------------------


def action_of(armature: bpy.types.Object | None) -> bpy.types.Action | None:
    """Return the active action of an armature, or None."""
    data = None if armature is None else armature.animation_data
    return None if data is None else data.action


def is_rewoven(action: bpy.types.Action) -> bool:
    """Return whether an action is a result whose recipe has contacts; cheap enough for drawing."""
    from . import storage

    return '"spans":' in storage.recipe_text(action)  # a recipe writes all of its options


def of(scene: bpy.types.Scene, action: bpy.types.Action | None) -> Any:
    """Return the settings that hold an action's contacts, or None."""
    if action is None:
        return None
    return next((one for one in _all(scene) if lists.read_identity(one.of).find((action,)) is not None), None)


def put(
    scene: bpy.types.Scene, action: bpy.types.Action, contacts: Sequence[Contact], *, edited: bool, summary: str = ""
) -> None:
    """Replace the rows of an action with contacts, ordered by foot and time."""
    global _putting
    held = of(scene, action)
    if held is None:
        held = _all(scene).add()
        lists.hold(held.of, action)
    _putting = True
    try:
        held.rows.clear()
        for contact in sorted(contacts, key=lambda contact: contact.order):
            row = held.rows.add()
            row.foot, row.part, row.why = contact.foot, contact.part, contact.why
            row.first, row.last = contact.first, contact.last
    finally:
        _putting = False
    held.active = min(held.active, max(len(held.rows) - 1, 0))
    held.edited, held.said = edited, summary


def say(scene: bpy.types.Scene, action: bpy.types.Action, summary: str) -> None:
    """Set the sentence above the rows of an action, without changing the rows."""
    held = of(scene, action)
    if held is None:
        put(scene, action, (), edited=False, summary=summary)
    else:
        held.said = summary


def contacts_of(held: Any) -> list[Contact]:
    """Return the contacts of an action's rows, in their order."""
    return [Contact(row.foot, row.part, row.first, row.last, row.why) for row in held.rows]


def frames_of(action: bpy.types.Action, span: tuple[float, float] | None = None) -> tuple[int, int]:
    """Return the first and last scene frame of a result made of one action, or of a span of it."""
    first, last = action.frame_range[:] if span is None else span
    start = math.floor(first + 0.5)  # results have keys on whole frames
    return start, start + round(last - first)


# --- to and from recipes and reports --------------------------------------------------------------------------------


def as_spans(contacts: Sequence[Contact], frames: tuple[int, int]) -> tuple[Any, ...]:
    """Convert contacts to rows of a recipe for a result with these first and last frames.

    Raises LoomError for frames outside the result or in the wrong order, and if contacts of one foot overlap.
    """
    check(contacts)
    start, last = frames
    for name, one in zip(_names(contacts), contacts, strict=True):
        if one.first < start or one.last > last:
            raise LoomError(f"{name} is not within the frames {start} to {last}: give it frames that are")
    feet, parts = list(FEET), list(PARTS)
    ordered = sorted(contacts, key=lambda one: one.order)
    return tuple(
        (feet.index(one.foot), parts.index(one.part), one.first - start, one.last + 1 - start) for one in ordered
    )


def check(contacts: Sequence[Contact], names: Sequence[str] = ()) -> None:
    """Raise LoomError if a contact ends before it begins, or if two of one foot overlap.

    names : names of the contacts in errors, by default their row numbers
    """
    named = list(zip(names or _names(contacts), contacts, strict=True))
    for name, one in named:
        if one.last < one.first:
            raise LoomError(f"{name} ends before it begins: give it a later last frame")
    for (name, one), (other_name, other) in pairwise(sorted(named, key=lambda pair: pair[1].order)):
        if one.foot == other.foot and other.first <= one.last:
            raise LoomError(
                f"{name} and {other_name} overlap at frame {other.first}: a foot stands on one part at a time, so give"
                " them other frames"
            )


def _names(contacts: Sequence[Contact]) -> Sequence[str]:
    return [f"Row {k} ({one.label})" for k, one in enumerate(contacts, start=1)]


def of_report(report: Mapping[str, Any], start: int) -> list[Contact]:
    """Return the planted and refused contacts of a report, for a result that begins at scene frame `start`."""
    feet, parts = list(FEET), list(PARTS)
    planted = report.get("plant") or {"spans": (), "refused": ()}  # None if planting was not tried
    found = [
        Contact(feet[foot], parts[part], start + first, start + end - 1) for foot, part, first, end in planted["spans"]
    ]
    found += [
        Contact(one["foot"], one["part"], start + one["first"], start + one["end"] - 1, one["why"])
        for one in planted["refused"]
    ]
    return sorted(found, key=lambda one: one.order)


def keep_planted(
    scene: bpy.types.Scene,
    action: bpy.types.Action,
    recipe: Any,
    report: Mapping[str, Any],
    span: tuple[int, int] | None = None,
) -> None:
    """Store the contacts of a result, or of a span of its source, with the quality of planting or the error."""
    if "plant" not in report:
        return
    summary = figures(report) or report.get("not_planted", "")
    put(
        scene,
        action,
        of_report(report, frames_of(action, span)[0]),
        edited=bool(getattr(recipe, "spans", ())),
        summary=summary,
    )


def in_scene(sentences: Sequence[str], start: int) -> list[str]:
    """Convert frames in sentences on a result, counted from 0, to scene frames; the result begins at frame `start`."""

    def counted(found: re.Match[str]) -> str:
        first = start + int(found[2])
        if found[3]:
            return f"frames {first} to {start + int(found[3])}"
        return f"at frame {first}" if " " in found[1] else f"frame {first}"

    return [_OF_RESULT.sub(counted, one) for one in sentences]


def keep_hands(scene: bpy.types.Scene, action: bpy.types.Action, report: Mapping[str, Any]) -> None:
    """Store the contacts of a result's hands, with the frames in which they are off."""
    told = [row for kind in ("hands", "partner") for row in (report.get(kind) or {}).get("contacts", ())]
    if told and of(scene, action) is None:
        put(scene, action, (), edited=False)
    held = of(scene, action)
    if held is not None and ("plant" in report or told):
        hand_rows.put_report(held, told, frames_of(action)[0])


def warnings_of(
    scene: bpy.types.Scene, action: bpy.types.Action, warnings: Sequence[str], span: tuple[int, int] | None = None
) -> list[str]:
    """Return the warnings of a report with scene frames; core counts from 0 in the result, or in a span."""
    from ...core.edit.feet import worth

    warnings = in_scene(warnings, frames_of(action, span)[0])
    held = of(scene, action)
    rows = () if held is None else contacts_of(held)
    refused = [f"{one.label}, {one.why}" for one in rows if one.why not in ("", worth.NO_GAIN)]
    others = [one for one in warnings if not refused or ": not planted: " not in one]
    more = f" and {len(refused) - SHOWN} more" if len(refused) > SHOWN else ""
    return [*others, f"{action.name}: not planted: {'; '.join(refused[:SHOWN])}{more}"] if refused else others


def figures(report: Mapping[str, Any]) -> str:
    """Summarize in one line the reduction of foot sliding, and the movement of pelvis and sunken feet.

    Return "" if the report lacks planted or lifted feet.
    """
    planted = report.get("plant") or {}
    slide, lifted = planted.get("slide_cm_s"), planted.get("lifted_cm") or 0.0
    parts = [f"lifted {lifted:.1f} cm out of the ground"] if lifted else []
    if slide and None not in slide and planted["spans"]:
        parts.insert(0, f"slide {slide[0]:.1f} → {slide[1]:.1f} cm/s, pelvis {planted['pelvis_cm']:.1f} cm")
    return ", ".join(parts)


def with_known_reasons(contacts: Sequence[Contact], before: Sequence[Contact]) -> list[Contact]:
    """Return contacts with the reasons that the same contacts had before."""
    why = {one._replace(why=""): one.why for one in before}
    return [one._replace(why=why.get(one._replace(why=""), "")) for one in contacts]


# --- renamed and deleted actions -------------------------------------------------------------------------------------


@persistent
def _note_actions(*_: Any) -> None:
    """Note the names of actions before a file is saved and after it is opened; remove rows of deleted actions."""
    for scene in bpy.data.scenes:
        every = _all(scene)
        for k in reversed(range(len(every))):
            known = lists.read_identity(every[k].of)
            action = known.find(bpy.data.actions)
            if action is not None:
                lists.hold(every[k].of, action)
            elif known.is_of_this_session:
                every.remove(k)


def _all(scene: bpy.types.Scene) -> Any:
    return scene.action_loom.contacts  # type: ignore[attr-defined]  # of `properties`, which is above


_CLASSES = (ACTION_LOOM_PG_contact, ACTION_LOOM_PG_contacts)


def register() -> None:
    registrar.add_classes(_CLASSES)
    registrar.append(bpy.app.handlers.load_post, _note_actions)
    registrar.append(bpy.app.handlers.save_pre, _note_actions)
