"""Show the contacts of an action's hands as rows, and store unticked and added ones on the action.

The custom property has a JSON list of rows: kind, sides and part of a contact, its first frame and its end, and whether
results keep it though it was not found. Rows of earlier versions lack the last value.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from ..ground import registrar
from ..ground.blender_types import has_property
from . import lists

if TYPE_CHECKING:
    from ...core.motion.clip import FreeHand

KEY = "action_loom_free_hands"  # custom property of actions
MOST = 100_000  # letters that are read of it
FARTHEST = 1e7  # frame
ARMS = ("forearm", "upper_arm")
# Parts that a hand can touch, by roles of bones.
PARTS = {one: one for one in (*ARMS, "thigh", "head")} | {"neck": "head"}
PARTS |= dict.fromkeys(("hips", "spine", "chest", "clavicle"), "trunk")
REFUSED = "Select a hand, and one bone of the body, a prop or a partner that it touches, or the other hand"

_putting = False


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
    are_frames = all(type(at) in (int, float) and abs(at) < FARTHEST for one in found for at in one[3:5])
    if not (are_names and are_frames and all(type(one.added) is bool for one in found)):
        raise ValueError(text[:MOST])
    return found


def store(action: bpy.types.Action, free: "Iterable[FreeHand]") -> None:
    """Store the free hands of an action, in its frames."""
    rows = [list(one) if one.added else list(one[:5]) for one in free]
    if rows:
        action[KEY] = json.dumps(rows)
    elif has_property(action, KEY):
        del action[KEY]


def _after_edit(row: Any, _context: bpy.types.Context) -> None:
    """Store a row with other frames as an added one, in place of the found one."""
    action = action_of(row)
    if _putting or action is None or not can_store(action):
        return
    stored = [one for one in _readable(action) if one != _added_of(row)]
    if not row.added:
        stored.append(_added_of(row)._replace(added=False))
    row.stored, row.added = (row.first, max(row.last, row.first) + 1), True
    store(action, [*stored, _added_of(row)])
    action.update_tag()  # the ghost and results follow


class ACTION_LOOM_PG_hand_contact(bpy.types.PropertyGroup):
    """A contact of hands; label : a phrase in English; missed : first and end frames where it is off."""

    kind: bpy.props.StringProperty(options=set())
    sides: bpy.props.StringProperty(options=set())
    part: bpy.props.StringProperty(options=set())
    label: bpy.props.StringProperty(options=set())
    first: bpy.props.IntProperty(name="First", options=set(), update=_after_edit)
    last: bpy.props.IntProperty(name="Last", options=set(), update=_after_edit)
    # first frame and end as the action has them
    stored: bpy.props.IntVectorProperty(size=2, options=set())
    added: bpy.props.BoolProperty(options=set())
    missed: bpy.props.StringProperty(options=set())
    held: bpy.props.BoolProperty(
        name="Keep Hands",
        description="Keep hands on what they hold or touch in the sources",
        get=lambda row: _is_kept(row, _readable(action_of(row))),
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


def _added_of(row: Any) -> "FreeHand":
    from ...core.motion.clip import FreeHand

    return FreeHand(row.kind, row.sides, row.part, row.stored[0], row.stored[1], True)


def _is_kept(row: Any, stored: "Sequence[FreeHand]") -> bool:
    return _added_of(row) in stored if row.added else not any(_covering(row, stored))


def _covering(row: Any, free: "Sequence[FreeHand]") -> list[bool]:
    key = row.kind, row.sides, row.part
    return [one.covers(key, row.first, row.last + 1) for one in free]


def _tick(row: Any, *, keep: bool) -> None:
    from ...core.motion.clip import FreeHand

    action = action_of(row)
    if action is None or not can_store(action):
        return
    free = _readable(action)
    if row.added:
        others, new = [one for one in free if one != _added_of(row)], [_added_of(row)] if keep else []
    else:
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
        _add_row(held, contact, label, start)


def _add_row(held: Any, contact: "FreeHand", label: str, start: int) -> Any:
    global _putting
    row, _putting = held.hands.add(), True
    try:
        row.kind, row.sides, row.part = contact[:3]
        row.stored = start + round(contact.begin), start + round(contact.end)
        row.first, row.last = row.stored[0], row.stored[1] - 1
        row.label, row.added = label, contact.added
    finally:
        _putting = False
    return row


def add(held: Any, contact: "FreeHand", label: str) -> None:
    """Add a row for a contact in frames of the scene, and store it on the action."""
    row = _add_row(held, contact, label, 0)
    held.active_hand = len(held.hands) - 1
    row.held = True


def find_key(
    roles: Mapping[str, str], bones: Sequence[str], theirs: Mapping[str, str], others: Sequence[str]
) -> tuple[str, str, str] | None:
    """Return the kind, sides and part of a contact between bones, None without a limb that has one among them.

    roles : by bone; theirs, others : roles and bones of a second figure
    Raises LoomError for an end of a limb with several bones, or with one that it can't touch.
    """
    if others:
        return _find_key_of_two([(roles, bones), (theirs, others)])
    ends = [_end_of(roles.get(bone, "")) for bone in bones]
    sides = "".join(sorted(end for end in ends if end in ("L", "R")))
    things = [bone for bone, end in zip(bones, ends, strict=True) if end not in ("L", "R")]
    if not sides:
        return _find_key_of_leg(roles, bones, ends)
    if not things:
        return ("rigid" if len(sides) == 2 else "world"), sides, ""
    known = roles.get(things[0], "")
    role, _, side = known.partition(".")
    if len(things) > 1 or (known and (not PARTS.get(role) or len(sides) == 2 or (role in ARMS and side == sides))):
        raise LoomError(REFUSED)
    return ("on" if known else "prop"), sides, _part_of(roles, things[0])


def _find_key_of_leg(
    roles: Mapping[str, str], bones: Sequence[str], ends: Sequence[str]
) -> tuple[str, str, str] | None:
    """Return the key of a knee on the ground or of a foot on a prop, None for other bones."""
    if len(bones) == 1 and ends[0].startswith("knee."):
        return "world", ends[0], ""
    feet = [end for end in ends if end.startswith("foot.")]
    things = [bone for bone in bones if not roles.get(bone)]
    return ("on", feet[0], things[0]) if len(bones) == 2 and feet and things else None


def _find_key_of_two(figures: Sequence[tuple[Mapping[str, str], Sequence[str]]]) -> tuple[str, str, str]:
    if any(len(bones) != 1 for _, bones in figures):
        raise LoomError(REFUSED)
    own, other = (_end_of(roles.get(bones[0], "")) for roles, bones in figures)
    own, other = (end if not end.startswith("knee.") else "" for end in (own, other))
    if own and other:
        return "hold", (own + other if len(own + other) == 2 else f"{own},{other}"), ""
    if not own and not other:
        raise LoomError(REFUSED)
    roles, (bone,) = figures[1 if own else 0]
    return ("on_partner" if own else "by_partner"), own or other, _part_of(roles, bone)


def _end_of(role: str) -> str:
    """Return the end of a limb that a bone of a role is: "L" for a hand, "foot.L", or "knee.L"; "" for none."""
    name, _, side = role.partition(".")
    return {"hand": side, "foot": f"foot.{side}", "toe": f"foot.{side}", "shin": f"knee.{side}"}.get(name, "")


def _part_of(roles: Mapping[str, str], bone: str) -> str:
    """Return the part of the body that a bone belongs to, or the bone."""
    role, _, side = roles.get(bone, "").partition(".")
    part = PARTS.get(role, "")
    return bone if not part else part if part in ("head", "trunk") else f"{part}.{side}"


def put_report(held: Any, told: "Sequence[Mapping[str, Any]]", start: int) -> None:
    """Replace the rows by contacts of a report, with the frames in which the result's hands are off."""
    from ...core.motion.clip import FreeHand

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
    """Return the ends of limbs in contact at a frame, such as "L" and "foot.L", each with whether it is off."""
    found: dict[str, bool] = {}
    for row in held.hands:
        if row.first <= frame <= row.last and row.held:
            missed = any(first <= frame < end for first, end in runs_missed(row))
            found |= {end: missed or found.get(end, False) for end in _own_ends(row)}
    return found


def _own_ends(row: Any) -> list[str]:
    """Return the ends of the figure's own limbs in a contact."""
    ends = row.sides.split(",") if "." in row.sides else list(row.sides)
    return [] if row.kind == "by_partner" else ends[:1] if row.kind in ("meet", "hold") else ends


register = registrar.registration((ACTION_LOOM_PG_hand_contact,))
