"""Correct controls by what their bones miss, pass by pass, on the frames that are still off."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ....core.motion import quat
from ....core.motion.quat import Array
from . import poles
from .keyed import TRUNK, Control
from .playing import Player

_PASSES = 16  # at most
_IDLE = 3  # passes without gain, after which a frame is left as it is
_GOOD = 1e-4  # of the rig's height: 0.2 mm of a person


def targets(
    controls: list[Control], motion: Mapping[str, Array], rest: Array, index: Mapping[str, int]
) -> dict[str, Array]:
    """Return where controls are to go (F, 4, 4), if their bones go with them as they stand at rest."""
    return {
        one.name: poles.targets(one.swivels, motion, rest, index)
        if one.swivels is not None
        else motion[one.bone] @ np.linalg.inv(rest[index[one.bone]]) @ rest[index[one.name]]
        for one in controls
    }


class Solver:
    """The passes of a solution."""

    def __init__(
        self,
        player: Player,
        controls: list[Control],
        motion: Mapping[str, Array],
        goals: Mapping[str, Array],
    ) -> None:
        self.player, self.controls, self.motion, self.targets = player, controls, motion, goals
        self.index, rest = player.index, player.rest
        self.frames = len(next(iter(motion.values())))
        self.height = float(np.ptp(rest[:, :3, 3], axis=0).max())
        for one in controls:
            one.own = np.broadcast_to(np.eye(4), (self.frames, 4, 4)).copy()
            one.correction, one.kept = one.own.copy(), one.own.copy()
            one.best, one.given_up = np.full(self.frames, np.inf), np.zeros(self.frames, bool)
            above = self._carrier(one.name)
            frame = rest[self.index[one.name]]
            if above:
                frame = self.targets[above] @ np.linalg.inv(rest[self.index[above]]) @ frame
            self._place(one, np.broadcast_to(frame, (self.frames, 4, 4)), np.arange(self.frames))

    def run(self) -> Array:
        """Return the bones (F, B, 4, 4) as the rig shows them with the best keys found."""
        seen = np.empty((self.frames, *self.player.rest.shape))
        rows = np.arange(self.frames)
        least = np.full(self.frames, np.inf)
        idle = np.zeros(self.frames, dtype=np.int64)  # passes without gain
        for _ in range(_PASSES):
            self._evaluate(seen, rows)
            # A control is judged once all that it may hang on has come to rest.
            calm = {name: np.ones(len(rows), bool) for name in {one.part for one in self.controls}}
            trunk = np.ones(len(rows), bool)
            for one in self.controls:
                changed = self._correct(one, seen, rows, trunk & calm[one.part])
                calm[one.part] &= ~changed
                trunk = calm.get(TRUNK, trunk)
            off = np.minimum(np.stack([one.best for one in self.controls]), self.height).sum(axis=0)
            idle = np.where(off < 0.98 * least, 0, idle + 1)
            least = np.minimum(least, off)
            rows = rows[~np.all(list(calm.values()), axis=0) & (idle[rows] < _IDLE)]
            if not len(rows):
                return seen
        self._evaluate(seen, rows)
        return seen

    def _carrier(self, name: str) -> str:
        """Return the nearest control above another one, by parents alone."""
        names = {one.name for one in self.controls}
        return next((bone.name for bone in self.player.bones[name].parent_recursive if bone.name in names), "")

    def _hanging(self, name: str, seen: Array) -> Array:
        """Return where a bone would stand at rest (F, 4, 4), by its parent: inverse kinematics turns what is seen."""
        bone = self.player.bones[name].bone
        own = np.array(bone.matrix_local, dtype=np.float64)
        if bone.parent is None:
            return np.broadcast_to(own, (self.frames, 4, 4))
        above = bone.parent.name
        seeds = {one.name for one in self.controls if one.seeds}
        carrier = self.targets[above] if above in seeds else seen[:, self.index[above]]
        return np.asarray(carrier @ np.linalg.inv(np.array(bone.parent.matrix_local, dtype=np.float64)) @ own)

    def _place(self, one: Control, frame: Array, rows: NDArray[np.int64]) -> None:
        """Set a control's own transforms on some frames, given where it would stand at rest."""
        own = np.linalg.inv(frame) @ one.correction[rows] @ self.targets[one.name][rows]
        turn = own[:, :3, :3] / np.linalg.norm(own[:, :3, :3], axis=1, keepdims=True)
        one.own[rows, :3, :3] = turn if one.turns else np.eye(3)
        one.own[rows, :3, 3] = own[:, :3, 3] if one.moves else 0.0

    def _evaluate(self, seen: Array, rows: NDArray[np.int64]) -> None:
        seen[rows] = self.player.show({one.name: one.basis for one in self.controls}, rows)

    def _off(self, one: Control, seen: Array) -> Array:
        """Return the error (F,) that a control can mend: of its bone's head, and of its direction."""
        bone = one.bone if one.swivels is None else one.swivels.bones[1][1]
        now, goal = seen[:, self.index[bone]], self.motion[bone]
        far = np.linalg.norm(now[:, :3, 3] - goal[:, :3, 3], axis=1) * float(one.moves or one.swivels is not None)
        if one.turns and one.swivels is None:
            far = np.maximum(far, 0.1 * self.height * np.linalg.norm(along(now) - along(goal), axis=1))
        return np.asarray(far)

    def _correct(
        self, one: Control, seen: Array, rows: NDArray[np.int64], calm: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Place a control anew where what it hangs on has moved it, correct it where it is but its bone is off.

        Returns on which of some frames it has changed.
        """
        index = self.index
        if one.seeds:
            self._place(one, self._hanging(one.name, seen)[rows], rows)
            return np.zeros(len(rows), bool)
        at, target = seen[rows, index[one.name]], one.correction[rows] @ self.targets[one.name][rows]
        there = np.ones(len(rows), bool)
        if one.turns:
            there &= np.linalg.norm(_unscaled(at) - _unscaled(target), axis=(1, 2)) < 1e-3
        if one.moves:
            there &= np.linalg.norm(at[:, :3, 3] - target[:, :3, 3], axis=1) < 0.3 * _GOOD * self.height
        moved, there = ~there, there & calm
        off = self._off(one, seen)[rows]
        better = there & (off < one.best[rows])
        one.best[rows[better]], one.kept[rows[better]] = off[better], one.correction[rows[better]]
        worse = rows[there & ~better & (off > _GOOD * self.height)]
        one.correction[worse], one.given_up[worse] = one.kept[worse], True
        more = there & better & (off > 0.5 * _GOOD * self.height) & ~one.given_up[rows]
        if one.swivels is not None:
            step = poles.swivel(one.swivels, self.motion, seen, index)
        else:
            step = _swing(seen[:, index[one.bone]], self.motion[one.bone], one)
        one.correction[rows[more]] = step[rows[more]] @ one.correction[rows[more]]
        changed = moved | more
        changed[np.isin(rows, worse)] = True
        self._place(one, at @ np.linalg.inv(one.own[rows]), rows)
        return np.asarray(changed)


def _unscaled(bones: Array) -> Array:
    """Return the axes (F, 3, 3) of bones (F, 4, 4)."""
    return np.asarray(bones[:, :3, :3] / np.linalg.norm(bones[:, :3, :3], axis=1, keepdims=True))


def along(bones: Array) -> Array:
    """Return the directions (F, 3) of bones (F, 4, 4)."""
    return np.asarray(bones[:, :3, 1] / np.linalg.norm(bones[:, :3, 1], axis=1, keepdims=True))


def _swing(now: Array, goal: Array, one: Control) -> Array:
    """Return the movement (F, 4, 4) that takes bones to where they should be, without a twist about themselves."""
    out = np.broadcast_to(np.eye(4), now.shape).copy()
    if one.turns:
        axis = np.cross(along(now), along(goal))
        sine = np.linalg.norm(axis, axis=1, keepdims=True)
        cosine = np.sum(along(now) * along(goal), axis=1, keepdims=True)
        angle = np.arctan2(sine, cosine)
        out[:, :3, :3] = quat.to_matrix(quat.exp(axis / np.maximum(sine, 1e-12) * angle))
    here = np.einsum("fij,fj->fi", out[:, :3, :3], now[:, :3, 3])
    out[:, :3, 3] = goal[:, :3, 3] - here
    return out
