"""A clip as keys: keyed values and frames, and the clip they evaluate to (methods: Fewer keys)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..motion import quat, rotation_modes
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import handles


@dataclass(frozen=True, eq=False)
class Keys:
    """K keys of n values with common frames.

    frames (K,) : increasing; values (K, n); slopes (K, 2, n) : per frame, before and after each key
    steps : whether each value is held until the next key; otherwise keys are joined by cubics
    reach (K, 2) : lengths in frames of the handles before and after each key; None: a third of the gap
    """

    frames: NDArray[np.int64]
    values: Array
    slopes: Array
    steps: bool = False
    reach: Array | None = None

    def at(self, frames: Array) -> Array:
        """Return the values (F, n) at frames, which may be fractional; end values are held outside the keys."""
        within = np.clip(frames, self.frames[0], self.frames[-1])
        if len(self.frames) == 1 or self.steps:
            return self.values[np.searchsorted(self.frames, within, side="right") - 1]
        k = np.clip(np.searchsorted(self.frames, within, side="right") - 1, 0, len(self.frames) - 2)
        gap = (self.frames[k + 1] - self.frames[k]).astype(np.float64)[:, None]
        t = (within - self.frames[k])[:, None] / gap
        if self.reach is not None:
            ends = self.reach[k, 1][:, None] / gap, self.reach[k + 1, 0][:, None] / gap
            weights = handles.weights(handles.parameter(t, *ends))
            leaving = self.values[k] + self.reach[k, 1][:, None] * self.slopes[k, 1]
            arriving = self.values[k + 1] - self.reach[k + 1, 0][:, None] * self.slopes[k + 1, 0]
            corners = (self.values[k], leaving, arriving, self.values[k + 1])
            return np.asarray(sum(w * one for w, one in zip(weights, corners, strict=True)))
        rise = self.values[k + 1] - self.values[k]
        line = rise / gap
        leaving, arriving = self.slopes[k, 1] - line, self.slopes[k + 1, 0] - line
        bent = gap * t * (1.0 - t) * ((1.0 - t) * leaving - t * arriving)
        return np.asarray(self.values[k] + t * rise + bent)

    @property
    def count(self) -> int:
        """Number of keys on all curves, with one curve for each of the n values."""
        return self.values.size


@dataclass(frozen=True, eq=False)
class Keying:
    """The keying of a joint.

    mode : rotation mode; turned (4,) : rotation of the keyed bone relative to the joint, if their rest poses differ
    start : rotation values near which the first ones are chosen, out of the many for the same rotation
    turns, moves, scales : whether it gets keys of this kind even at rest
    """

    mode: str = rotation_modes.QUATERNION
    turned: Array | None = None
    start: Array | None = None
    turns: bool = False
    moves: bool = False
    scales: bool = False

    def values_of(self, rotations: Array) -> Array:
        """Return the keyed values (F, 3 or 4) of rotations (F, 4)."""
        from_rest = rotations if self.turned is None else quat.mul(self.turned, rotations)
        return rotation_modes.from_quaternion(from_rest, self.mode, self.start)

    def rotations_of(self, values: Array) -> Array:
        """Return the rotations (F, 4) of keyed values (F, 3 or 4)."""
        from_rest = rotation_modes.to_quaternion(values, self.mode)
        return from_rest if self.turned is None else quat.mul(quat.inv(self.turned), from_rest)


@dataclass(frozen=True, eq=False)
class KeyedClip:
    """A motion of F frames as keys.

    keyings, rotations, translations, scales : of each of the J joints; None: no keys, the joint stays at rest
    channels : all other animated values, by name
    """

    name: str
    skeleton: Skeleton
    rate: float
    frames: int
    keyings: tuple[Keying, ...]
    rotations: tuple[Keys | None, ...]
    translations: tuple[Keys | None, ...]
    scales: tuple[Keys | None, ...]
    channels: Mapping[str, Keys] = field(default_factory=dict)
    cyclic: bool = False

    def __len__(self) -> int:
        return self.frames

    @property
    def every(self) -> list[Keys]:
        """All keys of joints and channels."""
        joints = (*self.rotations, *self.translations, *self.scales)
        return [*(keys for keys in joints if keys is not None), *self.channels.values()]

    @property
    def key_count(self) -> int:
        """Number of keys on all curves; a rotation of four values counts four per frame."""
        return sum(keys.count for keys in self.every)

    @property
    def full_count(self) -> int:
        """Number of keys with a key on every frame."""
        return sum(self.frames * keys.values.shape[1] for keys in self.every)

    def clip(self) -> Clip:
        """Return the clip to which the keys evaluate, sampled at every frame."""
        at = np.arange(self.frames, dtype=np.float64)
        shape = (self.frames, len(self.skeleton))
        rotations, translations = np.tile(quat.IDENTITY, (*shape, 1)), np.zeros((*shape, 3))
        scales = np.ones((*shape, 3))
        for joint, keying in enumerate(self.keyings):
            turning, moving, scaling = self.rotations[joint], self.translations[joint], self.scales[joint]
            if turning is not None:
                rotations[:, joint] = keying.rotations_of(turning.at(at))
            if moving is not None:
                translations[:, joint] = moving.at(at)
            if scaling is not None:
                scales[:, joint] = scaling.at(at)
        scaled = any(keys is not None for keys in self.scales)
        channels = {name: Channel(keys.at(at)[:, 0], keys.steps) for name, keys in self.channels.items()}
        return Clip(
            self.name,
            self.skeleton,
            self.rate,
            rotations,
            translations,
            scales if scaled else None,
            channels=channels,
            cyclic=self.cyclic,
        )
