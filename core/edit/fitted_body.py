"""A body fitted joint by joint, parents first, with the error of each joint (methods: Fewer keys)."""

from typing import Protocol

import numpy as np

from ..motion import inheritance, kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array


class Frame(Protocol):
    """The frame in which one joint rotates and translates, given its fitted parents."""

    def rotations(self) -> Array:
        """Return the rotations (F, 4) that give the joint its original world rotation."""
        ...

    def translations(self) -> Array:
        """Return the translations (F, 3) that give the joint its original world position."""
        ...

    def put(self, rotations: Array, translations: Array, scales: Array | None) -> float:
        """Set the fitted values (F, …) of the joint; return the largest error of its position and tip, metres."""
        ...


class FittedBody(Protocol):
    """A body being fitted, as returned by `of`."""

    def frame(self, joint: int) -> Frame:
        """Return the frame of a joint whose parents are fitted."""
        ...


def of(clip: Clip) -> FittedBody:
    """Return the body of a clip, with no joint fitted yet."""
    return _Plain(clip) if clip.scales is None and clip.skeleton.inheritance is None else _Stretched(clip)


def _farthest(one: Array, other: Array) -> float:
    return float(np.sqrt(((one - other) ** 2).sum(axis=1).max()))


class _Plain:
    """A body without scales, whose joints inherit everything from their parents."""

    def __init__(self, clip: Clip) -> None:
        self.skeleton = clip.skeleton
        self.rotations, self.places = kinematics.world(clip)
        tips = self.places + quat.rotate(self.rotations, clip.skeleton.tips)
        self.tips = {int(joint): tips[:, joint] for joint in clip.skeleton.tipped}
        self.turned, self.moved = np.empty_like(self.rotations), np.empty_like(self.places)

    def frame(self, joint: int) -> Frame:
        return _PlainFrame(self, joint)


class _PlainFrame:
    def __init__(self, body: _Plain, joint: int) -> None:
        self._body, self._joint = body, joint
        skeleton, above = body.skeleton, int(body.skeleton.parents[joint])
        self._turning, self._origin = skeleton.orients[joint], skeleton.offsets[joint]
        if above >= 0:
            self._origin = body.moved[:, above] + quat.rotate(body.turned[:, above], self._origin)
            self._turning = quat.mul(body.turned[:, above], self._turning)

    def rotations(self) -> Array:
        return quat.mul(quat.inv(self._turning), self._body.rotations[:, self._joint])

    def translations(self) -> Array:
        return quat.rotate(quat.inv(self._turning), self._body.places[:, self._joint] - self._origin)

    def put(self, rotations: Array, translations: Array, _scales: Array | None) -> float:
        body, joint = self._body, self._joint
        turned = quat.mul(self._turning, rotations)
        place = self._origin + quat.rotate(self._turning, translations) if translations.any() else self._origin
        body.turned[:, joint], body.moved[:, joint] = turned, place
        off = _farthest(body.moved[:, joint], body.places[:, joint])
        if joint not in body.tips:
            return off
        return max(off, _farthest(place + quat.rotate(turned, body.skeleton.tips[joint]), body.tips[joint]))


class _Stretched:
    """A body with scales, or whose joints do not inherit everything."""

    def __init__(self, clip: Clip) -> None:
        self.skeleton = clip.skeleton
        self.linear, self.places = kinematics.matrices(clip)
        self.turned, self.moved = np.empty_like(self.linear), np.empty_like(self.places)
        self._frames = kinematics.Frames(clip.skeleton, self.turned, self.moved)

    def frame(self, joint: int) -> Frame:
        return _StretchedFrame(self, joint, self._frames.frame_of(joint))


class _StretchedFrame:
    def __init__(self, body: _Stretched, joint: int, frame: inheritance.Frame) -> None:
        self._body, self._joint, self._frame = body, joint, frame

    def rotations(self) -> Array:
        frame = self._frame
        basis = np.linalg.solve(frame.turning, frame.undo_stretch(self._body.linear[:, self._joint]))
        return quat.from_matrix(basis / np.maximum(np.linalg.norm(basis, axis=-2, keepdims=True), 1e-12))

    def translations(self) -> Array:
        return self._frame.location_of(self._body.places[:, self._joint])

    def put(self, rotations: Array, translations: Array, scales: Array | None) -> float:
        body, joint, basis = self._body, self._joint, quat.to_matrix(rotations)
        if scales is not None:
            basis = basis * scales[:, None, :]
        linear, place = self._frame.apply(basis, translations)
        body.turned[:, joint], body.moved[:, joint] = linear, place
        tip = body.skeleton.tips[joint]
        was = body.places[:, joint] + body.linear[:, joint] @ tip
        return max(_farthest(place, body.places[:, joint]), _farthest(place + linear @ tip, was))
