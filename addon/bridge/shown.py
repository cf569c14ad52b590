"""Compare a written action, as Blender evaluates it, with its clip.

Constraints, drivers, NLA layers and the action's own blending may show a motion that differs from the keys.
"""

from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import RigError, some
from ...core.motion import kinematics, quat
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground.blender_types import SlottedAction, present
from . import curves, evaluated_action, few_frames, own_actions
from .controls import FoundControls
from .rig import Rig
from .rig_controls.body import ARMS, LEGS

SAMPLE = 24  # number of compared frames of a long clip
FAR, TURNED = 1e-3, 0.1  # metres and degrees; smaller differences are ignored
WRONG_METRES, WRONG_DEGREES = 0.01, 5.0  # a body with larger differences is refused
_TURNS, _DIRECTIONS = "turns", "directions"
TWISTED = 20.0  # degrees of twist of a limb about itself that become visible in the skin
ROUNDING = 1e-6  # of the distance from the origin: poses are single precision


class Difference(NamedTuple):
    """A wrongly displayed bone, at a scene frame: metres, degrees, and the cause in words ("" for its rig's wiring).

    of_body : whether a body part with a role depends on it
    known : the previously found reason for which its part can't be keyed, "" if it can
    keyed : whether keys, constraints or drivers move it; if not, it only has an unkeyed pose
    caused : whether the cause is a constraint, a driver or a layer, which Visual reads
    """

    bone: str
    frame: int
    metres: float
    degrees: float
    by: str
    of_body: bool
    known: str = ""
    keyed: bool = True
    caused: bool = False

    @property
    def wrong(self) -> bool:
        return self.of_body and self.keyed and (self.metres > WRONG_METRES or self.degrees > WRONG_DEGREES)

    def sentence(self, action: str) -> str:
        """Describe the difference in a sentence: the known reason, or the cause of the bone's movement."""
        off = f"{100.0 * self.metres:.1f} cm and {self.degrees:.1f}° off"
        if self.known:
            return f"{action}: {self.known}; {self.bone} is shown {off} at frame {self.frame}"
        if not self.by:
            return f"{action}: {self.bone} is shown {off} at frame {self.frame}: the rig's controls can't put it nearer"
        return f"{action}: {self.bone} is shown {off} at frame {self.frame}, moved by {self.by}: switch that off"


def check(found: Difference | None, action: str, hidden: Collection[str], *, visual: bool) -> str:
    """Return a warning about the difference between an action and its clip, "" for none.

    hidden : bones known to be posed by constraints or drivers; visual : whether the sources were read as seen
    Raises RigError for a body with a large difference, with the bone and the cause.
    """
    if found is None:
        return ""
    sentence, refused = found.sentence(action), found.wrong and found.bone not in hidden
    if (refused or found.caused) and not found.known and not visual:
        sentence = f"{sentence}, or turn on Visual"
    if refused:
        raise RigError(sentence)
    return sentence


class Seen(NamedTuple):
    """The result of the comparison: the wrongly displayed bone or None, and a sentence on twisted limbs."""

    off: Difference | None
    twisted: str


def compare_bones(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    written: SlottedAction,
    clip: Clip,
    body: Rig,
    first_frame: float,
    *,
    within: float = 0.0,
    played: bool = True,
    in_the_world: bool = False,
) -> Seen:
    """Find the differing bone nearest to the root, at the frame of its largest difference, and twisted limbs.

    within : metres by which keys may differ
    played : whether it will be the armature's own action, with the layers of its NLA
    in_the_world : whether the clip has what carries the armature in it
    """
    at = np.unique(np.linspace(0, len(clip) - 1, min(SAMPLE, len(clip))).round().astype(np.int64))
    names, to_body = body.bones, None
    if body.controls is not None:
        names, to_body = body.controls.seen, body.controls.seen_from
    frames: Array = first_frame + at.astype(np.float64)
    keyed = frozenset(curves.transforms(curves.curves_of(*written)))
    bones = {target.bone for target in keyed}
    whole = body.controls is None and not own_actions.is_layer(bones, own_actions.keyed_bones(armature), body)
    with few_frames.of(armature, written, frames, len(clip)) as played_now:
        looked_at = scene, armature, played_now, body, names, frames, to_body
        linear, places = evaluated_action.seen_in_the_world(
            *looked_at, layers=played, as_posed=played and whole, carried=in_the_world
        )
    compared = _TURNS if body.controls is None else _DIRECTIONS
    twisted = "" if body.controls is None else _describe_twist(clip, at, linear, places)
    off, turned = _measure_offsets(clip, at, linear, places, "" if within else compared)
    bad = (off > FAR + within + ROUNDING * np.abs(places).max(axis=(1, 2))[:, None]) | (turned > TURNED)
    astray = bad.any(axis=0)
    counting = astray & _counting(written, clip, body)
    if not counting.any():
        # Helpers that constraints move may differ if the body itself is right.
        return Seen(None, twisted)
    first = int(np.flatnonzero(astray & _carrying(clip, counting))[0])  # parents come first
    worst = int(np.argmax(np.maximum(off[:, first] / FAR, turned[:, first] / TURNED)))
    bone = (body.skeleton.names if body.moving_object else body.bones)[first]
    frame = round(float(first_frame) + int(at[worst]))
    below = _list_descendants(clip, first) & _having_roles(clip) & astray
    causes = _causes(armature, bone, played=played)
    unknown = f"something else of {present(armature).name}, such as a pose without keys"
    cause = "" if _is_wired(body, bone, armature) else some(causes) if causes else unknown
    is_keyed = any(target.bone == bone for target in keyed) or body.controls is not None
    known, moved, caused = _describe_unkeyable(body, bone), is_keyed or bool(causes), bool(cause and causes)
    figures = float(off[worst, first]), float(turned[worst, first])
    return Seen(Difference(bone, frame, *figures, cause, bool(below.any()), known, moved, caused), twisted)


def _is_wired(body: Rig, bone: str, armature: bpy.types.Object) -> bool:
    """Return whether detected controls move a bone through constraints alone: the cause is then the rig itself."""
    parts = body.controls.found.parts if isinstance(body.controls, FoundControls) else ()
    led = any(not part.note and bone in dict(part.bones).values() for part in parts)
    return led and bool(evaluated_action.constraints_posing(armature, bone))


def _describe_unkeyable(body: Rig, bone: str) -> str:
    """Return the reason for which a bone's part can't be keyed, "" if none is known."""
    parts = body.controls.found.parts if isinstance(body.controls, FoundControls) else ()
    note = next((part.note for part in parts if part.note and bone in dict(part.bones).values()), "")
    return note.partition(";")[0]


def _describe_twist(clip: Clip, at: NDArray[np.int64], linear: Array, places: Array) -> str:
    """Return a sentence on the limb with the largest twist about itself, "" if all twists are small.

    Inverse kinematics leaves twists to the rig, so they do not justify refusing a result.
    """
    rotations = kinematics.world(clip.take_frames(at))[0]
    axes = linear / np.maximum(np.linalg.norm(linear, axis=-2, keepdims=True), 1e-12)
    turn = quat.mul(quat.from_matrix(axes), quat.inv(rotations))
    along = _directions(clip, axes[..., 1], places)
    twist = 2.0 * np.degrees(np.abs(np.arctan2(np.sum(turn[..., 1:] * along, axis=-1), turn[..., 0])))
    twist = np.minimum(twist, 360.0 - twist)
    roles = clip.skeleton.roles
    limbs = [roles[f"{role}.{side}"] for role in (*LEGS[:2], *ARMS[:2]) for side in "LR" if f"{role}.{side}" in roles]
    if not limbs:
        return ""
    worst = max(limbs, key=lambda joint: float(twist[:, joint].max()))
    most = float(twist[:, worst].max())
    if most < TWISTED:
        return ""
    return f"{clip.skeleton.names[worst]} is twisted by up to {most:.0f}° about itself: on IK the rig decides that"


def _measure_offsets(
    clip: Clip, at: NDArray[np.int64], linear: Array, places: Array, compared: str
) -> tuple[Array, Array]:
    """Return the distances (K, J) of displayed joints from their places in metres, and their angles in degrees.

    compared : whether to compare rotations, or directions alone, since inverse kinematics leaves twists to the rig
    """
    rotations, wanted = kinematics.world(clip.take_frames(at))
    off = np.linalg.norm(places - wanted, axis=2)
    if not compared or clip.scales is not None:
        return off, np.zeros_like(off)
    axes = linear / np.maximum(np.linalg.norm(linear, axis=-2, keepdims=True), 1e-12)
    if compared == _DIRECTIONS:
        along = _directions(clip, quat.rotate(rotations, np.array([0.0, 1.0, 0.0])), wanted)
        along -= _directions(clip, axes[..., 1], places)
        return off, np.degrees(2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(along, axis=-1), 1.0)))
    turn = quat.mul(quat.inv(rotations), quat.from_matrix(axes))
    return off, np.degrees(np.linalg.norm(quat.log(turn), axis=-1))


def _directions(clip: Clip, own: Array, places: Array) -> Array:
    """Return joint directions (K, J, 3): on arms and legs towards the next joint, elsewhere the bones' own axes.

    Some rigs have bones that point across their limbs.
    """
    out, roles = own.copy(), clip.skeleton.roles
    for limb in (LEGS, ARMS):
        for side in "LR":
            joints = [roles[f"{role}.{side}"] for role in limb[:3] if f"{role}.{side}" in roles]
            for here, there in pairwise(joints):
                way = places[:, there] - places[:, here]
                out[:, here] = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    return out


def _counting(written: SlottedAction, clip: Clip, body: Rig) -> NDArray[np.bool_]:
    """Return which joints (J,) matter: joints with keys or a role."""
    keyed = {target.bone for target in curves.transforms(curves.curves_of(*written))}
    names = ("", *body.bones) if body.moving_object else body.bones
    matters = np.array([name in keyed for name in names]) if body.controls is None else np.zeros(len(names), bool)
    return np.asarray(matters | _having_roles(clip))


def _carrying(clip: Clip, matters: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which joints (J,) matter or are ancestors of one that matters."""
    carrying = matters.copy()
    for joint in range(len(carrying) - 1, -1, -1):
        parent = int(clip.skeleton.parents[joint])
        if carrying[joint] and parent >= 0:
            carrying[parent] = True
    return carrying


def _having_roles(clip: Clip) -> NDArray[np.bool_]:
    having = np.zeros(len(clip.skeleton), dtype=bool)
    having[list(clip.skeleton.roles.values())] = True
    return having


def _list_descendants(clip: Clip, joint: int) -> NDArray[np.bool_]:
    """Return which joints (J,) are descendants of a joint, itself included."""
    below = np.zeros(len(clip.skeleton), dtype=bool)
    for one, parent in enumerate(clip.skeleton.parents.tolist()):
        below[one] = one == joint or (parent >= 0 and below[parent])
    return below


def _causes(armature: bpy.types.Object, bone: str, *, played: bool) -> list[str]:
    """Describe the causes of a bone's movement besides its keys."""
    found = evaluated_action.constraints_posing(armature, bone)
    data = armature.animation_data
    if data is not None:
        driven = [target for target in map(curves.target_of, data.drivers) if target is not None]
        found += [f"a driver of its {target.property}" for target in driven if target.bone == bone]
        if played and data.use_nla and any(not track.mute for track in data.nla_tracks):
            found.append("the layers of the NLA")
        if played and (data.action_blend_type != "REPLACE" or data.action_influence != 1.0):
            found.append(f"the action's own blending ({data.action_blend_type.title()}, {data.action_influence:g})")
    return found
