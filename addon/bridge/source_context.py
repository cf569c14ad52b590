"""Describe the context of a source: everything except its own curves that influences how it is read.

The curves have a hash, see `fingerprint`. A result stores the context of each source as JSON, so that a later change
can be reported.
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...core.errors import some
from ...core.motion import quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground.blender_types import Slot, SlottedAction
from . import clip as clips
from . import curves, fingerprint, own_actions, rates
from .curves import Target
from .rig import Rig

SAMPLE = 5  # frames of a clip that are compared
_SAME = 1e-3  # metres, and units of a property; smaller differences are rounding, of other Blenders too
_DIGITS = 5
_MARK = np.array([0.3, 0.2, 0.1])  # metres: a point off all axes, so that every turn of a joint moves it
_WORDS = {"location": "location", "scale": "scale"}  # of properties; every other one is a rotation
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class SourceContext:
    """The context of a source when it was read, in plain values.

    frames : first and last scene frame; rate : frames per second
    posed : posed values without keys in the action, by data path; absent properties are at rest
    siblings : hash of the curves in each other slot of the character, by the slot's identifier
    carried : places (metres) and axes that parents and constraints give the object in some frames, () without any
    carrier : name of the parent, or of the constraint
    shown : sums over the bones as they are evaluated in some frames, () for an action that is read from its curves
    stretching : scene frames in which one frame of an action plays
    markers : names and frames of the events
    free_hands : the stored text on contacts of hands that results do not keep
    """

    frames: tuple[float, float]
    rate: float
    posed: Mapping[str, Numbers] = field(default_factory=dict)
    siblings: Mapping[str, str] = field(default_factory=dict)
    carried: Numbers = ()
    carrier: str = ""
    shown: Numbers = ()
    stretching: float = 1.0
    markers: tuple[tuple[str, int], ...] = ()
    free_hands: str = ""

    def to_json(self) -> str:
        values = {name: value for name, value in dataclasses.asdict(self).items() if value}
        return json.dumps(values, sort_keys=True, ensure_ascii=False)


def from_json(text: str) -> SourceContext:
    """Return the context in a text of `to_json`; raises ValueError for any other text."""
    try:
        given = json.loads(text)
        first, last = _numbers(given["frames"])
        return SourceContext(
            frames=(first, last),
            rate=float(given["rate"]),
            posed={path: _numbers(row) for path, row in given.get("posed", {}).items() if len(row) == _size(path)},
            siblings={name: str(one) for name, one in given.get("siblings", {}).items()},
            carried=_numbers(given.get("carried", ())),
            carrier=str(given.get("carrier", "")),
            shown=_numbers(given.get("shown", ())),
            stretching=float(given["stretching"]),
            markers=tuple((str(name), int(frame)) for name, frame in given.get("markers", ())),
            free_hands=str(given.get("free_hands", "")),
        )
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError) as error:
        raise ValueError(str(error)) from None


def _numbers(values: Iterable[Any]) -> Numbers:
    return tuple(float(value) for value in values)


def _size(path: str) -> int:
    target = curves.target_at(path)
    return 0 if target is None else curves.CHANNELS[target.property]


# --- reading --------------------------------------------------------------------------------------------------------


def find_users(played: SlottedAction, owner: int) -> list[str]:
    """Return the names of objects that play an action's slot, also in the NLA, except its owner (session id)."""
    (action, slot), found = played, []
    for one in bpy.data.objects:
        data = one.animation_data
        if data is None or one.session_uid == owner:
            continue
        players: tuple[Any, ...] = (data, *(strip for track in data.nla_tracks for strip in track.strips))
        if any(by.action == action and (slot is None or by.action_slot == slot) for by in players):
            found.append(one.name)
    return sorted(found)


def find_context(
    scene: bpy.types.Scene,
    played: SlottedAction,
    body: Rig,
    rate: float,
    *,
    span: tuple[float, float],
    carrier: str = "",
    shown: Clip | None = None,
    siblings: bool = True,
    markers: Iterable[tuple[str, int]] = (),
    free_hands: str = "",
) -> SourceContext:
    """Return the context of an action on a body.

    span : first and last scene frame of the reading; shown : the clip, if Blender evaluated its poses
    siblings : whether the curves in other slots are hashed; carrier, markers, free_hands : as in the context
    """
    action, slot = played
    render = scene.render
    return SourceContext(
        frames=(round(span[0], _DIGITS), round(span[1], _DIGITS)),
        rate=round(rate, _DIGITS),
        posed=_find_posed(action, body),
        siblings=_find_siblings(action, slot) if siblings else {},
        carried=_round(body.carrier_path),
        carrier=carrier if body.carrier_path else "",
        shown=() if shown is None else _round(_sum_joints(shown).ravel().tolist()),
        stretching=round(render.frame_map_new / render.frame_map_old, _DIGITS),
        markers=tuple(sorted(markers, key=lambda one: (one[1], one[0]))),
        free_hands=free_hands,
    )


def _find_posed(action: bpy.types.Action, body: Rig) -> dict[str, Numbers]:
    """Return the values of a body's properties that are posed, by path, with the rest's where the action has keys."""
    keyed, found = own_actions.keys_of(action).components, {}
    for target, row in body.posed.items():
        by = keyed.get(target, set())
        if len(by) < len(row):
            values = [clips.RESTS[target.property][k] if k in by else value for k, value in enumerate(row)]
            found[curves.path_of(target)] = _round(values)
    for bone, still in body.still.items():
        if bone:
            found[curves.path_of(Target(bone, "location"))] = _round(still.location)
            found[curves.path_of(Target(bone, "rotation_quaternion"))] = _round(still.rotation)
    return found


def _find_siblings(action: bpy.types.Action, slot: Slot) -> dict[str, str]:
    return {one.identifier: fingerprint.of_slot(action, one) for one in curves.siblings_of(action, slot)}


def _sum_joints(clip: Clip) -> Array:
    """Return sums (SAMPLE, 3) over the joints of a clip, in metres, that change with the pose of any of them."""
    rows = np.round(np.linspace(0, len(clip) - 1, SAMPLE)).astype(int)
    marks = quat.rotate(clip.rotations[rows], _MARK) + clip.translations[rows]
    weights = np.linspace(1.0, 2.0, marks.shape[1])  # left and right must not cancel out
    return np.asarray(np.einsum("fji,j->fi", marks, weights))


def _round(values: Iterable[float]) -> Numbers:
    return tuple(round(float(value), _DIGITS) for value in values)


# --- comparing ------------------------------------------------------------------------------------------------------


def list_changes(was: SourceContext, now: SourceContext, *, same_curves: bool) -> list[str]:
    """Return the changes of a context, in a few words each.

    same_curves : whether the source's curves are the same; if not, they explain a change of the evaluated pose
    """
    found: list[tuple[str, str]] = []
    if _differ(was.frames, now.frames):
        found.append(("frames", "{:g}–{:g} → {:g}–{:g}".format(*was.frames, *now.frames)))
    if rates.differ(was.rate, now.rate):
        found.append(("rate", f"{was.rate:g} → {now.rate:g}"))
    found += _list_posed(was.posed, now.posed)
    if was.frames == now.frames and _differ(was.carried, now.carried):
        found.append(("motion", f"of {now.carrier or was.carrier}"))
    if same_curves and not found and _differ(was.shown, now.shown):
        found.append(("constraints", ""))
    slots = [name for name in {**was.siblings, **now.siblings} if was.siblings.get(name) != now.siblings.get(name)]
    found += [("slot", name[2:]) for name in sorted(slots)]  # identifiers begin with two letters for the type
    if was.stretching != now.stretching:
        found.append(("stretching", f"{was.stretching:g} → {now.stretching:g}"))
    if was.free_hands != now.free_hands:
        found.append(("hands", ""))
    if names := {name for name, _ in set(was.markers) ^ set(now.markers)}:
        found.append(("markers", some(sorted(names))))
    return [f"{kind} {detail}".strip() for kind, detail in found]


def _differ(was: Sequence[float] | Array, now: Sequence[float] | Array) -> bool:
    return len(was) != len(now) or not np.allclose(was, now, rtol=0.0, atol=_SAME)


def _list_posed(was: Mapping[str, Numbers], now: Mapping[str, Numbers]) -> list[tuple[str, str]]:
    """Return for each kind of property the bones whose pose has changed."""
    changed: dict[str, dict[str, None]] = {}
    for path in sorted({**was, **now}):
        target = curves.target_at(path)
        if target is None:
            continue
        before, after = (np.array(one.get(path, clips.RESTS[target.property])) for one in (was, now))
        turned = target.property == "rotation_quaternion" and not _differ(before, -after)  # the same rotation
        if _differ(before, after) and not turned:
            changed.setdefault(_WORDS.get(target.property, "rotation"), {})[target.bone] = None
    return [(word, f"of {some(list(bones))}") for word, bones in changed.items()]
