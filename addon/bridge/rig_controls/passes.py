"""Correct controls by the errors of their bones, pass by pass, on the frames with remaining errors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion import quat
from ....core.motion.quat import Array
from ...ground.blender_types import present
from . import fitting, poles
from .hanging import Hanging
from .keyed import TRUNK, Control
from .playing import Player

_PASSES = 16  # at most
_GAIN = 0.8  # a correction is useless if this share of the error or more remains
_IDLE = 3  # useless corrections after which a control keeps its best correction
_SHARES = 0.3, 3.0  # smallest and largest share of a rotation error in a correction
_STUCK = 3  # passes without approach of a control to its goal, after which it counts as blocked by limits
_GOOD = 1e-4  # of the rig's height: 0.2 mm of a person
_MORE = 5e-5  # of the rig's height: larger errors are corrected
_MORE_OF_MIDDLES, _MORE_OF_BEARERS = 3e-4, 1e-4  # likewise, of knees and elbows, and of controls that place others


@dataclass(frozen=True, eq=False)
class Goals:
    """The wanted motion of bones, and the goals (F, 4, 4) of controls, as if they were rigidly attached as at rest."""

    motion: Mapping[str, Array]
    controls: Mapping[str, Array]

    def at(self, rows: NDArray[np.int64]) -> "Goals":
        """Return the goals of some frames."""
        return Goals(*({name: one[rows] for name, one in each.items()} for each in (self.motion, self.controls)))


@dataclass(frozen=True, eq=False)
class Start:
    """The initial values of a solution, by control: its offset from its carrier, its correction, and the effect of
    that.

    hangs, fixes (F, 4, 4); shares (F,) : the factor of a rotation correction
    """

    hangs: dict[str, Array]
    fixes: dict[str, Array]
    shares: dict[str, Array]

    def at(self, rows: NDArray[np.int64]) -> "Start":
        """Return the initial values of some frames."""
        every = self.hangs, self.fixes, self.shares
        return Start(*({name: one[rows] for name, one in each.items()} for each in every))


def goals(
    controls: Sequence[Control], motion: Mapping[str, Array], hanging: Hanging, index: Mapping[str, int]
) -> Goals:
    """Return the goals of controls for a motion of bones."""
    rest = hanging.rest
    stiff = {
        one.name: poles.targets(one.swivels, motion, rest, index)
        if one.swivels is not None and not one.seeds
        else motion[one.bone] @ np.linalg.inv(rest[index[one.bone]]) @ rest[index[one.name]]
        for one in controls
    }
    for one in controls:
        borne = hanging.borne(one, controls)
        if borne:
            own, goal = rest[index[one.name]], stiff[one.name]
            here = np.stack([goal @ np.linalg.inv(own) @ rest[index[name]] for name in borne])
            there = np.stack([stiff[name] for name in borne])
            stiff[one.name] = fitting.movement(here[..., :3, 3], there[..., :3, 3], _height(rest)) @ goal
    return Goals(motion, stiff)


def _height(rest: Array) -> float:
    """Return the size of a rig by its bones at rest (B, 4, 4)."""
    return float(np.ptp(rest[:, :3, 3], axis=0).max())


def at_rest(controls: Sequence[Control], hanging: Hanging, index: Mapping[str, int], frames: int) -> Start:
    """Return the initial values with the rig at rest."""
    hangs = {}
    for one in controls:
        above = hanging.carrier[one.name]
        frame = hanging.rest[index[one.name]]
        frame = np.linalg.inv(hanging.rest[index[above]]) @ frame if above else frame
        hangs[one.name] = np.tile(frame, (frames, 1, 1))
    fixes = {one.name: np.tile(np.eye(4), (frames, 1, 1)) for one in controls}
    return Start(hangs, fixes, {one.name: np.ones(frames) for one in controls})


def between(start: Start, rows: NDArray[np.int64], frames: NDArray[np.int64]) -> Start:
    """Interpolate initial values for frames between solved ones, `rows`."""
    shares = {name: np.interp(frames, rows, one) for name, one in start.shares.items()}
    solved = start.hangs, start.fixes
    hangs, fixes = ({name: _between(one, rows, frames) for name, one in each.items()} for each in solved)
    return Start(hangs, fixes, shares)


def _between(known: Array, rows: NDArray[np.int64], frames: NDArray[np.int64]) -> Array:
    """Interpolate transforms (F, 4, 4) between known ones with cubics."""
    low = np.clip(np.searchsorted(rows, frames, side="right") - 1, 0, len(rows) - 2)
    width = (rows[low + 1] - rows[low])[:, None, None]
    part = (frames - rows[low])[:, None, None] / width
    slopes = np.gradient(known, rows, axis=0)
    rise = known[low + 1] - known[low]
    first, last = width * slopes[low] - rise, rise - width * slopes[low + 1]
    out = known[low] + part * (rise + (1.0 - part) * ((1.0 - part) * first + part * last))
    out[:, :3, :3] = quat.to_matrix(quat.normalize(quat.from_matrix(out[:, :3, :3])))
    return np.asarray(out)


class Solver:
    """The passes of a solution."""

    def __init__(
        self, player: Player, controls: Sequence[Control], hanging: Hanging, goals: Goals, start: Start
    ) -> None:
        self.player, self.controls, self.hanging = player, {one.name: one for one in controls}, hanging
        self.motion, self.targets, self.start = goals.motion, goals.controls, start
        self.index = player.index
        self.needs = {one.name: self._needs(one) for one in controls}
        self.waits = {one.name: self._waits(one) for one in controls}
        self.limited = {one.name for one in controls if not one.seeds and _is_limited(player.bones[one.name])}
        limbs = {one.name: one.swivels for one in controls if one.swivels is not None}
        self.across = {name for name, part in limbs.items() if poles.lies_across(part, hanging.rest, player.index)}
        # A bone across an IK limb would only show the limb's twist, which the rig determines.
        self.twisting = {bone for name in self.across for _, bone in present(limbs[name]).bones[:2]}
        self.frames = len(next(iter(self.motion.values())))
        self.height = _height(hanging.rest)
        self.borne = {one.name: hanging.borne(one, controls) for one in controls}
        for one in controls:
            one.own = np.tile(np.eye(4), (self.frames, 1, 1))
            one.fix, one.kept = start.fixes[one.name].copy(), start.fixes[one.name].copy()
            one.hangs = start.hangs[one.name].copy()
            one.best, one.idle = np.full(self.frames, np.inf), np.zeros(self.frames, np.int64)
            one.gap, one.stuck = np.full(self.frames, np.inf), np.zeros(self.frames, np.int64)
            one.near = one.hangs.copy()
            one.share, one.missed = start.shares[one.name].copy(), np.zeros((self.frames, 3))
        self.least, self.shown = np.full(self.frames, np.inf), np.empty((self.frames, *player.rest.shape))
        self.worse = np.zeros(self.frames, bool)
        self.found = {one.name: [np.empty((self.frames, 4, 4)) for _ in range(3)] for one in controls}
        self._place(np.arange(self.frames))

    def run(self) -> Array:
        """Return the evaluated bones (F, B, 4, 4) with the best keys found."""
        seen = np.empty((self.frames, *self.player.rest.shape))
        rows = np.arange(self.frames)
        for _ in range(_PASSES):
            self._show(seen, rows)
            self._keep(seen, rows)
            arrived = {name: self._has_arrived(one, seen, rows) for name, one in self.controls.items()}
            for name in self.hanging.order:
                if name in self.limited:
                    arrived[name] |= self._is_stuck(name, seen, rows, arrived)
            calm = dict[str, NDArray[np.bool_]]()
            for name, one in self.controls.items():
                # A control is judged only after its dependencies have settled.
                judged = np.all([arrived[need] for need in self.needs[name]], axis=0)
                judged = np.all([judged, *(calm[above] for above in self.waits[name] if above in calm)], axis=0)
                calm[name] = arrived[name] & ~self._correct(one, seen, rows, judged)
            rest = np.all(list(calm.values()), axis=0)
            self._hang(seen, rows)
            rows = rows[~rest]
            if not len(rows):
                break
            self._place(rows)
        else:
            self._show(seen, rows)
            self._keep(seen, rows)
        for name, one in self.controls.items():
            for now, kept in zip((one.own, one.hangs, one.fix), self.found[name], strict=True):
                now[self.worse] = kept[self.worse]
        return self.shown

    def end(self) -> Start:
        """Return the initial values for nearby frames."""
        names = self.controls
        return Start(*({name: getattr(one, kind) for name, one in names.items()} for kind in ("hangs", "fix", "share")))

    def _show(self, seen: Array, rows: NDArray[np.int64]) -> None:
        seen[rows] = self.player.show({one.name: one.basis for one in self.controls.values()}, rows)

    def _keep(self, seen: Array, rows: NDArray[np.int64]) -> None:
        """Keep the evaluated bones on frames whose error is not larger than in the best earlier pass."""
        miss = np.zeros(len(rows))
        for bone, goal in self.motion.items():
            now = seen[rows, self.index[bone]]
            miss += np.linalg.norm(now[:, :3, 3] - goal[rows, :3, 3], axis=1)
            if bone not in self.twisting:
                miss += 0.1 * self.height * np.linalg.norm(bone_directions(now) - bone_directions(goal[rows]), axis=1)
        good = miss <= self.least[rows] + 0.5 * _GOOD * self.height
        self.least[rows], self.worse[rows] = np.minimum(self.least[rows], miss), ~good
        here = rows[good]
        self.shown[here] = seen[here]
        for name, one in self.controls.items():
            for kept, now in zip(self.found[name], (one.own, one.hangs, one.fix), strict=True):
                kept[here] = now[here]

    def _at(self, name: str, seen: Array, rows: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the transform of a control on some frames, and its transform if it were at rest.

        Inverse kinematics turns the bones that give its start pose; for these the keyed transform is returned.
        """
        one = self.controls[name]
        if not one.seeds:
            at = seen[rows, self.index[name]]
            return at, at @ np.linalg.inv(one.own[rows])
        parent = self.player.bones[name].parent
        if parent is None:
            frame = np.tile(self.hanging.rest[self.index[name]], (len(rows), 1, 1))
        elif parent.name in self.hanging.turned:
            frame = self._at(parent.name, seen, rows)[0] @ self.hanging.local[name]
        else:
            frame = seen[rows, self.index[parent.name]] @ self.hanging.local[name]
        return frame @ one.own[rows], frame

    def _hang(self, seen: Array, rows: NDArray[np.int64]) -> None:
        """Measure the transforms of controls relative to their carriers on some frames."""
        for name, one in self.controls.items():
            above, stuck = self.hanging.carrier[name], one.stuck[rows] >= _STUCK
            at, frame = self._at(name, seen, rows)
            base = np.linalg.inv(self._at(above, seen, rows)[0]) if above else np.eye(4)
            one.hangs[rows[~stuck]] = (base @ frame)[~stuck]
            one.near[rows[stuck]] = (base @ at)[stuck]

    def _place(self, rows: NDArray[np.int64]) -> None:
        """Set the transforms of all controls on some frames, each relative to the transform its carrier is given."""
        places: dict[str, Array] = {}
        for name in self.hanging.order:
            one, above = self.controls[name], self.hanging.carrier[name]
            frame = places[above] @ one.hangs[rows] if above else one.hangs[rows]
            own = np.linalg.inv(frame) @ self.targets[name][rows] @ one.fix[rows]
            turn = own[:, :3, :3] / np.linalg.norm(own[:, :3, :3], axis=1, keepdims=True)
            one.own[rows, :3, :3] = turn if one.turns else np.eye(3)
            one.own[rows, :3, 3] = own[:, :3, 3] if one.moves else 0.0
            places[name] = frame @ one.own[rows]
            stuck = one.stuck[rows] >= _STUCK  # it will keep its measured transform relative to its carrier
            stands = places[above] @ one.near[rows] if above else one.near[rows]
            places[name][stuck] = stands[stuck]

    def _off(self, one: Control, seen: Array, rows: NDArray[np.int64]) -> Array:
        """Return the error (R,) that a control can correct: of its bone's head, and of its direction."""
        if self.borne[one.name]:
            here, there = self._places(one, seen, rows)
            return np.asarray(np.linalg.norm(there - here, axis=2).max(axis=0))
        bone = one.bone if one.swivels is None else one.swivels.bones[1][1]
        now, goal = seen[rows, self.index[bone]], self.motion[bone][rows]
        far = np.linalg.norm(now[:, :3, 3] - goal[:, :3, 3], axis=1) * float(one.moves or one.swivels is not None)
        if one.turns and one.swivels is None:
            turned = (
                _unscale_axes(now) - _unscale_axes(goal)
                if self._is_stiff(one)
                else bone_directions(now) - bone_directions(goal)
            )
            turned = np.linalg.norm(turned.reshape(len(rows), -1), axis=1)
            far = np.maximum(far, 0.1 * self.height * turned)
        if one.name in self.across:  # the plane of the limb turns its bones even if it is hardly bent
            motion = {bone: self.motion[bone][rows] for _, bone in present(one.swivels).bones}
            turned = poles.angle(present(one.swivels), motion, seen[rows], self.index)
            far = np.maximum(far, 0.1 * self.height * np.abs(turned))
        return np.asarray(far)

    def _correct(
        self, one: Control, seen: Array, rows: NDArray[np.int64], judged: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Correct a control's goal on the judged frames with an error of its bone; return the changed frames."""
        if one.given or (one.seeds and one.swivels is None):
            return np.zeros(len(rows), bool)
        off = self._off(one, seen, rows)
        gains = off < _GAIN * one.best[rows]
        better = judged & (off < one.best[rows] - 0.01 * _GOOD * self.height)
        one.kept[rows[better]], one.best[rows[better]] = one.fix[rows[better]], off[better]
        enough = _MORE_OF_MIDDLES if one.swivels is not None else _MORE_OF_BEARERS if self.borne[one.name] else _MORE
        more = judged & (off > enough * self.height)
        one.idle[rows[judged]] = np.where(gains[judged], 0, one.idle[rows[judged]] + 1)
        back = more & (one.idle[rows] == _IDLE)
        more &= one.idle[rows] < _IDLE
        back &= ~better
        for each in self._joint_controls(one):
            each.fix[rows[back]] = each.kept[rows[back]]
            step, target = self._step(one, seen, rows[more]), self.targets[each.name][rows[more]]
            each.fix[rows[more]] = np.linalg.inv(target) @ step @ target @ each.fix[rows[more]]
        return np.asarray(more | back)

    def _waits(self, one: Control) -> list[str]:
        """Return the controls that must settle before a control is corrected: its carrier, and the trunk.

        Limbs wait for the trunk controls that move them, not for the head.
        """
        carrier, bones = self.hanging.carrier[one.name], self.player.bones
        above = [
            name for name in (one.name, one.bone) for name in (name, *(b.name for b in bones[name].parent_recursive))
        ]
        theirs = {*above, *(bone for _, bone in (one.swivels.bones if one.swivels is not None else ()))}
        trunk = [each for each in self.controls.values() if each.part == TRUNK != one.part]
        return [carrier, *(each.name for each in trunk if theirs & self.hanging.moves[each.name])]

    def _needs(self, one: Control) -> list[str]:
        """Return the controls that must arrive before a control is judged."""
        if one.swivels is None:
            others = [each for each in self.controls.values() if each.part == one.part]
            with_it = [each.name for each in others if one.bone in self.hanging.moves[each.name]]
            return list(dict.fromkeys([*(each.name for each in self._joint_controls(one)), *with_it]))
        tips = [control for role, control in one.swivels.tips if role != one.swivels.bones[2][0]]
        return [each.name for each in self.controls.values() if each.part == one.part and each.name not in tips]

    def _joint_controls(self, one: Control) -> list[Control]:
        """Return the controls corrected together with one: the other seeds of the same limb or bone."""
        if one.swivels is not None and one.seeds:
            return [each for each in self.controls.values() if each.seeds and each.part == one.part]
        return [one, *(each for each in self.controls.values() if each.seeds and each.bone == one.bone)]

    def _has_arrived(self, one: Control, seen: Array, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return on which frames a control has arrived at its goal."""
        at, target = self._at(one.name, seen, rows)[0], self.targets[one.name][rows] @ one.fix[rows]
        there = np.ones(len(rows), bool)
        if one.turns:
            there &= np.linalg.norm(_unscale_axes(at) - _unscale_axes(target), axis=(1, 2)) < 1e-3
        if one.moves:
            there &= np.linalg.norm(at[:, :3, 3] - target[:, :3, 3], axis=1) < 0.3 * _GOOD * self.height
        return np.asarray(there)

    def _is_stuck(
        self, name: str, seen: Array, rows: NDArray[np.int64], arrived: Mapping[str, NDArray[np.bool_]]
    ) -> NDArray[np.bool_]:
        """Return the frames on which a control no longer approaches its goal, although its carrier has arrived.

        Its evaluated transform then shows its limit, not its relation to its carrier.
        """
        one, above = self.controls[name], self.hanging.carrier[name]
        at, target = self._at(name, seen, rows)[0], self.targets[name][rows] @ one.fix[rows]
        gap = (
            0.1
            * self.height
            * np.linalg.norm(_unscale_axes(at) - _unscale_axes(target), axis=(1, 2))
            * float(one.turns)
        )
        gap += np.linalg.norm(at[:, :3, 3] - target[:, :3, 3], axis=1) * float(one.moves)
        waits = arrived[name] | (~arrived[above] if above else False)
        free, nearer = one.stuck[rows] < _STUCK, waits | (gap < _GAIN * one.gap[rows])  # once stuck, it remains stuck
        one.near[rows[free & nearer]] = one.hangs[rows[free & nearer]]
        one.gap[rows] = np.where(waits, np.inf, np.where(nearer, gap, one.gap[rows]))
        one.stuck[rows[free]] = np.where(nearer[free], 0, one.stuck[rows[free]] + 1)
        stuck = one.stuck[rows] >= _STUCK
        one.hangs[rows[stuck & free]] = one.near[rows[stuck & free]]
        return np.asarray(stuck)

    def _step(self, one: Control, seen: Array, rows: NDArray[np.int64]) -> Array:
        """Return the transform (R, 4, 4) that takes a control's bone to its goal."""
        if self.borne[one.name]:
            return fitting.movement(*self._places(one, seen, rows), self.height)
        if one.swivels is not None:
            motion = {bone: self.motion[bone][rows] for _, bone in one.swivels.bones if bone in self.motion}
            return poles.swivel(one.swivels, motion, seen[rows], self.index)
        now, goal = seen[rows, self.index[one.bone]], self.motion[one.bone][rows]
        out = _swing(now, goal, one, whole=self._is_stiff(one))
        if one.turns and not one.moves:
            missing = quat.log(quat.from_matrix(out[:, :3, :3]))
            one.share[rows] = _learn_factors(one.share[rows], one.missed[rows], missing)
            one.missed[rows] = missing
            out[:, :3, :3] = quat.to_matrix(quat.exp(one.share[rows, None] * missing))
        return out

    def _places(self, one: Control, seen: Array, rows: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the places (N, R, 3) of the controls that another one bears, and their goals."""
        here = np.stack([self._at(name, seen, rows)[1][:, :3, 3] for name in self.borne[one.name]])
        there = np.stack([self.targets[name][rows, :3, 3] for name in self.borne[one.name]])
        return here, there

    def _is_stiff(self, one: Control) -> bool:
        """Return whether a control, or one corrected together with it, also twists its bone."""
        return any(each.name in self.hanging.stiff for each in self._joint_controls(one))


def _learn_factors(share: Array, before: Array, after: Array) -> Array:
    """Return correction factors (R,) for rotation errors, from rotation vectors (R, 3) before and after a correction.

    Some rigs turn a bone by twice the rotation of its control, others by half.
    """
    size = np.sum(before * before, axis=1)
    done = 1.0 - np.sum(after * before, axis=1) / np.maximum(size, 1e-18)
    known = (size > 1e-9) & (done > 0.3)
    return np.asarray(np.clip(np.where(known, share / np.where(known, done, 1.0), share), *_SHARES))


def _is_limited(bone: bpy.types.PoseBone) -> bool:
    """Return whether constraints of a bone may keep it from its keyed transform."""
    return any(one.enabled and one.influence > 0.0 for one in bone.constraints)


def _unscale_axes(bones: Array) -> Array:
    """Return the axes (F, 3, 3) of bones (F, 4, 4)."""
    return np.asarray(bones[:, :3, :3] / np.linalg.norm(bones[:, :3, :3], axis=1, keepdims=True))


def along_limbs(bones: Mapping[str, Array], limbs: Iterable[Sequence[str]]) -> dict[str, Array]:
    """Return the directions (F, 3) of bones (F, 4, 4): in limbs, named outwards, to the next joint, otherwise their
    own.

    Some rigs have bones that point across their limbs.
    """
    out = {name: bone_directions(one) for name, one in bones.items()}
    for limb in limbs:
        for here, there in pairwise([name for name in limb if name in bones]):
            way = bones[there][:, :3, 3] - bones[here][:, :3, 3]
            out[here] = np.asarray(way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12))
    return out


def bone_directions(bones: Array) -> Array:
    """Return the directions (F, 3) of bones (F, 4, 4)."""
    return np.asarray(bones[:, :3, 1] / np.linalg.norm(bones[:, :3, 1], axis=1, keepdims=True))


def _swing(now: Array, goal: Array, one: Control, *, whole: bool) -> Array:
    """Return the transforms (F, 4, 4) that take bones to their goals, without their twist unless `whole`."""
    out = np.broadcast_to(np.eye(4), now.shape).copy()
    if one.turns and whole:
        out[:, :3, :3] = _unscale_axes(goal) @ _unscale_axes(now).transpose(0, 2, 1)
    elif one.turns:
        axis = np.cross(bone_directions(now), bone_directions(goal))
        sine = np.linalg.norm(axis, axis=1, keepdims=True)
        cosine = np.sum(bone_directions(now) * bone_directions(goal), axis=1, keepdims=True)
        angle = np.arctan2(sine, cosine)
        out[:, :3, :3] = quat.to_matrix(quat.exp(axis / np.maximum(sine, 1e-12) * angle))
    here = np.einsum("fij,fj->fi", out[:, :3, :3], now[:, :3, 3])
    out[:, :3, 3] = goal[:, :3, 3] - here
    return out
