"""A body whose joints are told anew one after the other, parents first, and how far that is from where it was."""

from typing import Protocol

import numpy as np

from ..motion import kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array


class FittedBody(Protocol):
    """What `of` returns."""

    def wanted(self, joint: int) -> tuple[Array, Array]:
        """Return the rotations (F, 4) and translations (F, 3) that put a joint where it was, as those above are now."""
        ...

    def put(self, joint: int, rotations: Array, translations: Array, scales: Array | None) -> float:
        """Turn and move a joint (F, …), those above it being put; return how far it or its tip is off, in metres."""
        ...


def of(clip: Clip) -> FittedBody:
    """Return the body of a clip, nothing of it put yet."""
    return _Plain(clip) if clip.scales is None and clip.skeleton.inheritance is None else _Stretched(clip)


def _farthest(one: Array, other: Array) -> float:
    return float(np.sqrt(((one - other) ** 2).sum(axis=1).max()))


class _Plain:
    """A body whose joints take over all of their parents, without scales."""

    def __init__(self, clip: Clip) -> None:
        self._skeleton = clip.skeleton
        self._rotations, self._places = kinematics.world(clip)
        self._now = np.empty_like(self._rotations), np.empty_like(self._places)

    def _frame(self, joint: int) -> tuple[Array, Array]:
        skeleton, above = self._skeleton, int(self._skeleton.parents[joint])
        if above < 0:
            return skeleton.orients[joint], skeleton.offsets[joint]
        turning = self._now[0][:, above]
        origin = self._now[1][:, above] + quat.rotate(turning, skeleton.offsets[joint])
        return quat.mul(turning, skeleton.orients[joint]), origin

    def wanted(self, joint: int) -> tuple[Array, Array]:
        turning, origin = self._frame(joint)
        back = quat.inv(turning)
        return quat.mul(back, self._rotations[:, joint]), quat.rotate(back, self._places[:, joint] - origin)

    def put(self, joint: int, rotations: Array, translations: Array, _scales: Array | None) -> float:
        turning, origin = self._frame(joint)
        turned, place = quat.mul(turning, rotations), origin + quat.rotate(turning, translations)
        self._now[0][:, joint], self._now[1][:, joint] = turned, place
        off, tip = _farthest(place, self._places[:, joint]), self._skeleton.tips[joint]
        if not tip.any():
            return off
        was = self._places[:, joint] + quat.rotate(self._rotations[:, joint], tip)
        return max(off, _farthest(place + quat.rotate(turned, tip), was))


class _Stretched:
    """A body with scales, or whose joints do not take over all."""

    def __init__(self, clip: Clip) -> None:
        self._skeleton = clip.skeleton
        self._linear, self._places = kinematics.matrices(clip)
        self._now = np.empty_like(self._linear), np.empty_like(self._places)
        self._frames = kinematics.Frames(clip.skeleton, *self._now)

    def wanted(self, joint: int) -> tuple[Array, Array]:
        frame = self._frames.frame_of(joint)
        basis = np.linalg.solve(frame.turning, frame.unstretched(self._linear[:, joint]))
        length = np.maximum(np.linalg.norm(basis, axis=-2, keepdims=True), 1e-12)
        return quat.from_matrix(basis / length), frame.location_of(self._places[:, joint])

    def put(self, joint: int, rotations: Array, translations: Array, scales: Array | None) -> float:
        frame, basis = self._frames.frame_of(joint), quat.to_matrix(rotations)
        if scales is not None:
            basis = basis * scales[:, None, :]
        linear, place = frame.apply(basis, translations)
        self._now[0][:, joint], self._now[1][:, joint] = linear, place
        off, tip = _farthest(place, self._places[:, joint]), self._skeleton.tips[joint]
        return max(off, _farthest(place + linear @ tip, self._places[:, joint] + self._linear[:, joint] @ tip))
