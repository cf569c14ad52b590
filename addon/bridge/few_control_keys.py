"""Fit few keys to the controls of a rig, within a bound measured at the bones they move (methods: Fewer keys)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.edit import fewer_keys, handles
from ...core.edit.keyed import Keying, Keys
from ...core.motion import quat, rotation_modes
from ...core.motion.clip import Clip
from ...core.motion.quat import Array
from ..ground import steps
from ..ground.blender_types import present
from .control_keys import ControlKeys, Wanted
from .curves import KeyTimes, Target
from .rig import Rig
from .rig_controls import shown_in_steps

STILL_TURN, STILL_PLACE = 2e-4, 1e-5  # radians, and metres a metre of the body's height: rounding errors of controls
_TRIES = 5  # of a tolerance
_LOOKED_AT = 300  # frames of a long clip for measuring errors
_WIDEST = 4.0  # times the bound, at the reach of a control: the largest tolerance tried
_NEAR = 0.9  # of the bound; an error that large ends the search


@dataclass(frozen=True, eq=False)
class FewControlKeys:
    """Few keys of controls.

    turns, moves : of each control that turns or moves, by name, in the numbers that are keyed
    error, feet_error : largest distance of any bone from the result of keys on every frame, metres
    full : how many keys these would be
    """

    turns: Mapping[str, Keys]
    moves: Mapping[str, Keys]
    error: float
    feet_error: float
    full: int

    @property
    def count(self) -> int:
        """Number of keys on all curves."""
        return sum(keys.count for keys in (*self.turns.values(), *self.moves.values()))


def moving(keys: ControlKeys, body: Rig) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which controls (C,) turn, and which change their location, by more than rounding."""
    turns = quat.from_matrix(keys.own[..., :3, :3])
    turning = 2.0 * np.linalg.norm(quat.same_side(turns, turns[:1]) - turns[:1], axis=-1).max(axis=0) > STILL_TURN
    places = keys.own[..., :3, 3] * body.units[-1]
    going = np.ptp(places, axis=0).max(axis=-1) > STILL_PLACE * body.skeleton.height
    return turning, going & keys.moves


def fitted_in_steps(
    armature: bpy.types.Object, clip: Clip, body: Rig, keys: ControlKeys, wanted: Wanted
) -> steps.Steps[FewControlKeys]:
    """Return the fewest keys that keep every bone within `wanted.few` of its place with keys on every frame."""
    work = _Work(armature, clip, body, keys, wanted)
    aim = yield from work.shown(work.every)
    width, best = 1.0, None
    for _ in range(_TRIES):
        made = work.fit(width)
        error, feet = work.errors((yield from work.shown(made)), aim)
        off = max(error / work.few.within, feet / (work.few.feet or fewer_keys.FEET * work.few.within))
        if off <= 1.0:
            enough = off > _NEAR or width >= _WIDEST or (best is not None and made.count >= best.count)
            best = replace(made, error=error, feet_error=feet)
            if enough:
                break
        elif best is not None:
            break
        width *= float(np.clip(_NEAR / max(off, 1e-3), 0.1, 2.0))
    return best if best is not None else work.every


class _Work:
    """The fit of one clip."""

    def __init__(self, armature: bpy.types.Object, clip: Clip, body: Rig, keys: ControlKeys, wanted: Wanted) -> None:
        self._armature, self._clip, self._body, self._keys = armature, clip, body, keys
        self._wanted, self.few = wanted, present(wanted.few)
        _, reach = fewer_keys.reaches(body.skeleton)
        by_bone = dict(zip(body.bones, reach[int(body.moving_object) :].tolist(), strict=True))
        self._levers = {name: by_bone[bone] for name, bone in keys.bones.items() if bone in by_bone}
        self._modes = dict(zip(keys.names, keys.modes, strict=True))
        self._at = np.unique(np.linspace(0, len(clip) - 1, min(_LOOKED_AT, len(clip))).round().astype(np.int64))
        self._keyings: dict[str, Keying] = {}
        turns, moves = moving(keys, body)
        every_turn, every_move = {}, {}
        for k, name in enumerate(keys.names):
            target = Target(name, rotation_modes.property_of(self._modes[name]))
            self._keyings[name] = Keying(mode=self._modes[name], start=wanted.start.get(target))
            if turns[k]:
                every_turn[name] = self._keyings[name].values_of(
                    quat.continuous(quat.from_matrix(keys.own[:, k, :3, :3]))
                )
            if moves[k]:
                every_move[name] = keys.own[:, k, :3, 3]
        full = sum(each.size for each in (*every_turn.values(), *every_move.values()))
        dense_turns, dense_moves = (
            {name: _dense(one) for name, one in each.items()} for each in (every_turn, every_move)
        )
        self.every = FewControlKeys(dense_turns, dense_moves, 0.0, 0.0, full)
        chain = fewer_keys.feet_chain(body.skeleton)[int(body.moving_object) :]
        self._feet = np.asarray(chain)

    def fit(self, width: float) -> FewControlKeys:
        """Return keys within a tolerance of some bounds, at the reach of each control."""
        turns, moves = {}, {}
        for name, keys in self.every.turns.items():
            lever = self._levers.get(name, 0.3 * self._body.skeleton.height)
            turns[name] = self._fit_control(name, keys.values, width * self.few.within / lever, self._modes[name])
        for name, keys in self.every.moves.items():
            moves[name] = self._fit_control(
                name, keys.values, 0.5 * width * self.few.within / float(self._body.units[-1])
            )
        return replace(self.every, turns=turns, moves=moves)

    def _fit_control(self, name: str, values: Array, near: float, mode: str = "") -> Keys:
        """Return the keys of a control's values (F, n), at the source's own key times if they suffice."""
        what = rotation_modes.property_of(mode) if mode else "location"
        last, also = len(values) - 1, set(self.few.keep)
        sides = (self._keys.partners.get(name, ""), name)
        known = [self._wanted.times[key] for key in (Target(one, what) for one in sides) if key in self._wanted.times]
        for times in known:
            keys = _as_timed(values, times, near / (2.0 if mode else 1.0)) if also <= set(times.frames) else None
            if keys is not None:
                return keys
        kept = {0, last, *also}.union(*(times.frames for times in known))
        inside = np.array(sorted(frame for frame in kept if 0 <= frame <= last), dtype=np.int64)
        return fewer_keys.keys_of(values, near, inside, mode, cyclic=self._clip.cyclic)

    def shown(self, made: FewControlKeys) -> steps.Steps[Array]:
        """Return the bones (K, B, 4, 4) that keys show on the frames measured: with each kind of limbs."""
        at = self._at.astype(np.float64)
        basis = {}
        for k, name in enumerate(self._keys.names):
            own = self._keys.own[self._at, k].copy()
            if name in made.turns:
                own[:, :3, :3] = quat.to_matrix(self._keyings[name].rotations_of(made.turns[name].at(at)))
            if name in made.moves:
                own[:, :3, 3] = made.moves[name].at(at)
            basis[name] = own
        idle = [name for name in present(self._body.controls).idle if name not in basis]
        bones = present(self._body.controls).seen
        settings = {**self._keys.meanwhile, **self._keys.settings}
        seen = yield from shown_in_steps(self._armature, basis, bones, settings, idle)
        if not self._keys.on_fk:
            return seen
        other = yield from shown_in_steps(self._armature, basis, bones, {**settings, **self._keys.on_fk}, idle)
        return np.concatenate([seen, other])

    def errors(self, seen: Array, wanted: Array) -> tuple[float, float]:
        """Return the largest distance of any bone's ends from the wanted ones, and of the feet's, in metres."""
        bones = present(self._armature.pose).bones
        lengths = np.array([bones[name].length for name in present(self._body.controls).seen])
        off = np.linalg.norm(seen[..., :3, 3] - wanted[..., :3, 3], axis=2)
        tips = (each[..., :3, 3] + lengths[:, None] * each[..., :3, 1] for each in (seen, wanted))
        one, other = tips
        off = float(self._body.units[-1]) * np.maximum(off, np.linalg.norm(one - other, axis=2)).max(axis=0)
        return float(off.max()), float(off[self._feet].max(initial=0.0))


def _dense(values: Array) -> Keys:
    """Return values (F, n) with a key on every frame; the interpolation between them is not used."""
    return Keys(np.arange(len(values)), values, np.zeros((len(values), 2, values.shape[1])))


def _as_timed(values: Array, times: KeyTimes, near: float) -> Keys | None:
    """Return keys at given times with the same handle lengths, or None if they miss values (F, n)."""
    last = len(values) - 1
    if not times.reach or times.frames[0] < 0 or times.frames[-1] > last:
        return None
    frames, reach = np.array(times.frames), np.array(times.reach)
    ends = [np.abs(values[: frames[0]] - values[frames[0]]), np.abs(values[frames[-1] :] - values[frames[-1]])]
    if max(float(end.max(initial=0.0)) for end in ends) > near:  # the control moves outside the keys
        return None
    inside = values[frames[0] : frames[-1] + 1]
    slopes, missed = handles.slopes(inside, frames - frames[0], reach)
    return Keys(frames, values[frames], slopes, reach=reach) if missed <= near else None
