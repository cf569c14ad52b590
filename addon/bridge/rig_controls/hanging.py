"""Determine which control carries which, by moving each of them slightly on a copy at rest."""

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
_TWISTED = 0.07  # radians: a control twists its bone if the bone's rotation differs from the control's by less


@dataclass(frozen=True)
class Hanging:
    """The measured hierarchy of controls.

    rest (B, 4, 4) : the bones seen, with all controls at rest
    carrier : the nearest control that carries each one, "" for none
    order : controls, each after its carrier
    local (4, 4) : rest matrix of each seed relative to its parent
    turned : seeds that carry others by their keyed rotation, not by the rotation from inverse kinematics
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
        """Return the controls carried by a bearing control that only turn in their places."""
        if not one.bears:
            return []
        return [each.name for each in controls if self.carrier[each.name] == one.name and not each.moves]


def measure_hierarchy(player: Player, controls: Sequence[Control]) -> Hanging:
    """Measure the hierarchy of controls; the player needs one frame more than the number of controls."""
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
    takes: set[str] = set()  # controls that take their bones along
    moves = {one.name: _list_moved(player.index, rest, after, step) for one, after in zip(controls, seen, strict=True)}
    for one, after in zip(controls, seen, strict=True):
        if one.seeds:
            k = player.index[one.bone]
            idle |= set() if response.has_moved(rest[k], after[k], step) else {one.name}
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
    for one in controls:  # not if a control moves its bone without carrying it
        others = [each.name for each in controls if one.bone in moves[each.name] and each is not one and not each.seeds]
        stiff |= {one.name} if one.name in takes and all(one.name in carried[other] for other in others) else set()
    carrier = {}
    for other in controls:
        names = [one for one in carried if other.name in carried[one] and one not in carried[other.name]]
        nearest = max(names, key=lambda one: sum(one in carried[further] for further in names), default="")
        carrier[other.name] = nearest
        if other.seeds and other.name not in turned:  # the control that corrects the plane of a limb turns all of it
            carrier[other.name] = next(
                (one.name for one in controls if one.swivels and one.part == other.part), nearest
            )
    hung = {
        name: np.array((parent.bone.matrix_local.inverted() @ player.bones[name].bone.matrix_local), dtype=np.float64)
        for name, parent in parents.items()
        if parent is not None and name in seeds
    }
    return Hanging(rest, carrier, _sort_names(carrier), hung, turned, frozenset(stiff), frozenset(idle), moves)


def _list_moved(index: Mapping[str, int], before: Array, after: Array, step: float) -> frozenset[str]:
    """Return the bones that moved or turned, by their matrices (B, 4, 4) before and after."""
    return frozenset(name for name, k in index.items() if response.has_moved(before[k], after[k], _ALIKE * step))


def _sort_names(carrier: dict[str, str]) -> tuple[str, ...]:
    out: list[str] = []
    while len(out) < len(carrier):
        ready = [name for name, above in carrier.items() if name not in out and above in ("", *out)]
        # This cannot happen: only one-way relations between controls count, so they form no cycle.
        out += ready or [name for name in carrier if name not in out]
    return tuple(out)
