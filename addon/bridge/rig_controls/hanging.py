"""Which control carries which: seen by moving each of them a little on a copy at rest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.motion import quat
from ....core.motion.quat import Array
from . import response
from .keyed import Control
from .playing import Player

_STEP = 0.03  # of the rig's height
_ALIKE = 0.02  # of the step, or radians
_TWISTED = 0.07  # radians: a bone that is turned by less otherwise than its control can be twisted by that


@dataclass(frozen=True)
class Hanging:
    """How controls hang on each other.

    rest (B, 4, 4) : the bones seen, with all controls at rest
    carrier : the nearest control that carries each one, "" for none
    order : controls, each after its carrier
    local (4, 4) : of seeds, where they stand at rest, seen from their parent
    turned : seeds that carry another one, as they are keyed, not as inverse kinematics turns them
    stiff : controls that twist their bones, too
    idle : seeds that turn no bone
    moves : the bones seen that each control moves or turns
    """

    rest: Array
    carrier: dict[str, str]
    order: tuple[str, ...]
    local: dict[str, Array]
    turned: frozenset[str]
    stiff: frozenset[str]
    idle: frozenset[str]
    moves: dict[str, frozenset[str]]

    def borne(self, one: Control, controls: Iterable[Control]) -> list[str]:
        """Return the controls that hang on another one, which bears them, and turn in their places."""
        if not one.bears:
            return []
        return [each.name for each in controls if self.carrier[each.name] == one.name and not each.moves]


def measured(player: Player, controls: Sequence[Control]) -> Hanging:
    """Return how controls hang on each other; the player must have a frame more than there are controls."""
    rest = player.rest
    step = _STEP * float(np.ptp(rest[:, :3, 3], axis=0).max())
    local = np.eye(4)
    local[:3, :3] = quat.to_matrix(quat.exp(response.TURN))
    basis = {}
    for k, one in enumerate(controls, start=1):
        basis[one.name] = np.tile(np.eye(4), (len(controls) + 1, 1, 1))
        basis[one.name][k, :3, :3] = local[:3, :3] if one.turns else np.eye(3)
        basis[one.name][k, :3, 3] = step * response.STEP if one.moves else 0.0
    seen = player.show(basis, np.arange(1, len(controls) + 1))
    parents = {one.name: player.bones[one.name].parent for one in controls}
    base = {one.name: one.name for one in controls}
    base |= {one.name: parent.name for one in controls if one.seeds and (parent := parents[one.name]) is not None}
    seeds = {one.name for one in controls if one.seeds}
    turned = frozenset(one.name for one in controls if one.seeds and one.swivels is not None)
    carried: dict[str, set[str]] = {one.name: set() for one in controls}
    idle: set[str] = set()
    takes: set[str] = set()  # controls with which their bones go
    moves = {one.name: _moved(player.index, rest, after, step) for one, after in zip(controls, seen, strict=True)}
    for one, after in zip(controls, seen, strict=True):
        if one.seeds:
            k = player.index[one.bone]
            idle |= set() if response.moved(rest[k], after[k], step) else {one.name}
            continue
        k = player.index[one.name]
        move = response.moved_by(rest[k], after[k])
        for other in controls:
            j = player.index[base[other.name]]
            if other is not one and response.goes_with(move, rest[j], after[j], _ALIKE, _ALIKE * step):
                carried[one.name].add(other.name)
        bone = player.index[one.bone]
        takes |= {one.name} if response.goes_with(move, rest[bone], after[bone], _TWISTED, _ALIKE * step) else set()
    stiff = {one.name for one in controls if one.seeds}
    for one in controls:  # not if something that doesn't carry it moves its bone
        others = [each.name for each in controls if one.bone in moves[each.name] and each is not one and not each.seeds]
        stiff |= {one.name} if one.name in takes and all(one.name in carried[other] for other in others) else set()
    carrier = {}
    for other in controls:
        names = [one for one in carried if other.name in carried[one] and one not in carried[other.name]]
        nearest = max(names, key=lambda one: sum(one in carried[further] for further in names), default="")
        carrier[other.name] = nearest
        if other.seeds and other.name not in turned:  # what corrects the plane of a limb turns all of it
            carrier[other.name] = next(
                (one.name for one in controls if one.swivels and one.part == other.part), nearest
            )
    hung = {
        name: np.array((parent.bone.matrix_local.inverted() @ player.bones[name].bone.matrix_local), dtype=np.float64)
        for name, parent in parents.items()
        if parent is not None and name in seeds
    }
    return Hanging(rest, carrier, _sorted(carrier), hung, turned, frozenset(stiff), frozenset(idle), moves)


def _moved(index: Mapping[str, int], before: Array, after: Array, step: float) -> frozenset[str]:
    """Return the bones that are elsewhere, or turned, by their matrices (B, 4, 4) before and after."""
    return frozenset(name for name, k in index.items() if response.moved(before[k], after[k], _ALIKE * step))


def _sorted(carrier: dict[str, str]) -> tuple[str, ...]:
    out: list[str] = []
    while len(out) < len(carrier):
        ready = [name for name, above in carrier.items() if name not in out and above in ("", *out)]
        # Controls that carry each other can't be: each one carries what is measured to hang on it alone.
        out += ready or [name for name in carrier if name not in out]
    return tuple(out)
