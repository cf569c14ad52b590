"""A clip: one skeleton moving through evenly spaced frames."""

from dataclasses import dataclass, replace

import numpy as np

from ..errors import ClipError
from .quat import Array
from .skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of F frames; never changed, operations return new clips.

    rate : frames per second
    rotations (F, J, 4) : of each joint about its rest frame
    translations (F, J, 3) : of each joint in its rest frame, metres; zero for joints that have none
    """

    name: str
    skeleton: Skeleton
    rate: float
    rotations: Array
    translations: Array

    def __post_init__(self) -> None:
        frames, joints = len(self.rotations), len(self.skeleton)
        shapes = (self.rotations.shape, self.translations.shape)
        if shapes != ((frames, joints, 4), (frames, joints, 3)):
            raise ClipError(f"{self.name}: {joints} joints got rotations and translations of shapes {shapes}")
        if frames == 0:
            raise ClipError(f"{self.name}: the clip has no frames")
        if not 0.0 < self.rate < 1e5:
            raise ClipError(f"{self.name}: {self.rate} frames per second is not a rate")
        for values, what in ((self.rotations, "rotation"), (self.translations, "translation")):
            if not np.isfinite(values).all():
                frame, joint = np.argwhere(~np.isfinite(values))[0][:2]
                joint_name = self.skeleton.names[joint]
                raise ClipError(f"{self.name}: the {what} of {joint_name!r} at frame {frame} is not a number")

    def __len__(self) -> int:
        return len(self.rotations)

    @property
    def seconds(self) -> float:
        """Time from the first frame to the last."""
        return (len(self) - 1) / self.rate

    def cut(self, start: int, end: int) -> "Clip":
        """Return the frames start … end − 1."""
        return replace(self, rotations=self.rotations[start:end], translations=self.translations[start:end])
