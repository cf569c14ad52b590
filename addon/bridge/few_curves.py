"""Write few keys as Bézier F-curves with the free handles of the fit (methods: Fewer keys)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.edit.keyed import KeyedClip, Keying, Keys
from ...core.motion import quat, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from . import curve_writing, curves
from .curves import Target

if TYPE_CHECKING:
    from ...core.edit.fewer_keys import Fewer

TRAVELS = 1e-4  # metres in a cycle: a location that moves further repeats with offset
_FREE = 0  # the enum value of a handle's type that foreach_set takes


@dataclass(frozen=True)
class Few:
    """Bounds for few keys.

    within : bound in metres; feet : bound for hips, legs and feet in metres, 0 for a quarter of `within`
    keep : clip frames that must have keys
    """

    within: float
    feet: float = 0.0
    keep: tuple[int, ...] = ()

    @property
    def most(self) -> float:
        """How far any point may be off, metres."""
        return max(self.within, self.feet)


@dataclass(frozen=True, eq=False)
class KeyedBone:
    """How to key a joint of a clip.

    name : its bone, "" for the object; unit : metres of one unit of its location
    away (3,) : offset of its location from rest, metres
    stays (3,) : its translation without location keys, metres
    """

    joint: int
    name: str
    keying: Keying
    unit: float
    away: Array
    stays: Array

    @property
    def turn(self) -> Target:
        return Target(self.name, rotation_modes.property_of(self.keying.mode))

    @property
    def move(self) -> Target:
        return Target(self.name, "location")

    @property
    def size(self) -> Target:
        return Target(self.name, "scale")

    def places(self, keys: Keys) -> Keys:
        """Convert keys of the joint's translation to keys of the bone's location."""
        turned = self.keying.turned
        turn = np.eye(3) if turned is None else quat.to_matrix(turned)
        values = (keys.values @ turn.T + self.away) / self.unit
        return replace(keys, values=values, slopes=keys.slopes @ turn.T / self.unit)


def fit_clip(clip: Clip, bones: Sequence[KeyedBone], few: Few) -> "Fewer":
    """Fit few keys to a clip; bones without location keys have their current location."""
    from ...core.edit import fewer_keys

    moves = np.array([bone.keying.moves for bone in bones])
    stays = np.stack([bone.stays for bone in bones])
    clip = replace(clip, translations=np.where(moves[:, None], clip.translations, stays))
    return fewer_keys.fewer(clip, few.within, few.feet, keep=few.keep, keyings=[bone.keying for bone in bones])


def write(writer: "FewWriter", keyed: KeyedClip, bones: Sequence[KeyedBone]) -> None:
    """Write the keys of bones and of all channels."""
    for bone in bones:
        turns, moves, sizes = (keys[bone.joint] for keys in (keyed.rotations, keyed.translations, keyed.scales))
        if turns is not None and bone.keying.turns:
            writer.write(bone.turn, turns)
        if moves is not None and bone.keying.moves:
            places = bone.places(moves)
            travels = bone.unit * np.abs(places.values[-1] - places.values[0]) > TRAVELS
            writer.write(bone.move, places, travels=travels)
        if sizes is not None and bone.keying.scales:
            writer.write(bone.size, sizes)
    for name, keys in keyed.channels.items():
        writer.write_channel(name, keys)


class FewWriter(curve_writing.CurveWriter):
    """Writes new curves, each with keys at its own frames, to a channelbag.

    first_frame : the scene frame of the clip's first frame
    """

    def __init__(self, holder: "bpy.types.ActionChannelbag", first_frame: float, *, repeats: bool = False) -> None:
        super().__init__(holder, repeats=repeats)
        self._first_frame = first_frame

    def write(
        self, target: Target, keys: Keys, *, travels: Sequence[bool] = (False,) * 4, left_out: Sequence[int] = ()
    ) -> None:
        """Write keys of one property of a bone or the object; components that travel (n,) repeat with offset.

        left_out : components that get no curve
        """
        for index in range(keys.values.shape[1]):
            if index in left_out:
                continue
            named = curves.path_of(target), index, target.bone or "Object Transforms"
            self._write(*named, keys, index, travels=travels[index])

    def write_channel(self, name: str, keys: Keys) -> None:
        """Write keys of a channel, named by path and index as in "path[0]"."""
        self._write(*curve_writing.channel_of(name), keys, 0)

    def _write(self, path: str, index: int, group: str, keys: Keys, column: int, *, travels: bool = False) -> None:
        frames = self._first_frame + keys.frames
        gaps = np.diff(frames) / 3.0
        before, after = np.append(gaps[:1], gaps), np.append(gaps, gaps[-1:])
        if keys.reach is not None:
            before, after = keys.reach.T
        if len(frames) == 1:
            before = after = np.ones(1)
        values, slopes = keys.values[:, column], keys.slopes[:, :, column]
        handles = {
            "handle_left": (frames - before, values - before * slopes[:, 0]),
            "handle_right": (frames + after, values + after * slopes[:, 1]),
        }
        interpolation = "CONSTANT" if keys.steps else "BEZIER"
        with self._curve(path, index, group, (frames, values), interpolation, travels=travels) as points:
            if keys.steps:
                return
            for name, at in handles.items():
                points.foreach_set(f"{name}_type", np.full(len(frames), _FREE, dtype=np.int32))
                points.foreach_set(name, np.stack(at, axis=1).astype(np.float32).ravel())
