"""A clip: one skeleton moving through evenly spaced frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError
from .arrays import read_only
from .quat import Array
from .skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Channel:
    """A named curve of an action in addition to the pose.

    values (F,) : its value in each frame
    discrete : whether it is stepped (switches, choices, curves with held keys); steps are never interpolated, and a
        blend takes the value of the clip with the greatest weight
    """

    values: Array
    discrete: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", read_only(self.values))


class FreeHand(NamedTuple):
    """A contact of hands that results do not keep, by its kind, sides and part, and its time in the clip in seconds.

    added : they keep it though it was not found
    """

    kind: str
    sides: str
    part: str
    begin: float
    end: float
    added: bool = False

    def covers(self, key: tuple[str, str, str], begin: float, end: float) -> bool:
        """Return whether a contact is free: one of its kind, sides and part, at least half of it in its time."""
        return not self.added and self[:3] == key and 2.0 * (min(self.end, end) - max(self.begin, begin)) >= end - begin


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of F frames. It is immutable: its arrays are read-only, and operations return new clips.

    rate : frames per second
    rotations (F, J, 4) : of each joint about its rest frame
    translations (F, J, 3) : of each joint in its rest frame, metres; zero for joints without translation
    scales (F, J, 3) : along the axes of each joint; None if no joint is scaled
    channels : all other curves of the action, by name
    cyclic : whether it is a cycle; the last frame repeats the first, moved by the travel of one cycle
    free_hands : contacts of hands that results do not keep, or that people have added

    Raises ClipError for arrays of wrong shapes, for zero frames, for an impossible rate, and for values that are not
    numbers.
    """

    name: str
    skeleton: Skeleton
    rate: float
    rotations: Array
    translations: Array
    scales: Array | None = None
    channels: Mapping[str, Channel] = field(default_factory=dict)
    cyclic: bool = False
    free_hands: tuple[FreeHand, ...] = ()

    def __post_init__(self) -> None:
        frames, joints = len(self.rotations), len(self.skeleton)
        scales = self.translations if self.scales is None else self.scales
        shapes = (self.rotations.shape, self.translations.shape, scales.shape)
        if shapes != ((frames, joints, 4), (frames, joints, 3), (frames, joints, 3)):
            raise ClipError(f"{self.name}: {joints} joints got rotations, translations and scales of shapes {shapes}")
        for name, channel in self.channels.items():
            if channel.values.shape != (frames,):
                raise ClipError(f"{self.name}: {name} has {len(channel.values)} values for {frames} frames")
        if frames == 0:
            raise ClipError(f"{self.name}: the clip has no frames")
        if not 0.0 < self.rate < 1e5:
            raise ClipError(f"{self.name}: {self.rate} frames per second is not a rate")
        for values, what in ((self.rotations, "rotation"), (self.translations, "translation"), (self.scales, "scale")):
            if values is not None and not np.isfinite(values).all():
                frame, joint = np.argwhere(~np.isfinite(values))[0][:2]
                joint_name = self.skeleton.names[joint]
                raise ClipError(f"{self.name}: the {what} of {joint_name!r} at frame {frame} is not a number")
        for name in ("rotations", "translations", "scales"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.rotations)

    @property
    def seconds(self) -> float:
        """Time from the first frame to the last."""
        return (len(self) - 1) / self.rate

    def cut(self, start: int, end: int) -> "Clip":
        """Return the frames start … end − 1; only the whole clip stays cyclic."""
        return replace(
            self,
            rotations=self.rotations[start:end],
            translations=self.translations[start:end],
            scales=None if self.scales is None else self.scales[start:end],
            channels={n: Channel(c.values[start:end], c.discrete) for n, c in self.channels.items()},
            cyclic=self.cyclic and (start, end) == (0, len(self)),
            free_hands=tuple(
                one._replace(begin=one.begin - start / self.rate, end=one.end - start / self.rate)
                for one in self.free_hands
            ),
        )

    def take_frames(self, frames: NDArray[np.int64]) -> "Clip":
        """Return some frames (K,), in any order, as an acyclic clip without times of free hands."""
        return replace(
            self,
            rotations=self.rotations[frames],
            translations=self.translations[frames],
            scales=None if self.scales is None else self.scales[frames],
            channels={n: Channel(c.values[frames], c.discrete) for n, c in self.channels.items()},
            cyclic=False,
            free_hands=(),
        )

    def decimate(self, every: int) -> "Clip":
        """Return every n-th frame from the first on, n = `every`, at a rate n times lower."""
        taken = self.take_frames(np.arange(0, len(self), every))
        return replace(taken, rate=self.rate / every, free_hands=self.free_hands)


def join_clips(clips: Sequence[Clip]) -> Clip:
    """Return the frames of clips in sequence, as an acyclic clip.

    The clips share a skeleton, a rate and their channels; all other properties are copied from the first.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import clip
        >>> walk, wave = actions.walk(), actions.wave()
        >>> len(walk), len(wave), len(clip.join_clips([walk, wave]))
        (97, 109, 206)
    """
    first = clips[0]
    return replace(
        first,
        rotations=np.concatenate([clip.rotations for clip in clips]),
        translations=np.concatenate([clip.translations for clip in clips]),
        scales=None if first.scales is None else np.concatenate([np.asarray(clip.scales) for clip in clips]),
        channels={
            name: Channel(np.concatenate([clip.channels[name].values for clip in clips]), channel.discrete)
            for name, channel in first.channels.items()
        },
        cyclic=False,
    )
