"""What controls a body hangs on: how they stand to its joints, and what they are carried by."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.motion.quat import Array

NONE = -1  # of a carrier: the armature itself


@dataclass(frozen=True, eq=False)
class Controls:
    """The C forward-kinematics controls of a body of B bones; matrices in the armature's space.

    names, modes (C,) : of the controls, with their rotation modes; movable (C,) : whether their locations move a bone
    joints (C,) : the bone of the body that each one turns; of the torso, which turns as a whole, the hips
    offsets (C, 4, 4) : where a control stands in the frame of its joint
    carriers (C,) : what each one hangs on: a bone of the body, or B + another control, or NONE
    held (C, 4, 4) : where a control that nothing moves stands in its carrier's frame
    torso, pivot : the control that carries the trunk, and the one hanging on it whose place it keeps
    at_rest : controls that would move others, and have to stay at rest
    settings : custom properties that have to have a value, by bone and name
    seen (B,), seen_from (B, 4, 4) : the bone where the rig shows each bone of the body, and the way from there
    rides : bones that meshes hang on besides, by the bone of the body that they move with
    """

    names: tuple[str, ...]
    modes: tuple[str, ...]
    movable: NDArray[np.bool_]
    joints: NDArray[np.int64]
    offsets: Array
    carriers: NDArray[np.int64]
    held: Array
    torso: int
    pivot: int
    at_rest: tuple[str, ...]
    settings: dict[tuple[str, str], float]
    seen: tuple[str, ...]
    seen_from: Array
    rides: dict[str, str]

    def wanted(self, bones: Array, rest: Array) -> Array:
        """Return where the controls stand (F, C, 4, 4) so that the body's bones (F, B, 4, 4) do; rest (B, 4, 4)."""
        out = bones[:, self.joints] @ self.offsets
        # The trunk bends about a point of its own: the torso turns with the hips, and takes that point along.
        at_rest = rest[self.joints] @ self.offsets
        reach = np.linalg.inv(at_rest[self.torso]) @ at_rest[self.pivot, :, 3]
        place = out[:, self.pivot, :3, 3] - out[:, self.torso, :3, :3] @ reach[:3]
        out[:, self.torso, :3, 3] = place
        return np.asarray(out)

    def basis(self, bones: Array, rest: Array) -> tuple[Array, Array]:
        """Return the controls' own transforms (F, C, 4, 4) that bring the body's bones (F, B, 4, 4) where they are.

        And how far (C,) each one would at most have to be moved that can't be: where a limb is stretched.
        """
        stand, count = self.wanted(bones, rest), len(rest)
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
        """Return the controls of a body of some bones, each after the one that it, or its bone, hangs on."""
        turned_by = {int(joint): k for k, joint in enumerate(self.joints) if k != self.torso}
        order: list[int] = []
        waiting = list(range(len(self.names)))
        while waiting:
            above = [int(self.carriers[k]) for k in waiting]
            needs = [one - count if one >= count else turned_by.get(one, NONE) for one in above]
            free = [k for k, need in zip(waiting, needs, strict=True) if need == NONE or need in order]
            order += free or waiting  # those that hang on each other: as they come
            waiting = [k for k in waiting if k not in order]
        return order
