"""Describe the controls of a body: exactly known for a Rigify human, detected for any other rig."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...core.motion.quat import Array

if TYPE_CHECKING:
    from .rig_controls.found import RigControls

NONE = -1  # the carrier of a control without a parent control or bone


@dataclass(frozen=True, eq=False, kw_only=True)
class BodyControls:
    """The C controls that move a body of B bones.

    names, modes (C,) : names and rotation modes of all controls that may get keys
    idle : further controls that would move the body and must stay at rest
    seen (B,), seen_from (B, 4, 4) : the rig's bone that shows each bone of the body, and the matrix from the one to the
        other
    rides : other deforming bones, each with the bone of the body that it moves with
    """

    names: tuple[str, ...]
    modes: tuple[str, ...]
    idle: tuple[str, ...]
    seen: tuple[str, ...]
    seen_from: Array
    rides: dict[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class Controls(BodyControls):
    """The forward-kinematics controls of a Rigify human; matrices in the armature's space.

    movable (C,) : whether a control's location moves a bone
    joints (C,) : index of the bone that a control turns; for the torso, which turns the whole trunk, the hips
    offsets (C, 4, 4) : a control's matrix in the frame of its joint
    carriers (C,) : the parent of a control: the index of a bone, or B + the index of a control, or NONE
    held (C, 4, 4) : rest matrix of a control in its carrier's frame
    torso, pivot : index of the control that carries the trunk, and of the control below it whose location stays fixed
    settings : required values of custom properties, by bone and property name
    """

    movable: NDArray[np.bool_]
    joints: NDArray[np.int64]
    offsets: Array
    carriers: NDArray[np.int64]
    held: Array
    torso: int
    pivot: int
    settings: dict[tuple[str, str], float]

    def control_matrices(self, bones: Array, rest: Array) -> Array:
        """Return the controls' matrices (F, C, 4, 4) that put the bones at `bones` (F, B, 4, 4); rest (B, 4, 4)."""
        out = bones[:, self.joints] @ self.offsets
        # The trunk bends about the pivot, not about the torso: turn the torso with the hips, keep the pivot's place.
        at_rest = rest[self.joints] @ self.offsets
        reach = np.linalg.inv(at_rest[self.torso]) @ at_rest[self.pivot, :, 3]
        place = out[:, self.pivot, :3, 3] - out[:, self.torso, :3, :3] @ reach[:3]
        out[:, self.torso, :3, 3] = place
        return np.asarray(out)

    def basis(self, bones: Array, rest: Array) -> tuple[Array, Array]:
        """Return the controls' local transforms (F, C, 4, 4) that put the bones at `bones` (F, B, 4, 4).

        Also return the largest distance (C,) by which a control that can't move misses its place, as in a stretched
        limb.
        """
        stand, count = self.control_matrices(bones, rest), len(rest)
        reached = np.concatenate([bones, stand], axis=1)
        own, short = np.empty_like(stand), np.zeros(len(self.names))
        for k in self.outwards(count):
            carrier = self.carriers[k]
            frame = (np.eye(4) if carrier == NONE else reached[:, carrier]) @ self.held[k]
            own[:, k] = np.linalg.inv(frame) @ stand[:, k]
            if not self.movable[k]:
                short[k] = np.linalg.norm(own[:, k, :3, 3], axis=-1).max()
                own[:, k, :3, 3] = 0.0
                reached[:, count + k] = frame @ own[:, k]
                reached[:, self.joints[k]] = reached[:, count + k] @ np.linalg.inv(self.offsets[k])
        return own, short

    def outwards(self, count: int) -> list[int]:
        """Return the indices of the controls, parents first; `count` is the number of bones B."""
        turned_by = {int(joint): k for k, joint in enumerate(self.joints) if k != self.torso}
        order: list[int] = []
        waiting = list(range(len(self.names)))
        while waiting:
            above = [int(self.carriers[k]) for k in waiting]
            needs = [carrier - count if carrier >= count else turned_by.get(carrier, NONE) for carrier in above]
            free = [k for k, need in zip(waiting, needs, strict=True) if need == NONE or need in order]
            order += free or waiting  # controls in a dependency cycle keep their order
            waiting = [k for k in waiting if k not in order]
        return order


@dataclass(frozen=True, eq=False, kw_only=True)
class FoundControls(BodyControls):
    """The controls found on a rig other than a Rigify human; the body consists of the rig's own bones.

    found : which controls move which bones
    above : every bone that the body depends on
    beside : every other bone that a deforming bone depends on
    reach : for legs that can't be fully straight, the largest distance between their ends as a share of their bones'
        lengths, by the part's name and "fk" or "ik"
    """

    found: "RigControls"
    above: frozenset[str]
    beside: frozenset[str]
    reach: dict[tuple[str, str], float]
